import tracemalloc

import numpy as np
import pytest
from hypothesis import example
from hypothesis import strategies as st

from service.model.kokoro import SAMPLE_RATE_HZ
from service.speech.joining import PAUSES_S, WORD_PAUSE_S, Shaper, pause_after
from tests.profiles import given

QUIET_S = 0.06
"""Of a pause, what is left of the two chunks' own rest."""

WINDOW, MARGIN, FADE = 120, 720, 120
"""5 ms, 30 ms and 5 ms."""


def chunk(lead_s=0.3, sound_s=0.5, rest_s=0.4):
    """A tone between two quiet stretches, as the model gives it."""
    sound = 0.5 * np.sin(np.arange(int(sound_s * SAMPLE_RATE_HZ)) * 0.1)
    rests = [np.full(int(s * SAMPLE_RATE_HZ), 1e-4) for s in (lead_s, rest_s)]
    return np.concatenate([rests[0], sound, rests[1]]).astype(np.float32)


def shape_and_skip(samples, *, first, last, n_pause):
    """Shape a chunk that is there as a whole; return it, and how much rest went before it."""
    shaper = Shaper(first=first, last=last, n_pause=n_pause)
    shaped = np.concatenate([shaper.add(samples), shaper.finish()])
    return shaped, shaper.skipped


def shape(samples, *, first, last, pause_s):
    n_pause = round((pause_s - QUIET_S) * SAMPLE_RATE_HZ) if pause_s else 0
    return shape_and_skip(samples, first=first, last=last, n_pause=n_pause)[0]


def loud(samples):
    return np.flatnonzero(np.abs(samples) > 1e-3)


def test_a_chunk_alone_stays_as_the_model_made_it_and_the_sound_is_never_cut():
    samples = chunk()
    np.testing.assert_array_equal(shape(samples, first=True, last=True, pause_s=0.5), samples)
    middle = shape(samples, first=False, last=False, pause_s=0.1)
    np.testing.assert_array_equal(
        middle[loud(middle)[0] : loud(middle)[-1] + 1], samples[loud(samples)[0] : loud(samples)[-1] + 1]
    )


@pytest.mark.parametrize("pause_s", [0.1, 0.25, 0.55, 1.1])
def test_the_pause_between_two_chunks_is_as_asked(pause_s):
    one = shape(chunk(), first=True, last=False, pause_s=pause_s)
    two = shape(chunk(), first=False, last=True, pause_s=0.0)
    both = np.concatenate([one, two])
    gaps = np.diff(loud(both))
    assert gaps.max() / SAMPLE_RATE_HZ == pytest.approx(pause_s, abs=0.012)


def test_joins_do_not_click():
    parts = [chunk(0.02, 0.5, 0.01) for _ in range(3)]
    joined = np.concatenate([shape(p, first=i == 0, last=i == 2, pause_s=0.1) for i, p in enumerate(parts)])
    inside = max(np.abs(np.diff(p)).max() for p in parts)
    assert np.abs(np.diff(joined)).max() <= inside


def test_marks_decide_the_pause():
    assert pause_after("a.", 1.0) > pause_after("a;", 1.0) > pause_after("a,", 1.0)
    assert pause_after("a,", 1.0) > pause_after("a", 1.0)
    for mark, pause_s in {**PAUSES_S, "": WORD_PAUSE_S}.items():
        for speed in (0.5, 1.0, 2.0):
            whole = pause_after("a" + mark, speed) / SAMPLE_RATE_HZ + QUIET_S
            assert whole == pytest.approx(max(pause_s / speed, QUIET_S), abs=1e-4)


def test_the_rest_that_went_before_the_sound_is_told():
    samples = chunk(lead_s=0.3)
    whole, none = shape_and_skip(samples, first=True, last=False, n_pause=9000)
    assert none == 0
    shaped, skipped = shape_and_skip(samples, first=False, last=True, n_pause=0)
    assert 0 < skipped < 0.3 * SAMPLE_RATE_HZ
    assert loud(shaped)[-1] + skipped == loud(samples)[-1]
    assert loud(whole)[0] == loud(samples)[0]


LOUDNESS = {"loud": (0.25, 0.5), "on the border": (1e-3, 1e-3), "quiet": (4e-4, 9e-4), "zero": (0.0, 0.0)}

stretches = st.lists(
    st.tuples(st.sampled_from(sorted(LOUDNESS)), st.integers(0, 60) | st.integers(0, 2500)), max_size=7
)
places = st.lists(st.floats(0, 1), max_size=12)


def noise(parts):
    """Stretches of noise, each sample as loud as its name says."""
    random = np.random.default_rng(len(parts))
    samples = [random.choice([-1, 1], n) * random.uniform(*LOUDNESS[name], size=n) for name, n in parts]
    return np.concatenate([np.empty(0), *samples]).astype(np.float32)


def cut(samples, cuts):
    """Cut at these parts of the whole; twice at one place leaves an empty window between."""
    return np.split(samples, sorted(round(c * samples.size) for c in cuts))


