"""Models that went wrong: ONNX's own tests of operators with a few things changed, which still are valid models.

    python -m tests.importers.mutating --models 100000 --seed 1

What becomes of them is a program or a refusal, in good time; an exception is a bug.
"""

from __future__ import annotations

import argparse
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from random import Random
from typing import Any

from onnx import ModelProto, checker

import gradual
from gradual.importers.common.refusals import Refused, Unsupported
from gradual.importers.onnx.file.reading import model_of
from gradual.importers.onnx.program import program
from tests.importers.node_tests import cases

LARGE = 20_000
"""Models of more bytes than this are left out."""

PATIENCE = 20
"""Seconds that a model may take."""

TYPES = (1, 3, 6, 7, 9, 10, 11)
VERSIONS = (1, 5, 7, 9, 11, 13, 16, 18, 21, 23, 25)

Mutation = Callable[[ModelProto, Any, Random], None]
"""Changes a model, and a node of it."""


def _attribute_gone(model: ModelProto, node: Any, random: Random) -> None:
    del node.attribute[random.randrange(len(node.attribute))]


def _attribute_other(model: ModelProto, node: Any, random: Random) -> None:
    one = random.choice(node.attribute)
    if one.ints:
        one.ints[random.randrange(len(one.ints))] = random.choice((0, -1, 1, 2, 5, -3, 100))
    elif one.HasField("i"):
        one.i = random.choice((0, -1, 1, 2, 3, -2, 7, 10**6))
    elif one.HasField("f"):
        one.f = random.choice((0.0, -1.0, 1e9, float("nan")))
    elif one.HasField("s"):
        one.s = random.choice((b"", b"xx", b"linear", b"constant"))


def _input_gone(model: ModelProto, node: Any, random: Random) -> None:
    del node.input[random.randrange(len(node.input))]


def _input_left_out(model: ModelProto, node: Any, random: Random) -> None:
    node.input[random.randrange(len(node.input))] = ""


def _inputs_exchanged(model: ModelProto, node: Any, random: Random) -> None:
    one, other = (random.randrange(len(node.input)) for _ in range(2))
    node.input[one], node.input[other] = node.input[other], node.input[one]


def _operator_other(model: ModelProto, node: Any, random: Random) -> None:
    node.op_type = random.choice(models()).graph.node[0].op_type


def _version_other(model: ModelProto, node: Any, random: Random) -> None:
    model.opset_import[0].version = random.choice(VERSIONS)


def _elements_other(model: ModelProto, node: Any, random: Random) -> None:
    random.choice(model.graph.input).type.tensor_type.elem_type = random.choice(TYPES)


def _shape_other(model: ModelProto, node: Any, random: Random) -> None:
    type = random.choice(model.graph.input).type.tensor_type
    dims = type.shape.dim
    match random.randrange(4):
        case 0:
            type.ClearField("shape")
        case 1:
            random.choice(dims).dim_param = random.choice("nmk")
        case 2:
            random.choice(dims).dim_value = random.choice((0, 1, 2, 7))
        case _:
            del dims[random.randrange(len(dims))]


MUTATIONS: tuple[Mutation, ...] = (
    *(_attribute_gone, _attribute_other, _input_gone, _input_left_out, _inputs_exchanged),
    *(_operator_other, _version_other, _elements_other, _shape_other),
)


@cache
def models() -> list[ModelProto]:
    """The models that are changed."""
    return [case.model for case in cases().values() if case.model.ByteSize() < LARGE]


def mutated(random: Random) -> ModelProto:
    """A model with one to three changes; what a change finds nothing to change of stays as it is."""
    made = ModelProto()
    made.CopyFrom(random.choice(models()))
    for _ in range(random.randint(1, 3)):
        try:
            random.choice(MUTATIONS)(made, random.choice(made.graph.node), random)
        except (IndexError, ValueError):  # nothing there
            continue
    return made


def is_valid(model: ModelProto) -> bool:
    """Whether ONNX takes it for a model."""
    try:
        checker.check_model(model)
    except checker.ValidationError:
        return False
    return True


class Slow(Exception):
    """A model that took longer than it may."""


@contextmanager
def _patience() -> Iterator[None]:
    def interrupted(signum: int, frame: object) -> None:
        raise Slow(f"more than {PATIENCE} s")

    before = signal.signal(signal.SIGALRM, interrupted)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def wrong(model: ModelProto) -> str | None:
    """What is wrong with what becomes of a model."""
    try:
        with _patience():
            gradual.check(program(model_of(model)).text)
    except (Refused, Unsupported):
        return None
    except Exception:  # whatever the importer or the checker dies of is what is looked for
        return traceback.format_exc(limit=-6)
    return None


def bugs(count: int, seed: int) -> Iterator[tuple[ModelProto, str]]:
    """The models among so many with which something is wrong."""
    random = Random(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(count):
            model = mutated(random)
            says = wrong(model) if is_valid(model) else None
            if says is not None:
                yield model, says


def main() -> None:
    """Print the bugs, each with its model, and exit with 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--models", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    found = 0
    for model, says in bugs(options.models, options.seed):
        found += 1
        print(f"--- {model.graph}\n{says}", flush=True)
    print(f"{options.models} models, {found} bugs")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
