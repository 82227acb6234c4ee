"""Messages for users about operators that are not imported, with advice."""

from __future__ import annotations

from fnmatch import fnmatchcase

DECOMPOSED = "save `exported.run_decompositions({})` instead"

REASONS = (
    (
        *("aten.rand*", "aten.normal*", "aten.bernoulli*", "aten.multinomial*", "aten.poisson*", "aten.uniform*"),
        *("aten.exponential*", "aten.log_normal*", "aten.cauchy*", "aten.geometric*"),
        "random numbers, which no program draws; take them as an input",
    ),
    (
        *("aten.fft_*", "aten._fft_*", "aten.stft.*", "aten.istft.*", "aten.view_as_complex*", "aten.view_as_real*"),
        *("aten.complex.*", "aten.polar.*", "aten.imag.*", "aten.angle.*"),
        "complex numbers, which programs do not have; compute with real and imaginary parts",
    ),
    (
        *("aten.as_strided*", "aten.sym_stride.*", "aten.sym_storage_offset.*", "aten.set_.*"),
        "the layout of memory, which programs do not know; export the model with `reshape` or `unfold` in its place",
    ),
    ("aten.*_backward.*", "a gradient; export the model as it is used, after `.eval()`"),
    ("torch._functorch.*", f"`torch.vmap`; {DECOMPOSED}, which writes it out"),
    ("aten.*_.*", f"an operator in place; {DECOMPOSED}, which removes those"),
)
"""Pattern of operators' names -> the message for operators that match it."""


def reason(operator: str) -> str:
    """The message for an operator that is not imported: from the first pattern in `REASONS` that matches."""
    if not operator.rpartition(".")[0].endswith("__"):
        for *forms, says in REASONS:
            if any(fnmatchcase(operator, form) for form in forms):
                return says
    return "an operator that is not imported"
