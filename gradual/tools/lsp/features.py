"""What is asked about a place in a text, such as hover and completion, in the protocol's types."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lsprotocol import types as lsp

from gradual.interface.reports.operators import entry, signature
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.operator import Operator
from gradual.report.bindings import Binding
from gradual.source import Source, Span
from gradual.syntax.parse import parse
from gradual.syntax.printing.format import formatted
from gradual.syntax.tree.names import outline
from gradual.syntax.tree.scopes import Kind, Symbol
from gradual.tools.lsp.document import Document, units
from gradual.tools.lsp.findings import Findings
from gradual.types.dtype import DType

SYMBOLS = {
    Kind.FUNCTION: lsp.SymbolKind.Function,
    Kind.OPERATOR: lsp.SymbolKind.Operator,
    Kind.TYPE: lsp.SymbolKind.Class,
    Kind.CONSTRUCTOR: lsp.SymbolKind.EnumMember,
}
_ITEMS = {
    Kind.FUNCTION: lsp.CompletionItemKind.Function,
    Kind.OPERATOR: lsp.CompletionItemKind.Operator,
    Kind.VARIABLE: lsp.CompletionItemKind.Variable,
    Kind.PARAMETER: lsp.CompletionItemKind.Variable,
    Kind.SIZE: lsp.CompletionItemKind.TypeParameter,
    Kind.TYPE: lsp.CompletionItemKind.Class,
    Kind.CONSTRUCTOR: lsp.CompletionItemKind.EnumMember,
}
_TOKENS = {
    Kind.FUNCTION: "function",
    Kind.OPERATOR: "function",
    Kind.VARIABLE: "variable",
    Kind.PARAMETER: "parameter",
    Kind.SIZE: "typeParameter",
    Kind.TYPE: "type",
    Kind.CONSTRUCTOR: "enumMember",
}
TOKENS = sorted(set(_TOKENS.values()))
MODIFIERS = ["declaration", "defaultLibrary"]
_WORD = re.compile(r"[@%]?[\w.]*$", re.ASCII)
_NEW_NAMES = {"%": re.compile(r"%[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII), "@": re.compile(r"@[A-Za-z_]\w*", re.ASCII)}
_BARE = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def range_of(document: Document, span: Span) -> lsp.Range:
    """A span in the protocol's lines and columns."""
    start, end = document.place(span.start), document.place(span.end)
    return lsp.Range(lsp.Position(*start), lsp.Position(*end))


def changes(document: Document, edits: Sequence[tuple[Span, str]]) -> lsp.WorkspaceEdit:
    """The change of a text by replacing some of its parts."""
    texts = [lsp.TextEdit(range_of(document, span), text) for span, text in edits]
    return lsp.WorkspaceEdit(changes={document.uri: texts})


# ----------------------------------------------------------------------------------------------------------- names
def hover(document: Document, found: Findings, offset: int) -> lsp.Hover | None:
    """The type of a name, its elements if known, an operator's entry, and the residual checks at a position."""
    occurrence = document.names.at(offset)
    parts = [] if occurrence is None else list(_told(document, found, occurrence.symbol))
    covering = [one for one in found.checks if one.span.start <= offset <= one.span.end]
    parts += ["\n".join([f"**{one.message}**", *(f"- {note}" for note in one.notes)]) for one in covering]
    if not parts:
        return None
    span = occurrence.span if occurrence is not None else covering[0].span
    text = lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n".join(parts))
    return lsp.Hover(text, range_of(document, span))


def _told(document: Document, found: Findings, symbol: Symbol) -> Iterator[str]:
    if symbol.kind is Kind.OPERATOR and symbol.span is None:
        yield entry(CATALOGUE[symbol.name])
    elif symbol.kind is Kind.FUNCTION:
        yield _code(f"{symbol.name} : {found.types.get(symbol.name, '?')}")
    elif symbol.kind is Kind.SIZE:
        yield f"the size `{symbol.name}`" + (f" of `{symbol.function}`" if symbol.function else "")
    elif (binding := _binding(found, symbol)) is not None:
        known = f" = {binding.contents}" if binding.contents is not None else ""
        yield _code(f"{binding.name} : {binding.type}{known}")
    elif symbol.span is not None:
        yield _code(_line(document, symbol.span))


def _code(text: str) -> str:
    return f"```relay\n{text}\n```"


def _line(document: Document, span: Span) -> str:
    return document.source.line(document.source.position(span.start).line).strip()


