"""Abilities of this CPU that decide how to prepare a model."""

from __future__ import annotations

import platform
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")
_EXACT = {"avx512_vnni", "avx_vnni"}
"""Linux's flags of x86 CPUs that add products of bytes in 32 bits."""


def integer_products(machine: str | None = None, cpuinfo: Path = _CPUINFO) -> str:
    """Tell how ONNX Runtime multiplies unsigned by signed bytes: `exact` or `saturating`.

    On x86 without VNNI it adds pairs of products in 16 bits, which saturate. Models with signed
    weights sound wrong there, so they get unsigned weights. Unknown CPUs count as saturating, which
    is slower but right everywhere.

    Args:
        machine: as from `platform.machine`; default: this machine.
        cpuinfo: Linux's list of CPUs.
    """
    machine = machine or platform.machine()
    if machine not in ("x86_64", "AMD64", "i686"):
        return "exact"
    try:
        text = cpuinfo.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "saturating"
    flags: set[str] = set()
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "flags":
            flags = set(value.split())
            break
    return "exact" if flags & _EXACT else "saturating"
