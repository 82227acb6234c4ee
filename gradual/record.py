"""Data classes that cost little to declare: what `dataclass(frozen=True, slots=True)` makes, written when first used.

`dataclass` writes and compiles some six methods for each class when it is declared.  A program of several hundred such
classes spends half of its start on that, most of it for methods that are never called.  Here a class is declared with
its slots and nothing else: each of `__init__`, `__eq__` and `__hash__` is written when it is first looked up.

A record is frozen for type checkers only, by PEP 681: mypy rejects an assignment to a field, but nothing prevents it
at run time.  So `__init__` uses plain assignments, which takes a third of the time of `object.__setattr__`.

`field`, `replace`, `fields` and `is_dataclass` of the standard module work on records.  Not supported are `InitVar`,
`KW_ONLY` and `order`; a record and a dataclass do not inherit from each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, field
from itertools import chain
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")

Parts = Mapping[str, Any]
"""Field -> its default, the `Field` that the class assigns to it, or MISSING."""


@overload
def record(cls: type[T], /) -> type[T]: ...


@overload
def record(
    *,
    frozen: bool = True,
    eq: bool = True,
    repr: bool = True,
    slots: bool = True,
    weakref_slot: bool = False,
    kw_only: bool = False,
) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(
    cls: type[Any] | None = None,
    /,
    *,
    frozen: bool = True,
    eq: bool = True,
    repr: bool = True,
    slots: bool = True,
    weakref_slot: bool = False,
    kw_only: bool = False,
) -> Any:
    """Make a data class of the annotated names of a class, as `dataclass` does; the options mean the same."""

    def made(cls: type[Any]) -> type[Any]:
        parts = _parts(cls, kw_only)
        methods = _methods(cls.__dict__, parts, frozen=frozen, eq=eq, repr=repr)
        return _slotted(cls, parts, methods, weakref_slot) if slots else _extended(cls, parts, methods)

    return made if cls is None else made(cls)


def _parts(cls: type[Any], kw_only: bool) -> Parts:
    """The fields of a class, those of its bases first."""
    parts: dict[str, Any] = {}
    for base in cls.__mro__[-1:0:-1]:
        parts |= base.__dict__.get("__record__", {})
    for name, kind in cls.__annotations__.items():
        if str(kind).startswith(("ClassVar", "typing.ClassVar")):
            continue
        part = cls.__dict__.get(name, MISSING)
        if part.__class__.__hash__ is None:
            raise ValueError(f"the default of {cls.__qualname__}.{name} is mutable: use field(default_factory=...)")
        parts[name] = _keyword(part) if kw_only else part
    return parts


def _keyword(part: Any) -> Any:
    """The field as one that is passed by name only."""
    if not isinstance(part, Field):
        return field(default=part, kw_only=True)
    part.kw_only = True
    return part


def _methods(own: Mapping[str, Any], parts: Parts, *, frozen: bool, eq: bool, repr: bool) -> dict[str, Any]:
    """What is added to a class, except what the class itself defines."""
    methods: dict[str, Any] = {"__init__": _Later(_init), "__dataclass_fields__": _Later(_fields)}
    methods["__match_args__"] = tuple(name for name, part in parts.items() if _is_positional(part))
    if repr:
        methods["__repr__"] = _repr
    if eq:
        methods |= {"__eq__": _Later(_eq), "__hash__": _Later(_hash) if frozen else None}
    new = {name: method for name, method in methods.items() if own.get(name) is None}
    return {"__record__": parts} | new


def _is_positional(part: Any) -> bool:
    return not isinstance(part, Field) or (part.init and part.kw_only is not True)


def _slotted(cls: Any, parts: Parts, methods: dict[str, Any], weakref_slot: bool) -> Any:
    """A copy of the class with slots: they are part of a class's layout, and cannot be added to an existing class."""
    taken = set(chain.from_iterable(base.__dict__.get("__slots__", ()) for base in cls.__mro__[1:-1]))
    wanted = [*parts, "__weakref__"] if weakref_slot else parts
    body = {name: part for name, part in cls.__dict__.items() if name not in parts}
    for name in ("__dict__", "__weakref__"):
        body.pop(name, None)
    body["__slots__"] = tuple(name for name in wanted if name not in taken)
    made = type(cls)(cls.__name__, cls.__bases__, body | methods)
    made.__qualname__ = cls.__qualname__
    return made


