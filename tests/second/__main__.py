"""The adapter: a request on each line, a reply on each line."""

from __future__ import annotations

import json
import sys
import traceback
from typing import Any

from .check import File
from .goals import Report
from .parse import parse
from .text import Refused, Skip

PROFILES = ["verdict", "codes", "spans", "least", "rules", "types", "checks"]


def check(text: str) -> dict[str, Any]:
    """The answer about a program, or why there is none."""
    try:
        report = Report()
        try:
            File(parse(text), report).check()
        except Refused as r:
            report.say(r.code, r.rule, r.place)
        bad = any(d["severity"] == "error" for d in report.diagnostics)
        return {
            "accepted": not bad,
            "diagnostics": report.diagnostics,
            "functions": report.functions,
            "bindings": report.bindings,
            "checks": report.checks,
        }
    except Skip as s:
        return {"skipped": str(s)}
    except RecursionError:
        return {"skipped": "nesting"}


def main() -> None:
    sys.setrecursionlimit(8000)
    for line in sys.stdin:
        ask = json.loads(line)
        reply: dict[str, Any]
        if ask["cmd"] == "hello":
            reply = {"protocol": 1, "name": "second", "version": "0.1", "profiles": PROFILES}
        elif ask["cmd"] == "check":
            try:
                reply = check(ask["text"])
            except Exception:  # a crash is an answer of the protocol, and the next program is asked
                reply = {"errored": traceback.format_exc()[-900:]}
        elif ask["cmd"] == "bye":
            reply = {"bye": True}
        else:
            reply = {"skipped": "runs"}
        print(json.dumps({"seq": ask["seq"], **reply}), flush=True)


if __name__ == "__main__":
    main()
