"""Results of measurements as rows of a Markdown table and sections of a file."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from statistics import median

import ortffi

Pairs = Sequence[tuple[float, float]]
"""Ours and theirs, measured in direct succession."""


@dataclass(frozen=True)
class Bound:
    """The limit of a ratio or a difference.

    Attributes:
        limit: the largest value that meets the bound.
        strict: whether the value must be below the limit.
        least: whether the limit is the smallest value instead.
    """

    limit: float
    strict: bool = False
    least: bool = False

    def is_met(self, value: float) -> bool:
        if self.least:
            return value >= self.limit
        return value < self.limit if self.strict else value <= self.limit

    def __str__(self) -> str:
        return f"{'≥' if self.least else '<' if self.strict else '≤'} {self.limit:g}"


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    measurement: str
    ours: str
    theirs: str
    compared: str
    bound: str
    met: bool | None


def ratio(name: str, pairs: Pairs, unit: str, bound: Bound | None = None) -> Row:
    """Compare by the median of the pairs' ratios."""
    return _row(name, pairs, unit, [ours / theirs for ours, theirs in pairs], "", bound)


def difference(name: str, pairs: Pairs, unit: str, bound: Bound | None = None) -> Row:
    """Compare by the median of the pairs' differences."""
    return _row(name, pairs, unit, [ours - theirs for ours, theirs in pairs], f" {unit}", bound)


def speedup(name: str, pairs: Pairs, unit: str, bound: Bound | None = None) -> Row:
    """Compare by the median of the pairs' inverse ratios, theirs divided by ours."""
    return _row(name, pairs, unit, [theirs / ours for ours, theirs in pairs], " times", bound)


def table(rows: Sequence[Row], peer: str = "onnxruntime package", ours: str = "ours") -> str:
    """Return rows as a Markdown table."""
    lines = [
        f"| measurement | {ours} | {peer} | ratio or difference | bound | met? |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        met = "" if row.met is None else verdict(row.met)
        cells = (row.measurement, row.ours, row.theirs, row.compared, row.bound, met)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def verdict(met: bool) -> str:
    """Return the table cell for a bound that is met or missed."""
    return "yes" if met else "**no**"


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value that a share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def note(line: str) -> None:
    """Print a line about the progress of a measurement to standard error."""
    print(line, file=sys.stderr, flush=True)


def heading() -> str:
    """Return `circumstances` and the load average, for a table on the screen."""
    return f"{circumstances()}\nLoad average {os.getloadavg()[0]:.1f}."


def circumstances() -> str:
    """Return the time, the machine and the versions, in two lines."""
    now = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    return (
        f"{now}, {processor()}, {len(os.sched_getaffinity(0))} cores.\n"
        f"Python {platform.python_version()}, numpy {version('numpy')}, "
        f"ONNX Runtime {ortffi.init().library.version} (package {version('onnxruntime')})."
    )


def write_section(file: Path, name: str, body: str) -> None:
    """Replace the section `## name` of a file, or append it."""
    section = f"## {name}\n\n{body}\n"
    text = file.read_text(encoding="utf-8").rstrip("\n") + "\n"
    # Up to the next heading or the end. A function, since a body may contain backslashes.
    pattern = rf"^## {re.escape(name)}\n.*?(?=\n## |\Z)"
    replaced, found = re.subn(pattern, lambda _: section, text, flags=re.MULTILINE | re.DOTALL)
    file.write_text(replaced if found else f"{text}\n{section}", encoding="utf-8")


def _row(
    name: str, pairs: Pairs, unit: str, values: Sequence[float], suffix: str, bound: Bound | None
) -> Row:
    ours, theirs = zip(*pairs, strict=True)
    value = median(values)
    spread = f"({min(values):.3g} to {max(values):.3g}, {len(values)} pairs)"
    return Row(
        name,
        f"{median(ours):.3g} {unit}",
        f"{median(theirs):.3g} {unit}",
        f"**{value:.3f}{suffix}** {spread}",
        f"{bound}{suffix}" if bound else "",
        bound.is_met(value) if bound else None,
    )


def processor() -> str:
    """Return the name of the processor with its family and model, or on ARM that of the board.

    Hypervisors give processors of several generations one name, such as "AMD EPYC".
    """
    described = _read("/proc/cpuinfo")
    found = [
        re.search(rf"^{label}\s*: (.+)$", described, re.MULTILINE)
        for label in ("model name", "cpu family", "model")
    ]
    name, family, model = (match.group(1) if match else "" for match in found)
    if name and family and model:
        return f"{name} (family {family}, model {model})"
    return name or _read("/proc/device-tree/model").strip("\0\n ") or platform.machine()


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
