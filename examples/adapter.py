"""An adapter: it answers the conformance suite's questions about verdicts and codes with a compiler's output.

The compiler here is `gradual check --format json`; put your own in its place.  Nothing is needed but a language that
reads and writes lines of JSON.  The protocol is in `spec/conformance/protocol`.
"""

import json
import subprocess
import sys

COMPILER = [sys.executable, "-m", "gradual", "check", "--format", "json", "-"]


def greeting(request):
    """Who answers, and about what: begin with the verdict, and add profiles as they are done."""
    return {"protocol": 1, "name": "example", "version": "1", "profiles": ["verdict", "codes"]}


def check(request):
    """What the compiler says of a program."""
    if request["passes"]:
        return {"skipped": "this compiler has no passes"}
    ended = subprocess.run(COMPILER, input=request["text"], capture_output=True, encoding="utf-8")
    if ended.returncode not in (0, 1):
        return {"errored": ended.stderr}
    found = [json.loads(line) for line in ended.stdout.splitlines()]
    diagnostics = [each for each in found if each["kind"] == "diagnostic"]
    return {"accepted": ended.returncode == 0, "diagnostics": diagnostics}


ANSWERS = {"hello": greeting, "check": check, "bye": lambda request: {"bye": True}}

for line in sys.stdin:
    request = json.loads(line)
    reply = {"seq": request["seq"]} | ANSWERS[request["cmd"]](request)
    print(json.dumps(reply), flush=True)
