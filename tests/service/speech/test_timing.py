from itertools import pairwise

import numpy as np
import pytest

from service import errors
from service.speech import Delivery, Utterance
from service.speech.timing import LEAD_FRAMES, word_times
from service.text import Word

TEXT = (
    "In 1984 Dr. Smith paid $5.50 for it; nobody knew why. The birch canoe slid on the smooth "
    "planks, and the rest of the story is known."
)


def test_edges_are_the_sums_of_the_durations():
    # The symbols of `ab cd`, a padding of 3 frames (and the lead) before and of 9 behind.
    durations = np.array([3 + LEAD_FRAMES, 2, 4, 1, 5, 6, 9])
    words = [Word(0, 2, 0, 2), Word(3, 5, 3, 5)]
    first, second = word_times(words, "ab cd", durations, 0, (0, 18_000))
    assert (first.start_s, first.end_s) == (0.075, 0.225)
    assert (second.start_s, second.end_s) == (0.25, 0.525)
    assert [(p.symbol, p.start_s, p.end_s) for p in first.phonemes] == [("a", 0.075, 0.125), ("b", 0.125, 0.225)]
    assert (second.text_start, second.text_end) == (3, 5)


def test_times_follow_what_was_cut_off_and_stay_inside_the_chunk():
    durations = np.array([6, 2, 4, 9])
    (word,) = word_times([Word(0, 2, 0, 2)], "ab", durations, 24_000 - 2400, (24_000, 25_500))
    # 4 of the padding's 6 frames were cut off, so its sound cannot lead by more than 2.
    assert word.start_s == 1.0
    assert word.phonemes[0].end_s == pytest.approx(1 + 1200 / 24_000)
    assert word.end_s == pytest.approx(1 + 1500 / 24_000, abs=1e-6)


def test_times_of_stretched_speech_are_stretched():
    durations = np.array([3 + LEAD_FRAMES, 2, 4, 9])
    (word,) = word_times([Word(0, 2, 0, 2)], "ab", durations, 0, (0, 9000), 300)
    assert (word.start_s, word.end_s) == (0.0375, 0.1125)


@pytest.mark.parametrize("speed", [1.0, 2.0])
@pytest.mark.parametrize("chunking", ["early", "even"])
@pytest.mark.parametrize("model", ["small_synthesizer", pytest.param("synthesizer", marks=pytest.mark.thorough)])
def test_every_word_of_the_text_has_its_time(request, model, chunking, speed):
    synthesizer = request.getfixturevalue(model)
    plan = synthesizer.plan(Utterance(TEXT * 2, speed=speed), Delivery(chunking=chunking, timed=True))
    segments = list(synthesizer.stream(plan))
    assert len(segments) > 1
    words = [word for segment in segments for word in segment.words]
    said = [(TEXT * 2)[word.text_start : word.text_end] for word in words]
    assert said[:9] == ["In", "1984", "Dr.", "Smith", "paid", "$5.50", "for", "it", "nobody"]
    assert len(said) == 2 * len(TEXT.split())
    for one, following in pairwise(words):
        assert one.start_s < one.end_s <= following.start_s
        assert one.text_end <= following.text_start
    for segment in segments:
        assert segment.words
        for word in segment.words:
            assert segment.start_s <= word.start_s < word.end_s
            assert word.end_s <= segment.start_s + segment.duration_s + 1e-6  # rounded to that
            assert word.phonemes[0].start_s == word.start_s
            assert word.phonemes[-1].end_s == word.end_s


def test_words_are_where_the_sound_is(synthesizer):
    text = "He paid for it. Is it still there? Wait for me."
    plan = synthesizer.plan(Utterance(text), Delivery(timed=True))
    (segment,) = synthesizer.stream(plan)

    def loudness(start_s, end_s):
        part = segment.samples[int(start_s * 24_000) : int(end_s * 24_000)]
        return float(np.sqrt(np.mean(part**2)))

    inside = np.median([loudness(word.start_s, word.end_s) for word in segment.words])
    pauses = [
        loudness(one.end_s, following.start_s)
        for one, following in pairwise(segment.words)
        if text[one.text_end] in ".?"
    ]
    assert len(pauses) == 2
    assert inside > 5 * max(pauses)


def test_no_times_where_none_are_wanted_or_the_model_has_none(small_synthesizer, monkeypatch):
    plan = small_synthesizer.plan(Utterance("Good morning."))
    assert all(not segment.words for segment in small_synthesizer.stream(plan))
    monkeypatch.setattr(type(small_synthesizer.model), "gives_durations", False)
    small_synthesizer.plan(Utterance("Good morning."))
    with pytest.raises(errors.TimesUnavailableError, match="durations"):
        small_synthesizer.plan(Utterance("Good morning."), Delivery(timed=True))
