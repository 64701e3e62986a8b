"""The board, and NVIDIA's release for Jetson on it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_L4T_LINE = re.compile(r"# R(\d+) \(release\), REVISION: ([\d.]+)")
_POWER_MODEL = re.compile(r"\s*<\s*POWER_MODEL\s+ID=(\d+)\s+NAME=(\S+?)\s*>")

_JETPACK_OF_L4T = {
    "35.1": "5.0.2",
    "35.2": "5.1",
    "35.3": "5.1.1",
    "35.4": "5.1.2",
    "35.5": "5.1.3",
    "35.6.0": "5.1.4",
    "35.6": "5.1.5",
    "35": "5.x",
    "36.2": "6.0 DP",
    "36.3": "6.0",
    "36.4.0": "6.1",
    "36.4.2": "6.1.1",
    "36.4.3": "6.2",
    "36.4": "6.2.1",
    "36.5.0": "6.2.2",
    "36.5": "6.2.3",
    "36": "6.x",
    "38.2": "7.0",
    "38.4": "7.1",
    "38": "7.x",
    "39.2.0": "7.2",
    "39.2.1": "7.2.1",
    "39": "7.x",
}
"""From NVIDIA's archive of JetPack releases; the longest matching prefix counts."""


@dataclass(frozen=True)
class Board:
    """The machine.

    Attributes:
        model: name of the board, the computer or its CPU; empty if unknown.
        tegra: whether it is a Jetson or another board with NVIDIA's Tegra: its GPU uses the
            system's memory.
        l4t: release of NVIDIA's Linux for Tegra, such as `36.4.3`; empty if there is none.
        jetpack: release of JetPack, such as `6.2`; empty if there is none or it is unknown.
        power_mode: name of the power mode, such as `MAXN_SUPER`, or its number; empty if unknown.
            Clocks, and so speed, depend on it.
    """

    model: str
    tegra: bool
    l4t: str
    jetpack: str
    power_mode: str


def read_board(root: Path = Path("/")) -> Board:
    """Read the system's files about the board.

    A container hides some of them (Docker masks the device tree), so each fact is looked up in more
    than one place.

    Args:
        root: folder that stands for `/`.
    """
    l4t = _l4t(root)
    tegra = bool(l4t) or _is_tegra(root)
    return Board(_model(root), tegra, l4t, _jetpack(root, l4t) if tegra else "", _power_mode(root))


def _text(path: Path) -> str:
    """Return the text of a small file; empty if it cannot be read."""
    try:
        return path.read_bytes().replace(b"\0", b"\n").decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _model(root: Path) -> str:
    for name in (
        "proc/device-tree/model",
        "sys/devices/soc0/machine",
        "sys/class/dmi/id/product_name",
    ):
        if model := _text(root / name):
            return model
    for line in _text(root / "proc/cpuinfo").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value.strip()
    return ""


def _is_tegra(root: Path) -> bool:
    compatible = _text(root / "proc/device-tree/compatible").splitlines()
    return (
        any(name.startswith("nvidia,tegra") for name in compatible)
        or _text(root / "sys/devices/soc0/family") == "Tegra"
        or _text(root / "proc/sys/kernel/osrelease").endswith("-tegra")
    )


def _l4t(root: Path) -> str:
    match = _L4T_LINE.search(_text(root / "etc/nv_tegra_release"))
    if match:
        return f"{match[1]}.{match[2]}"
    return _package_version(root, "nvidia-l4t-core").partition("-")[0]


def _jetpack(root: Path, l4t: str) -> str:
    if installed := _package_version(root, "nvidia-jetpack"):
        return installed.partition("+")[0]
    parts = l4t.split(".")
    for length in range(len(parts), 0, -1):
        if known := _JETPACK_OF_L4T.get(".".join(parts[:length])):
            return known
    return ""


def _package_version(root: Path, package: str) -> str:
    """Return the version of an installed Debian package; empty if it is not installed."""
    for fields in _installed_packages(root):
        if fields.get("Package") == package and fields.get("Status", "").endswith(" installed"):
            return fields.get("Version", "")
    return ""


def _installed_packages(root: Path) -> Iterator[dict[str, str]]:
    """Yield dpkg's fields of each package, without continuation lines."""
    try:
        with (root / "var/lib/dpkg/status").open(encoding="utf-8", errors="replace") as lines:
            fields: dict[str, str] = {}
            for line in lines:
                if not line.strip():
                    yield fields
                    fields = {}
                elif not line[0].isspace():
                    key, _, value = line.partition(":")
                    fields[key] = value.strip()
            yield fields
    except OSError:
        return


def _power_mode(root: Path) -> str:
    match = re.search(r"pmode:(\d+)", _text(root / "var/lib/nvpmodel/status"))
    if not match:
        return ""
    number = int(match[1])
    for line in _text(root / "etc/nvpmodel.conf").splitlines():
        model = _POWER_MODEL.match(line)
        if model and int(model[1]) == number:
            return model[2]
    return f"mode {number}"
