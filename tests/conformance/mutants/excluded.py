"""What is not mutated, each with the reason: no profile of the suite can ask about it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fnmatch import fnmatch

FOLDERS = ("checker", "core", "dims", "ops", "passes", "run", "syntax", "tensors", "types")
"""The folders of the package whose code decides what a profile compares."""

QUICK = "the quick way to values that the plain way has too; used for large tensors only"

FILES = {
    "checker/fixes/*": "proposed edits, which no profile compares",
    "checker/obligations/value_names.py": "words of messages",
    "checker/repairs/*": "proposed edits",
    "checker/program/suggestions.py": "words of messages",
    "checker/program/foreign_dtypes.py": "proposed edits",
    "checker/program/rule_cache.py": "a cache: it changes the time only",
    "core/verify/*": "refuses wrong programs of a faulty compiler only",
    "core/value_words.py": "words of messages",
    "dims/rewrite/readable.py": "words of messages",
    "ops/*/fast_*.py": QUICK,
    "passes/catalogue.py": "names and descriptions of the passes",
    "run/entry/from_python.py": "the interface of Python",
    "syntax/repair/*": "proposed edits",
    "syntax/parsing/comments.py": "comments that allow a lint, which no profile compares",
    "syntax/parsing/errors.py": "words of messages",
    "syntax/parsing/tables.py": "made when the grammar is compiled; the tables are stored",
    "syntax/printing/metadata_text.py": "how passes and importers write constants",
    "syntax/tree/names.py": "for the language server",
    "syntax/tree/scopes.py": "for the language server and the lints of names",
    "tensors/arrays/*": QUICK,
    "tensors/exchange/*": "the interface of Python",
    "tensors/json_form.py": "the form of files",
    "tensors/print.py": "how a value is printed",
    "types/hash_consing.py": "a cache: it changes the time only",
}

FUNCTIONS = {
    "__repr__": "how a value is printed",
    "__str__": "how a value is printed",
    "__hash__": "any hash is right",
    "__init_subclass__": "runs while modules are imported",
    "_fast_*": QUICK,
}
"""Names of functions, with the classes and functions around them or alone."""

IMPORTED = "runs while modules are imported"
WORDS = "words of descriptions"
PYTHON = "the interface of Python"
COMMANDS = "for commands of the tool"
PASSED = "how the command `gradual pass` prints a program"
STORED = "how a result is stored between runs"
OWN = "compares the plan with a run of the reference itself, and they agree"
WAY = "the way to an obstacle, which no profile compares"

FUNCTIONS_OF = {
    "checker/completeness.py": {"*": COMMANDS},
    "checker/coercion/agreement.py": {"forgetting": "a proposed edit"},
    "checker/declarations/types.py": {"_element_type": "a proposed edit"},
    "checker/expressions/coverage.py": {"shown_pattern": WORDS},
    "checker/expressions/match_.py": {"_report_missing": WORDS},
    "checker/functions/needs.py": {"_named": WORDS},
    "checker/module.py": {"Checked.question": COMMANDS, "Checked.definitions": COMMANDS},
    "checker/obligations/grouping.py": {"_labels": WORDS},
    "checker/obligations/obligation.py": {
        "rigid_error": "an option that changes warnings to errors",
        "_never": WORDS,
        "_required": WORDS,
        "sampled": WORDS,
        "_sides": WORDS,
        "_where": WORDS,
        "_is_plain": WORDS,
        "_value": WORDS,
        "_covers": WORDS,
    },
    "checker/obligations/origins.py": {"_maker": WORDS},
    "core/check.py": {"Polarity.other": "who is blamed, in words"},
    "core/def_use.py": {"binds": PASSED},
    "core/known_ranges.py": {"KnownRanges.step": PASSED},
    "core/roles.py": {"ByClass.__init__": IMPORTED},
    "core/traversal.py": {"with_operands": PASSED},
    "dims/term/print.py": {"brief": WORDS, "broadcast_of": PASSED, "_factors_text": WORDS},
    "dims/term/substitution.py": {"flattened": STORED, "_flat": STORED, "restored": STORED, "_restored": STORED},
    "ops/catalogue.py": {"declared": IMPORTED},
    "ops/declaration/dynamic_variant.py": {"dynamic_twin": IMPORTED, "_left_over": IMPORTED},
    "ops/declaration/element_ranges.py": {"is_natural_number": PASSED},
    "ops/declaration/operator.py": {
        "Operator.description": WORDS,
        "_set_apart": WORDS,
        "operator.<locals>.declared": IMPORTED,
        "_parameters": IMPORTED,
    },
    "ops/declaration/padding.py": {"batch_of": IMPORTED, "along": IMPORTED},
    "ops/elementwise/binary.py": {"_comparison": IMPORTED, "_logical": IMPORTED},
    "ops/elementwise/row.py": {
        "Row.fast": QUICK,
        "Row.is_fast": QUICK,
        "binary": IMPORTED,
        "unary": IMPORTED,
        "_declared": IMPORTED,
    },
    "ops/elementwise/unary.py": {"_float": IMPORTED, "_rounding": IMPORTED},
    "ops/linear/einsum.py": {"Operand.matrices": QUICK},
    "ops/linear/products.py": {"factors": QUICK},
    "ops/nn/convolution.py": {"_equation": WORDS},
    "ops/nn/pool.py": {
        "_window_words": WORDS,
        "_fold_words": WORDS,
        "_max_pool_operator": IMPORTED,
        "_avg_pool_operator": IMPORTED,
    },
    "ops/nn/transposed_convolution.py": {"_equation": WORDS, "_kernels": QUICK},
    "ops/other/not_supported.py": {"listed": COMMANDS},
    "ops/reduction/folds.py": {"<lambda>": QUICK},
    "ops/reduction/reductions.py": {
        "array_blocks": QUICK,
        "reduction": IMPORTED,
        "reduction.<locals>.fast": QUICK,
        "arg_reduction": IMPORTED,
    },
    "passes/plan/obstacles.py": {
        "_Search._chain": WAY,
        "_Search._link": WAY,
        "_Search._reached": WAY,
        "_Search._sources": WAY,
        "_Search._way": WAY,
    },
    "passes/plan/require_static.py": {"_help": WORDS, "_shortened": WORDS},
    "run/graph/measured.py": {"Measuring.__call__": OWN, "_own_steps": OWN, "_inside": OWN, "_tensors": OWN},
    "run/graph/plan.py": {"Plan.live": COMMANDS, "Plan.at": COMMANDS},
    "run/steps/data.py": {"_outline": WORDS, "_depth": WORDS},
    "run/value.py": {"NotStatic.__init__": PYTHON},
    "syntax/parse.py": {
        "parse_fragment": COMMANDS,
        "parse_incomplete": COMMANDS,
        "_helped": "proposed edits",
        "_helped.<locals>.reach": "proposed edits",
    },
    "syntax/parsing/build.py": {"fragment": COMMANDS, "sequence": COMMANDS},
    "syntax/printing/line_breaks.py": {"broken_type": "how a type is printed in reports", "_word": "for `broken_type`"},
    "tensors/scalar.py": {"total": "of the two definitions, one for each version of Python, one exists"},
    "tensors/tensor.py": {
        "Tensor.item": PYTHON,
        "Tensor.__array__": PYTHON,
        "Tensor.__dlpack__": PYTHON,
        "Tensor.__dlpack_device__": PYTHON,
        "Tensor.__eq__": PYTHON,
        "_same": PYTHON,
        "_exact": PYTHON,
    },
    "tensors/value.py": {
        "shown_value": "how a value is printed",
        "shortened": "how a value is printed",
        "_structure": "how a value is printed",
        "_between": "how a value is printed",
    },
    "types/positive.py": {
        "says_not_empty": "a count in reports, which no profile compares",
        "_is_size": "a count in reports, which no profile compares",
    },
}
"""By file, names of functions, as in `FUNCTIONS`; what is defined inside of a function is asked unless it is listed."""


def is_asked(file: str) -> bool:
    """Whether a profile can ask about the code of a file, named from the package's folder."""
    return not any(fnmatch(file, pattern) for pattern in FILES)


