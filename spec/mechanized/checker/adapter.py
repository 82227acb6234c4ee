"""The verified checker as an adapter of the conformance suite: `python adapter.py CHECKER`.

A program with anything that the checker's language lacks is skipped, with the reason, and so is one of which the
checker decides nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from dims import Beyond
from surface import translated


def checked(request: dict[str, Any], process: subprocess.Popen[str]) -> dict[str, object]:
    """The verified checker's answer about a program."""
    if request["passes"]:
        return {"skipped": "passes"}
    try:
        program = translated(request["name"], request["text"])
    except Beyond as lacking:
        return {"skipped": str(lacking)}
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(program + "\n")
    process.stdin.flush()
    answer, _, rest = process.stdout.readline().strip().partition(" ")
    match answer:
        case "accepted" | "rejected":
            return {"accepted": answer == "accepted"}
        case "undecided":
            return {"skipped": f"not decided: {rest}"}
    return {"errored": f"{answer} {rest}"}


def main(command: Sequence[str]) -> None:
    """Answer the runner's requests, a line each, until the input ends."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for line in sys.stdin:
        request = json.loads(line)
        match request["cmd"]:
            case "hello":
                reply: dict[str, object] = {"protocol": 1, "name": "verified", "version": "1", "profiles": ["verdict"]}
            case "check":
                reply = checked(request, process)
            case "bye":
                reply = {"bye": True}
            case _:
                reply = {"skipped": "no runs"}
        print(json.dumps({"seq": request["seq"], **reply}), flush=True)
    process.communicate()


if __name__ == "__main__":
    main(sys.argv[1:])
