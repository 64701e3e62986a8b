"""The version of the layout of weights, apart from packing: checking it needs no onnx_ir."""

LAYOUT = 1
"""The native operators must be compiled with the same `KOKORO_LAYOUT` in native/kokoro_ops.h."""
