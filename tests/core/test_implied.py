"""What a boolean implies follows, whatever the booleans are that say nothing; and as much follows as can."""

from itertools import product

import pytest

from gradual.core.refinement import UNKNOWN, Implied, of_result, of_value
from gradual.dims.term.constraint import Constraint, equal, negated
from gradual.dims.term.dim import Dim, Kind, variable
from gradual.ops.catalogue import CATALOGUE
from gradual.types.dtype import DType
from gradual.types.type import TensorType

BOOL: TensorType[Dim] = TensorType((), DType.BOOL)
SIZES = (variable("n", Kind.RIGID), variable("m", Kind.RIGID))
FORMULAS: tuple[Constraint, ...] = tuple(equal(size, 3) for size in SIZES)
MEANINGS = {
    **dict.fromkeys(("logical_and", "bitwise_and", "multiply", "minimum"), lambda a, b: a and b),
    **dict.fromkeys(("logical_or", "bitwise_or", "add", "maximum"), lambda a, b: a or b),
}
OPERANDS = [None, FORMULAS[0], FORMULAS[1], negated(FORMULAS[0])]


def _implied(operand: Constraint | None) -> Implied:
    return UNKNOWN if operand is None else Implied(operand, negated(operand))


@pytest.mark.parametrize("operator", MEANINGS)
def test_what_follows_is_what_holds_in_every_case(operator: str) -> None:
    for left, right, turned in product(OPERANDS, OPERANDS, (False, True)):
        given = [_implied(left), _implied(right)]
        found = of_result(CATALOGUE[operator], BOOL, lambda given=given: given) or UNKNOWN
        if turned:
            found = of_result(CATALOGUE["logical_not"], BOOL, lambda found=found: [found]) or UNKNOWN
        for sizes in product((3, 4), repeat=2):
            env = {next(iter(dim.variables())): size for dim, size in zip(SIZES, sizes, strict=True)}
            results = {
                MEANINGS[operator](a, b) is not turned
                for a in ((False, True) if left is None else (left.evaluate(env),))
                for b in ((False, True) if right is None else (right.evaluate(env),))
            }
            assert found.holds.evaluate(env) is (True in results), (operator, left, right, turned, sizes)
            assert found.fails.evaluate(env) is (False in results), (operator, left, right, turned, sizes)


def test_a_formula_is_told_by_its_sides() -> None:
    formula = FORMULAS[0]
    assert of_value({}, "%c", TensorType((), DType.BOOL, (formula,))).exact is formula
    assert UNKNOWN.exact is None
    partly = of_result(CATALOGUE["logical_and"], BOOL, lambda: [UNKNOWN, Implied(formula, negated(formula))])
    assert partly is not None
    assert partly.exact is None
    whole = of_result(CATALOGUE["logical_or"], BOOL, lambda: [partly, Implied(formula, negated(formula))])
    assert whole is not None
    assert whole.exact is formula


def test_operators_that_are_not_monotone_say_nothing() -> None:
    given = [UNKNOWN, Implied(FORMULAS[0], negated(FORMULAS[0]))]
    assert all(
        of_result(CATALOGUE[name], BOOL, lambda: given) is None for name in ("logical_xor", "equal", "not_equal")
    )