def _binding(found: Findings, symbol: Symbol) -> Binding | None:
    return None if symbol.span is None else found.bindings.at(symbol.span.start)


def definition(document: Document, offset: int) -> lsp.Location | None:
    """The definition of the name at a position."""
    occurrence = document.names.at(offset)
    if occurrence is None or occurrence.symbol.span is None:
        return None
    return lsp.Location(document.uri, range_of(document, occurrence.symbol.span))


def references(document: Document, offset: int, declaration: bool) -> list[lsp.Location]:
    """Every occurrence of the name at a position."""
    occurrence = document.names.at(offset)
    if occurrence is None:
        return []
    places = [one.span for one in document.names.uses(occurrence.symbol)]
    kept = [span for span in places if declaration or span != occurrence.symbol.span]
    return [lsp.Location(document.uri, range_of(document, span)) for span in kept]


def renamable(document: Document, offset: int) -> Span | None:
    """The name at a position, if it can be renamed."""
    occurrence = document.names.at(offset)
    return None if occurrence is None or occurrence.symbol.span is None else occurrence.span


class NoName(ValueError):
    """The error for a new name that cannot be given; the argument says why."""


def rename(document: Document, offset: int, name: str) -> lsp.WorkspaceEdit | None:
    """The edits that rename the name at a position; raises NoName if they cannot be known to be right."""
    occurrence = document.names.at(offset)
    if occurrence is None or occurrence.symbol.span is None:
        return None
    if document.reading.broken is not None:
        raise NoName("the text has syntax errors, in which uses of the name may be missed")
    symbol = occurrence.symbol
    sigil = symbol.name[0] if symbol.name[0] in "%@" else ""
    written = name if name.startswith(sigil) else sigil + name
    if not (_NEW_NAMES[sigil] if sigil else _BARE).fullmatch(written):
        raise NoName(f"`{written}` is no name of a {symbol.kind}")
    taken = {one.name for one in document.names.symbols if one.function in ("", symbol.function) or not symbol.function}
    if written != symbol.name and (written in taken or written in CATALOGUE):
        raise NoName(f"`{written}` is a name already")
    edits = [(one.span, written) for one in document.names.uses(symbol)]
    after = _edited(document.text, edits)
    if len(parse(Source(document.uri, after), mend=False)[1]) > len(parse(document.source, mend=False)[1]):
        raise NoName(f"`{written}` is a word of the language")
    return changes(document, edits)


def _edited(text: str, edits: Sequence[tuple[Span, str]]) -> str:
    for span, written in sorted(edits, key=lambda edit: -edit[0].start):
        text = text[: span.start] + written + text[span.end :]
    return text


def symbols(document: Document) -> list[lsp.DocumentSymbol]:
    """The definitions of a file."""
    return [
        _symbol(document, name, kind, span, [_symbol(document, *one, []) for one in inner])
        for name, kind, span, inner in outline(document.module)
    ]


def _symbol(
    document: Document, name: str, kind: Kind, span: Span, children: list[lsp.DocumentSymbol]
) -> lsp.DocumentSymbol:
    whole = range_of(document, span)
    return lsp.DocumentSymbol(name=name, kind=SYMBOLS[kind], range=whole, selection_range=whole, children=children)


def tokens(document: Document) -> list[int]:
    """The semantic tokens of a text: five numbers for each name, with its position relative to the previous name."""
    data: list[int] = []
    line = column = 0
    for one in document.names.occurrences:
        at, start = document.place(one.span.start)
        length = units(document.text[one.span.start : one.span.end])
        declared = int(one.span == one.symbol.span) | int(one.symbol.span is None) << 1
        kind = TOKENS.index(_TOKENS[one.symbol.kind])
        data += [at - line, start - column if at == line else start, length, kind, declared]
        line, column = at, start
    return data


def hints(document: Document, found: Findings, wanted: Span) -> list[lsp.InlayHint]:
    """The inlay hints: inferred types of bindings without a written one, and residual checks."""
    typed = document.reading.typed(wanted)
    result = []
    for one in found.bindings.within(wanted):
        if one.name == "result" or one.span.start in typed:
            continue
        at = lsp.Position(*document.place(one.span.end))
        result.append(lsp.InlayHint(at, f": {one.type}", lsp.InlayHintKind.Type))
    for check in found.checks:
        if wanted.start <= check.span.start < wanted.end:
            at = lsp.Position(*document.place(check.span.end))
            label = f" ⟨{check.data['condition']}?⟩"
            result.append(lsp.InlayHint(at, label, tooltip="\n".join([check.message, *check.notes])))
    return result


