"""A shape function as a header of C99, with int64 numbers, an error code on overflow, and no memory allocation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from gradual.dims.term.atom import Atom, FloorDiv, Ite, Max, Min, Product, Variable
from gradual.dims.term.constraint import And, AtMost, Constraint, Equal, Not, Or, Truth
from gradual.dims.term.dim import Dim, Monomial
from gradual.shape_functions.c_arithmetic import ARITHMETIC
from gradual.shape_functions.form import Definition, Need, ShapeFunction
from gradual.shape_functions.notes import bounded, described, one_line

_LEAST, _GREATEST = -(1 << 63), (1 << 63) - 1


def printed(made: ShapeFunction) -> str:
    """The header: the arithmetic, under a guard as several headers may contain it, and the function with its tables."""
    guard = f"GRADUAL_{made.name.upper()}_SHAPE_FUNCTION"
    lines = [
        f"/* The shape function of {one_line(made.title)}, made by `gradual shape-function`.",
        "",
        f"   {made.name}_shapes(&in, &out) fills `out` and returns 0; or it returns the number of the first need",
        "   that does not hold, or GRADUAL_OVERFLOW if an intermediate number does not fit int64.",
        f"   {made.name}_need(number) describes a need. */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        ARITHMETIC,
        *_inputs(made),
        *_outputs(made),
        *_tables(made),
        *_function(made),
        "#endif",
    ]
    return "\n".join(lines) + "\n"


# -------------------------------------------------------------------------------------------------------------- tables
def _inputs(made: ShapeFunction) -> Iterator[str]:
    fields = [(name, len(numbers)) for given in made.inputs for name, numbers in given.parts]
    says = dict(described(made))
    yield "/* Inputs: the sizes of each argument with axes, and the elements that sizes depend on. */"
    yield "typedef struct {"
    yield from (f"  int64_t {name}[{count}]; /* {one_line(says[name])} */" for name, count in fields if count)
    if not any(count for _, count in fields):
        yield "  int nothing;"
    yield f"}} {made.name}_inputs;"
    yield ""


def _outputs(made: ShapeFunction) -> Iterator[str]:
    yield "/* Outputs: the sizes of each tensor of the result with axes, the buffers, the bytes of the arena. */"
    yield "typedef struct {"
    for number, result in enumerate(made.results):
        what = one_line(f"the result{result.path}: {result.says}")
        if result.sizes:
            yield f"  int64_t result_{number}[{len(result.sizes)}]; /* {what}{bounded(result.sizes)} */"
        else:
            yield f"  /* {what}{', of no axes' if result.sizes is not None else ''} */"
    if made.buffers:
        yield f"  gradual_buffer buffers[{len(made.buffers)}];"
    yield "  int64_t arena;"
    yield f"}} {made.name}_outputs;"
    yield ""
    yield "/* The buffers: value, operator, and whether the bytes are an upper bound.  A buffer without an offset is"
    yield "   allocated when its size is known."
    for number, buffer in enumerate(made.buffers):
        bound = "" if buffer.exact else " (at most)" if buffer.bytes is not None else " (not known)"
        yield f"   {number}: {one_line(buffer.path)} of {one_line(buffer.maker)}{bound}"
    yield "*/"


def _tables(made: ShapeFunction) -> Iterator[str]:
    needs = made.needs
    if made.undecided:
        yield "/* Only a run decides:"
        yield from (f"   {one_line(left.place)}: {one_line(left.says)}" for left in made.undecided)
        yield "*/"
    yield f"enum {{ {made.name}_needs = {len(needs)}, {made.name}_buffers = {len(made.buffers)} }};"
    yield ""
    yield "/* The need with a given number; needs are numbered from 1 in the order in which they are decided. */"
    yield f"static inline gradual_need {made.name}_need(int number) {{"
    yield '  gradual_need none = {"", "", "", ""};'
    if needs:
        yield "  static const gradual_need all[] = {"
        yield from (f"    {{{', '.join(map(_string, (n.id, n.message, n.place, n.blamed)))}}}," for n in needs)
        yield "  };"
        yield f"  return number >= 1 && number <= {made.name}_needs ? all[number - 1] : none;"
    else:
        yield "  (void)number;"
        yield "  return none;"
    yield "}"
    yield ""


def _string(text: str) -> str:
    """A string literal in ASCII; other bytes of UTF-8 are octal escapes, and trigraphs are avoided."""
    return '"' + "".join(map(_character, text.encode(errors="backslashreplace"))) + '"'


def _character(byte: int) -> str:
    plain = 32 <= byte < 127 and chr(byte) not in '"\\?'
    return chr(byte) if plain else f"\\{byte:03o}"


# ------------------------------------------------------------------------------------------------------------ function
def _function(made: ShapeFunction) -> Iterator[str]:
    yield f"static inline int {made.name}_shapes(const {made.name}_inputs *in, {made.name}_outputs *out) {{"
    yield "  int fits = 1;"
    yield from _steps(made)
    yield "  (void)in;"
    for number, result in enumerate(made.results):
        for axis, size in enumerate(result.sizes or ()):
            yield f"  out->result_{number}[{axis}] = {_taken(size.dim)};"
    for number, buffer in enumerate(made.buffers):
        yield f"  out->buffers[{number}].offset = {_taken(buffer.offset)};"
        yield f"  out->buffers[{number}].bytes = {_taken(buffer.bytes)};"
    yield f"  out->arena = {_taken(made.arena)};"
    yield "  return fits ? 0 : GRADUAL_OVERFLOW;"
    yield "}"
    yield ""


def _steps(made: ShapeFunction) -> Iterator[str]:
    read, number = made.read, 0
    for part, numbers in (part for given in made.inputs for part in given.parts):
        for place, one in enumerate(numbers):
            if one in read:
                yield f"  const gradual_int {one} = gradual_number(in->{part}[{place}]);"
    if made.needs:
        yield "  gradual_truth need;"
    for step in made.steps:
        match step:
            case Definition(name, dim):
                yield f"  const gradual_int {name} = {_dim(dim)};"
            case Need(holds=holds):
                number += 1
                yield f"  need = {_truth(holds)};"
                yield "  if (!need.fits) return GRADUAL_OVERFLOW;"
                yield f"  if (!need.holds) return {number};"


def _taken(dim: Dim | None) -> str:
    if dim is None:
        return "GRADUAL_ABSENT"
    if dim.value is not None and _LEAST < dim.value <= _GREATEST:
        return str(dim.value)
    return f"gradual_taken({_dim(dim)}, &fits)"


# ------------------------------------------------------------------------------------------------------------ formulas
def _dim(dim: Dim) -> str:
    if dim.value is not None:
        return _number(dim.value)
    return _folded("gradual_sum", [_term(monomial, coefficient) for monomial, coefficient in dim.terms])


def _number(number: int) -> str:
    if number == _LEAST:
        return "gradual_number(INT64_MIN)"
    return f"gradual_number({number})" if _LEAST < number <= _GREATEST else "gradual_unfit()"


def _term(monomial: Monomial, coefficient: int) -> str:
    factors = [_atom(atom) for atom in monomial]
    if coefficient != 1 or not factors:
        factors.insert(0, _number(coefficient))
    return _folded("gradual_product", factors)


def _folded(function: str, parts: list[str]) -> str:
    return reduce(lambda left, right: f"{function}({left}, {right})", parts)


def _atom(atom: Atom) -> str:
    match atom:
        case Variable(name=name):
            return name
        case FloorDiv(dividend=dividend, divisor=divisor):
            return f"gradual_quotient({_dim(dividend)}, {_dim(divisor)})"
        case Max(operands=operands):
            return _folded("gradual_max", [_dim(operand) for operand in operands])
        case Min(operands=operands):
            return _folded("gradual_min", [_dim(operand) for operand in operands])
        case Product(operands=operands):
            return _folded("gradual_product", [_dim(operand) for operand in operands])
        case Ite(condition=condition, then=then, orelse=orelse):
            return f"gradual_choice({_truth(condition)}, {_dim(then)}, {_dim(orelse)})"


def _truth(constraint: Constraint) -> str:
    match constraint:
        case Truth(holds=holds):
            return f"gradual_is({int(holds)})"
        case Equal(left=left, right=right):
            return f"gradual_equal({_dim(left)}, {_dim(right)})"
        case AtMost(left=left, right=right):
            return f"gradual_at_most({_dim(left)}, {_dim(right)})"
        case Not(part=part):
            return f"gradual_not({_truth(part)})"
        case And(parts=parts):
            return _folded("gradual_and", [_truth(part) for part in parts])
        case Or(parts=parts):
            return _folded("gradual_or", [_truth(part) for part in parts])
