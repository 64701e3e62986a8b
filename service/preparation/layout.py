"""The layout of packed weights, apart from packing: checking it needs no onnx_ir.

It is a contract with the native library; native/README.md describes it. The version is raised with
every change. It is part of the cache key and an attribute of every node with packed weights.
"""

LAYOUT = 2
"""The native operators must be compiled with the same `KOKORO_LAYOUT` in native/kokoro_ops.h."""

LAYOUT_NAME = "centered"
"""What the native operators call it: `KOKORO_LAYOUT_NAME`."""
