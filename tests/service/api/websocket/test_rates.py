"""Sessions at other sample rates, and in the formats of telephony."""

import numpy as np
import pytest
from tests.service.api.websocket.sessions import LONG, opened

TEXT = f"Good day.{LONG}"


def spoken(server, **fields):
    """Return a session in which a text was said."""
    with opened(server) as talk:
        talk.exchange("config", "ready", **fields)
        talk.say(TEXT)
        talk.finish()
        return talk


@pytest.fixture(scope="module")
def usual(remembering):
    return spoken(remembering)


def words_of(talk):
    return [word for message in talk.of("audio") for word in message["words"]]


@pytest.mark.parametrize("rate_hz", [8000, 44_100, 48_000])
def test_a_session_at_another_rate_says_the_same_at_the_same_times(remembering, usual, rate_hz):
    talk = spoken(remembering, sample_rate=rate_hz)
    assert talk.received[1]["sample_rate_hz"] == rate_hz
    # Each clause is rounded to whole samples.
    n_samples = len(usual.pcm) // 2 * rate_hz / 24_000
    assert abs(len(talk.pcm) // 2 - n_samples) < 5
    assert len(words_of(talk)) == len(words_of(usual))
    for word, other in zip(words_of(talk), words_of(usual), strict=True):
        assert (word["text_start"], word["text_end"]) == (other["text_start"], other["text_end"])
        assert word["start_s"] == pytest.approx(other["start_s"], abs=1e-3)
        assert word["end_s"] == pytest.approx(other["end_s"], abs=1e-3)
    samples = np.frombuffer(talk.pcm, "<i2").astype(np.int32)
    largest = np.abs(np.diff(np.frombuffer(usual.pcm, "<i2").astype(np.int32))).max()
    assert np.abs(np.diff(samples)).max() < 3.5 * largest


@pytest.mark.parametrize("audio_format", ["mulaw", "alaw"])
def test_a_session_of_telephony_sends_a_byte_for_each_sample(remembering, usual, audio_format):
    talk = spoken(remembering, format=audio_format)
    assert talk.received[1]["format"] == audio_format
    assert talk.received[1]["sample_rate_hz"] == 8000
    assert abs(len(talk.pcm) - len(usual.pcm) / 6) < 5


def test_the_rate_may_change_within_a_session(remembering):
    with opened(remembering) as talk:
        talk.say("Good day")
        talk.exchange("config", "ready", sample_rate=8000, speed=4.0)
        talk.say("Good day")
        talk.exchange("config", "ready", format="alaw", sample_rate=16_000, speed=0.3)
        talk.say("Good day")
        talk.finish()
        first, quick, slow = talk.of("audio")[0], talk.of("audio")[1], talk.of("audio")[2:]
    assert quick["end_s"] - quick["start_s"] < first["end_s"] - first["start_s"]
    assert quick["n_bytes"] == 2 * round((quick["end_s"] - quick["start_s"]) * 8000)
    slow_s = slow[-1]["end_s"] - slow[0]["start_s"]
    assert slow_s > 2 * first["end_s"]
    assert sum(message["n_bytes"] for message in slow) == round(slow_s * 16_000)


def test_a_cancelled_clause_leaves_nothing_for_the_next(remembering):
    with opened(remembering) as talk:
        talk.exchange("config", "ready", sample_rate=8000)
        talk.say(TEXT)
        talk.until("audio")
        talk.exchange("cancel", "cancelled")
        talk.say("Good day.")
        talk.exchange("flush", "flushed")
        cancelled_at = talk.kinds.index("cancelled")
        after = [m for m in talk.received[cancelled_at:] if m["type"] == "audio"]
        talk.finish()
    with opened(remembering) as other:
        other.exchange("config", "ready", sample_rate=8000)
        other.say("Good day.")
        other.finish()
        assert b"".join(message["pcm"] for message in after) == other.pcm
