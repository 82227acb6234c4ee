"""The names of the sizes of a model's inputs in the program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from gradual.dims.term.dim import Dim, constant, variable
from gradual.importers.common.refusals import Misused, Unread, Unsupported
from gradual.importers.common.sizes.formulas import Formula, NoFormula, formula
from gradual.importers.common.sizes.ports import Extent, Port
from gradual.importers.common.text import tensor_text
from gradual.importers.common.values import Names
from gradual.types.dtype import DType
from gradual.types.type import Hole, TensorType, Type, UnrankedType

_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_INVENTED = re.compile(
    r"unk__\d+|(p2o\.)?DynamicDimension\.\d+|\w+_dynamic_axes_\d+|[Nn]one|[Uu]nknown(_\w+)?", re.ASCII
)
"""Names that tf2onnx, ONNX's shape inference, and the converters of Paddle and torch invent for unknown sizes."""
_RESERVED = (
    *("and", "as", "assert", "def", "dim", "else", "extern", "fn", "if", "let", "match", "max", "meta", "min", "not"),
    *("operator", "or", "ref", "ref_read", "ref_write", "then", "type", "where", "Tensor", "True", "False", "_"),
)
"""Keywords of the language, which cannot name a size."""


Written = tuple[str, Type[Dim | Hole]]
"""A type, as text and as a type."""


