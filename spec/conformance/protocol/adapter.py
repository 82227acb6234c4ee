"""An adapter for a checker that is a command: `python adapter.py CMD` runs `CMD FILE` for each program.

The exit code 0 accepts the program and 1 rejects it. With 2 the checker says that the program is outside its part of
the language; the first line that it prints is the reason.
"""

import json
import subprocess
import sys
import tempfile


def reply(request: dict) -> dict:
    """The answer to a request, without `seq`."""
    match request["cmd"]:
        case "hello":
            return {"protocol": 1, "name": sys.argv[1], "version": "1", "profiles": ["verdict"]}
        case "check":
            with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", suffix=".relay") as file:
                file.write(request["text"])
                file.flush()
                done = subprocess.run([*sys.argv[1:], file.name], stdout=subprocess.PIPE, encoding="utf-8", check=False)
            if done.returncode in (0, 1):
                return {"accepted": done.returncode == 0}
            return {"skipped" if done.returncode == 2 else "errored": done.stdout.partition("\n")[0]}
        case "bye":
            return {"bye": True}
    return {"skipped": "a request about another profile"}


for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"seq": request["seq"]} | reply(request)), flush=True)
