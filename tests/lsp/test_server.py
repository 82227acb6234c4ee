"""The language server over its pipe: what it publishes, and what it answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.lsp.client import URI, Client

TEXT = """\
def @twice(%x: Tensor[(n, d), float32]) -> Tensor[(2 * n, d), float32] {
  let %y = concatenate((%x, %x), axis=0);
  nn.relu(%y)
}

def @main(%a: Tensor[(m, 4), float32], %b: Tensor[(?, 4), float32]) {
  let %t = @twice(%a);
  add(%t, %b)
}
"""


def range_of(line: int, start: int, end: int) -> dict[str, Any]:
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


@pytest.mark.slow
def test_a_session() -> None:
    with Client() as client:
        client.open(TEXT)
        (check,) = client.diagnostics(1)
        assert (check["code"], check["severity"], check["range"]) == ("E0401", 3, range_of(7, 6, 8))
        assert check["message"].startswith("left to a check at run time: ")

        assert client.at("hover", 6, 7)["contents"]["value"] == "```relay\n%t : Tensor[(2 * m, 4), float32]\n```"
        assert "Sum; of booleans, logical or." in client.at("hover", 7, 3)["contents"]["value"]
        assert client.at("definition", 6, 13) == {"uri": URI, "range": range_of(0, 4, 10)}
        places = client.at("references", 1, 25, context={"includeDeclaration": True})
        assert [one["range"] for one in places] == [range_of(0, 11, 13), range_of(1, 24, 26), range_of(1, 28, 30)]
        assert client.at("prepareRename", 0, 23) == range_of(0, 23, 24)
        edits = client.at("rename", 0, 23, newName="rows")["changes"][URI]
        assert [edit["range"] for edit in edits] == [range_of(0, 23, 24), range_of(0, 55, 56)]
        assert client.at("rename", 0, 23, newName="if")["code"] == -32602

        labels = [
            one["label"]
            for one in client.of("inlayHint", range=range_of(0, 0, 999) | {"end": {"line": 9, "character": 0}})
        ]
        assert labels[0] == ": Tensor[(2 * n, d), float32]"
        assert labels[-1].startswith(" ⟨") and labels[-1].endswith("?⟩")
        assert [one["name"] for one in client.of("documentSymbol")] == ["@twice", "@main"]
        assert [one["label"] for one in client.at("completion", 7, 7)] == ["%a", "%b", "%t"]
        assert [one["label"] for one in client.at("completion", 7, 8)] == ["%t"]
        signature = client.at("signatureHelp", 1, 27)
        assert signature["signatures"][0]["label"].startswith("concatenate(data")
        assert len(client.of("semanticTokens/full")["data"]) % 5 == 0

        client.change(TEXT.replace("%a: Tensor[(m, 4)", "%a: Tensor[(m, 5)"), 2)
        (error,) = [one for one in client.diagnostics(2) if one["severity"] == 1]
        assert error["code"] == "E0301"
        assert {one["location"]["uri"] for one in error["relatedInformation"]} == {URI}

        client.change('def @f(%x: Tensor[(?,), float32]) { add(%x, ones(shape=[3], dtype="float32")) }\n', 3)
        client.diagnostics(3)
        (edit,) = client.of("formatting", options={"tabSize": 2, "insertSpaces": True})
        assert edit["newText"].count("\n") == 3
        assert client.close() == 0


@pytest.mark.slow
def test_a_help_is_a_quick_fix() -> None:
    text = "def @head(%x: Tensor[(?, ?), float32], %w: Tensor[(10, 784), float32]) {\n  nn.dense(%x, %w)\n}\n"
    with Client() as client:
        client.open(text)
        client.diagnostics(1)
        action, allow = client.of("codeAction", range=range_of(1, 11, 13), context={"diagnostics": []})
        assert allow["title"] == "allow E0401 here, by a comment"
        assert action["title"] == "writing 784 for this `?` proves it"
        assert action["edit"]["changes"][URI] == [{"range": range_of(0, 25, 26), "newText": "784"}]

        client.change(f"// a line more\n{text}", 2)  # asked at once, before the pause in which it is checked is over
        action, _ = client.of("codeAction", range=range_of(2, 11, 13), context={"diagnostics": []})
        assert action["edit"]["changes"][URI] == [{"range": range_of(1, 25, 26), "newText": "784"}]


@pytest.mark.slow
def test_lints_follow_comments_and_the_configuration(tmp_path: Path) -> None:
    text = "def @f(%x: Tensor[(b, 1), float32], %y: Tensor[(b,), float32], %z: float32) { %x - %y }\n"
    (tmp_path / "gradual.toml").write_text('deny = ["stretched"]\n', encoding="utf-8")
    with Client((tmp_path / "a.relay").as_uri()) as client:
        client.open(text)
        assert codes(client.diagnostics(1)) == [("E0801", 1), ("E0802", 2)]
        actions = client.of("codeAction", range=range_of(0, 0, 90), context={"diagnostics": []})
        assert {"if it is meant to be unused, write `%_z`"} < {one["title"] for one in actions}
        client.change(f"// gradual: allow unused\n{text}", 2)
        assert codes(client.diagnostics(2)) == [("E0801", 1)]
        (tmp_path / "gradual.toml").write_text('allow = ["lints"]\n', encoding="utf-8")
        client.change(text, 3)
        assert codes(client.diagnostics(3)) == []
        (tmp_path / "gradual.toml").write_text("alow = 1\n", encoding="utf-8")
        client.change(f"\n{text}", 4)
        assert codes(client.diagnostics(4)) == [("E0801", 2), ("E0802", 2)]
        assert ["unknown key `alow`" in one for one in client.shown] == [True]


def codes(found: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return sorted((one["code"], one["severity"]) for one in found)
