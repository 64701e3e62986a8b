"""The recognizer hears words of its list, and only those, whatever it heard before."""

from collections.abc import Callable

import numpy as np
import pytest
from bench.closed_list import ClosedList
from bench.isolated_words import COMMANDS, LETTERS, NUMBERS

from service.speech import Utterance

pytest.importorskip("pocketsphinx", reason="has no wheels from Python 3.14 on")

pytestmark = pytest.mark.thorough

Say = Callable[[str], np.ndarray]

SENTENCE = "They told me that this was the answer."


@pytest.fixture(scope="module")
def say(synthesizer):
    """Return a function that says a text."""

    def say(text):
        plan = synthesizer.plan(Utterance(text, voice="af_heart"))
        return np.concatenate([segment.samples for segment in synthesizer.stream(plan)])

    return say


@pytest.fixture(scope="module")
def listener():
    return ClosedList([*COMMANDS, *NUMBERS], LETTERS)


def test_words_of_the_list_are_heard(say, listener):
    texts = {"Please.": "please", "W": "W", "Cancel.": "cancel"}
    assert {text: listener.hear(say(text)) for text in texts} == texts


def test_loudness_and_what_was_heard_before_have_no_effect(say, listener):
    before = [listener.hear(say(text)) for text in ("Stop.", "11", "F")]
    listener.hear(say(SENTENCE))
    quiet = [listener.hear(say(text) / 10) for text in ("Stop.", "11", "F")]
    assert quiet == before


def test_silence_is_no_word(listener):
    assert listener.hear(np.zeros(24_000, np.float32)) is None


def test_a_word_that_the_recognizer_does_not_know_is_named():
    with pytest.raises(ValueError, match="does not know blorptastic"):
        ClosedList(["yes", "blorptastic"], [])
