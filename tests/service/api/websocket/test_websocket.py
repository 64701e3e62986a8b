"""Text in chunks, speech as soon as a clause is complete, and messages that are taken or not."""

import json
import re
from contextlib import ExitStack, suppress
from itertools import pairwise

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed

from service.settings import Settings
from tests.service.api.speech_client import KEYS, STRANGER, bearer, log_line, metric, speak
from tests.service.api.speech_socket import SpeechSocket, refused, seconds
from tests.service.api.websocket.sessions import CANCEL, FLUSH, LINES, LONG, SHORT, config, opened, spoken


def test_a_session_opens_with_how_it_speaks(server):
    with opened(server, "the-opening") as talk:
        assert talk.socket.response.headers["X-Request-ID"] == "the-opening"
        assert talk.received == [
            {
                "type": "ready", "request_id": "the-opening", "voice": "af_heart", "language": "en-us",
                "speed": 1.0, "sample_rate_hz": 24_000, "format": "pcm_s16le",
            }
        ]  # fmt: skip
        assert talk.finish() == {"type": "done", "text_end": 0, "duration_s": 0.0}


def test_speech_leaves_when_a_clause_is_complete_though_the_text_goes_on(server):
    with opened(server) as talk:
        talk.say("Good", " day. And th")
        audio = talk.until("audio")
        assert talk.text[audio["text_start"] : audio["text_end"]] == "Good day."
        talk.say("en.")
        talk.finish()
    assert [m["text_start"] for m in talk.of("audio")] == [0, 9]


@pytest.mark.thorough
def test_the_spans_of_a_session_are_its_text_and_its_chunks_join_without_a_click(real_server):
    text = (
        "\N{GRINNING FACE} It costs $5.50, as Dr. Who said in 1984: not a cent more than that!\n"
        "“Fine”, they went. E.g. naïve ﬁgures"
    )
    talk = spoken(real_server, *(text[i : i + 7] for i in range(0, len(text), 7)))
    chunks = talk.of("audio")
    spans = [text[chunk["text_start"] : chunk["text_end"]] for chunk in chunks]
    assert len(spans) > 2
    assert "".join(spans) == text
    words = {word["text"] for chunk in chunks for word in chunk["words"]}
    assert {"$5.50", "Dr.", "Who", "1984", "cent", "Fine", "naïve", "ﬁgures"} <= words
    assert talk.received[-1]["duration_s"] == seconds(len(talk.pcm))
    samples = [np.frombuffer(chunk["pcm"], "<i2").astype(np.int32) for chunk in chunks]
    largest = max(np.abs(np.diff(part)).max() for part in samples)
    assert all(abs(after[0] - before[-1]) < largest / 4 for before, after in pairwise(samples))


def test_how_text_is_cut_into_messages_changes_nothing(server):
    text = "Good day, and welcome. I am the voice of this machine."
    cuts = ([text[i : i + size] for i in range(0, len(text), size)] for size in (1, 11, len(text)))
    heard = [[m for m in spoken(server, *parts).received if m["type"] != "ready"] for parts in cuts]
    assert heard[0] == heard[1] == heard[2]


def test_a_clause_that_cannot_be_read_is_told_with_its_span(faulty):
    talk = spoken(faulty, SHORT, "\nᎠᎡᎢ.", "\n— —\n", SHORT, "\nᎡᎢ.\n", SHORT)
    kinds = [kind for kind in talk.kinds if kind not in ("skipped", "ready")]
    assert kinds == [*("audio", "error", "audio", "error", "audio", "done")]
    assert {m["error"]["code"] for m in talk.of("error")} == {"invalid_text"}
    assert [talk.text[m["text_start"] : m["text_end"]].strip() for m in talk.of("error")] == ["ᎠᎡᎢ.", "ᎡᎢ."]
    told = [(m["text_start"], m["text_end"]) for m in talk.of("audio", "error", "skipped")]
    ends = [(0, 0), *told, (len(talk.text),) * 2]
    assert "".join(talk.text[before[1] : after[0]] for before, after in pairwise(ends)).strip() == ""


def test_visemes_of_a_later_clause_are_moved_with_its_words(server):
    talk = spoken(server, config(timestamps="visemes"), "Papa paid. ", "Mama paid.")
    words = [word for message in talk.of("audio") for word in message["words"]]
    assert [word["visemes"][0]["name"] for word in words] == ["PP"] * 4
    for word in words:
        assert (word["visemes"][0]["start_s"], word["visemes"][-1]["end_s"]) == (word["start_s"], word["end_s"])
        assert "phonemes" not in word


def test_markup_works_however_the_text_is_cut(faulty):
    talk = spoken(faulty, "Say [Kok", "oro](/kˈOkə", "ɹO/) now. It is [pause:0.", "5s] good. ")
    words = [word["text"] for message in talk.of("audio") for word in message["words"]]
    assert words == ["Say", "Kokoro", "now", "It", "is", "good"]
    assert set(talk.kinds) == {"ready", "audio", "done"}


