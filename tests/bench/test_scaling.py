import pytest
from bench.scaling import fit


def test_points_on_a_line_give_the_line():
    line = fit([(audio_s, 0.25 + 0.5 * audio_s) for audio_s in (0.5, 1.0, 4.0, 20.0)])
    assert (line.start_s, line.slope) == pytest.approx((0.25, 0.5))
    assert line.deviation(2.0, 1.25) == pytest.approx(0.0)
    assert line.deviation(2.0, 2.5) == pytest.approx(1.0)


def test_short_and_long_texts_weigh_alike():
    points = [(1.0, 1.1), (1.0, 0.9), (100.0, 110.0), (100.0, 90.0)]
    line = fit(points)
    off = [abs(line.deviation(audio_s, seconds)) for audio_s, seconds in points]
    assert max(off) == pytest.approx(0.1, abs=0.03)


def test_time_that_grows_with_the_square_is_far_off_the_line():
    points = [(float(audio_s), audio_s**2 / 10) for audio_s in (1, 2, 5, 10, 20, 30)]
    line = fit(points)
    assert max(abs(line.deviation(*point)) for point in points) > 0.5
