"""The layout of packed weights; apart, for who packs none and has no ONNX.

It is a contract with the native library, which says in native/README.md what it reads. The version
is raised with every change of it, and is part of the cache key and of every packed node.
"""

LAYOUT = 2
"""The version that native operators must have been compiled for: `KOKORO_LAYOUT`."""

LAYOUT_NAME = "centred"
"""What the library calls it: `KOKORO_LAYOUT_NAME`."""
