"""A liar in a process of its own: `python -m tests.conformance.liars.adapter 'nn.dense: plus one'`.

It answers the protocol as the reference does, while its arithmetic or one operator's kernel is wrong.
"""

from __future__ import annotations

import sys
from functools import partial

from gradual.conformance.implementations.serve import serve
from tests.conformance.liars.arithmetic import ARITHMETIC
from tests.conformance.liars.kernels import LIES, changed, kernel_liar
from tests.conformance.liars.truth import Liar


def named(name: str) -> Liar:
    """The liar of a name: one about arithmetic, or an operator and a lie about its elements.  Raises KeyError."""
    known = {liar.name: liar for liar in ARITHMETIC}
    operator, _, lie = name.partition(": ")
    return kernel_liar(operator, lie, partial(changed, change=LIES[lie])) if lie else known[name]


def main() -> None:
    """Answer requests on standard input."""
    with named(sys.argv[1]).computing():
        serve(sys.stdin, sys.stdout, smt=True)


if __name__ == "__main__":
    main()