def is_function_asked(file: str, name: str) -> bool:
    """Whether a profile can ask about the own code of a function, named with the classes and functions around it."""
    patterns = (*FUNCTIONS, *FUNCTIONS_OF.get(file, ()))
    return not any(fnmatch(one, pattern) for one in (name, name.rpartition(".")[2]) for pattern in patterns)


def asked_children(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The parts of a node that a mutant may change, each with its field.

    Left out are assertions (they hold), also that the parts of a `zip` are of one length (`strict=True`), messages,
    annotations, and what runs while a module is imported: decorators and defaults.
    """
    if isinstance(node, ast.Assert | ast.Raise | ast.JoinedStr):
        return
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "args", "bases") and not isinstance(node, ast.Call):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST) and not _is_left_out(part):
                yield field, part


def _is_left_out(node: ast.AST) -> bool:
    return _is_message(node) or _names_a_limit(node) or _asserts_equal_lengths(node)


def _asserts_equal_lengths(node: ast.AST) -> bool:
    return isinstance(node, ast.keyword) and node.arg == "strict" and ast.unparse(node.value) == "True"


def _is_message(node: ast.AST) -> bool:
    return isinstance(node, ast.keyword) and node.arg in ("message", "notes", "help", "says")


def _names_a_limit(node: ast.AST) -> bool:
    """Whether an expression compares with a limit: limits are this implementation's own."""
    names = {"LIMITS", "limits"}
    parts = ast.walk(node) if isinstance(node, ast.Compare) else ()
    return any(getattr(part, "id", None) in names or getattr(part, "attr", None) in names for part in parts)
