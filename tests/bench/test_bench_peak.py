from __future__ import annotations

import pytest

from bench import peak
from bench.sides import OURS, Side


def compare(monkeypatch: pytest.MonkeyPatch, **held_mb: float) -> tuple[str, bool]:
    """Return the report where sides hold so much when they are ready, and one MB more each time."""

    def peaks(side: Side) -> list[float]:
        return [held_mb[side.label] + number for number in range(1 + len(peak.ASKED))]

    monkeypatch.setattr(peak, "peaks", peaks)
    return peak.compare([OURS[label] for label in held_mb], 2)


def test_the_most_that_was_held_is_held_against_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    least = peak.BOUND_MB - len(peak.ASKED)
    assert compare(monkeypatch, native=least, stock=999)[1]
    report, met = compare(monkeypatch, native=least + 0.6, stock=999)
    assert not met
    assert report.endswith("native: at most 400 MB: **no**.")


def test_each_request_has_a_row_and_each_side_a_column(monkeypatch: pytest.MonkeyPatch) -> None:
    report, _ = compare(monkeypatch, stock=500, native=300)
    lines = report.splitlines()
    assert lines[0] == "| MB held at most, after | stock | native |"
    assert lines[2] == "| being ready | 500 (500 to 500) | 300 (300 to 300) |"
    assert len(lines) == 3 + len(peak.ASKED) + 2


def test_what_is_asked_is_asked_for_by_name() -> None:
    for bodies in peak.ASKED.values():
        for body in bodies:
            assert ("text" in body) != ("phonemes" in body)
            assert len(body.get("text") or body["phonemes"]) <= 20_000
