"""Make the durations an output of a model.

Every Kokoro export rounds the predicted length of each token to frames of 600 samples. In some
exports this tensor is an output. In the others it becomes one by appending bytes to the file:
protobuf merges repeated messages, so a second `ModelProto.graph` with nothing but a
`GraphProto.output` is merged into the first.
"""

from __future__ import annotations

SAMPLES_PER_FRAME = 600
"""Samples of audio per frame of duration; 25 ms at 24 kHz."""

TENSOR_NAME = "/encoder/Clip_output_0"
"""The tensor in exports of Kokoro v1.0: float32 [1, n + 2], whole frames, padding included."""

# Field numbers of onnx.proto3, wire type 2 (length-delimited) unless noted.
_MODEL_GRAPH = 7
_GRAPH_OUTPUT = 12
_NODE_OUTPUT = 2
_VALUE_NAME = 1
_VALUE_TYPE = 2
_TYPE_TENSOR = 1
_FLOAT_TENSOR = b"\x08\x01"  # TypeProto.Tensor.elem_type (field 1, varint) = FLOAT


def is_computed(model: bytearray) -> bool:
    """Tell whether a serialized model computes the durations tensor."""
    return _field(_NODE_OUTPUT, TENSOR_NAME.encode()) in model


def output_declaration() -> bytes:
    """Return 34 bytes; appended to a serialized model they make the durations an output."""
    value_type = _field(_VALUE_TYPE, _field(_TYPE_TENSOR, _FLOAT_TENSOR))
    value_info = _field(_VALUE_NAME, TENSOR_NAME.encode()) + value_type
    return _field(_MODEL_GRAPH, _field(_GRAPH_OUTPUT, value_info))


def _field(number: int, payload: bytes) -> bytes:
    """Return a length-delimited field; every length here is below 128, so one byte holds it."""
    return bytes([number << 3 | 2, len(payload)]) + payload
