"""The variants of a rewritten model for CPUs."""

from __future__ import annotations

import ortffi
from service.preparation.layout import Layout
from service.preparation.operators import NativeUnavailableError, find_native_operators

VARIANTS = ("native", "stock")


def layout_of(variant: str) -> int:
    """Return what `rewrite` is to be given, so that this processor reads the model."""
    if variant != "native":
        return 0
    try:
        return find_native_operators().layout
    except NativeUnavailableError:
        return Layout.CENTERED  # for what is looked at, not run


def cpu() -> ortffi.SessionBuilder:
    return ortffi.SessionBuilder().with_cpu().with_intra_threads(2)
