"""Small PyTorch modules as exported archives, with what PyTorch computes: the material of the tests here.

    python -m tests.importers.torch.exporting FOLDER [NAME]...

It needs PyTorch, which the project itself and its tests do not.  For each module of `modules/` it writes `NAME.pt2`,
what `torch.export` saves, `NAME.functional.pt2`, the same after `run_decompositions({})`, and `NAME.core.pt2`, after
`run_decompositions()`; with `NAME.K.npz` for each of its sizes: the inputs `in0`, `in1`, ... and the outputs `out0`,
`out1`, ...  `packed` makes one file of a folder; the functional forms are left out there.
"""

from __future__ import annotations

import io
import json
import lzma
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
import torch

from tests.importers.torch.modules import (
    activations,
    elements,
    forms,
    indices,
    networks,
    own,
    reductions,
    scans,
    shapes,
)
from tests.importers.torch.modules.case import Calling, Case, called

FAMILIES = activations, elements, forms, indices, networks, own, reductions, scans, shapes
MADE_BY_EXPORT = ("models/", "data/", "archive_format", "archive_version", "version", "byteorder")
"""What of an archive a reader may need; the sample inputs are left out."""


def cases() -> dict[str, Case]:
    """Every module by its name."""
    return {name: case for family in FAMILIES for name, case in family.CASES.items()}


def dynamic(case: Case) -> tuple[Any, ...]:
    """For each input the axes whose sizes are left open: those that differ between the sizes of the case."""
    first, *others = (case.inputs(size) for size in case.sizes)
    found: list[Any] = []
    for index, one in enumerate(first):
        if not isinstance(one, torch.Tensor):
            found.append(None)
            continue
        shapes = [tuple(other[index].shape) for other in others]
        axes = [axis for axis in range(one.dim()) if any(shape[axis] != one.shape[axis] for shape in shapes)]
        found.append(dict.fromkeys(axes, getattr(torch.export.Dim, case.kind)) or None)
    return tuple(found)


def exported(case: Case) -> Any:
    """The export of a case."""
    torch.manual_seed(1)
    module = case.module().eval()
    inputs = case.inputs(case.sizes[0])
    with torch.no_grad():
        shapes = (dynamic(case),) if isinstance(module, Calling) else dynamic(case)
        return module, torch.export.export(module, inputs, dynamic_shapes=shapes)


def save(folder: Path, name: str, case: Case) -> None:
    """Write the archives and arrays of a case."""
    module, program = exported(case)
    forms = {"": program, ".functional": program.run_decompositions({}), ".core": program.run_decompositions()}
    for form, exported_program in forms.items():
        archive = folder / f"{name}{form}.pt2"
        torch.export.save(exported_program, str(archive))
        archive.write_bytes(slim(archive.read_bytes()))
    for index, size in enumerate(case.sizes):
        torch.manual_seed(100 + index)
        inputs = case.inputs(size)
        with torch.no_grad():
            outputs = called(module, inputs)
        arrays = {f"in{at}": array(one) for at, one in enumerate(inputs) if one is not None}
        numpy.savez(
            folder / f"{name}.{index}.npz", **arrays, **{f"out{at}": array(one) for at, one in enumerate(outputs)}
        )


def array(value: Any) -> numpy.ndarray[Any, Any]:
    """A tensor or a number as an array; bfloat16, which NumPy has not, as float32, which holds its values exactly."""
    if not isinstance(value, torch.Tensor):
        return numpy.asarray(value)
    return (value.float() if value.dtype is torch.bfloat16 else value).detach().numpy()


def slim(archive: bytes) -> bytes:
    """The archive without sample inputs, its files not compressed, so that a folder of them is compressed as one."""
    into = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as source, zipfile.ZipFile(into, "w") as target:
        for entry in source.infolist():
            if entry.filename.partition("/")[2].startswith(MADE_BY_EXPORT):
                target.writestr(zipfile.ZipInfo(entry.filename), source.read(entry))
    return into.getvalue()


def packed(folder: Path, target: Path) -> None:
    """Everything in a folder as one compressed file."""
    with (
        lzma.open(target, "wb", preset=9 | lzma.PRESET_EXTREME) as stream,
        tarfile.open(fileobj=stream, mode="w") as tar,
    ):
        for path in sorted(folder.iterdir(), key=lambda path: (path.suffix, path.name)):
            if path.name.endswith(".functional.pt2"):
                continue
            entry = tarfile.TarInfo(path.name)
            entry.size = path.stat().st_size
            tar.addfile(entry, io.BytesIO(path.read_bytes()))


def main(arguments: Sequence[str]) -> None:
    """Write the cases that are named, or all of them; with all, also the file `data/exports.tar.xz`."""
    folder, names = Path(arguments[0]), arguments[1:]
    folder.mkdir(parents=True, exist_ok=True)
    chosen = {name: case for name, case in cases().items() if not names or name in names}
    failed = list[str]()
    for name, case in chosen.items():
        try:
            save(folder, name, case)
        except Exception as error:  # the others are still exported; nothing is packed then
            failed.append(name)
            print(f"{name}: {type(error).__name__}: {str(error).splitlines()[0][:300]}")
    if failed:
        sys.exit(f"not exported: {', '.join(failed)}")
    wanted = {name: {"where": case.where, "refused": case.refused} for name, case in cases().items()}
    (folder / "cases.json").write_text(json.dumps(wanted, indent=1))
    if not names:
        packed(folder, Path(__file__).parent / "data" / "exports.tar.xz")


if __name__ == "__main__":
    main(sys.argv[1:])
