"""The limits of the implementation, each a named field, and the options of a check."""

from __future__ import annotations

from gradual.record import record


@record
class Limits:
    """Limits that make the checker terminate with the same result on every machine.

    Attributes:
        nesting: how deep expressions, blocks and types may nest.
        rlimit: Z3's resource budget for one query (Z3's own unit, never seconds).
        contents: the longest integer vector whose elements are tracked symbolically.
        nodes: the largest size (terms and their parts) that is kept as a formula; a larger one becomes an unknown.
        models: how many small valuations are tried for one goal before Z3 is asked.
        least: how many small valuations are tried to find out whether a model that was found is the least one.
        monomials: the largest number of terms of a product that is multiplied out.
        cone: how many facts connected with a goal are looked at.
        component: how many of these facts are evaluated to confirm a counterexample.
        cases: how many cases a goal is split into before Z3 is asked.
        rows: how many linear inequalities are made to look for an integer solution.
        residues: the largest divisor by which a variable is split into residue classes.
        degree: the largest degree of a product that is multiplied out.
        line: the width of a formatted program and of a printed signature, in columns, if no other is chosen.
        text: the longest printed text of a part of a dim, in characters; a longer one is elided.
        rank: the highest rank of a tensor.
        fields: the largest number of fields of a tuple, also of one that an operator returns.
        size: the largest size of an axis while running, also of a tensor without elements; less than the number that
            means "to the end" in slices.
        elements: the largest number of elements of a tensor that may be allocated while running.
        constant: the largest number of bits of an integer constant in a dim.
        bound: the largest number of bits of a recorded bound of a dim; a wider bound is dropped.
        number: the largest number of bits of a dim's value under a valuation; a larger value counts as undefined.
        patterns: how many steps the comparison of the patterns of one `match` may take.
        expansions: how many calls of function literals without types are inlined in one definition.
        inlined: how many nodes the functions of an imported model may become once they are expanded.
        trials: how many characters of program are checked again to verify fixes for one file.
        calls: how deep calls may nest while running (calls in tail position do not nest).
        source: the longest text of a program that is read, in bytes.
        file: the largest file of tensors or of a model that is read, and the largest unpacked size of an archive, in
            bytes.
        stream: how many bytes are read from a pipe or a device, which have no size.
        values: the longest JSON text of values that is read, in bytes.
        message: the longest message of an editor, of a session, or of the conformance protocol, in bytes.
        directory: the largest table of contents of an archive, in bytes.
        description: the longest JSON text in an archive that describes a model, in bytes.
        graphs: how deep graphs of a model may nest in its nodes.
        operations: how many nodes of a PyTorch or TensorFlow model are imported; a node of a loop's body or of a
            function counts each time that it is imported.
    """

    nesting: int = 200
    rlimit: int = 400_000
    contents: int = 64
    nodes: int = 40
    models: int = 400
    least: int = 4_000
    monomials: int = 200
    degree: int = 64
    cone: int = 64
    component: int = 1024
    cases: int = 64
    rows: int = 4_000
    residues: int = 16
    line: int = 100
    text: int = 4_000
    rank: int = 16
    fields: int = 4096
    size: int = (1 << 31) - 2
    elements: int = 1 << 28
    constant: int = 256
    bound: int = 512
    number: int = 4096
    calls: int = 1_000_000
    patterns: int = 200_000
    expansions: int = 2_000
    inlined: int = 100_000
    trials: int = 400_000
    source: int = 1 << 27
    file: int = (1 << 31) - 1
    stream: int = 1 << 27
    values: int = 1 << 26
    message: int = 1 << 24
    directory: int = 1 << 22
    description: int = 1 << 26
    graphs: int = 16
    operations: int = 100_000


LIMITS = Limits()


@record
class Options:
    """How to check.

    Attributes:
        smt: whether the SMT stage is used.
        rigid: the severity of a goal about named dims that may fail in a gradual definition: "warning" or "error".
        advise: whether fixes are searched for and offered.
    """

    smt: bool = True
    limits: Limits = LIMITS
    rigid: str = "warning"
    advise: bool = True


ORDINARY = Options()
"""The default options."""
