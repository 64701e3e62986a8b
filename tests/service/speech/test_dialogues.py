"""Dialogues: turns, plays and what is known by turn."""

import numpy as np
import pytest

from service.audio.loudness import measure
from service.errors import InvalidRequestError
from service.speech import Delivery, Utterance, WordTime
from service.speech.dialogues import SaidTurn, by_turn, dialogue, turns_of_play


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


def test_the_voices_of_a_dialogue_are_equally_loud(synthesizer):
    texts = ["The city council voted on Tuesday.", "Well, that is quite a story, is it not?"]
    voices = ["af_heart", "af_nova", "am_puck", "bf_emma"]
    turns = [SaidTurn(text, voice) for text in texts for voice in voices]

    def difference_lu(*, even):
        utterance = dialogue(turns, Utterance("", even=even), 0.4)
        said = {voice: [] for voice in voices}
        for segment in synthesizer.stream(synthesizer.plan(utterance, Delivery(timed=True))):
            for one in by_turn(segment.words[:1], utterance.turns):
                said[turns[one.turn].voice].append(segment.samples)
        levels = [measure([np.concatenate(parts)]).lufs for parts in said.values()]
        return max(levels) - min(levels)

    assert difference_lu(even=False) > 5
    assert difference_lu(even=True) < 1
