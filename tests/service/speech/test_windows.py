from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import strategies as st

from service.errors import DecodingUnavailableError
from service.model.durations import SAMPLES_PER_FRAME
from service.model.kokoro import SAMPLE_RATE_HZ
from service.model.parity import log_spectral_distance
from service.speech import Delivery, Synthesizer, Utterance, Worker
from service.speech.windows import (
    FADE_SAMPLES,
    FIRST_FRAMES,
    GROWTH,
    MOST_FRAMES,
    SEARCH_SAMPLES,
    WHOLE_FRAMES,
    Seams,
    windows_of,
)
from service.text import load_vocabulary
from tests.profiles import given

TEXT = (
    "The harbour was quiet that morning, and only the gulls were awake to see the little boat "
    "come home. Nobody had expected her before the end of the week, and the old man on the quay "
    "put down his pipe, looked twice and began to run."
)


def segments_of(synthesizer, text, voice=None, **delivery):
    plan = synthesizer.plan(Utterance(text, voice=voice), Delivery(**delivery))
    return list(synthesizer.stream(plan))


def joined(segments):
    return np.concatenate([segment.samples for segment in segments])


@given(st.integers(1, 4000), st.booleans())
def test_windows_are_all_frames_in_order_and_none_is_a_sliver(n_frames, soon):
    windows = list(windows_of(n_frames, soon=soon))
    assert [windows[0].first, windows[-1].last] == [0, n_frames]
    assert all(before.last == after.first for before, after in pairwise(windows))
    lengths = [window.last - window.first for window in windows]
    assert max(lengths) <= MOST_FRAMES
    assert min(lengths) >= min(n_frames, FIRST_FRAMES // 2)
    assert all(after <= GROWTH * before for before, after in pairwise(lengths))
    if soon and n_frames > WHOLE_FRAMES:
        assert lengths[0] == FIRST_FRAMES
    else:
        assert lengths[0] >= min(n_frames, MOST_FRAMES // 2)


@given(st.integers(1, 900), st.booleans(), st.integers(0, 2**32 - 1))
def test_windows_that_agree_are_joined_without_a_trace(n_frames, soon, seed):
    random = np.random.default_rng(seed)
    whole = random.standard_normal(n_frames * SAMPLES_PER_FRAME, np.float32)
    seams, parts = Seams(n_frames), []
    for window in windows_of(n_frames, soon=soon):
        first, last = window.in_context(n_frames)
        decoded = whole[first * SAMPLES_PER_FRAME : last * SAMPLES_PER_FRAME]
        parts.append(seams.join(window, decoded))
    np.testing.assert_allclose(np.concatenate(parts), whole, atol=1e-6)


def test_one_window_fades_into_the_next():
    n_frames = 100
    first, second, *_ = windows_of(n_frames, soon=True)
    seams = Seams(n_frames)
    size = (first.in_context(n_frames).last) * SAMPLES_PER_FRAME
    low = seams.join(first, np.zeros(size, np.float32))
    begin, end = second.in_context(n_frames)
    high = seams.join(second, np.ones((end - begin) * SAMPLES_PER_FRAME, np.float32))
    assert not low.any()
    step = np.diff(high).max()
    assert 0 <= high[0] < 0.01
    assert 0 < step < 0.01
    assert (np.diff(high) >= 0).all()
    assert high[2 * FADE_SAMPLES] == 1
    # Half of the fade comes before the seam, and half behind it.
    assert high[seams.last - low.size] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("place", [-SEARCH_SAMPLES, -77, 0, 140, SEARCH_SAMPLES])
def test_a_seam_is_where_it_is_quietest(place):
    n_frames = 100
    first, second, *_ = windows_of(n_frames, soon=True)
    quiet = first.last * SAMPLES_PER_FRAME + place
    whole = np.ones(n_frames * SAMPLES_PER_FRAME, np.float32)
    whole[quiet - FADE_SAMPLES : quiet + FADE_SAMPLES] = 0.1
    seams = Seams(n_frames)
    for window in (first, second):
        begin, end = window.in_context(n_frames)
        seams.join(window, whole[begin * SAMPLES_PER_FRAME : end * SAMPLES_PER_FRAME])
    assert seams.last == quiet


@pytest.mark.thorough
def test_windows_with_the_statistics_of_the_whole_are_the_whole(synthesizer):
    model = synthesizer.model
    token_ids = load_vocabulary().token_ids("ðə bˈɜɹʧ kənˈu slˈɪd ˌɔn ðə smˈuð plˈæŋks.")
    style = synthesizer.planner.voices.style(synthesizer.planner.resolve("af_heart"), len(token_ids))
    encoding = model.encode(token_ids, style, 1.0)
    whole = model.decode(encoding, 0, encoding.n_frames)
    np.testing.assert_array_equal(whole.samples, model.infer(token_ids, style, 1.0).samples)
    seams = Seams(encoding.n_frames)
    parts = []
    for window in windows_of(encoding.n_frames, soon=True):
        first, last = window.in_context(encoding.n_frames)
        decoded = model.decode(encoding, first, last, whole.measured)
        parts.append(seams.join(window, decoded.samples))
    assert len(parts) > 2
    assert log_spectral_distance(whole.samples, np.concatenate(parts)) < 2


@pytest.mark.thorough
@pytest.mark.parametrize("voice", [
    "af_heart",
    *(pytest.param(one, marks=pytest.mark.slow) for one in ("af_bella(2)+af_sky(1)", "am_michael", "bf_emma")),
])  # fmt: skip
def test_windows_sound_as_the_whole_chunk_does(synthesizer, voice):
    whole = segments_of(synthesizer, TEXT, voice=voice, timed=True)
    streamed = segments_of(synthesizer, TEXT, voice=voice, timed=True, streamed=True)
    n_chunks = len(whole)
    assert len(streamed) > 2 * n_chunks
    assert [segment.chunk for segment in streamed if segment.is_last] == list(range(n_chunks))
    assert {segment.phonemes for segment in streamed} == {segment.phonemes for segment in whole}
    for number, segment in enumerate(whole):
        windows = [part for part in streamed if part.chunk == number]
        # Where the rest of a chunk ends is heard, in steps of 5 ms.
        assert sum(part.duration_s for part in windows) == pytest.approx(segment.duration_s, abs=0.03)
        part = joined(windows)
        power = np.square(part).mean() / np.square(segment.samples).mean()
        assert abs(10 * np.log10(power)) < 1.2
    first = joined([part for part in streamed if part.chunk == 0])
    n_common = min(first.size, whole[0].samples.size)
    assert log_spectral_distance(whole[0].samples[:n_common], first[:n_common]) < 5.3


@pytest.mark.thorough
def test_words_are_told_with_the_sound_that_they_begin_in(synthesizer):
    whole = segments_of(synthesizer, TEXT, timed=True)
    streamed = segments_of(synthesizer, TEXT, timed=True, streamed=True)
    words = [word for segment in whole for word in segment.words]
    told = [word for segment in streamed for word in segment.words]
    assert [word.text_start for word in told] == [word.text_start for word in words]
    for one, other in zip(words, told, strict=True):
        assert other.start_s == pytest.approx(one.start_s, abs=0.03)
        assert other.end_s == pytest.approx(one.end_s, abs=0.03)
    for segment in streamed:
        end_s = segment.start_s + segment.duration_s
        assert all(word.start_s < end_s for word in segment.words)
        assert all(word.start_s >= segment.start_s - 1e-6 for word in segment.words)
    assert sum(segment.duration_s for segment in streamed) == pytest.approx(end_s)
    # Sound starts with a short window, and the next chunk does not.
    second = next(segment for segment in streamed if segment.chunk == 1)
    assert streamed[0].duration_s <= FIRST_FRAMES * SAMPLES_PER_FRAME / SAMPLE_RATE_HZ
    assert second.duration_s > streamed[0].duration_s


def test_a_short_chunk_is_said_at_once(synthesizer):
    whole, streamed = (segments_of(synthesizer, "Yes.", streamed=streamed) for streamed in (False, True))
    assert len(streamed) == 1
    np.testing.assert_array_equal(joined(whole), joined(streamed))


@pytest.mark.thorough
def test_decoding_may_be_chosen(synthesizer):
    file = segments_of(synthesizer, TEXT, decoding="windows")
    stream = segments_of(synthesizer, TEXT, streamed=True, decoding="whole")
    assert sum(segment.is_last for segment in file) < len(file)
    assert all(segment.is_last for segment in stream)
    # Whole chunks are what a stream waits for, so the first is short.
    assert stream[0].duration_s < segments_of(synthesizer, TEXT)[0].duration_s


class Nobody:
    """Statistics of no voice at all."""

    def covers(self, style):
        return False


@pytest.mark.parametrize(
    ("statistics", "reason"),
    [(Nobody(), "its statistics are unknown"), (None, r"published model .* after it is prepared")],
)
def test_a_voice_whose_statistics_are_not_known_is_decoded_whole(synthesizer, statistics, reason):
    model = synthesizer.model
    worker = Worker(replace(model, statistics=statistics), lambda closed: closed)
    without = Synthesizer([worker], synthesizer.planner)
    text = TEXT[: TEXT.index(",")]
    assert all(segment.is_last for segment in segments_of(without, text, streamed=True))
    with pytest.raises(DecodingUnavailableError, match=reason):
        without.plan(Utterance(TEXT), Delivery(decoding="windows"))
