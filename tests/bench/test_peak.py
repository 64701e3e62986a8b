import pytest
from bench.sides import OURS

from bench import peak


def compare(monkeypatch, **held_mb):
    """Return the report where sides hold so much when they are ready, and one MB more each time."""

    def peaks(side):
        return [held_mb[side.label] + number for number in range(1 + len(peak.REQUESTS))]

    monkeypatch.setattr(peak, "peaks", peaks)
    return peak.compare([OURS[label] for label in held_mb], 2)


def test_the_most_that_was_held_is_held_against_the_bound(monkeypatch):
    least = peak.BOUND_MB - len(peak.REQUESTS)
    assert compare(monkeypatch, native=least, stock=999)[1]
    report, met = compare(monkeypatch, native=least + 0.6, stock=999)
    assert not met
    assert report.endswith("native: at most 400 MB: **no**.")


def test_each_request_has_a_row_and_each_side_a_column(monkeypatch):
    report, _ = compare(monkeypatch, stock=500, native=300)
    lines = report.splitlines()
    assert lines[0] == "| peak, MB, after | stock | native |"
    assert lines[2] == "| start | 500 (500 to 500) | 300 (300 to 300) |"
    assert len(lines) == 3 + len(peak.REQUESTS) + 2


def test_what_is_asked_is_asked_for_by_name():
    for bodies in peak.REQUESTS.values():
        for body in bodies:
            assert ("text" in body) != ("phonemes" in body)
            assert len(body.get("text") or body["phonemes"]) <= 20_000


def streamed(short_mb, long_mb, most_mb=0.0):
    """Return what two servers of each decoding have held; one of the long text perhaps more."""
    return {
        ("windows", "short"): [peak.Streamed(5.0, 200.0, short_mb)] * 2,
        ("whole", "short"): [peak.Streamed(5.0, 200.0, 300.0)] * 2,
        ("windows", "long"): [peak.Streamed(60.0, 200.0, mb) for mb in (long_mb, long_mb, max(most_mb, long_mb))],
        ("whole", "long"): [peak.Streamed(60.0, 200.0, 900.0)] * 2,
    }


@pytest.mark.parametrize(
    ("found", "met"),
    [
        (streamed(300.0, 315.0), True),
        (streamed(315.0, 300.0), True),
        (streamed(300.0, 316.0), False),
        (streamed(316.0, 300.0), False),
        (streamed(350.0, 350.0), True),
        (streamed(340.0, 350.5), False),
        # The median counts against the other length, the greatest against the bound.
        (streamed(300.0, 300.0, most_mb=349.0), True),
        (streamed(300.0, 300.0, most_mb=351.0), False),
    ],
)
def test_windows_hold_as_much_for_each_length_and_no_more_than_may_be(found, met):
    report, found_met = peak.table_of_lengths(found)
    assert found_met is met
    assert ("**no**" in report) is not met


def test_whole_decoding_has_no_bound_and_is_held_to_its_own_short_text():
    report, _ = peak.table_of_lengths(streamed(300.0, 303.0))
    lines = report.splitlines()
    assert lines[4] == "| windows | long | 60.0 | 200 (200 to 200) | 303 (303 to 303) | 1.010 |"
    assert lines[5] == "| whole | long | 60.0 | 200 (200 to 200) | 900 (900 to 900) | 3.000 |"
