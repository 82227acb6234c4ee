"""Makes `positions.onnx`: the embeddings of a text encoder that has 16 positions, and promises to take any text."""

from pathlib import Path

from onnx import ModelProto, TensorProto, helper

WORDS, POSITIONS, WIDTH = 100, 16, 4


def weight(name: str, rows: int) -> TensorProto:
    """A table of small numbers."""
    return helper.make_tensor(name, TensorProto.FLOAT, [rows, WIDTH], [at % 7 / 8 for at in range(rows * WIDTH)])


def positions() -> ModelProto:
    """The model, as an exporter writes it: the length of the text is computed from its shape."""
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "seq"])
    out = helper.make_tensor_value_info("out", TensorProto.FLOAT, ["batch", "seq", WIDTH])
    integers = {"zero": [0], "one": [1], "all": range(POSITIONS)}
    nodes = [
        helper.make_node("Gather", ["words", "ids"], ["embedded"]),
        helper.make_node("Shape", ["ids"], ["shape"]),
        helper.make_node("Slice", ["shape", "one", "two"], ["seq"]),
        helper.make_node("Slice", ["all", "zero", "seq"], ["places"]),
        helper.make_node("Gather", ["positions", "places"], ["placed"]),
        helper.make_node("Add", ["embedded", "placed"], ["out"]),
    ]
    constants = [weight("words", WORDS), weight("positions", POSITIONS)]
    constants += [helper.make_tensor(name, TensorProto.INT64, [len(row)], row) for name, row in integers.items()]
    constants.append(helper.make_tensor("two", TensorProto.INT64, [1], [2]))
    graph = helper.make_graph(nodes, "positions", [ids], [out], constants)
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])


if __name__ == "__main__":
    Path(__file__).with_suffix(".onnx").write_bytes(positions().SerializeToString())
