"""Messages of a client: those that are taken, and those that are not."""

import json
from contextlib import suppress

import numpy as np
import pytest
from service.settings import Settings
from tests.service.api.speech_client import log_line
from tests.service.api.speech_socket import seconds
from tests.service.api.websocket.sessions import CANCEL, FLUSH, LINES, LONG, SHORT, config, opened, spoken
from websockets.exceptions import ConnectionClosed

NEW = "This is a sentence that was not heard before."
TEXT = f"Good day.{LONG}"
MAX_BYTES = Settings().max_text_length * 12 + 16_384
"""Of a message."""


def test_config_holds_for_the_text_after_it(faulty):
    blend = config(voice="bf_emma(2)+bm_george(1)", speed=2)
    # The ends of the first two are not known when their config is over.
    talk = spoken(faulty, "Good day", blend, "Good day", config(), "Good day")
    assert talk.kinds == ["ready", "audio", "ready", "audio", "ready", "audio", "done"]
    opening, slow, blended, fast, default, again, _ = talk.received
    assert (blended["voice"], blended["language"], blended["speed"]) == ("bf_emma+bm_george", "en-gb", 2.0)
    assert default == opening
    assert fast["n_bytes"] < 0.8 * min(slow["n_bytes"], again["n_bytes"])


def test_a_refused_config_changes_nothing(faulty):
    with opened(faulty) as talk:
        talk.exchange("config", "ready", voice="bf_emma")
        for field, value, code in (
            ("voice", "af_hart", "unknown_voice"), ("voice", "af_heart(", "invalid_blend"),
            ("language", "tlh", "language_unavailable"), ("speed", 4.1, "invalid_request"),
            ("sample_rate", 96_000, "invalid_request"), ("format", "opus", "invalid_request"),
        ):  # fmt: skip
            assert talk.exchange("config", "error", **{field: value})["error"]["code"] == code
        talk.say(SHORT)
        talk.finish()
    assert talk.pcm == spoken(faulty, config(voice="bf_emma"), SHORT).pcm


def test_flush_is_answered_behind_all_the_speech_before_it(faulty):
    talk = spoken(faulty, FLUSH, "Good day", FLUSH, FLUSH, "Good day", FLUSH)
    assert talk.kinds == [*("ready", "flushed", "audio", "flushed", "flushed", "audio", "flushed", "done")]
    assert [message["text_end"] for message in talk.of("flushed")] == [0, 8, 8, 16]
    # Each begins afresh.
    first, second = talk.of("audio")
    assert first["pcm"] == second["pcm"]
    with opened(faulty) as talk:  # and it is not only the end that lets it go
        talk.say("Good day")
        assert talk.exchange("flush", "flushed")["text_end"] == 8
        talk.finish()


def test_cancel_forgets_the_text_and_the_session_goes_on(faulty):
    talk = spoken(faulty, CANCEL, "This was never me", CANCEL, SHORT)
    assert talk.kinds == ["ready", "cancelled", "cancelled", "audio", "done"]
    assert [message["text_end"] for message in talk.of("cancelled")] == [0, 17]
    assert talk.of("audio")[0]["text_start"] == 17


def test_what_waits_for_its_answer_is_answered_though_its_text_is_cancelled(faulty):
    talk = spoken(faulty, LONG, FLUSH, config(speed=1.5), LONG, CANCEL, SHORT)
    assert [kind for kind in talk.kinds if kind != "audio"] == ["ready", "flushed", "ready", "cancelled", "done"]
    *early, audio = talk.of("audio")
    assert audio["text_start"] == 2 * len(LONG)
    assert all(talk.kinds.index("cancelled") > talk.received.index(one) for one in early)


