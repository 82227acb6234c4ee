"""`gradual run`: arguments, outcomes, exit codes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gradual.interface.input.arguments import read_call, values
from gradual.tensors.arrays.numpy_library import numpy
from gradual.tensors.json_form import from_json
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.tensors.value import shown_value
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.material import needs_tests, recordings
from tests.tools.conftest import Gradual

Write = Callable[[str, str], str]

SAME = "def @f(%x: Tensor[(?, ?), float32]) { %x }\ndef @main(%x: int64, %y: float32) { (%x, %y) }\n"
NARROW = "def @f(%x: Tensor[(?, 3), float32]) { %x as Tensor[(7, 3), float32] }\n"


def test_a_value_is_written_as_a_call_would_write_it(gradual: Gradual, write: Write) -> None:
    done = gradual("run", write("a.relay", SAME), "@f([[1, 2.5], [0.1, -3]])")
    assert (done.code, done.out) == (0, "float32 [[1.0, 2.5],\n         [0.1, -3.0]]\n")


def test_a_bare_literal_takes_its_parameter_s_element_type(gradual: Gradual, write: Write) -> None:
    assert gradual("run", write("a.relay", SAME), "@main(3, 3)").out == "(int64 3,\n float32 3.0)\n"


def test_a_run_with_numpy_prints_the_same(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", "def @f(%x: Tensor[(?, 40), float32]) { nn.dense(%x, %x) }")
    call = ("run", path, "@f(float32[3, 40])")
    assert gradual(*call, "--fast") == gradual(*call, "--fast", "--runtime", "vm") == gradual(*call)


def test_a_run_with_numpy_needs_numpy(gradual: Gradual, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    numpy.cache_clear()
    done = gradual("run", write("a.relay", SAME), "@f([[1]])", "--fast")
    assert done.code == 2
    assert "--fast cannot be used: this needs the package numpy: pip install 'gradual[fast]'" in done.err
    assert gradual("run", write("a.relay", SAME), "@f([[1]])").code == 0


def test_drawn_elements_depend_on_seed_and_position_only() -> None:
    _, arguments = read_call("@f(float32[2, 3], float32[2, 3])")
    first, second = values(arguments, [], 5)
    assert first == random_tensor((2, 3), DType.FLOAT32, 5)
    assert second == random_tensor((2, 3), DType.FLOAT32, 6)


def test_a_value_in_json_reads_back_to_the_bit(gradual: Gradual, write: Write) -> None:
    done = gradual("run", write("a.relay", SAME), "@f(float32[4, 5])", "--format", "json", "--seed", "9")
    outcome = json.loads(done.out)
    assert outcome["outcome"] == "value"
    assert from_json(outcome["value"]) == random_tensor((4, 5), DType.FLOAT32, 9)


def test_arguments_come_from_a_json_list(gradual: Gradual, write: Write) -> None:
    forms = [{"dtype": "int64", "shape": [], "data": [7]}, {"dtype": "float32", "shape": [], "data": ["1.5"]}]
    done = gradual("run", write("a.relay", SAME), "--args", write("in.json", json.dumps(forms)), "--format", "json")
    assert json.loads(done.out) == {"outcome": "value", "value": {"tuple": forms}}


def test_an_argument_comes_from_a_json_file(gradual: Gradual, write: Write) -> None:
    write("x.json", json.dumps({"dtype": "float32", "shape": [1, 2], "data": ["1.0", "2.0"]}))
    assert gradual("run", write("a.relay", SAME), "@f(@x.json)").out == "float32 [[1.0, 2.0]]\n"


def test_a_path_in_quotes_keeps_its_commas_and_brackets(gradual: Gradual, write: Write) -> None:
    for name, number in (("a, b(1.json", 1), ("c]).json", 2)):
        write(name, json.dumps({"dtype": "int64", "shape": [], "data": [number]}))
    program = write("a.relay", "def @g(%x: int64, %y: int64) { (%x, %y) }")
    assert gradual("run", program, '@g(@"a, b(1.json", @"c])".json)').out == "(int64 1,\n int64 2)\n"
    assert gradual("run", program, '@g(@"a, b(1.json, 2)').code == 2


def test_a_value_is_not_saved_over_what_is_written(gradual: Gradual, write: Write) -> None:
    done = gradual("run", write("a.relay", SAME), "@f([[1]])", "--save", "x.json", "-o", "x.json")
    assert done.code == 2
    assert "--save and -o name one file" in done.err
    assert not Path("x.json").exists()


def test_the_entry_can_be_named(gradual: Gradual, write: Write) -> None:
    path = write("in.json", json.dumps([{"dtype": "float32", "shape": [0, 2], "data": []}]))
    assert gradual("run", write("a.relay", SAME), "--entry", "@f", "--args", path).out == "float32 []\n"


def test_a_failed_check_is_exit_3_with_all_five_fields_of_blame(gradual: Gradual, write: Write) -> None:
    done = gradual("run", write("a.relay", NARROW), "@f(float32[5, 3])", "--format", "json")
    blame = json.loads(done.out)
    assert done.code == 3
    assert (blame["outcome"], blame["code"], blame["check"], blame["rule"]) == ("blame", "E0601", "c1", "type.cast")
    for field in ("required", "came", "through", "promised_by", "blamed"):
        assert isinstance(blame[field], str) and blame[field]
    assert blame["sizes"] == {"dim(%x, 0)": 5}
    assert blame["blames"] and all(set(where) == {"file", "start", "end"} for where in blame["blames"])


def test_a_failed_check_reads_like_any_other_diagnostic(gradual: Gradual, write: Write) -> None:
    done = gradual("run", write("a.relay", NARROW), "@f(float32[5, 3])")
    assert done.code == 3
    assert done.out.startswith("error[E0601]: residual check c1 failed: dim(%x, 0) is 5, expected 7\n --> a.relay:1:")


def test_arguments_that_the_entry_refuses_blame_the_caller(gradual: Gradual, write: Write) -> None:
    done = gradual("run", write("a.relay", NARROW), "@f(float32[5, 4])", "--format", "json")
    assert (done.code, json.loads(done.out)["code"]) == (3, "E0602")


def test_a_fault_of_the_program_is_exit_1(gradual: Gradual, write: Write) -> None:
    write("a.relay", "def @f(%x: int32, %y: int32) { divide(%x, %y) }\n")
    done = gradual("run", "a.relay", "@f(7, 0)", "--format", "json")
    fault = json.loads(done.out)
    assert (done.code, fault["outcome"], fault["code"]) == (1, "fault", "E0604")
    assert {"span", "message"} <= set(fault)
    assert gradual("run", "a.relay", "@f(7, 0)").out.startswith("error[E0604]: ")


def test_a_program_with_errors_does_not_run(gradual: Gradual, write: Write) -> None:
    write("a.relay", "def @f() { %x }\n")
    done = gradual("run", "a.relay", "@f()", "--format", "json")
    outcome = json.loads(done.out)
    assert (done.code, outcome["outcome"]) == (1, "rejected")
    assert [found["code"] for found in outcome["diagnostics"]] == ["E0202"]
    assert gradual("run", "a.relay", "@f()").out.startswith("error[E0202]")


@pytest.mark.parametrize(
    "call",
    [
        *("@f", "f(1)", "@f(1", "@f(1))", "@f(x)", "@f([1, [2]])", "@f(float33[2])", "@f(int8 [300])", "@f(@no.json)"),
        *(
            "@f(float32[99999999999, 99999999999])",
            "@f((1, (bool[268435457],)))",
            "@f(float32[0, 9223372036854775808])",
        ),
    ],
)
def test_arguments_that_cannot_be_read_are_exit_2(gradual: Gradual, write: Write, call: str) -> None:
    done = gradual("run", write("a.relay", SAME), call, "--format", "json")
    assert (done.code, done.out) == (2, "")
    assert "E070" in done.err


BEYOND = '[{"dtype": "int8", "shape": [0, 9223372036854775808], "data": []}]'


def test_rows_without_elements_are_not_all_shown(gradual: Gradual, write: Write) -> None:
    program = write("a.relay", "def @f(%x: Tensor[(n, m), float32]) where m >= 0 { %x }")
    done = gradual("run", program, "@f(float32[2147483646, 0])")
    assert (done.code, done.out.splitlines()[0]) == (0, "float32[2147483646, 0] [[],")
    assert len(done.out.splitlines()) == 7


@pytest.mark.parametrize("deep", [150, 400, 20_000])
def test_a_written_value_nests_as_deep_as_can_be_read(gradual: Gradual, write: Write, deep: int) -> None:
    program = write("a.relay", "type L[A] { C(A, L[A]), N, }\ndef @f(%l: L[int8]) { %l }")
    done = gradual("run", program, f"@f({'C(1,' * deep}N{')' * deep})")
    told = "error[E0702]: the arguments cannot be read: a value that is written nests at most 200 deep"
    assert done.code == (0 if deep < 200 else 2) and (deep < 200 or done.err.startswith(told))


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", "[{}]", '[{"dtype": "int8", "shape": [1], "data": [300]}]', "[" * 9999, BEYOND]
)
def test_files_that_hold_no_values_are_exit_2(gradual: Gradual, write: Write, text: str) -> None:
    done = gradual("run", write("a.relay", SAME), "--args", write("in.json", text))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error[E0702]: `in.json` ")


def test_an_unknown_entry_is_a_usage_error_that_names_the_known_ones(gradual: Gradual, write: Write) -> None:
    done = gradual("run", write("a.relay", SAME), "@g()")
    assert done.code == 2
    assert "@f, @main" in done.err


def test_a_large_value_shows_the_ends_of_each_axis() -> None:
    shown = shown_value(Tensor(list(range(1000)), "int64", (100, 10)))
    assert shown.split("\n")[0] == "int64[100, 10] [[0, 1, 2, …, 7, 8, 9],"
    assert shown.endswith("[990, 991, 992, …, 997, 998, 999]]")
    assert len(shown.split("\n")) == 7


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_floats_show_the_fewest_digits_that_read_back(dtype: str) -> None:
    tensor = random_tensor((50,), DType(dtype), 3)
    shown = shown_value(tensor).removeprefix(f"{dtype} ")
    assert Tensor(json.loads(shown), dtype) == tensor
    assert shown_value(Tensor(0.1, dtype)) == f"{dtype} 0.1"


def test_specials_are_written_as_calls_read_them() -> None:
    shown = shown_value(Tensor([float("inf"), float("-inf"), float("nan"), -0.0]))
    assert shown == "float32 [inf, -inf, nan, -0.0]"
    _, arguments = read_call(f"@f({shown})")
    (read,) = values(arguments, [TensorType((), DType.FLOAT32)], 0)
    assert shown_value(read) == shown


@needs_tests
def test_the_corpus_form_of_values_is_the_form_of_arguments(gradual: Gradual, write: Write) -> None:
    with open(recordings()["test_any"], encoding="utf-8") as lines:
        case = json.loads(next(lines))
    write("a.relay", case["program"])
    done = gradual("run", "a.relay", "--args", write("in.json", json.dumps(case["args"])), "--format", "json")
    assert json.loads(done.out) == {"outcome": "value", "value": case["result"]}