class Dims:
    """The sizes of the inputs in the program: names, and formulas if the inputs' sizes determine the formulas' names.

    Attributes:
        clauses: the conditions in the `where` of `@main` under which the quotients in formulas are exact.
        nameless: the model's names and formulas that become `?` in the program.
    """

    def __init__(
        self,
        ports: Sequence[Port],
        opens: bool,
        called: Mapping[str, str] | None = None,
        usual: Mapping[str, str] | None = None,
    ) -> None:
        """Name the sizes of some inputs.

        Args:
            called: the model's name of a size, or its name in `usual` -> the name that the user wants.
            usual: the model's name of a size -> a more readable name.

        Raises Misused if `called` names an unknown size, or gives two sizes the same name.
        """
        self._called = called or {}
        self._usual = usual or {}
        self._opens = opens
        self._names = Names(_RESERVED)
        self.clauses: list[str] = []
        self.nameless: dict[str, None] = {}
        self._types: dict[object, Written] = {}
        texts = (
            []
            if opens
            else [one for port in ports if port.is_tensor for one in port.shape or () if isinstance(one, str)]
        )
        words = dict.fromkeys(text for text in texts if text.isidentifier() and not _INVENTED.fullmatch(text))
        self._known = {word: self._names.unused(self._spelled(word)) for word in words}
        self._formulas = dict(_formulas(text for text in texts if text not in words))
        self._solve()
        self._sizes = {word: word for word in self._known.values()}
        self._sizes.update((self._usual.get(name, name), word) for name, word in self._known.items())
        self._sizes.update(self._known)
        self._check_called()

    def _check_called(self) -> None:
        """Raise Misused unless the user's names belong to different sizes, one name for each size."""
        own = {word: name for name, word in self._known.items()}
        owners: dict[str, str] = {}
        for name, wanted in self._called.items():
            size = own[self._size(name, "name")]
            twins = (other for other in self._known if other != size and self._spelled(other) == _spelled(wanted))
            if size in owners:
                raise Misused("name", f"`{owners[size]}` and `{name}` are one size, which can have one name")
            if _spelled(wanted) in _RESERVED:
                raise Misused("name", f"`{wanted}` is a word of the language, and cannot name the size `{name}`")
            if (twin := next(twins, None)) is not None:
                both = f"`{self._usual.get(twin, twin)}` and `{name}`"
                raise Misused("name", f"{both} are two sizes, and cannot both be called `{wanted}`")
            owners[size] = name

    def _solve(self) -> None:
        """Name each size for which a formula can be solved, until no more are found.

        A formula that still has unnamed sizes becomes a single name if it takes every value and no other such formula
        has these sizes; otherwise it becomes `?`.
        """
        while name := next(filter(None, map(self._told, self._formulas.values())), None):
            self._known[name] = self._names.unused(self._spelled(name))
        waiting = {text: one for text, one in self._formulas.items() if self._missing(one)}
        for text, one in waiting.items():
            del self._formulas[text]
            others = (other for at, other in waiting.items() if at != text)
            if one.onto and not any(self._missing(one) & other.names for other in others):
                self._known[text] = self._names.unused(self._spelled(text))

    def _spelled(self, name: str) -> str:
        usual = self._usual.get(name, name)
        return _spelled(self._called.get(name) or self._called.get(usual) or usual)

    def _missing(self, one: Formula) -> set[str]:
        return set(one.names) - set(self._known)

    def _told(self, one: Formula) -> str | None:
        """The only unnamed size in a formula, if the formula can be solved for this size; else None."""
        missing = self._missing(one)
        return next(iter(missing)) if len(missing) == 1 and missing <= one.solves else None

    @property
    def notes(self) -> tuple[str, ...]:
        """One line if the program has no name for some sizes."""
        if not self.nameless:
            return ()
        first, *others = self.nameless
        more = f" and {len(others)} more" if others else ""
        return (f"the size `{first}`{more} of the inputs is `?`: no name that a program could promise to keep",)

    @property
    def words(self) -> tuple[str, ...]:
        """The names of sizes in the program."""
        return tuple(self._known.values())

    @property
    def names(self) -> tuple[str, ...]:
        """The model's names of the sizes that have a name in the program."""
        return tuple(self._known)

    def empty(self, names: Iterable[str]) -> list[str]:
        """Clauses `>= 0` for the sizes of these names; raises Misused for a name that no size has."""
        return [f"{self._size(name, 'empty')} >= 0" for name in names]

    def _size(self, name: str, option: str) -> str:
        """A size's name in the program, given its name in the model or the program; raises Misused if there is none."""
        if name not in self._sizes:
            raise Misused(option, unknown(name, (self._usual.get(one, one) for one in self._known)))
        return self._sizes[name]

    def positive(self, empty: Iterable[str]) -> frozenset[str]:
        """The names in the program of sizes that are at least 1: all but those that may be `empty`."""
        return frozenset(self._known.values()) - {self._sizes[name] for name in empty if name in self._sizes}

    def type(self, port: Port) -> Written:
        """The type of an input, as text and as a type."""
        if isinstance(port.dtype, Unread):
            raise Unsupported(port.dtype.says)
        if port.dtype is None:
            raise Unsupported(f"`{port.name}` has no element type")
        if port.shape is None:
            return f"Tensor[*, {port.dtype}]", UnrankedType(port.dtype)
        asked = port.dtype, port.shape, port.is_tensor
        if asked not in self._types:
            self._types[asked] = self._type(*asked)
        return self._types[asked]

    def _type(self, dtype: DType, shape: tuple[Extent, ...], is_tensor: bool) -> Written:
        texts = [self.text(extent) for extent in shape]
        if not is_tensor:  # the elements of a sequence may differ in size
            texts = [text if text.isdecimal() else "?" for text in texts]
        return tensor_text(texts, dtype), TensorType(tuple(map(_extent, texts)), dtype)

    def text(self, extent: Extent) -> str:
        """A size as the program writes it: a number, a name, a formula, or `?`."""
        if isinstance(extent, int):
            return str(extent)
        if extent is None or self._opens:
            return "?"
        if extent in self._known:
            return self._known[extent]
        if (found := self._formulas.get(extent)) is None:
            self.nameless[extent] = None
            return "?"
        self.clauses += [clause for one in found.exact if (clause := one(self._known.__getitem__)) not in self.clauses]
        return found.text(self._known.__getitem__)


def unknown(name: str, known: Iterable[str]) -> str:
    """The message on a name that no size has, with the names of all sizes."""
    have = ", ".join(f"`{one}`" for one in known) or "none"
    return f"`{name}` names no size of the inputs; the names are {have}"


def _formulas(texts: Iterable[str]) -> Iterable[tuple[str, Formula]]:
    for text in texts:
        try:
            if not _INVENTED.fullmatch(text):
                yield text, formula(text)
        except NoFormula:
            continue


def _spelled(name: str) -> str:
    """A name as a valid identifier: other characters are replaced by `_`, and it does not begin with a digit."""
    if _WORD.fullmatch(name):
        return name
    spelled = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "size"
    return f"size_{spelled}" if spelled[0].isdigit() else spelled


def _extent(text: str) -> Dim | Hole:
    """A size for the importer's own types: a formula is `?`, since only the checker parses formulas."""
    if text.isdecimal():
        return constant(int(text))
    return variable(text) if _WORD.fullmatch(text) else Hole()
