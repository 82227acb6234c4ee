"""Programs that an implementation writes: a failure reports what printing or formatting lost, changed or moved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count

import pytest

from gradual.conformance.cases.answer import Report
from gradual.conformance.cases.case import Case, Request
from gradual.conformance.implementations.reference import Reference
from gradual.conformance.runner.judge import WRITING, Profile
from gradual.conformance.runner.run import Class, Result, asked, by_default, examined, tallied
from gradual.conformance.runner.tokens import difference
from tests.conformance.suites import CHAPTER, collected

PROGRAM = """def @f(%x: Tensor[(?,), float32], %k: int64) {
  // the first
  let %y = %x as Tensor[(3,), float32]; /* by */
  (%y, (%k - (1i64 - 2i64)))
}"""
SUITE = f"""# Written

## written/cast
A comment, a check, and brackets. rules: `check.residual` `type.cast`

```relay
{PROGRAM}
```
```types
%y : Tensor[(3,), float32]
```
```checks
dim(%x, 0) == 3   at 3:12-3:14   by type.cast   blames 3:12-3:14
```
```run
@f(float32 [1, 2, 3], 5) => (float32 [1, 2, 3], int64 6)
@f(float32[2], 5) => blame E0601 3:12-3:14
```
"""


def written(suite: str = SUITE) -> Case:
    (case,) = collected(suite, f"{CHAPTER}## type.cast\n").cases
    return case


class Writer(Reference):
    """The reference, which writes a program in some way."""

    def __init__(self, change: Callable[[str], str]) -> None:
        super().__init__()
        self.change = change

    def check(self, request: Request) -> Report:
        report = super().check(request)
        return report if report.printed is None else replace(report, printed=self.change(report.printed))

    def format(self, request: Request) -> str:
        return self.change(super().format(request))


def of(change: Callable[[str], str], profile: Profile, case: Case | None = None, *more: Profile) -> Result:
    return examined(case or written(), Writer(change), frozenset({profile, *more}))


def messages(found: Result) -> str:
    assert found.kind is Class.FAIL, found
    return "\n".join(failure.message for failure in found.failures)


@pytest.mark.parametrize("profile", [Profile.PRINT, Profile.FMT])
def test_a_program_that_is_written_rightly_passes(profile: Profile) -> None:
    assert of(str, profile).kind is Class.PASS
    assert of(str, profile, None, *Profile).kind is Class.PASS


CHANGES = [
    ("(%y, ", "(%x, ", "@f : fn (Tensor[(?,), float32], int64) -> (Tensor[(3,), float32], int64) is"),
    ("let %y = %x as Tensor[(3,), float32];", "let %y = %x;", "the check `dim(%x, 0) == 3` by type.cast is missing"),
    ("(3,)", "(4,)", "the check `dim(%x, 0) == 3` by type.cast is missing"),
    ("let", "assert %k > 7i64;\n  let", "there is another check, `%k >= 8` by type.assert"),
    ("1i64 - 2i64", "2i64 - 1i64", "@f gives (float32 [1.0, 2.0, 3.0], int64 4) instead of"),
    ("@f", "@g", "the program does not define ('@f', 2)"),
    (", %k: int64", "", "the program does not define ('@f', 2)"),
    ("{", "", "the program has a syntax error"),
    ("(%y, ", "(%z, ", "the program is rejected: error E0202"),
]


@pytest.mark.parametrize(("old", "new", "message"), CHANGES)
def test_a_printed_program_with_other_answers_is_told(old: str, new: str, message: str) -> None:
    found = of(lambda text: text.replace(old, new, 1), Profile.PRINT, None, Profile.TYPES, Profile.CHECKS, Profile.RUN)
    assert f"printed, {message}" in messages(found)
    assert {failure.profile for failure in found.failures} == {Profile.PRINT}


def test_only_what_an_implementation_answers_is_compared() -> None:
    found = of(lambda text: text.replace("1i64 - 2i64", "2i64 - 1i64"), Profile.PRINT, None, Profile.TYPES)
    assert found.kind is Class.PASS
    moved = of(lambda text: "\n\n" + text, Profile.PRINT, None, *Profile)
    assert moved.kind is Class.PASS


def test_the_printed_program_is_asked_for_in_its_profile_only() -> None:
    asked: list[bool] = []

    class Listening(Reference):
        def check(self, request: Request) -> Report:
            asked.append(request.print)
            return replace(super().check(request), printed=None)

    found = examined(written(), Listening(), frozenset({Profile.PRINT}))
    assert "the reply has no printed program" in messages(found) and asked == [True]
    assert examined(written(), Listening(), frozenset({Profile.CHECKS})).kind is Class.PASS and asked == [True, False]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("// the first", ""), "%k:int64){` of the text is `"),
        (lambda text: text.replace("// the first", "// the 1st"), "// the first` of the text is `// the 1st"),
        (lambda text: text.replace(" /* by */", "").replace("%x as", "%x /* by */ as"), "of the text is"),
        (lambda text: text.replace("(%k - (1i64 - 2i64))", "%k - (1i64 - 2i64)"), "of the text is"),
        (lambda text: text.replace("3,", "03,"), "of the text is"),
        (lambda text: f"// by me\n{text}", "of the text is `"),
    ],
)
def test_what_formatting_loses_or_changes_again_is_told(change: Callable[[str], str], message: str) -> None:
    growing = of(change, Profile.FMT)
    assert message in messages(growing)
    assert {failure.profile for failure in growing.failures} == {Profile.FMT}


def test_a_layout_that_changes_again_is_told() -> None:
    times = count()
    found = of(lambda text: text.replace("  let", " " * (3 + next(times)) + "let"), Profile.FMT)
    assert "formatted, and formatted again, `   let %y" in messages(found)


def test_the_expected_layout_is_compared() -> None:
    wide = SUITE + f"```fmt\n{PROGRAM}\n```\n"
    assert of(str, Profile.FMT, written(wide)).kind is Class.PASS
    found = of(lambda text: text.replace("  let", "    let"), Profile.FMT, written(wide))
    assert "the fmt differs: found `    let %y" in messages(found)


def test_a_text_with_a_syntax_error_stays() -> None:
    broken = """# Broken

