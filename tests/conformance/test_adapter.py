"""The suite against implementations in other processes: every way of not answering is told apart."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from gradual.conformance.cases.case import Case, Malformed
from gradual.conformance.cases.read import load
from gradual.conformance.implementations import protocol
from gradual.conformance.implementations.adapter import Adapter, OneShot
from gradual.conformance.implementations.reference import Reference
from gradual.conformance.implementations.serve import serve
from gradual.conformance.runner.judge import Profile
from gradual.conformance.runner.known import Known, read_known, weighed
from gradual.conformance.runner.run import Class, Result, Tally, run, tallied, verdicts
from gradual.resources import folder
from tests.conformance.suites import HEAD, REFUTED, VARIANTS, collected
from tests.interrupts import heard

HEAD_ID = "op/nn.dense/unknown-width"
LIAR = Path(__file__).parent / "liar.py"
SERVE = f"{shlex.quote(sys.executable)} -m gradual conformance serve"


def lying(way: str) -> str:
    return shlex.join([sys.executable, str(LIAR), way])


def asked_of(command: str, *suites: str, seconds: float = 20) -> list[Result]:
    cases = [case for suite in suites for case in collected(suite).cases]
    with Adapter(command, seconds) as adapter:
        return list(run(cases, adapter, adapter.greet().profiles))


def conformance(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gradual", "conformance", *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


# --------------------------------------------------------------------------------------------------------- liars
@pytest.mark.parametrize(
    ("way", "kinds", "word"),
    [
        ("accepts", [Class.FAIL, Class.FAIL], ""),
        ("rejects", [Class.FAIL, Class.FAIL], ""),
        ("dies", [Class.CRASH, Class.CRASH], "exit code 1\nout of luck"),
        ("closes", [Class.CRASH, Class.CRASH], "closed its output"),
        ("leaves", [Class.CRASH, Class.CRASH], "exit code 0"),
        ("garbage", [Class.PROTOCOL, Class.PROTOCOL], "not JSON"),
        ("list", [Class.PROTOCOL, Class.PROTOCOL], "not an object"),
        ("sequence", [Class.PROTOCOL, Class.PROTOCOL], "seq 4711"),
        ("verdict", [Class.PROTOCOL, Class.PROTOCOL], "`accepted` is true or false"),
        ("span", [Class.PROTOCOL, Class.PROTOCOL], "`column` is an integer"),
        ("line", [Class.PROTOCOL, Class.PROTOCOL], "count from 1"),
        ("severity", [Class.PROTOCOL, Class.PROTOCOL], "`severity` is error, warning, note, not 'fatal'"),
        ("code", [Class.PROTOCOL, Class.PROTOCOL], "four digits, not 'banana'"),
        ("bytes", [Class.PROTOCOL, Class.PROTOCOL], "not JSON"),
        ("constant", [Class.PROTOCOL, Class.PROTOCOL], "NaN is no number of JSON"),
        ("banner", [Class.PROTOCOL, Class.PROTOCOL], "b'loading\\n'\nhello from stderr"),
        ("outcome", [Class.PROTOCOL, Class.FAIL], "`outcome` is"),
        ("skips", [Class.SKIPPED, Class.SKIPPED], "not today"),
        ("errs", [Class.CRASH, Class.CRASH], "stack overflow"),
    ],
)
def test_each_way_of_not_answering_is_told_apart(way: str, kinds: list[Class], word: str) -> None:
    results = asked_of(lying(way), HEAD, REFUTED, seconds=3 if way in ("closes", "leaves") else 20)
    assert [result.kind for result in results] == kinds
    assert word in results[0].trace


def test_one_that_hangs_is_ended_and_asked_anew() -> None:
    results = asked_of(lying("hangs"), HEAD, REFUTED, seconds=3)
    assert [result.kind for result in results] == [Class.TIMEOUT] * 2


def test_who_accepts_everything_and_who_rejects_everything_fail_in_the_verdict_of_one_case_each() -> None:
    wrong = {}
    for way in ("accepts", "rejects"):
        results = asked_of(lying(way), HEAD, REFUTED)
        verdicts = [[f for f in result.failures if f.profile is Profile.VERDICT] for result in results]
        wrong[way] = list(map(bool, verdicts))
    assert wrong == {"accepts": [False, True], "rejects": [True, False]}


def test_nothing_is_asked_of_who_speaks_another_protocol() -> None:
    ended = conformance("run", "name/*", "--adapter", lying("protocol"))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "speaks protocol 2, not 1" in ended.stderr


@pytest.mark.parametrize("command", ["", "no-such-program", '"', "true"])
def test_what_cannot_be_asked_is_said(command: str) -> None:
    ended = conformance("run", "name/*", "--adapter", command)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("the command cannot be asked: ")


def test_after_many_cases_without_an_answer_no_more_are_asked_for() -> None:
    ended = conformance("run", "name/*", "--adapter", lying("dies"))
    assert ended.returncode == 1
    assert "no answer to 20 cases in a row: no more are asked for" in ended.stdout
    assert "\n20 of " in ended.stdout


@pytest.mark.parametrize("way", ["skips", "errs"])
def test_a_run_in_which_nothing_was_answered_fails(way: str) -> None:
    assert conformance("run", "name/variable", "--adapter", lying(way)).returncode == 1


def test_a_known_crash_is_set_apart_and_a_skipped_case_is_no_surprise() -> None:
    known = {HEAD_ID: Known(frozenset({"crash"}), "later")}
    (crashed,) = weighed(asked_of(lying("errs"), HEAD), known)
    (skipped,) = weighed(asked_of(lying("skips"), HEAD), known)
    assert (crashed.kind, skipped.kind) == (Class.KNOWN, Class.SKIPPED)
    assert not any(tally.passed for tally in tallied([crashed, skipped]).values())


def test_a_greeting_without_profiles_is_none() -> None:
    ended = conformance("run", "name/*", "--adapter", lying("profiles"))
    assert ended.returncode == 2
    assert ended.stderr.startswith("the command cannot be asked: the greeting has no `profiles`")


def test_what_an_adapter_calls_itself_is_one_line() -> None:
    ended = conformance("run", "name/variable", "--adapter", lying("name"))
    assert ended.stdout.splitlines()[0] == r"li\nar\x1b] 1"


def test_who_rejects_everything_is_right_about_nothing() -> None:
    results = asked_of(lying("rejects"), HEAD)
    assert all(tally.passed == 0 for tally in tallied(results, frozenset({Profile.RUN, Profile.BLAME})).values())
    (case,) = collected(HEAD).cases
    with Adapter(lying("rejects"), 20) as adapter:
        (result,) = run([case], adapter, frozenset({Profile.RUN}))
    assert result.kind is Class.FAIL


def alive(marker: str) -> bool:
    """Whether a process has these words in its command line."""
    return processes(marker) > 0


def processes(marker: str) -> int:
    """How many processes have these words in their command line."""
    return sum(marker.encode() in command_line(path) for path in Path("/proc").glob("[0-9]*/cmdline"))


def command_line(path: Path) -> bytes:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # the process ended since it was listed
        return path.read_bytes()
    return b""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="no /proc here")
@pytest.mark.parametrize("kind", ["--adapter", "--one-shot"])
def test_nothing_is_left_of_a_process_that_hangs_or_of_what_it_started(kind: str) -> None:
    marker = f"41{os.getpid()}"
    hanging = f"sh -c 'sleep {marker} & sleep {marker}; true'"
    ended = conformance("run", "rfc/broadcast/one-with-ten", kind, hanging, "--timeout", "1")
    assert ended.returncode == (2 if kind == "--adapter" else 1)
    assert not alive(marker)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="no /proc here")
@pytest.mark.parametrize("asked", [False, True])
def test_an_interrupted_run_ends_at_once_and_leaves_nothing(asked: bool) -> None:
    marker = f"hangs{os.getpid()}"
    command = f"{lying('hangs')} {marker}"
    arguments = [sys.executable, "-m", "gradual", "conformance", "run", "rfc/*", "--adapter", command, "--jobs", "2"]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, preexec_fn=heard)
    assert process.stdout is not None
    assert process.stdout.readline() == b"liar 1\n"
    while asked and processes(f"liar.py\0hangs\0{marker}") < 2:  # the second one is started when it is asked
        time.sleep(0.05)
    time.sleep(0.5 * asked)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    try:
        process.wait(60)
    finally:
        process.kill()
        process.stdout.close()
    assert time.monotonic() - began < 8  # an answer may take 10 s
    assert not alive(f"liar.py\0hangs\0{marker}")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("a/b", "expected `case-id"),
        ("a/b  verdict", "expected `case-id"),
        ("a/c  verdict  # gone", "there is no case a/c"),
        ("a/b  verdct  # wrong word", "there is no profile verdct"),
        ("a/b  run  # once\na/b  run  # twice", "the case a/b stands twice"),
    ],
)
def test_a_list_of_known_failures_that_cannot_be_read_is_told(line: str, says: str) -> None:
    with pytest.raises(Malformed, match=says):
        read_known(line, "known.txt", {"a/b"})


def test_of_a_list_only_that_counts_which_is_compared() -> None:
    (known,) = read_known("  # a comment\nop/nn.dense/unknown-width  verdict, types  # later\n", "", [HEAD_ID]).items()
    results = asked_of(lying("rejects"), HEAD)
    assert [result.kind for result in weighed(results, dict([known]), frozenset({Profile.VERDICT}))] == [Class.KNOWN]
    assert [result.kind for result in weighed(results, dict([known]), frozenset({Profile.RUN}))] == [Class.KNOWN]
    (passed,) = run(collected(HEAD).cases, Reference(), frozenset({Profile.VERDICT}))
    assert [result.kind for result in weighed([passed], dict([known]))] == [Class.UNEXPECTED]
    listed = {HEAD_ID: Known(frozenset({"run"}), "later")}
    assert [result.kind for result in weighed([passed], listed, frozenset({Profile.VERDICT}))] == [Class.PASS]


def test_a_list_is_text(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"a/b  run  # sp\xe4ter\n")
    (tmp_path / "marked").write_bytes(b"\xef\xbb\xbfname/variable/let-does-not-see-itself  spans  # later\n")
    wrong = conformance("run", "name/variable", "--known", str(tmp_path / "latin"))
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
    assert "unexpected pass 1" in conformance("run", "name/variable", "--known", str(tmp_path / "marked")).stdout


# ------------------------------------------------------------------------------------------------------ profiles
def test_only_what_is_answered_about_is_compared() -> None:
    (case,) = collected(HEAD).cases
    (result,) = run([case], Reference(), frozenset({Profile.VERDICT}))
    assert result.kind is Class.PASS  # the suite's checks and core are not those of the program
    assert list(tallied([result], frozenset({Profile.VERDICT}))) == [Profile.VERDICT]


def test_a_case_about_nothing_that_is_answered_is_not_asked() -> None:
    (case,) = collected(REFUTED).cases
    (result,) = run([case], Reference(), frozenset({Profile.PLAN}))
    assert result.kind is Class.UNSUPPORTED


# -------------------------------------------------------------------------------------------- the reference, asked
@cache
def some() -> list[Case]:
    """Cases of every block."""
    prefixes = ("name/", "rfc/", "plan.", "pass/static/", "data/convert", "function/number/", "op/unique")
    return [case for case in load(folder("spec")).cases if case.id.startswith(prefixes)]


def test_the_reference_answers_through_the_protocol_as_it_does_here() -> None:
    with Adapter(SERVE, 20) as adapter:
        results = list(run(some(), adapter, adapter.greet().profiles))
    assert {result.kind for result in results} == {Class.PASS}
    assert {Profile.CHECKS, Profile.PLAN, Profile.AFTER, Profile.LEFT, Profile.BLAME} <= set(tallied(results))


def schema(name: str) -> Draft202012Validator:
    files = sorted((folder("spec") / "conformance/protocol").glob("*.schema.json"))
    forms = {file.name: json.loads(file.read_text(encoding="utf-8")) for file in files}
    registry: Registry[Any] = Registry().with_resources(
        [(file, Resource.from_contents(form)) for file, form in forms.items()]
    )
    Draft202012Validator.check_schema(forms[name])
    return Draft202012Validator(forms[name], registry=registry)


def transcript(cases: list[Case]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """What the runner asks about some cases, and what the reference replies."""
    asked: list[dict[str, Any]] = [protocol.hello()]
    reference = Reference()
    for case in cases:
        asked.append(protocol.checking(case.request))
        asked += [protocol.checking(replace(case.request, print=True)), protocol.formatting(case.request)]
        for call in case.request.calls if reference.check(case.request).accepted else ():
            asked.append(protocol.running(case.request, call.function, reference.given(case.request, call)))
    asked.append(protocol.bye())
    requests = [{"seq": seq} | one for seq, one in enumerate(asked)]
    replies = io.StringIO()
    serve(io.StringIO("".join(json.dumps(request) + "\n" for request in requests)), replies, smt=True)
    return list(zip(requests, map(json.loads, replies.getvalue().splitlines()), strict=True))


def test_requests_and_replies_are_as_the_schemas_say() -> None:
    request, reply = schema("request.schema.json"), schema("reply.schema.json")
    for asked, replied in transcript(some()):
        request.validate(asked)
        reply.validate(replied)
        assert replied["seq"] == asked["seq"]
        assert "errored" not in replied


def test_no_request_has_anything_of_the_expectation() -> None:
    (case,) = collected(HEAD).cases
    texts = [json.dumps(asked) for asked, _ in transcript([case])]
    assert not any("E0601" in text or "dim(%x, 1) == 7" in text or "check.residual" in text for text in texts)


@pytest.mark.parametrize("line", ["", "{", "[]", "{}", '{"seq": 5}', '{"seq": 5, "cmd": "dance"}', '{"cmd": "run"}'])
def test_a_request_that_is_none_is_answered_and_the_next_one_too(line: str) -> None:
    replies = io.StringIO()
    serve(io.StringIO(f'{line}\n{{"seq": 6, "cmd": "bye"}}\n'), replies, smt=True)
    wrong, last = map(json.loads, replies.getvalue().splitlines())
    assert "errored" in wrong
    assert last == {"seq": 6, "bye": True}


# ------------------------------------------------------------------------------------------------------ one shot
def shot(program: str) -> str:
    return shlex.join([sys.executable, "-c", program])


def test_exit_codes_are_verdicts() -> None:
    cases = [case for suite in (HEAD, REFUTED, VARIANTS) for case in collected(suite).cases]
    check, verdict = shlex.join([sys.executable, "-m", "gradual", "check", "--quiet"]), frozenset({Profile.VERDICT})
    results = list(run(cases, OneShot(check, 20), verdict))
    assert {result.kind for result in results} == {Class.PASS}
    told = shot("import sys; sys.exit('Tensor[(n, 5)' not in open(sys.argv[1]).read())")
    assert [result.kind for result in run(cases[:2], OneShot(told, 20), verdict)] == [Class.FAIL, Class.FAIL]


@pytest.mark.parametrize(
    ("program", "kind"), [("import sys; sys.exit(2)", Class.CRASH), ("import time; time.sleep(60)", Class.TIMEOUT)]
)
def test_a_shot_that_gives_no_verdict(program: str, kind: Class) -> None:
    (result,) = run(collected(HEAD).cases, OneShot(shot(program), 1), frozenset({Profile.VERDICT}))
    assert result.kind is kind


# ---------------------------------------------------------------------------------------------------------- copies
def test_a_copy_has_every_case_with_what_is_expected_and_a_hash_of_it() -> None:
    forms = [json.loads(line) for line in conformance("copy").stdout.splitlines()]
    assert [form["id"] for form in forms] == [case.id for case in load(folder("spec")).cases]
    for form in forms:
        digest = form.pop("sha256")
        said = {name: form[name] for name in ("id", "rules", "request", "expectation")}
        assert digest == hashlib.sha256(json.dumps(said, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    blamed = next(form for form in forms if form["id"] == "rfc/broadcast/any-with-ten")["expectation"]["outcomes"][2]
    assert blamed == {"outcome": "blame", "code": "E0601", "blames": ["1:27-1:28"]}
    assert {form["expectation"]["accepted"] for form in forms} == {True, False, None}


def test_one_profile_is_compared_with_what_it_needs_if_it_is_asked_for() -> None:
    ended = conformance("run", "name/variable", "--profile", "codes", "--adapter", lying("accepts"))
    assert ended.stdout.splitlines()[0] == "liar 1"
    assert [line.split()[0] for line in ended.stdout.splitlines() if " of " in line] == ["verdict", "codes"]
    assert "[types]" not in ended.stdout


def test_right_verdicts_are_counted_by_kind() -> None:
    results = asked_of(lying("accepts"), HEAD, REFUTED, VARIANTS)
    assert verdicts(results) == {True: Tally(3, 3, 3), False: Tally(0, 2, 2)}
    ended = conformance("run", "type.cast/*-number", "type.let/*", "--adapter", lying("accepts"))
    assert "verdict  1 of 2 answered (to accept 1 of 1, to reject 0 of 1)" in ended.stdout


def test_it_is_said_that_nothing_is_compared() -> None:
    ended = conformance("run", "type.let/*", "--profile", "places", "--adapter", lying("accepts"))
    assert ended.returncode == 1
    assert "not compared, since the implementation does not name it in its greeting: places" in ended.stderr
    assert "nothing was compared: no case has an expectation in the profiles" in ended.stdout


def test_the_example_of_the_protocol_accepts_rejects_and_skips(tmp_path: Path) -> None:
    """Its checker says 2, and why, of every program with a `let`."""
    checker = tmp_path / "checker.py"
    checker.write_text(
        "import sys\ntext = open(sys.argv[1]).read()\n"
        "sys.exit(print('no let') or 2 if 'let' in text else 'Tensor[(7,)' in text)\n"
    )
    adapter = folder("spec") / "conformance" / "protocol" / "adapter.py"
    command = shlex.join([sys.executable, str(adapter), sys.executable, str(checker)])
    ended = conformance("run", "type.cast/other-number", "type.let/*", "type.variable/*", "--adapter", command)
    assert "skipped 1: no let\nverdict  2 of 2 answered (to accept 1 of 1, to reject 1 of 1)\n" in ended.stdout


def test_the_rules_of_a_level_are_listed() -> None:
    rows = conformance("list", "--level", "core", "--rules").stdout.splitlines()
    assert {"type.call.latent", "type.call.where", "op.dyn.form"} <= {row.split()[0] for row in rows}
    assert all(row.split()[1].isdigit() for row in rows) and not any(row.startswith("type.data") for row in rows)