def test_cancel_breaks_off_a_run_of_the_model(faulty):
    speed = 1.31  # by which the log knows the run
    with opened(faulty, "broken-off") as talk:
        talk.exchange("config", "ready", speed=speed)
        talk.say(SHORT + " ")
        talk.until("audio")
        talk.say(LONG)
        talk.send("flush")
        # Until it is in the model.
        while sum(f"run {speed:.3f} started" in line for line in list(faulty.log)) < 2:
            faulty.client.get("/health")
        talk.send("cancel")
        talk.say("Well")
        talk.finish()
    assert [kind for kind in talk.kinds if kind != "ready"] == [*("audio", "flushed", "cancelled", "audio", "done")]
    assert [m["text_start"] for m in talk.of("audio")] == [0, len(SHORT + " " + LONG)]
    log_line(faulty, "broken-off")
    runs = [line.split()[-1] for line in faulty.log if f"run {speed:.3f} " in line]
    assert runs == ["started", "ended", "started", "terminated", "started", "ended"]


def test_cancel_after_end_ends_at_once(faulty):
    with opened(faulty) as talk:
        talk.say(LONG * 2)
        talk.send("end")
        talk.send("cancel")
        assert talk.until_closed() == 1000
    assert talk.kinds[-2:] == ["cancelled", "done"]
    assert talk.received[-1]["text_end"] == 2 * len(LONG)


def test_nothing_but_cancel_is_taken_after_end(faulty):
    with opened(faulty) as talk:
        talk.say(NEW)
        for kind in ("end", "end", "flush", "config"):
            talk.send(kind)
        talk.send("text", text="More.")
        assert talk.until_closed() == 1000
    assert [m["error"]["code"] for m in talk.of("error")] == ["invalid_request"] * 4
    assert talk.of("audio")[-1]["text_end"] == len(NEW)
    assert len(talk.of("done")) == 1
    assert talk.received[-1] == {"type": "done", "text_end": len(NEW), "duration_s": seconds(len(talk.pcm))}


# Other sample rates, and the formats of telephony.


@pytest.fixture(scope="module")
def usual(remembering):
    return spoken(remembering, TEXT)


def words_of(talk):
    return [word for message in talk.of("audio") for word in message["words"]]


@pytest.mark.parametrize("rate_hz", [8000, 44_100, 48_000])
def test_a_session_at_another_rate_says_the_same_at_the_same_times(remembering, usual, rate_hz):
    talk = spoken(remembering, config(sample_rate=rate_hz), TEXT)
    assert talk.received[1]["sample_rate_hz"] == rate_hz
    # Each clause is rounded to whole samples.
    assert abs(len(talk.pcm) - len(usual.pcm) * rate_hz / 24_000) < 10
    for word, other in zip(words_of(talk), words_of(usual), strict=True):
        assert word == pytest.approx(other, abs=1e-3)
    steps, usual_steps = (np.abs(np.diff(np.frombuffer(one.pcm, "<i2").astype(np.int32))) for one in (talk, usual))
    assert steps.max() < 3.5 * usual_steps.max()


@pytest.mark.parametrize("audio_format", ["mulaw", "alaw"])
def test_a_session_of_telephony_sends_a_byte_for_each_sample(remembering, usual, audio_format):
    talk = spoken(remembering, config(format=audio_format), TEXT)
    assert (talk.received[1]["format"], talk.received[1]["sample_rate_hz"]) == (audio_format, 8000)
    assert abs(len(talk.pcm) - len(usual.pcm) / 6) < 5


def test_the_rate_may_change_within_a_session(remembering):
    fast, long = config(sample_rate=8000, speed=4.0), config(format="alaw", sample_rate=16_000, speed=0.3)
    first, quick, *slow = spoken(remembering, "Good day", fast, "Good day", long, "Good day").of("audio")
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
        talk.finish()
    after = [m["pcm"] for m in talk.received[talk.kinds.index("cancelled") :] if m["type"] == "audio"]
    assert b"".join(after) == spoken(remembering, config(sample_rate=8000), "Good day.").pcm


# What is not taken.

