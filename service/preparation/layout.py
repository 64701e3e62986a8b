"""The version of the layout of weights; apart, for who packs none and has no ONNX."""

LAYOUT = 1
"""Which native operators must have been compiled for: `KOKORO_LAYOUT` in native/kokoro_ops.h."""
