"""An adapter of the conformance suite for a system: `python -m bench.field.adapter SYSTEM`.

It replies with verdicts.  What a system says where it rejects a program is the message of a diagnostic, and conditions
that it keeps are the checks of the reply; the runner compares neither.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any

from bench.field.program import Beyond, functions
from bench.field.systems import SYSTEMS, System

NOWHERE = {"start": {"line": 1, "column": 1}, "end": {"line": 1, "column": 2}}
"""The place of everything that a system says: none knows places of programs."""


def checked(system: System, request: Mapping[str, Any]) -> dict[str, Any]:
    """The reply to a program: it is rejected if any of its functions is."""
    if request["passes"]:
        return {"skipped": "passes"}
    beyond: list[str] = []
    guards: list[str] = []
    try:
        every = functions(request["name"], request["text"])
    except Beyond as lacking:
        return {"skipped": str(lacking)}
    for function in every.values():
        try:
            guards += system.answer(function, every)
        except Beyond as lacking:
            beyond.append(str(lacking))
        except Exception as raised:  # whatever a system raises is its answer
            said = {"severity": "error", "rule": "", "span": NOWHERE, "message": _message(raised)}
            return {"accepted": False, "diagnostics": [{"code": "E0301", **said}]}
    if beyond:
        return {"skipped": beyond[0]}
    kept = [{"goal": goal, "span": NOWHERE, "rule": "", "blames": []} for goal in guards]
    return {"accepted": True, "checks": kept}


def _message(raised: BaseException) -> str:
    text = " ".join(str(raised).split())
    return f"{type(raised).__name__}: {text}"[:400]


def main(name: str) -> None:
    """Answer the runner's requests, a line each, until `bye`."""
    system = SYSTEMS[name]
    import_module(system.entry[0])  # first, since it sets what the package reads when it is imported
    import_module(system.package)
    replies = sys.stdout
    with TemporaryDirectory() as folder, redirect_stdout(sys.stderr):  # ONNX Runtime prints, and writes files
        os.chdir(folder)
        for line in sys.stdin:
            request = json.loads(line)
            match request["cmd"]:
                case "hello":
                    reply: dict[str, Any] = {
                        "protocol": 1,
                        "name": system.title,
                        "version": system.version(),
                        "profiles": ["verdict"],
                    }
                case "check":
                    reply = checked(system, request)
                case "bye":
                    reply = {"bye": True}
                case _:
                    reply = {"skipped": "no runs"}
            print(json.dumps({"seq": request["seq"], **reply}), file=replies, flush=True)
            if request["cmd"] == "bye":
                break
        os.chdir("/")


if __name__ == "__main__":
    main(sys.argv[1])
