"""The variants of a rewritten model for CPUs."""

from __future__ import annotations

import ortffi

VARIANTS = ("native", "stock")


def cpu() -> ortffi.SessionBuilder:
    return ortffi.SessionBuilder().with_cpu().with_intra_threads(2)
