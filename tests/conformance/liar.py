"""An implementation that answers wrongly in one way: `python liar.py WAY`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

GREETING = {"protocol": 1, "name": "liar", "version": "1", "profiles": ["verdict", "codes", "run"]}


def found(line: int = 1, **changed: object) -> dict[str, object]:
    """A diagnostic, with something changed."""
    span = {"start": {"line": line, "column": 1}, "end": {"line": 1, "column": 2}}
    return {"code": "E0301", "severity": "error", "rule": "r", "span": span} | changed


def reply(way: str, asked: dict[str, object]) -> object:
    """The reply to a request, as an object or as the text of a line."""
    seq = asked["seq"]
    if asked["cmd"] == "hello":
        changed = {"protocol": {"protocol": 2}, "name": {"name": "li\nar\x1b]"}, "profiles": {"profiles": None}}
        return {"seq": seq} | GREETING | changed.get(way, {})
    if asked["cmd"] == "run":
        outcome = {"outcome": "value", "value": {"dtype": "float32", "shape": [5, 11], "data": ["0.5"] * 55}}
        return {"seq": seq} | (outcome if way != "outcome" else {"outcome": "maybe"})
    match way:
        case "accepts" | "outcome" | "name":
            return {"seq": seq, "accepted": True}
        case "rejects":
            return {"seq": seq, "accepted": False}
        case "dies":
            sys.exit("out of luck")
        case "leaves":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
            sys.exit(0)
        case "line":
            return {"seq": seq, "accepted": False, "diagnostics": [found(line=0)]}
        case "severity":
            return {"seq": seq, "accepted": False, "diagnostics": [found(severity="fatal")]}
        case "code":
            return {"seq": seq, "accepted": False, "diagnostics": [found(code="banana")]}
        case "bytes":
            os.write(1, b'{"seq": "\xff"}\n')
            time.sleep(3600)
        case "constant":
            return f'{{"seq": {seq}, "accepted": true, "took": NaN}}'
        case "banner":
            print("hello from stderr", file=sys.stderr, flush=True)
            return "loading"
        case "hangs":
            time.sleep(3600)
        case "closes":
            os.close(1)
            time.sleep(3600)
        case "garbage":
            return "ready."
        case "list":
            return [seq]
        case "sequence":
            return {"seq": 4711, "accepted": True}
        case "verdict":
            return {"seq": seq, "accepted": "yes"}
        case "span":
            return {"seq": seq, "accepted": False, "diagnostics": [found(span={"start": {"line": 1}, "end": {}})]}
        case "skips":
            return {"seq": seq, "skipped": "not today"}
        case "errs":
            return {"seq": seq, "errored": "stack overflow"}
    raise ValueError(way)


def main() -> None:
    """Read requests, and answer them."""
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["cmd"] == "bye":
            return
        found = reply(sys.argv[1], asked)
        print(found if isinstance(found, str) else json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
