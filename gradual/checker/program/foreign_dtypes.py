"""Names of element types in other systems: `fp32`, `torch.half`, `np.float64`.  [type.dtype]"""

from __future__ import annotations

from gradual.types.dtype import DType

_CALLED = """
float16 fp16 f16 half float16_t | float32 float fp32 f32 single floattensor | float64 fp64 f64 double doubletensor |
bfloat16 bf16 | int8 i8 char sbyte | int16 i16 short | int32 int i32 intc integer | int64 i64 long longlong longtensor |
uint8 u8 byte uchar | uint16 u16 ushort | uint32 u32 | uint64 u64 ulong | bool boolean bool_ booltensor i1 pred
"""

_NAMES = {name: row.split()[0] for row in _CALLED.split("|") for name in row.split()[1:]}


def element_type(name: str) -> str | None:
    """The element type that another system's name means; None if there is none.

    A module before the name and the difference of upper and lower case are ignored.
    """
    bare = name.rpartition(".")[2].lower()
    bare = bare if bare in _NAMES else bare.removesuffix("_t")
    return _NAMES.get(bare) or (bare if bare in set(DType) and bare != name else None)
