"""Text in chunks, and speech as soon as a clause is complete."""

import re
from contextlib import ExitStack
from itertools import pairwise

import numpy as np
import pytest
from tests.service.api.speech_client import KEYS, STRANGER, bearer, log_line, metric, speak
from tests.service.api.speech_socket import SpeechSocket, refused, seconds
from tests.service.api.websocket.sessions import SHORT, config, opened, spoken


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


def test_phoneme_times_are_told_where_they_are_asked_for(faulty):
    word = spoken(faulty, config(timestamps="phoneme"), SHORT).of("audio")[0]["words"][0]
    assert "".join(phoneme["symbol"] for phoneme in word["phonemes"]) == "ɡˈʊd"
    assert word["phonemes"][0]["start_s"] == word["start_s"]
    assert word["phonemes"][-1]["end_s"] == word["end_s"]


def test_a_clause_that_cannot_be_read_is_told_with_its_span(faulty):
    talk = spoken(faulty, SHORT, "\nᎠᎡᎢ.", "\n— —\n", SHORT, "\nᎡᎢ.\n", SHORT)
    kinds = [kind for kind in talk.kinds if kind not in ("skipped", "ready")]
    assert kinds == [*("audio", "error", "audio", "error", "audio", "done")]
    assert {m["error"]["code"] for m in talk.of("error")} == {"invalid_text"}
    assert [talk.text[m["text_start"] : m["text_end"]].strip() for m in talk.of("error")] == ["ᎠᎡᎢ.", "ᎡᎢ."]
    told = [(m["text_start"], m["text_end"]) for m in talk.of("audio", "error", "skipped")]
    ends = [(0, 0), *told, (len(talk.text),) * 2]
    assert "".join(talk.text[before[1] : after[0]] for before, after in pairwise(ends)).strip() == ""


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
