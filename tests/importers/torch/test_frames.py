"""Of a stack trace the lines of the user's own code are kept, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.importers.common.python_frames import user_frames
from gradual.origin import Frame

OWN = Frame("model/zoo.py", 12, "forward", "    return self.w(x)")


@pytest.mark.parametrize(
    ("trace", "expected"),
    [
        ("", ()),
        ("nothing of a trace\n  at all", ()),
        ('File "model/zoo.py", line 12, in forward\n    return self.w(x)', (OWN,)),
        ('  File "model/zoo.py", line 12, in forward\n    return self.w(x)\n', (OWN,)),
        ('Traceback:\n  File "model/zoo.py", line 12, in forward\n    return self.w(x)\nValueError: 5', (OWN,)),
        ('File "model/zoo.py", line 12', (Frame("model/zoo.py", 12),)),
        ('File "model/zoo.py", line 12, in forward', (Frame("model/zoo.py", 12, "forward"),)),
        ('File "model/zoo.py", line 12, in M.<locals>.f\n', (Frame("model/zoo.py", 12, "M.<locals>.f"),)),
        (
            'File "model/zoo.py", line 12, in forward\n    return self.w(x)\n           ~~~~~~^^^\n',
            (OWN,),
        ),
        (
            'File "model/zoo.py", line 12, in forward\n           ^^^^^^^^^\n    return self.w(x)',
            (OWN,),
        ),
        (
            'File "a.py", line 1, in f\n    g(\n      x,\n    )\n  File "b.py", line 2, in g\n    h()',
            (Frame("a.py", 1, "f", "    g("), Frame("b.py", 2, "g", "    h()")),
        ),
        (
            'File "a.py", line 1, in f\n  File "b.py", line 2, in g\n    h()',
            (Frame("a.py", 1, "f"), Frame("b.py", 2, "g", "    h()")),
        ),
        (
            'File "C:\\users\\me\\model.py", line 3, in forward\n    x + y',
            (Frame("C:\\users\\me\\model.py", 3, "forward", "    x + y"),),
        ),
        (
            'File "/a b/é/model.py", line 3, in forward\n    "File \\"x.py\\", line 4"',
            (Frame("/a b/é/model.py", 3, "forward", '    "File \\"x.py\\", line 4"'),),
        ),
    ],
)
def test_frames_and_their_lines_are_found(trace: str, expected: tuple[Frame, ...]) -> None:
    assert user_frames(trace) == expected


@pytest.mark.parametrize(
    "file",
    [
        "site-packages/torch/nn/modules/sparse.py",
        "/usr/lib/python3/dist-packages/torch/nn/functional.py",
        "/opt/venv/lib/python3.11/site-packages/transformers/models/llama.py",
        "/usr/lib/python3.11/contextlib.py",
        "C:\\Python311\\Lib\\site-packages\\torch\\nn\\modules\\linear.py",
        "venv\\lib\\python3.11\\functools.py",
        "torch/fx/passes/runtime_assert.py",
        "<eval_with_key>.12",
        "<string>",
    ],
)
def test_installed_and_generated_files_are_left_out_with_their_lines(file: str) -> None:
    trace = f'File "{file}", line 5, in forward\n    return F.embedding('
    assert user_frames(trace) == ()
    own = 'File "model/zoo.py", line 12, in forward\n    return self.w(x)'
    assert user_frames(f"{own}\n  {trace}") == user_frames(f"{trace}\n  {own}") == (OWN,)


@pytest.mark.parametrize(
    "file",
    ["torch_models/a.py", "my/torch/net.py", "lib/net.py", "python3/a.py", "sitepackages.py", "<ipython-input-1-abc>"],
)
def test_files_of_similar_names_are_the_users(file: str) -> None:
    assert [frame.file for frame in user_frames(f'File "{file}", line 5, in f\n    g()')] == [file]


@pytest.mark.parametrize("line", ["0", "100001", "9" * 5_000, "-1", "x"])
def test_a_line_number_that_no_file_has_is_none(line: str) -> None:
    assert user_frames(f'File "a.py", line {line}, in f\n    g()') == ()


FRAMES = st.lists(
    st.builds(
        Frame,
        st.lists(st.text("abz_", min_size=1, max_size=4), min_size=1, max_size=3).map("/".join).map("{}.py".format),
        st.integers(1, 10**5),
        st.sampled_from(["forward", "__call__", "f", "<lambda>"]),
        st.sampled_from(["", "    x = y", "  return [z]  # File"]),
    ),
    max_size=6,
)


@given(FRAMES)
def test_what_python_prints_is_read_back(frames: list[Frame]) -> None:
    lines = [line for one in frames for line in _printed(one)]
    assert user_frames("\n".join(lines)) == tuple(frames)


def _printed(frame: Frame) -> list[str]:
    head = f'  File "{frame.file}", line {frame.line}, in {frame.function}'
    return [head, frame.text] if frame.text else [head]
