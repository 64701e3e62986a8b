import pytest

from bench.streams import BYTES_PER_S, heard


@pytest.mark.parametrize(
    ("arrivals", "longest", "together"),
    [
        ([(0.5, BYTES_PER_S)], 0.0, 0.0),
        ([(0.5, BYTES_PER_S), (1.5, BYTES_PER_S)], 0.0, 0.0),
        ([(0.5, BYTES_PER_S), (1.75, BYTES_PER_S)], 0.25, 0.25),
        # The player waited, so what comes in time after the gap is not late.
        ([(0.0, BYTES_PER_S), (1.5, BYTES_PER_S), (2.5, BYTES_PER_S)], 0.5, 0.5),
        ([(0.0, BYTES_PER_S), (1.5, BYTES_PER_S), (2.75, BYTES_PER_S)], 0.5, 0.75),
        # A long first part covers two late ones.
        ([(0.0, 3 * BYTES_PER_S), (1.0, 1000), (2.9, 1000)], 0.0, 0.0),
    ],
)
def test_player_is_dry_from_when_it_has_played_all_until_more_comes(arrivals, longest, together):
    found = heard(arrivals)
    assert found.gap_s == pytest.approx(longest)
    assert found.dry_s == pytest.approx(together)


def test_first_and_last_bytes_and_the_length_are_told():
    found = heard([(0.25, 4800), (0.5, 9600)])
    assert (found.first_s, found.whole_s) == (0.25, 0.5)
    assert found.audio_s == pytest.approx(0.3)