# ----------------------------------------------------------------------------------------- completion and signatures
def completions(document: Document, found: Findings, offset: int) -> list[lsp.CompletionItem]:
    """The completions at a position."""
    before = document.text[:offset]
    match = _WORD.search(before)
    word = match[0] if match else ""
    start = lsp.Position(*document.place(offset - len(word)))
    place = lsp.Range(start, lsp.Position(*document.place(offset)))
    return [
        lsp.CompletionItem(name, kind=kind, detail=detail, text_edit=lsp.TextEdit(place, name), filter_text=name)
        for name, kind, detail in _candidates(document, found, offset, word)
        if name.startswith(word)
    ]


def _candidates(
    document: Document, found: Findings, offset: int, word: str
) -> Iterator[tuple[str, lsp.CompletionItemKind, str]]:
    names = document.names
    here = _function_at(document, offset)
    if word.startswith("@"):
        for symbol in names.symbols:
            if symbol.kind is Kind.FUNCTION:
                yield symbol.name, _ITEMS[symbol.kind], found.types.get(symbol.name, "")
        return
    seen: dict[str, Symbol] = {}
    for symbol in names.symbols:
        known = symbol.function == here and symbol.span is not None and symbol.span.start < offset
        if symbol.kind is not Kind.FUNCTION and (known or not symbol.function):
            seen[symbol.name] = symbol
    for name, symbol in sorted(seen.items()):
        binding = _binding(found, symbol)
        yield name, _ITEMS[symbol.kind], binding.type if binding is not None else str(symbol.kind)
    if word.startswith("%"):
        return
    called = _call(document.text, offset)
    if called is not None and called[0] in CATALOGUE:
        for spec in CATALOGUE[called[0]].attributes:
            yield f"{spec.name}=", lsp.CompletionItemKind.Property, spec.annotation
    for name, operator in sorted(CATALOGUE.items()):
        yield name, lsp.CompletionItemKind.Operator, _first_line(operator)
    for dtype in DType:
        yield str(dtype), lsp.CompletionItemKind.Keyword, "element type"


def _first_line(operator: Operator) -> str:
    return operator.summary.split("\n")[0]


def _function_at(document: Document, offset: int) -> str:
    """The definition that contains a position, or else the last one before it."""
    name = ""
    for one, _, span, _ in outline(document.module):
        if span.start <= offset:
            name = one
    return name


def _call(text: str, offset: int) -> tuple[str, int] | None:
    """The name of the innermost call open at a position, and the number of commas in it before the position."""
    depth = commas = 0
    for at in range(offset - 1, max(offset - 10_000, 0) - 1, -1):
        character = text[at]
        if character in ")]}":
            depth += 1
        elif character in "([{" and depth:
            depth -= 1
        elif character in "([{":
            if match := re.search(r"@?[A-Za-z_][\w.]*$", text[:at]) if character == "(" else None:
                return match[0], commas
            commas = 0  # a tuple or a list, which is itself an argument
        elif character == "," and depth == 0:
            commas += 1
        elif character == ";" and depth == 0:
            return None
    return None


def signature_help(document: Document, found: Findings, offset: int) -> lsp.SignatureHelp | None:
    """The operator or function whose arguments are being typed, and the index of the argument."""
    called = _call(document.text, offset)
    if called is None:
        return None
    name, index = called
    if name in CATALOGUE:
        operator = CATALOGUE[name]
        label = signature(operator)
        parts = [*operator.arguments, *(spec.name for spec in operator.attributes)]
        words = lsp.MarkupContent(lsp.MarkupKind.Markdown, operator.summary)
    elif name in found.types:
        label, parts, words = f"{name} : {found.types[name]}", [], None
    else:
        return None
    parameters = [lsp.ParameterInformation(part) for part in parts]
    shown = lsp.SignatureInformation(label, documentation=words, parameters=parameters)
    return lsp.SignatureHelp([shown], active_signature=0, active_parameter=min(index, max(len(parts) - 1, 0)))


def format_edits(document: Document, width: int) -> list[lsp.TextEdit]:
    """The edit that formats a text with lines of a width, if it can be parsed and is not formatted yet."""
    if parse(document.source, mend=False)[1]:
        return []
    after = formatted(document.source, width)
    whole = range_of(document, Span(0, len(document.text)))
    return [] if after == document.text else [lsp.TextEdit(whole, after)]
