"""What `gradual explain` knows by name: codes, rules, operators, words of the glossary, conformance cases."""

from __future__ import annotations

from gradual.codes import KINDS
from gradual.interface.pages import Page, case_sections, construct, explained, glossary, rule_sections, similar, word
from gradual.interface.reports.operators import entry
from gradual.ops.catalogue import CATALOGUE
from gradual.syntax.repair.suggestions import KEYWORDS


def explanation(what: str) -> Page | list[str]:
    """The text about a name; for an operator that of `gradual ops`, and the word of that name; else similar names.

    A word may be one of the glossary, one of the language, or both.
    """
    if isinstance(page := explained(what), Page):
        return page
    if what in CATALOGUE:
        of_language = construct(what) if what in KEYWORDS else None
        return Page(what, "\n\n".join(filter(None, (entry(CATALOGUE[what]), word(what), of_language))))
    if found := list(filter(None, (word(what), construct(what)))):
        return Page(what, "\n\n".join(found))
    cases = dict(case_sections())
    if what in cases:
        return Page(what, cases[what])
    rules = (rule for rule, _ in rule_sections())
    return similar(what, (*KINDS, *glossary(), *CATALOGUE, *rules, *cases))
