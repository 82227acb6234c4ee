"""The protocol for an implementation in another process: requests and replies, one JSON object per line.

The forms of diagnostics, checks, spans and values are those of `gradual check --format json` and `gradual run --format
json`; other keys of a reply are ignored.  `spec/conformance/protocol/` has the schemas.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from gradual.conformance.cases.answer import (
    Crashed,
    FoundCheck,
    FoundDiagnostic,
    FoundPlace,
    Garbled,
    GotBlame,
    GotFault,
    GotValue,
    Limited,
    Outcome,
    Report,
    Skipped,
)
from gradual.conformance.cases.case import Place, Request
from gradual.conformance.cases.read import LIMITS
from gradual.conformance.cases.suite_version import suite_version
from gradual.conformance.runner.judge import Profile
from gradual.diagnostic import Severity
from gradual.interface.input.values import Built, Fields, Literal, Values
from gradual.record import record
from gradual.tensors.json_form import folded, inside, tensor_parts, to_json
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Value

VERSION = 1
"""The protocol's version; an implementation with another version is not queried."""

Object = dict[str, Any]
Part = TypeVar("Part")


@record
class Greeting:
    """The implementation's name and version, and the profiles that it supports."""

    name: str
    version: str
    profiles: frozenset[Profile]


# ------------------------------------------------------------------------------------------------------- requests
def hello() -> Object:
    """The request for the implementation's name and abilities."""
    return {"cmd": "hello", "protocol": VERSION, "suite": suite_version()}


def bye() -> Object:
    """The request that ends the session."""
    return {"cmd": "bye"}


def checking(request: Request) -> Object:
    """The request to check a program; it lists functions for obstacles and for plans, and passes to apply.

    The key `print` is sent only if it is true, so that an adapter without the profile does not see it.
    """
    wanted = {"print": True} if request.print else {}
    return {
        "cmd": "check",
        "name": request.name,
        "text": request.text,
        "static": list(request.static),
        "plan": list(request.plan),
        "passes": list(request.passes),
    } | wanted


def formatting(request: Request) -> Object:
    """The request to put a program into canonical layout."""
    return {"cmd": "format", "name": request.name, "text": request.text}


def running(request: Request, function: str, arguments: Sequence[Value]) -> Object:
    """The request to run a call."""
    return {
        "cmd": "run",
        "name": request.name,
        "text": request.text,
        "function": function,
        "arguments": [to_json(argument) for argument in arguments],
        "runtime": request.runtime,
        "passes": list(request.passes),
    }


