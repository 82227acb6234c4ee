"""Sessions: a transcript of a pipe is what a terminal shows, and each is a test."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from gradual.interface.terminal import Output
from gradual.report.paint import plain
from gradual.tools.session.completion import Names, candidates
from gradual.tools.session.repl import COMMANDS, CONTINUED, PROMPT, Session
from tests.tools.conftest import Gradual

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))
ROW = re.compile(rf"^(?:{re.escape(PROMPT.rstrip())}|{re.escape(CONTINUED.rstrip())})(?: (.*))?$")


def typed(transcript: str) -> str:
    """What a person typed in a transcript."""
    return "".join(f"{match[1] or ''}\n" for line in transcript.splitlines() if (match := ROW.match(line)))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_session_is_its_transcript(gradual: Gradual, path: Path) -> None:
    transcript = path.read_text(encoding="utf-8")
    done = gradual("repl", stdin=typed(transcript))
    assert done.out == transcript
    assert (done.code, done.err) == (0, "")


def test_the_session_of_the_page_is_what_the_tool_prints(gradual: Gradual) -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "use-a-session.md").read_text(encoding="utf-8")
    (transcript,) = re.findall(r"^```text\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert gradual("repl", stdin=typed(transcript)).out == transcript


# ------------------------------------------------------------------------------------------------ reading
class Console(io.StringIO):
    """A terminal of the test: lines to type, and what was written."""

    def __init__(self, lines: list[str | type[BaseException]]) -> None:
        super().__init__()
        self.typed: Iterator[str | type[BaseException]] = iter(lines)
        self.prompts: list[str] = []

    def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        line = next(self.typed, EOFError)
        if isinstance(line, str):
            return line
        raise line

    def run(self) -> str:
        Session(Output(self, plain, False)).loop(self.ask)
        return self.getvalue()


def test_an_input_goes_on_exactly_while_the_parser_wants_more() -> None:
    console = Console(["add(1,", "2", ")", "1 +* 2", "def @f() {", "1", "}"])
    console.run()
    wanted = [PROMPT, CONTINUED, CONTINUED, PROMPT, PROMPT, CONTINUED, CONTINUED, PROMPT]
    assert console.prompts == wanted


def test_a_blank_line_ends_an_input() -> None:
    assert "E0101" in Console(["add(1,", ""]).run()


def test_an_interrupt_leaves_the_input_and_never_the_session() -> None:
    console = Console(["let %x = 3", "add(1,", KeyboardInterrupt, KeyboardInterrupt, "%x"])
    assert console.run().endswith("int32 3\n")


def test_the_end_of_input_in_the_middle_of_one_answers_it() -> None:
    assert "E0101" in Console(["add(1,"]).run()


def test_commands_may_be_shortened_as_long_as_they_are_clear() -> None:
    for name in COMMANDS:
        fitting = [other for other in COMMANDS if other.startswith(name[:2])]
        if len(fitting) == 1:
            assert "no command" not in Console([f":{name[:2]}"]).run()


def test_a_loaded_file_is_read_again_and_replaces_what_it_defined(
    gradual: Gradual, write: Callable[[str, str], str], tmp_path: Path
) -> None:
    path = tmp_path / write("a.relay", "def @f() { 1 }\ndef @g() { @f() }\n")
    console = Console([f":load {path}", "@g()"])
    session = Session(Output(console, plain, False))
    session.loop(console.ask)
    path.write_text("def @f() { 2 }\ndef @g() { @f() }\n", encoding="utf-8")
    session.answer(":reload")
    session.answer("@g()")
    assert [line for line in console.getvalue().splitlines() if line.startswith("int32")] == [
        "int32 1",
        "int32 2",
    ]


def test_a_diagnostic_in_a_loaded_file_names_the_file(gradual: Gradual, write: Callable[[str, str], str]) -> None:
    write("a.relay", "def @ok() { 1 }\n\ndef @f() { %x }\n")
    assert " --> a.relay:3:12\n" in gradual("repl", "a.relay").out


def test_the_settings_of_a_loaded_file_hold_in_the_session(gradual: Gradual, write: Callable[[str, str], str]) -> None:
    write("a.relay", '#[broadcast = "strict"]\ndef @id(%x: float32) { %x }\n')
    source = "def @f(%x: Tensor[(n,), float32], %y: Tensor[(m,), float32]) { add(%x, %y) }\n"
    assert "broadcasts(n, m)" in gradual("repl", stdin=source).out
    assert "broadcasts(n, m)" not in gradual("repl", "a.relay", stdin=source).out


# --------------------------------------------------------------------------------------------- completion
def completed(text: str, *inputs: str) -> list[str]:
    session = Session(Output(Console([]), plain, False))
    for line in inputs:
        session.answer(line)
    found = Names(session).get_completions(Document(text), CompleteEvent())
    return [completion.text for completion in found]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (":ch", [":checks"]),
        ("nn.den", ["nn.dense"]),
        ("add(%al", ["%alpha"]),
        ("@he", ["@head"]),
        ("cast(%alpha, dtype=bfl", ["bfloat16"]),
        ("expand_dims(%alpha, num_", ["num_newaxis="]),
        ("", []),
    ],
)
def test_completion_offers_the_names_that_may_stand_there(text: str, wanted: list[str]) -> None:
    assert completed(text, "let %alpha = 1", "def @head() { 1 }") == wanted


def test_completion_has_every_kind_of_name() -> None:
    session = Session(Output(Console([]), plain, False))
    assert {"nn.relu", "reshape", "float32"} <= set(candidates(session, "x"))


def test_a_terminal_session_reads_through_prompt_toolkit() -> None:
    with create_pipe_input() as keys:
        keys.send_text("let %x = 3\n%x\n\x04")
        prompts: PromptSession[str] = PromptSession(input=keys, output=DummyOutput())
        console = Console([])
        session = Session(Output(console, plain, False))
        session.loop(lambda prompt: prompts.prompt(prompt))
    assert console.getvalue().endswith("int32 3\n")


def test_a_saved_session_is_loaded_again(gradual: Gradual, tmp_path: Path) -> None:
    first = gradual("repl", stdin="type T { A(int64) }\ndef @f(%x: int64) { A(%x) }\nlet %y = 1;\n:save s.relay\n")
    assert first.code == 0
    assert Path("s.relay").read_text() == "type T { A(int64) }\n\ndef @f(%x: int64) { A(%x) }\n"
    assert gradual("check", "s.relay").code == 0
    assert gradual("repl", "s.relay", stdin="@f(3i64)\n").out.endswith("gradual> @f(3i64)\nA(int64 3)\n")
    assert "error[E0701]: cannot write" in gradual("repl", stdin=":save no/s.relay\n").out


MADE = """\
type List[A] { Cons(A, List[A]), Nil }
def @head(%x: Tensor[(?, ?), float32], %w: Tensor[(10, 784), float32]) { nn.dense(%x, %w) }
def @warned(%x: Tensor[(n, ?), float32], %y: Tensor[(m, 3), float32]) { (%x, reshape(%y, newshape=[n])) }
def @div(%x: int64, %y: List[int64]) { (floor_divide(4i64, %x), %y) }
:run @head(float32[5, 784], float32[10, 784])
:run @head(float32[5, 512], float32[10, 784])
:run @div(3, Cons(int64 1, Nil))
:run @div(0, Nil)
:run @div(0, Nil)
:run @div(@three.json, Nil)
:run @gone(1)
:run @warned(
"""


def test_a_session_is_a_case_of_a_suite(gradual: Gradual, tmp_path: Path) -> None:
    Path("three.json").write_text('{"dtype": "int64", "shape": [], "data": [3]}')
    done = gradual("repl", stdin=f"{MADE}:case mine/session\n")
    case = done.out.partition(":case mine/session\n")[2]
    assert case.partition("```run\n")[2].splitlines()[:-1] == [
        "@head(float32[5, 784], float32[10, 784]) => float32[5, 10]",
        "@head(float32[5, 512], float32[10, 784]) => blame E0601 3:26-3:27",
        "@div(3, Cons(int64 1, Nil)) => (int64 1, Cons(int64 1, Nil))",
        "@div(0, Nil) => fault E0604",
        "@div(int64 3, Nil) => (int64 1, Nil)",
    ]
    assert "warning E0402 at" in case
    suite = Path("spec/conformance")
    suite.mkdir(parents=True)
    rules = case.splitlines()[1].removeprefix("rules: ").split()
    Path("spec/01-rules.md").write_text("\n".join(f"## {rule}\n" for rule in rules))
    (suite / "mine.md").write_text(case)
    ran = gradual("conformance", "run", "--spec", "spec")
    assert ran.code == 0, ran.out + ran.err
    assert "1 cases: pass 1 ·" in ran.out


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        (":case", "`:case` takes the name of a case, such as `op/nn.dense/unknown-width`\n"),
        (":case Mine", "`:case` takes the name of a case, such as `op/nn.dense/unknown-width`\n"),
        (":case mine/empty", "no function is defined\n"),
    ],
)
def test_a_case_has_a_name_and_functions(typed: str, answer: str) -> None:
    assert Console([typed]).run() == answer
