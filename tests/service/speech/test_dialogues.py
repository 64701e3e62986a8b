"""Dialogues: turns, plays and what is known by turn."""

import numpy as np
import pytest
from hypothesis import strategies as st

from service.audio.loudness import measure
from service.errors import InvalidRequestError
from service.speech import Delivery, Speaker, Utterance, WordTime
from service.speech.dialogues import SaidTurn, by_turn, dialogue, turns_of_play
from service.speech.levelling import loudness_of
from tests.profiles import given


def test_turns_become_one_text_and_words_go_back_to_their_turns():
    turns = [SaidTurn("Hi.", "a"), SaidTurn("You too.", "b", pause_s=2.0), SaidTurn("So.", pause_s=None)]
    utterance = dialogue(turns, Utterance("", speed=2.0), 0.5)
    assert [utterance.text[turn.start : turn.end] for turn in utterance.turns] == ["Hi.", "You too.", "So."]
    assert [turn.pause_s for turn in utterance.turns] == [0.5, 2.0, None]
    words = [WordTime(start, start + 2, 0.0, 1.0, ()) for start in (0, 5, 15)]
    assert [(one.turn, one.word.text_start) for one in by_turn(words, utterance.turns)] == [(0, 0), (1, 0), (2, 0)]


def test_a_play_has_speakers_and_lines_that_go_on():
    play = "ANNA: Who is there?\n\nben: Me: Ben.\n  And you know it: well.\nANNA:  Come in!\n"
    assert turns_of_play(play, {"ANNA": "x", "ben": "y"}) == [
        SaidTurn("Who is there?", "ANNA"), SaidTurn("Me: Ben.\nAnd you know it: well.", "ben"),
        SaidTurn("Come in!", "ANNA"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("play", "reason"),
    [("EVE: Hi.", "line 1: EVE has no voice"), ("Hi.", "line 1 names no speaker"), (" \n", "has no lines")],
)
def test_a_play_without_speakers_or_voices_is_refused(play, reason):
    with pytest.raises(InvalidRequestError, match=reason):
        turns_of_play(play, {"ANNA": "x"})


LINES = [
    "No.", "Why?", "Yes!",
    "Who is there?", "It is only me, back from the market.", "What did you bring?",
    "Bread, a little cheese, and three apples.", "The city council voted on Tuesday.",
    "Well, that is quite a story, is it not?", "I never said that I would come.",
    "And yet here you are, on time as always.", "The train leaves at half past nine.",
    "Then we had better hurry, had we not?",
]  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("streamed", [False, True])
def test_each_of_twenty_turns_in_six_voices_is_equally_loud(synthesizer, streamed):
    voices = ["af_sky", "am_onyx", "bf_lily", "bm_lewis", "af_jessica", "am_echo"]
    turns = [SaidTurn(LINES[number % len(LINES)], voices[number % 6]) for number in range(20)]
    utterance = dialogue(turns, Utterance("", even=True), 0.4)
    said = {}
    turn = 0
    for segment in synthesizer.stream(synthesizer.plan(utterance, Delivery(streamed=streamed, timed=True))):
        for one in by_turn(segment.words[:1], utterance.turns):
            turn = one.turn
        said.setdefault(turn, []).append(segment.samples)
    assert len(said) == 20
    levels = [measure([np.concatenate(parts)]).lufs for parts in said.values()]
    assert max(levels) - min(levels) < 1
    assert max(np.abs(samples).max() for parts in said.values() for samples in parts) <= 1.0


def test_a_speaker_with_a_gain_keeps_it_among_others(synthesizer):
    turns = [SaidTurn(LINES[1], "quiet"), SaidTurn(LINES[3], "af_sky")]
    cast = {"quiet": Speaker("am_onyx", gain=0.5)}
    plan = synthesizer.plan(dialogue(turns, Utterance("", even=True, cast=cast), 0.4), Delivery())
    first, second = (measure([segment.samples]).lufs for segment in synthesizer.stream(plan))
    assert second - first == pytest.approx(6.02, abs=0.3)


@given(st.lists(st.floats(-60, 0), min_size=1, max_size=20), st.integers(0, 2**32 - 1))
def test_loudness_is_that_of_the_standard(levels_db, seed):
    """As FFmpeg measures it, for sound of a block and more."""
    chance = np.random.default_rng(seed)
    parts = [chance.standard_normal(4_800) * 10 ** (level / 20) * 0.1 for level in levels_db]
    samples = np.concatenate([chance.standard_normal(9_600) * 0.05, *parts]).astype(np.float32)
    # A block at the gate, 10 LU below the others, counts for one and not for the other.
    is_gated = max(*levels_db, -6) - min(*levels_db, -6) > 8
    assert loudness_of(samples) == pytest.approx(measure([samples]).lufs, abs=1.0 if is_gated else 0.1)