# -------------------------------------------------------------------------------------------------------- replies
def replied(line: bytes, seq: int) -> Object:
    """Parse a reply.  Raises Garbled, or Skipped, Limited or Crashed if the implementation says so."""
    try:
        form = json.loads(line.decode(), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Garbled(f"the reply is not JSON: {error}: {line[:80]!r}") from error
    if not isinstance(form, dict):
        raise Garbled(f"the reply is not an object: {line[:80]!r}")
    if form.get("seq") != seq or type(form["seq"]) is not int:
        raise Garbled(f"the reply to request {seq} has seq {form.get('seq')!r}")
    for word, raised in (("skipped", Skipped), ("errored", Crashed)):
        if word in form:
            raise raised(_text(form, word))
    if "limit" in form:
        if (name := _text(form, "limit")) not in LIMITS:
            raise Garbled(f"there is no limit `{name:.80}`; they are {', '.join(LIMITS)}")
        raise Limited(name)
    return form


def greeting(form: Object) -> Greeting:
    """Parse the reply to `hello`.  Raises Garbled."""
    if form.get("protocol") != VERSION or type(form["protocol"]) is not int:
        raise Garbled(f"the implementation speaks protocol {form.get('protocol')!r}, not {VERSION}")
    if form.get("profiles") is None:
        raise Garbled("the greeting has no `profiles`")
    named = _list(form, "profiles", _word)
    unknown = [name for name in named if name not in Profile.__members__.values()]
    if unknown:
        raise Garbled(f"there is no profile `{unknown[0]}`; they are {', '.join(Profile)}")
    return Greeting(_text(form, "name"), _text(form, "version"), frozenset(map(Profile, named)))


def report(form: Object) -> Report:
    """Parse the reply to `check`; missing lists are empty.  Raises Garbled."""
    accepted = form.get("accepted")
    if not isinstance(accepted, bool):
        raise Garbled(f"`accepted` is true or false, not {accepted!r}")
    functions, bindings = _list(form, "functions", _pair), _list(form, "bindings", _binding)
    checks = _list(form, "checks", _check)
    return Report(
        accepted=accepted,
        diagnostics=_list(form, "diagnostics", _diagnostic),
        functions=dict(functions),
        bindings=bindings,
        checks=checks,
        core=_list(form, "core", _word),
        static=_list(form, "static", _word),
        plan=_list(form, "plan", _word),
        after=_list(form, "after", _word),
        left=_list(form, "left", _word),
        passed=form.get("passed") is True,
        printed=_text(form, "printed") if form.get("printed") is not None else None,
        places=(
            *_places_of(form, "functions", lambda entry: _text(entry, "name")),
            *_places_of(form, "bindings", lambda entry: f"{_text(entry, 'function')} {_text(entry, 'name')}"),
            *(FoundPlace("check", check.rule, check.place) for check in checks),
        ),
    )


def _places_of(form: Object, name: str, named: Callable[[Object], str]) -> Iterator[FoundPlace]:
    """The places of the types in a list, where they are given."""
    for entry in form.get(name, []):
        if entry.get("span") is not None:
            yield FoundPlace("type", named(entry), _place(entry["span"]))


def formatted(form: Object) -> str:
    """Parse the reply to `format`.  Raises Garbled."""
    return _text(form, "formatted")


def outcome(form: Object) -> Outcome:
    """Parse the reply to `run`.  Raises Garbled."""
    match form.get("outcome"):
        case "value":
            try:
                return GotValue(folded(form.get("value"), inside, _value))
            except (ValueError, TypeError, OverflowError) as error:
                raise Garbled(f"`value` is no value: {error}") from error
        case "blame":
            return GotBlame(_code(form), _rule(form), _list(form, "blames", _place))
        case "fault":
            message = form.get("message")
            return GotFault(_code(form), message if isinstance(message, str) else "")
        case other:
            raise Garbled(f'`outcome` is "value", "blame" or "fault", not {other!r}')


def _value(form: Any, parts: list[Values]) -> Values:
    """A value with its floats as they were sent: rounding them would hide that they are no values of their type."""
    if "constructor" in form:
        return Built(_text(form, "constructor"), tuple(parts))
    if "tuple" in form:
        return Fields(tuple(parts))
    data, dtype, shape = tensor_parts(form)
    elements = Tensor(data, dtype, shape).flat()
    return Literal(str(dtype), shape, tuple(map(float, data) if dtype.is_float else elements))


def _pair(form: Any) -> tuple[str, str]:
    entry = _object(form)
    return _text(entry, "name"), _text(entry, "type")


def _binding(form: Any) -> tuple[str, str, str]:
    entry = _object(form)
    contents = f" = {_text(entry, 'contents')}" if entry.get("contents") else ""
    return _text(entry, "function"), _text(entry, "name"), _text(entry, "type") + contents


def _diagnostic(form: Any) -> FoundDiagnostic:
    entry = _object(form)
    data = _object(entry.get("data") or {})
    return FoundDiagnostic(
        code=_code(entry),
        severity=_severity(entry),
        rule=_rule(entry),
        place=_place(entry.get("span")),
        related=_list(entry, "related", lambda part: _place(_object(part).get("span"))),
        witness=_sizes(data.get("counterexample") or {}),
        message=_text(entry, "message") if "message" in entry else "",
    )


def _check(form: Any) -> FoundCheck:
    entry = _object(form)
    place, blames = _place(entry.get("span")), _list(entry, "blames", _place)
    return FoundCheck(_text(entry, "goal" if "goal" in entry else "condition"), place, _text(entry, "rule"), blames)


def _place(form: Any) -> Place:
    start, end = (_object(_object(form).get(side)) for side in ("start", "end"))
    numbers = [_number(side, name) for side in (start, end) for name in ("line", "column")]
    if min(numbers) < 1:
        raise Garbled(f"lines and columns count from 1: {form!r:.80}")
    return Place(*numbers)


def _rule(form: Object) -> str:
    """The name of a rule; empty if the implementation has none."""
    return _text(form, "rule") if "rule" in form else ""


def _code(form: Object) -> str:
    """A code; empty if the implementation has none."""
    if "code" not in form:
        return ""
    code = _text(form, "code")
    if not re.fullmatch("E[0-9]{4}", code):
        raise Garbled(f"`code` is E and four digits, not {code!r:.80}")
    return code


def _severity(form: Object) -> str:
    severity = _text(form, "severity")
    if severity not in Severity.__members__.values():
        raise Garbled(f"`severity` is {', '.join(Severity)}, not {severity!r:.80}")
    return severity


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number of JSON")


def _sizes(form: Any) -> Mapping[str, int]:
    return {name: _number(_object(form), name) for name in _object(form)}


def _object(form: Any) -> Object:
    if not isinstance(form, dict):
        raise Garbled(f"an object is wanted, not {form!r:.80}")
    return form


def _list(form: Object, name: str, read: Callable[[Any], Part]) -> tuple[Part, ...]:
    """The list under the key `name` with its elements parsed; empty if the key is missing."""
    found = form.get(name, [])
    if not isinstance(found, list):
        raise Garbled(f"`{name}` is a list, not {found!r:.80}")
    return tuple(map(read, found))


def _word(form: Any) -> str:
    if not isinstance(form, str):
        raise Garbled(f"a string is wanted, not {form!r:.80}")
    return form


def _text(form: Object, name: str) -> str:
    if not isinstance(form.get(name), str):
        raise Garbled(f"`{name}` is a string, not {form.get(name)!r:.80}")
    return str(form[name])


def _number(form: Object, name: str) -> int:
    if type(form.get(name)) is not int:
        raise Garbled(f"`{name}` is an integer, not {form.get(name)!r:.80}")
    return int(form[name])