def test_the_log_and_the_numbers_tell_of_a_session_but_never_its_text(faulty):
    names = ("kokoro_audio_seconds_total", "kokoro_characters_total")
    before = [metric(faulty, name) for name in names]
    with opened(faulty, "counted") as talk:
        # What goes on before the first text is no waiting for speech.
        waited = speak(faulty, text="This request here is spoken by the model, not by the cache.")
        talk.say("Zanzibar. ", "ᎠᎡᎢ.")
        done = talk.finish()
    found = dict(re.findall(r"(\w+)=(\S+)", log_line(faulty, "counted")))
    assert (found["method"], found["path"]) == ("WEBSOCKET", "/synthesize/stream")
    assert (found["status"], found["outcome"], found["chunks"]) == ("101", "ok", "1")
    assert float(found["audio_s"]) == round(done["duration_s"], 3)
    assert float(found["first_audio_s"]) < float(found["seconds"]) - float(waited.headers["x-compute-s"]) + 0.002
    audio_s, characters = (metric(faulty, name) - value for name, value in zip(names, before, strict=True))
    assert audio_s == pytest.approx(done["duration_s"] + float(waited.headers["x-duration-s"]), abs=0.001)
    assert characters == len("Zanzibar.") + 59
    assert not any("Zanzibar" in entry or "ᎠᎡ" in entry for entry in faulty.log)


def code(answer):
    return answer.status_code, answer.json()["error"]["code"]


def test_a_handshake_needs_the_key_and_a_path(secured, server):
    for headers in ({}, {"X-API-Key": STRANGER}):
        answer = refused(SpeechSocket, secured.url, headers)
        assert code(answer) == (401, "unauthorized")
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-request-id"] == answer.json()["error"]["request_id"]
    for headers in ({"X-API-Key": KEYS[0]}, bearer(KEYS[0])):
        with SpeechSocket(secured.url, headers):
            pass
    assert code(refused(SpeechSocket, f"{server.url}/nowhere")) == (404, "not_found")


def test_over_the_places_for_sessions_a_handshake_is_refused(faulty):
    with opened(faulty, "a-place") as talk, ExitStack() as others:
        for _ in range(7):
            others.enter_context(opened(faulty))
        answer = refused(SpeechSocket, faulty.url)
        assert code(answer) == (503, "overloaded")
        assert int(answer.headers["retry-after"]) >= 1
        talk.finish()
        log_line(faulty, "a-place")
        with opened(faulty):
            pass


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
            ("language", "tlh", "language_unavailable"), ("speed", 6.1, "invalid_request"),
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
    first, *_, last = talk.of("audio")  # what is cancelled may have begun
    assert first["pcm"] == last["pcm"]


def test_messages_that_wait_for_speech_are_bounded(faulty):
    talk = spoken(faulty, NEW + LONG, *[FLUSH] * 400, CANCEL)
    n_flushed, refused = len(talk.of("flushed")), talk.of("error")
    assert n_flushed + len(refused) == 400
    assert n_flushed <= 256 + 2
    assert {m["error"]["code"] for m in refused} == {"invalid_request"}


def test_with_ssml_each_text_is_a_document(server):
    document = "<speak>One <mark name='m'/>two. <google:style>Three.</google:style></speak>"
    with SpeechSocket(server.url) as socket:
        socket.say("Before. ")
        socket.exchange("config", "ready", ssml=True)
        socket.say(document, document)
        socket.finish()
        spoken = socket.of("audio")
    marks = [mark for message in spoken for mark in message.get("marks", ())]
    start = len("Before. ") + document.index("<mark")
    assert [(mark["name"], mark["text_start"]) for mark in marks] == [("m", start), ("m", start + len(document))]
    words = [word for message in spoken for word in message["words"]]
    assert [word["text"] for word in words] == ["Before", *["One", "two", "Three"] * 2]
    assert marks[0]["time_s"] == pytest.approx(words[2]["start_s"], abs=0.025)
    ignored = [one["name"] for message in spoken for one in message.get("ignored", ())]
    assert ignored == ["google:style"] * 2


def test_documents_are_found_among_other_text(server):
    document = "<speak><par><media><speak>One <mark name='m'/>two.</speak></media></par></speak>"
    text = f"{document}{document} Three. <speak>"
    with SpeechSocket(server.url) as socket:
        socket.exchange("config", "ready", ssml="auto")
        socket.say(*text)
        socket.exchange("flush", "flushed")
        socket.say("<speak>Four")
        assert socket.exchange("cancel", "cancelled")["text_end"] == len(text) + len("<speak>Four")
        socket.say(document)
        socket.finish()
        spoken = socket.of("audio")
    words = [(word["text"], word["text_start"]) for message in spoken for word in message["words"]]
    assert [word for word, _ in words][:5] == ["One", "two", "One", "two", "Three"]
    assert words[-1] == ("two", len(text) + len("<speak>Four") + document.index("two"))
