"""Names: definitions and uses, by the language's rules of scope."""

from __future__ import annotations

import pytest

from gradual.syntax.tree.scopes import Kind
from gradual.tools.lsp.document import Document
from tests.material import models, needs_models

SHADOWED = """\
def @f(%x: Tensor[(n,), float32]) {
  let %y = %x;
  let %y = add(%y, %x);
  let %g = fn (%x: Tensor[(k,), float32]) { (%x, %y, %g) };
  %y
}
"""


def uses(text: str, offset: int) -> list[int]:
    """The offsets of the places of the name that stands at an offset."""
    names = Document("a", text, 1).names
    found = names.at(offset)
    assert found is not None
    return [one.span.start for one in names.uses(found.symbol)]


def test_a_variable_is_known_from_its_let_on() -> None:
    first, second = SHADOWED.index("%y ="), SHADOWED.index("%y = add")
    assert uses(SHADOWED, first) == [first, SHADOWED.index("%y, %x")]
    assert uses(SHADOWED, second) == [second, SHADOWED.index("%y, %g"), SHADOWED.rindex("%y")]


def test_a_parameter_hides_what_is_around() -> None:
    inner = SHADOWED.index("%x: Tensor[(k")
    assert uses(SHADOWED, inner) == [inner, SHADOWED.index("%x, %y, %g")]


def test_a_function_literal_knows_its_own_name() -> None:
    start = SHADOWED.index("%g =")
    assert uses(SHADOWED, start) == [start, SHADOWED.index("%g) }")]


def test_a_size_is_bound_where_a_type_first_speaks_of_it() -> None:
    text = "def @f(%x: Tensor[(N, N), float32]) -> Tensor[(N, ?), float32] where N > 1 { reshape(%x, newshape=[N, N]) }"
    assert uses(text, text.index("N")) == [at for at in range(len(text)) if text[at] == "N"]


def test_a_cast_binds_a_size_from_there_on() -> None:
    text = "def @f(%x: Tensor[(?,), float32]) { let %y = %x as Tensor[(q,), float32]; zeros(shape=[q]) }"
    assert uses(text, text.index("q,)")) == [text.index("q,)"), text.index("q])")]


def test_types_and_constructors_have_places() -> None:
    text = (
        "type List[A] { Cons(A, List[A]), Nil }\ndef @f(%l: List[int32]) { match (%l) { Cons(%h, _) => %h, Nil => 0 } }"
    )
    names = Document("a", text, 1).names
    assert [text[one.span.start : one.span.end] for one in names.occurrences] == [
        one.symbol.name for one in names.occurrences
    ]
    assert uses(text, text.index("List")) == [5, text.index("List[A])"), text.index("List[int32]")]
    assert uses(text, text.index("Cons(%h")) == [text.index("Cons(A"), text.index("Cons(%h")]


def test_columns_count_utf_16_units() -> None:
    document = Document("a", "// 𝕏 𝕐\ndef @f(%x: int64) { %x }\n", 1)
    assert document.place(document.text.index("𝕐")) == (0, 6)
    assert document.offset(0, 6) == document.text.index("𝕐")
    assert all(document.offset(*document.place(at)) == at for at in range(len(document.text) + 1))
    assert document.offset(99, 0) == document.offset(0, 99) + len("\ndef @f(%x: int64) { %x }\n") == len(document.text)


@needs_models
@pytest.mark.parametrize("name", sorted(models())[:6])
def test_every_name_of_a_model_is_what_stands_there(name: str) -> None:
    text = models()[name].read_text()
    names = Document("a", text, 1).names
    assert names.occurrences
    for one in names.occurrences:
        assert text[one.span.start : one.span.end] == one.symbol.name
    used = {one.symbol for one in names.occurrences if one.symbol.kind is Kind.OPERATOR}
    assert used and all(symbol.span is None for symbol in used)
