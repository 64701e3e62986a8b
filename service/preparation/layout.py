"""The layouts of packed weights, apart from packing: checking them needs no onnx_ir.

They are a contract with the native library; native/README.md describes them. The number of a layout
is part of the cache key and an attribute of every node with packed weights.
"""

from __future__ import annotations

from enum import IntEnum


class Layout(IntEnum):
    """The layouts that are packed here, as `layout` in native/variant.h numbers them.

    A layout that changes takes a number that none has had.
    """

    CENTERED = 4
    """Four channels of 16 columns lie together."""

    CENTERED_PAIRS = 5
    """Eight channels of 16 columns, for instructions that take so many."""