def shaped_at_once(samples, *, first, last, n_pause):
    """What a chunk must become, written for one that is there as a whole."""
    padded = np.pad(samples, (0, -samples.size % WINDOW)).reshape(-1, WINDOW)
    windows = np.flatnonzero((np.abs(padded) >= 1e-3).any(axis=1))
    begin, stop = 0, samples.size
    if windows.size and not first:
        begin = max(0, windows[0] * WINDOW - MARGIN)
    if windows.size and not last:
        stop = min(stop, (windows[-1] + 1) * WINDOW + MARGIN)
    shaped = samples[begin:stop].copy()
    fade = np.linspace(0, 1, min(FADE, shaped.size), dtype=np.float32)
    if not first:
        shaped[: fade.size] *= fade
    if not last:
        shaped[shaped.size - fade.size :] *= fade[::-1]
        shaped = np.concatenate([shaped, np.zeros(n_pause, np.float32)])
    return shaped, begin


@given(stretches, places, st.booleans(), st.booleans(), st.integers(0, 300))
@example([], [], False, False, 7)
@example([("loud", 1)], [], False, False, 0)
@example([("loud", 200)], [0.1, 0.2], False, False, 0)
@example([("quiet", 3000)], [0.5], False, False, 0)
@example([("loud", 50), ("quiet", 2400), ("loud", 50)], [0.02], False, False, 0)
@example([("quiet", 2500), ("loud", 1), ("quiet", 2500)], [0.49, 0.5, 0.5, 0.51], False, False, 0)
def test_how_a_chunk_is_cut_makes_no_difference(parts, cuts, first, last, n_pause):
    samples = noise(parts)
    before = samples.copy()
    expected, skipped = shaped_at_once(samples, first=first, last=last, n_pause=n_pause)
    shaper = Shaper(first=first, last=last, n_pause=n_pause)
    left = []
    for window in cut(samples, cuts):
        left.append(shaper.add(window))
        known = shaper.skipped
        assert known == skipped if left[-1].size else known in (None, skipped)
    left.append(shaper.finish())
    shaped = np.concatenate(left)
    assert shaped.dtype == np.float32
    assert shaped.tobytes() == expected.tobytes()
    assert shaper.skipped == skipped
    assert samples.tobytes() == before.tobytes()  # a cache may keep them
    whole, skipped_of_whole = shape_and_skip(samples, first=first, last=last, n_pause=n_pause)
    assert (whole.tobytes(), skipped_of_whole) == (expected.tobytes(), skipped)


@given(stretches, places, st.booleans(), st.booleans())
def test_what_can_leave_leaves(parts, cuts, first, last):
    """Held is only what the samples that follow may change, or how long the chunk is."""
    parts = [(name, n) for name, n in parts if name != "zero"]
    continuations = [
        noise(more) for more in ([], [("loud", 3000)], [("quiet", 3000)], [("quiet", 3000), ("loud", 3000)])
    ]
    shaper = Shaper(first=first, last=last, n_pause=0)
    seen, n_left = np.empty(0, np.float32), 0
    for window in cut(noise(parts), cuts):
        seen = np.concatenate([seen, window])
        n_left += shaper.add(window).size
        outcomes = [
            shaped_at_once(np.concatenate([seen, more]), first=first, last=last, n_pause=0)[0] for more in continuations
        ]
        n_sure = min(outcome.size for outcome in outcomes)
        differ = np.flatnonzero(np.ptp([outcome[:n_sure] for outcome in outcomes], axis=0))
        n_sure = int(differ[0]) if differ.size else n_sure
        # One sample is the same with a fade and without: where its factor is 1, or 0 in any length.
        assert n_sure - 1 <= n_left <= n_sure


def most_held(seen, *, first, last):
    """How many samples of those seen may be held at most."""
    loud_windows = np.flatnonzero(np.abs(seen) >= 1e-3) // WINDOW
    if loud_windows.size == 0 and not first:
        return seen.size  # the margin is cut from it, or all of it is kept
    if last:
        return FADE if seen.size < FADE and not first else 0
    if loud_windows.size == 0:
        return FADE
    quiet = seen.size - (loud_windows[-1] + 1) * WINDOW
    return FADE + max(0, quiet - MARGIN)


@given(stretches, places, st.booleans(), st.booleans())
def test_no_more_is_held_than_the_quiet_and_a_fade(parts, cuts, first, last):
    shaper = Shaper(first=first, last=last, n_pause=0)
    seen, n_left = np.empty(0, np.float32), 0
    for window in cut(noise(parts), cuts):
        seen = np.concatenate([seen, window])
        n_left += shaper.add(window).size
        n_held = seen.size - n_left - (shaper.skipped or 0)
        assert 0 <= n_held <= most_held(seen, first=first, last=last)


@pytest.mark.parametrize("last", [False, True])
def test_memory_does_not_grow_with_the_sound(last):
    shaper = Shaper(first=False, last=last, n_pause=0)
    window = noise([("loud", 60 * SAMPLE_RATE_HZ)])
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(3):
            assert shaper.add(window).size >= window.size - FADE
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 20_000 < window.nbytes
