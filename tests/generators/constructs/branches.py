"""What is known here and not there: casts, annotations and assertions about few values, and what is made of them."""

from __future__ import annotations

from collections.abc import Sequence

from tests.generators.constructs import casts, numbers, ranks
from tests.generators.constructs.view import Construct, Made, Maker, View
from tests.generators.program_terms import UNKNOWN, Assertion, Cast, Let, Size, Tensor, Text, Unranked


def parameters(maker: Maker, dims: Sequence[str]) -> numbers.Parameters:
    """Vectors whose sizes are few and may be each other's, values of unknown rank, integer vectors and flags."""
    sizes = ("3", *dims, *(() if maker.strict else (UNKNOWN,)))

    def vector(dtype: str = "float32") -> Tensor:
        own = Size(maker.fresh().replace("%v", "n"), fixed=True)
        return Tensor((own if maker.chance(0.4) else Size(maker.random.choice(sizes)),), dtype)

    whole = vector() if maker.strict else Unranked()
    scalars = (Tensor((), "int64"), Tensor((), "bool"), Tensor((), "bool"))
    lists = (vector("int64"), Tensor((Size("2", fixed=True),), "int64"))
    return tuple((maker.fresh(), type) for type in (*scalars, *lists, vector(), vector(), whole))


def _demanded(view: View) -> Made:
    """A value at the sizes of another one, of whatever rank it is itself."""
    name, like = view.pick([*view.floats(1), *view.unranked()]), view.pick(view.floats(1))
    if name is None or like is None:
        return None
    annotation = Tensor(tuple(view.annotated(dim, guessed=0.2) for dim in view.types[like].shape))
    return Cast(name, annotation) if view.chance(0.6) else [Let(view.grower.fresh(), annotation, Text(name))]


def _asserted(view: View) -> Made:
    """Sizes, ranks and names that are said to be each other's or a number."""
    name, other, whole = view.pick(view.floats(1)), view.pick(view.floats(1)), view.pick(view.unranked())
    if name is None or other is None:
        return None
    forms = [
        f"dim({name}, 0) == dim({other}, 0)",
        f"dim({name}, 0) == {view.size()}",
        f"dim({name}, 0) >= {view.random.choice((1, 2, 3))}",
        *(f"{dim} == {view.random.choice((2, 3, 4))}" for dim in view.scope.dims[:1]),
        *(() if whole is None else (f"ndim({whole}) == {view.random.choice((1, 2))}",)),
    ]
    return [Assertion(view.random.choice(forms))]


def _made(view: View) -> Made:
    name, other, whole = view.pick(view.floats(1)), view.pick(view.floats(1)), view.pick(view.unranked())
    vector, sizes = view.pick(view.of(view.types[name].dtype, 1)) if name else None, view.pick(view.vectors())
    if name is None or other is None:
        return None
    forms = [
        f"nn.relu({name})",
        f"add({name}, {other})",
        f"concatenate(({name}, {other}), axis=0)",
        f"reshape({whole or name}, newshape=[-1])",
        f"expand_dims({whole or name}, axis=0)",
        f'zeros(shape=[dim({name}, 0)], dtype="float32")',
        f'cast(shape_of({whole or name}), dtype="int64")',
        *(() if vector is None else (f"transpose({vector})",)),
        *(() if sizes is None else (f"dyn.reshape({whole or name}, {sizes})",)),
        *(() if sizes is None else (f'zeros(shape=[{sizes}[0]], dtype="float32")',)),
        *(() if sizes is None else (f"concatenate(({sizes}, {sizes}), axis=0)",)),
    ]
    return Text(view.random.choice(forms))


CONSTRUCTS: list[Construct] = [
    (_demanded, 6, ()),
    (_asserted, 2, ()),
    (_made, 6, ("concatenate", "reshape", "shape_of", "zeros")),
    *casts.CONSTRUCTS[:4],
    *ranks.CONSTRUCTS,
    *ranks.USES,
]