NO_MESSAGES = (
    "", "Hello", "null", "[]", '"text"', "{}", '{"type": "text"', '{"type": null}', '{"type": "speak"}',
    '{"type": ["text"]}', '{"text": "Hello."}', '{"type": "text"}', '{"type": "text", "text": null}',
    '{"type": "text", "text": 5}', '{"type": "text", "text": "Hello.", "voice": "af_heart"}',
    '{"type": "flush", "text": "Hello."}', '{"type": "config", "speed": "1"}', '{"type": "config", "speed": NaN}',
    '{"type": "config", "speed": Infinity}', '{"type": "config", "speed": 1e999}', '{"type": "config", "speed": true}',
    '{"type": "config", "voice": 3}', '{"type": "config", "voice": "\\u0000"}',
    '{"type": "config", "timestamps": "letter"}', '{"type": "config", "request_id": "mine"}',
    "[" * 100_000, '{"type":' * 20_000, b"", b'{"type": "end"}', b"\xff\xfe",
)  # fmt: skip


def test_a_message_that_cannot_be_taken_is_answered_by_an_error(faulty):
    with opened(faulty) as talk:
        for content in NO_MESSAGES:
            talk.socket.send(content)
            answer = talk.receive()
            assert set(answer) == {"type", "error"}, content[:40]
            error = answer["error"]
            assert error["code"] in ("invalid_request", "unknown_voice", "invalid_blend"), content[:40]
            assert error["message"]
            assert error["request_id"] == talk.received[0]["request_id"]
        talk.finish()
    assert talk.kinds == ["ready", *["error"] * len(NO_MESSAGES), "done"]


def test_a_message_that_is_too_long_ends_the_session_but_not_the_service(faulty):
    with opened(faulty, "too-long") as talk:
        talk.say(SHORT)
        talk.exchange("flush", "flushed")
        with suppress(ConnectionClosed):
            talk.socket.send(json.dumps({"type": "text", "text": "a" * MAX_BYTES}))
        assert talk.until_closed() == 1009
    assert "outcome=aborted" in log_line(faulty, "too-long")
    for number in range(5):
        with opened(faulty, f"too-long-{number}") as talk:
            talk.say(LINES)
            talk.until("audio")
            with suppress(ConnectionClosed):
                talk.socket.send("a" * (MAX_BYTES + 1))
            assert talk.until_closed() in (1009, 1006)
        assert "outcome=cancelled" in log_line(faulty, f"too-long-{number}")
    assert not any("too-long" in line and " ERROR " in line for line in faulty.log)


def test_text_that_is_not_utf_8_ends_the_session(faulty):
    with opened(faulty, "no-utf-8") as talk:
        with talk.socket.send_context():
            talk.socket.protocol.send_text(b"\xff\xfe")
        assert talk.until_closed() == 1007
    assert "outcome=aborted" in log_line(faulty, "no-utf-8")
    assert not any("UnicodeDecodeError" in line for line in faulty.log)


def test_text_over_the_limit_is_refused_and_nothing_else_is_lost(faulty):
    limit = Settings().max_text_length
    with opened(faulty) as talk:
        talk.say("Good ")
        talk.send("text", text="a" * (limit - 4))
        assert talk.until("error")["error"]["code"] == "text_too_long"
        talk.say("day.")
        assert talk.exchange("flush", "flushed")["text_end"] == len(SHORT)
        # Just at the limit; what is cancelled waits no longer.
        for _ in range(2):
            talk.say("b" * limit)
            talk.exchange("cancel", "cancelled")
        talk.say(SHORT)
        talk.finish()
    first, last = talk.of("audio")
    assert first["pcm"] == last["pcm"]


def test_a_thousand_tiny_messages_are_one_text(faulty):
    first, second = spoken(faulty, *SHORT, *[" "] * 1000, *SHORT).of("audio")
    assert (first["text_start"], first["text_end"]) == (0, len(SHORT))
    assert [word["text_start"] for word in second["words"]] == [1009, 1014]


def test_messages_that_wait_for_speech_are_bounded(faulty):
    talk = spoken(faulty, NEW + LONG, *[FLUSH] * 400, CANCEL)
    n_flushed, refused = len(talk.of("flushed")), talk.of("error")
    assert n_flushed + len(refused) == 400
    assert n_flushed <= 256 + 2
    assert {m["error"]["code"] for m in refused} == {"invalid_request"}
