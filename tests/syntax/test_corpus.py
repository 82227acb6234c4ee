"""Everything that TVM printed is read, and survives printing and formatting."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from gradual.source import Source
from gradual.syntax.parse import parse
from gradual.syntax.printing.format import formatted
from gradual.syntax.printing.print import printed
from tests.syntax.corpus import models, needs_models, needs_programs, programs
from tests.syntax.structure import structure

MODELS = dict(models())


def assert_survives(name: str, text: str) -> None:
    module, diagnostics = parse(Source(name, text))
    assert not diagnostics, (name, diagnostics[:3])
    canonical = printed(module)
    again, more = parse(Source(name, canonical))
    assert not more, (name, more[:3])
    assert structure(again) == structure(module), name
    layout = formatted(Source(name, text))
    assert structure(parse(Source(name, layout))[0]) == structure(module), name
    assert formatted(Source(name, layout)) == layout, name
    assert formatted(Source(name, canonical), None) == canonical, name


@needs_models
@pytest.mark.parametrize("name", MODELS)
def test_a_model_survives_printing_and_formatting(name: str) -> None:
    assert_survives(name, MODELS[name])


@needs_programs
def test_every_recorded_program_survives_printing_and_formatting() -> None:
    found: Iterable[tuple[str, str]] = list(programs())
    assert found
    for name, text in found:
        assert_survives(name, text)


@needs_models
def test_formatting_keeps_every_comment_of_a_model() -> None:
    for name, text in MODELS.items():
        body = text.split("#[metadata]")[0]
        layout = formatted(Source(name, text)).split("#[metadata]")[0]
        assert layout.count("/*") == body.count("/*") and layout.count("ty=") == body.count("ty="), name


@needs_models
def test_constants_of_the_imported_models_are_decoded() -> None:
    module, _ = parse(Source("gpt2", MODELS["onnx_gpt2_past_ts.relay"]))
    constants = [key for key in module.metadata if key[0] == "relay.Constant"]
    assert len(constants) > 50
    assert {type(module.metadata[key]).__name__ for key in constants} == {"MetaTensor"}
