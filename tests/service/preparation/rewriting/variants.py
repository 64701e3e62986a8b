"""The variants of a rewritten model for CPUs."""

from service.preparation.layout import Layout
from service.preparation.operators import NativeUnavailableError, find_native_operators

import ortffi

VARIANTS = ("native", "stock")


def layout_of(variant):
    """Return what `rewrite` is to be given, so that this processor reads the model."""
    if variant != "native":
        return 0
    try:
        return find_native_operators().layout
    except NativeUnavailableError:
        return Layout.CENTERED  # for what is looked at, not run


def cpu():
    return ortffi.SessionBuilder().with_cpu().with_intra_threads(2)
