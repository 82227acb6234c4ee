"""This implementation as a server of the protocol: an example of an adapter, and a test that the protocol suffices."""

from __future__ import annotations

import json
import traceback
from dataclasses import replace
from typing import IO

from gradual import __version__
from gradual.conformance.cases.case import Request
from gradual.conformance.implementations.protocol import VERSION, Object
from gradual.conformance.implementations.reference import Reference, function_spans, run_by
from gradual.conformance.runner.judge import Profile
from gradual.interface.reports import json_lines
from gradual.interface.reports.json_values import value_line
from gradual.limits import LIMITS
from gradual.run.value import Blame, Fault
from gradual.tensors.json_form import from_json


def serve(requests: IO[str], replies: IO[str], smt: bool) -> None:
    """Reply to each request by one line, until the request `bye` or the end of the input."""
    reference = Reference(smt=smt)
    while line := requests.readline(LIMITS.message + 1):
        seq, done = None, False
        try:
            if len(line) > LIMITS.message:
                done = True  # the start of the next request is unknown
                raise ValueError(f"the request is longer than the limit `message`, {LIMITS.message} bytes")
            asked = json.loads(line)
            seq, done = asked["seq"], asked["cmd"] == "bye"
            reply = _reply(reference, asked)
        except Exception:  # any exception becomes the reply to this request
            reply = json_lines.line({"errored": traceback.format_exc(limit=-3)})
        replies.write(f'{{"seq": {json.dumps(seq)}, {reply[1:]}\n')
        replies.flush()
        if done:
            return


def _reply(reference: Reference, asked: Object) -> str:
    match asked["cmd"]:
        case "hello":
            return json_lines.line(_greeting())
        case "check":
            return json_lines.line(_checked(reference, asked))
        case "format":
            return json_lines.line({"formatted": reference.format(Request(asked["name"], asked["text"]))})
        case "run":
            return _ran(reference, asked)
        case "bye":
            return json_lines.line({"bye": True})
        case other:
            return json_lines.line({"errored": f"there is no request `{other}`"})


def _greeting() -> Object:
    return {
        "protocol": VERSION,
        "name": "gradual",
        "version": __version__,
        "profiles": [profile.value for profile in Profile],
    }


def _request(asked: Object) -> Request:
    request = Request(asked["name"], asked["text"], runtime=asked.get("runtime", "vm"), print="print" in asked)
    static, plan, passes = (tuple(asked.get(name, ())) for name in ("static", "plan", "passes"))
    return replace(request, static=static, plan=plan, passes=passes)


def _checked(reference: Reference, asked: Object) -> Object:
    request = _request(asked)
    compilation, report = reference.compiled(request), reference.check(request)
    source, spans = compilation.source, function_spans(compilation)
    printed = {} if report.printed is None else {"printed": report.printed}
    functions = [
        {"name": name, "type": type} | ({"span": json_lines.span(source, spans[name])} if name in spans else {})
        for name, type in report.functions.items()
    ]
    return {
        "accepted": report.accepted,
        "diagnostics": [json_lines.diagnostic(source, found) for found in compilation.diagnostics],
        "functions": functions,
        "bindings": [json_lines.binding(source, found) for found in compilation.bindings],
        "checks": [json_lines.check(source, found) for found in compilation.checks],
        "core": report.core,
        "static": report.static,
        "plan": report.plan,
        "after": report.after,
        "left": report.left,
        "passed": report.passed,
    } | printed


def _ran(reference: Reference, asked: Object) -> str:
    request = _request(asked)
    compilation = reference.passed(request)
    given = [from_json(form) for form in asked["arguments"]]
    try:
        return value_line(run_by(compilation, asked["function"], given, request.runtime))
    except Blame as blame:
        return json_lines.line(json_lines.blame(compilation.source, blame))
    except Fault as fault:
        return json_lines.line(json_lines.fault(compilation.source, fault))