## written/broken
rules: `check.residual`

```relay
def @f( {
//~     ^ error E0101
```
"""
    case = written(broken)
    assert of(str, Profile.FMT, case).kind is Class.PASS
    found = examined(case, Writer(lambda text: text.replace("( ", "(")), frozenset({Profile.FMT}))
    assert messages(found) == "a text with a syntax error was changed"
    assert Profile.PRINT not in tallied([found])


def test_both_profiles_have_a_tally() -> None:
    tallies = tallied([examined(written(), Reference(), WRITING)], WRITING)
    assert {profile: tally.passed for profile, tally in tallies.items()} == {
        Profile.VERDICT: 1,
        Profile.PRINT: 1,
        Profile.FMT: 1,
    }


def test_by_default_only_cases_about_texts_are_written() -> None:
    plain, about = written(), replace(written(), rules=("syntax.comment",))
    chosen = by_default([plain, about])
    assert [set(asked(case)) >= WRITING for case in (plain, about, *chosen)] == [True, True, False, True]


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("def  @f()\n{ 1 }", "def @f() {\n  1\n}"),
        ("f(1 /* a */ , 2)", "f(1 /* a */, 2)"),
        ("1 // end  \n", "1 // end\n"),
    ],
)
def test_blanks_are_no_difference(text: str, other: str) -> None:
    assert difference(text, other) is None


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ('assert %c, "a b";', 'assert %c, "a  b";'),
        ('assert %c, "a \\" b";', 'assert %c, "a \\"b";'),
        ("f(1 /* a */, 2)", "f(1, /* a */ 2)"),
        ("1 /* a /* b */ c */", "1 /* a /* b */ c*/"),
        ("%a/b", "%a / c"),
    ],
)
def test_blanks_in_strings_and_places_of_comments_are_differences(text: str, other: str) -> None:
    assert difference(text, other) is not None
