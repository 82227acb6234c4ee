"""The page of what is not imported from ONNX says what the importers say."""

from __future__ import annotations

from onnx import defs

from gradual.importers.onnx.importers import IMPORTERS
from gradual.importers.onnx.operators.padding import pad
from tests.importers.not_imported import PAGE, WHY, page, reasons


def test_the_page_is_what_the_command_writes() -> None:
    """`python -m tests.importers.not_imported` writes it."""
    assert page() == PAGE.read_text("utf-8")


def test_no_operator_that_is_said_not_to_be_imported_is_imported() -> None:
    names = {name for names in WHY.values() for name in names}
    assert names <= {schema.name for schema in defs.get_all_schemas_with_history()}
    assert not names & {name for _, name in IMPORTERS}


def test_reasons_are_found_in_the_functions_that_an_importer_calls() -> None:
    assert "mode other than 'constant', 'reflect', 'edge', 'wrap'" in reasons(pad)
    assert "axes computed when the model runs" in reasons(pad)