def _extended(cls: type[Any], parts: Parts, methods: dict[str, Any]) -> type[Any]:
    """The class itself, with the methods; a default stays its attribute, a `Field` does not."""
    for name, part in parts.items():
        if isinstance(cls.__dict__.get(name), Field):
            delattr(cls, name)
            if part.default is not MISSING:
                setattr(cls, name, part.default)
    for name, method in methods.items():
        setattr(cls, name, method)
        if isinstance(method, _Later):
            method.__set_name__(cls, name)
    return cls


class _Later:
    """A descriptor that makes an attribute of a class when it is first looked up, and is then replaced by it."""

    __slots__ = ("_cls", "_make", "_name")

    def __init__(self, make: Callable[[type[Any]], Any]) -> None:
        self._make = make

    def __set_name__(self, cls: type[Any], name: str) -> None:
        self._cls, self._name = cls, name

    def __get__(self, instance: object, cls: type[Any]) -> Any:
        made = self._make(self._cls)
        setattr(self._cls, self._name, made)
        return made.__get__(instance, cls) if hasattr(made, "__get__") else made


def _init(cls: type[Any]) -> Any:
    """The constructor."""
    positional: list[str] = []
    named: list[str] = []
    body: list[str] = []
    given: dict[str, Any] = {"_MISSING": MISSING}
    for name, part in cls.__record__.items():
        parameter, value = _initial(name, part, given)
        if parameter:
            (positional if _is_positional(part) else named).append(parameter)
        if value:
            body.append(f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = [*positional, *(["*", *named] if named else [])]
    return _written(cls, "__init__", parameters, body or ["pass"], given)


def _initial(name: str, part: Any, given: dict[str, Any]) -> tuple[str, str]:
    """A field's parameter in `__init__` and its initial value, as text, each "" if there is none; extends `given`."""
    whole = part if isinstance(part, Field) else field(default=part)
    default, factory, taken = whole.default, whole.default_factory, whole.init
    begin = f"_begin_{name}"
    if factory is not MISSING:
        given[begin] = factory
        return (f"{name}=_MISSING", f"{begin}() if {name} is _MISSING else {name}") if taken else ("", f"{begin}()")
    if default is MISSING:
        return (name, name) if taken else ("", "")
    given[begin] = default
    return (f"{name}={begin}", name) if taken else ("", begin)


def _eq(cls: type[Any]) -> Any:
    """Equality: of the same class, and all fields that are compared are equal."""
    names = _compared(cls)
    equal = f"return {_tuple('self', names)} == {_tuple('other', names)}"
    body = [f"if other.__class__ is self.__class__: {equal}", "return NotImplemented"]
    return _written(cls, "__eq__", ["other"], body, {})


def _hash(cls: type[Any]) -> Any:
    """The hash of all fields that are compared."""
    return _written(cls, "__hash__", [], [f"return hash({_tuple('self', _compared(cls))})"], {})


def _compared(cls: type[Any]) -> list[str]:
    return [name for name, part in cls.__record__.items() if not isinstance(part, Field) or part.compare]


def _tuple(of: str, names: Iterable[str]) -> str:
    return f"({''.join(f'{of}.{name}, ' for name in names)})"


def _written(cls: type[Any], name: str, parameters: Iterable[str], body: Iterable[str], given: dict[str, Any]) -> Any:
    """A method of a class from its text; `given` are the values of the other names in it."""
    text = "\n  ".join((f"def {name}({', '.join(('self', *parameters))}):", *body))
    names = given | {"__name__": cls.__module__}
    exec(compile(text, f"<{name} of {cls.__qualname__}>", "exec"), names)
    method = names[name]
    method.__qualname__ = f"{cls.__qualname__}.{name}"
    return method


@recursive_repr()
def _repr(self: Any) -> str:
    """The class with its fields by name, `Span(start=0, end=1)`."""
    shown = [name for name, part in self.__record__.items() if not isinstance(part, Field) or part.repr]
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


def _fields(cls: type[Any]) -> Any:
    """What `dataclasses.fields` and `dataclasses.replace` read, taken from a data class that is made for this only."""
    kinds: dict[str, Any] = {}
    for base in cls.__mro__[-1::-1]:
        if "__record__" in base.__dict__:
            kinds |= base.__annotations__
    parts = {name: part for name, part in cls.__record__.items() if part is not MISSING}
    named = {"__doc__": "Fields.", "__module__": cls.__module__}
    annotated = {"__annotations__": {name: kinds[name] for name in cls.__record__}}
    made: Any = type(cls.__name__, (), named | annotated | parts)
    dataclass(init=False, repr=False, eq=False, match_args=False)(made)
    return made.__dataclass_fields__
