from __future__ import annotations

from pathlib import Path

import pytest

from service.preparation.processor import integer_products


@pytest.mark.parametrize(
    ("machine", "flags", "products"),
    [
        ("x86_64", "fpu avx2 avx512f", "saturating"),
        ("x86_64", "fpu avx2 avx_vnni", "exact"),
        ("x86_64", "fpu avx512_vnni avx2", "exact"),
        ("AMD64", "fpu", "saturating"),
        ("aarch64", "fp asimd", "exact"),
    ],
)
def test_x86_multiplies_bytes_exactly_with_vnni_only(
    tmp_path: Path, machine: str, flags: str, products: str
) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"processor\t: 0\nmodel name\t: avx_vnni\nflags\t\t: {flags}\n\n")
    assert integer_products(machine, cpuinfo) == products


def test_what_cannot_be_found_out_counts_as_saturating(tmp_path: Path) -> None:
    assert integer_products("x86_64", tmp_path / "none") == "saturating"


def test_this_processor_is_one_of_both() -> None:
    assert integer_products() in ("exact", "saturating")
