"""Text in chunks, and speech as soon as a clause is complete."""

import re
from itertools import pairwise

import numpy as np
import pytest
from tests.service.api.speech_client import log_line, metric, speak
from tests.service.api.speech_socket import seconds
from tests.service.api.websocket.sessions import LONG, SHORT, opened


def test_a_session_opens_with_how_it_speaks(server):
    with opened(server, "the-opening") as talk:
        assert talk.socket.response is not None
        assert talk.socket.response.headers["X-Request-ID"] == "the-opening"
        assert talk.received[0] == {
            "type": "ready",
            "request_id": "the-opening",
            "voice": "af_heart",
            "language": "en-us",
            "speed": 1.0,
            "sample_rate_hz": 24_000,
            "format": "pcm_s16le",
        }
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
    with opened(real_server) as talk:
        talk.say(*(text[i : i + 7] for i in range(0, len(text), 7)))
        done = talk.finish()
        chunks = talk.of("audio")
    spans = [(chunk["text_start"], chunk["text_end"]) for chunk in chunks]
    assert len(spans) > 2
    assert "".join(text[start:end] for start, end in spans) == text
    words = [word["text"] for chunk in chunks for word in chunk["words"]]
    assert {"$5.50", "Dr.", "Who", "1984", "cent", "Fine", "naïve", "ﬁgures"} <= set(words)
    assert done["duration_s"] == seconds(sum(chunk["n_bytes"] for chunk in chunks))
    samples = [np.frombuffer(chunk["pcm"], "<i2") for chunk in chunks]
    largest = max(np.abs(np.diff(part.astype(np.int32))).max() for part in samples)
    for before, after in pairwise(samples):
        assert abs(int(after[0]) - int(before[-1])) < largest / 4


def test_how_text_is_cut_into_messages_changes_nothing(server):
    text = "Good day, and welcome. I am the voice of this machine."
    heard = []
    for size in (1, 11, len(text)):
        with opened(server) as talk:
            talk.say(*(text[i : i + size] for i in range(0, len(text), size)))
            talk.finish()
            heard.append([message for message in talk.received if message["type"] != "ready"])
    assert heard[0] == heard[1] == heard[2]


def test_a_session_and_a_request_say_the_same(server):
    with opened(server) as talk:
        talk.say(SHORT)
        talk.finish()
        heard = np.frombuffer(talk.pcm, "<i2").astype(np.float64)
    answer = speak(server, text=SHORT, format="pcm")
    said = np.frombuffer(answer.content, "<i2").astype(np.float64)
    # Only the rest at the end gives way to a pause, before what else may come.
    sounds = min(np.flatnonzero(heard)[-1], np.flatnonzero(said)[-1]) - 240
    assert sounds > 10_000
    assert np.array_equal(heard[:sounds], said[:sounds])


def test_phoneme_times_are_told_where_they_are_asked_for(faulty):
    with opened(faulty) as talk:
        talk.exchange("config", "ready", timestamps="phoneme")
        talk.say(SHORT)
        talk.finish()
        (word, _) = talk.of("audio")[0]["words"]
    assert "".join(phoneme["symbol"] for phoneme in word["phonemes"]) == "ɡˈʊd"
    assert word["phonemes"][0]["start_s"] == word["start_s"]
    assert word["phonemes"][-1]["end_s"] == word["end_s"]


@pytest.mark.thorough
def test_a_long_text_is_spoken_in_spans_that_go_on(faulty):
    text = LONG[: LONG.index("nothing")]
    with opened(faulty) as talk:
        talk.say(text)
        talk.finish()
        spans = [(m["text_start"], m["text_end"]) for m in talk.of("audio")]
    assert len(spans) > 1
    assert "".join(text[start:end] for start, end in spans) == text


def test_a_clause_that_cannot_be_read_is_told_with_its_span(faulty):
    with opened(faulty) as talk:
        talk.say(SHORT, "\nᎠᎡᎢ.", "\n— —\n", SHORT, "\nᎡᎢ.\n", SHORT)
        talk.finish()
    assert [kind for kind in talk.kinds if kind != "skipped"] == [
        *("ready", "audio", "error", "audio", "error", "audio", "done")
    ]
    cherokee, other = talk.of("error")
    assert cherokee["error"]["code"] == other["error"]["code"] == "invalid_text"
    assert talk.text[cherokee["text_start"] : cherokee["text_end"]].strip() == "ᎠᎡᎢ."
    assert talk.text[other["text_start"] : other["text_end"]].strip() == "ᎡᎢ."
    told = [(m["text_start"], m["text_end"]) for m in talk.of("audio", "error", "skipped")]
    rest = "".join(
        talk.text[before[1] : after[0]]
        for before, after in zip([(0, 0), *told], [*told, (len(talk.text),) * 2], strict=True)
    )
    assert rest.strip() == ""


def test_markup_works_however_the_text_is_cut(faulty):
    with opened(faulty) as talk:
        talk.say("Say [Kok", "oro](/kˈOkə", "ɹO/) now. It is [pause:0.", "5s] good. ")
        talk.finish()
    words = [word["text"] for message in talk.of("audio") for word in message["words"]]
    assert words == ["Say", "Kokoro", "now", "It", "is", "good"]
    assert set(talk.kinds) == {"ready", "audio", "done"}


# Logs and numbers.


def test_the_log_and_the_numbers_tell_of_a_session_but_never_its_text(faulty):
    names = ("kokoro_audio_seconds_total", "kokoro_characters_total")
    before = [metric(faulty, name) for name in names]
    with opened(faulty, "counted") as talk:
        # What goes on before the first text is no waiting for speech.
        waited = speak(faulty, text="This request here is spoken by the model, not by the cache.")
        talk.say("Zanzibar. ", "ᎠᎡᎢ.")
        done = talk.finish()
    line = log_line(faulty, "counted")
    assert "Zanzibar" not in line
    found = dict(re.findall(r"(\w+)=(\S+)", line))
    assert found["method"] == "WEBSOCKET"
    assert found["path"] == "/synthesize/stream"
    assert (found["status"], found["outcome"], found["chunks"]) == ("101", "ok", "1")
    assert float(found["audio_s"]) == round(done["duration_s"], 3)
    compute_s = float(waited.headers["x-compute-s"])
    assert float(found["first_audio_s"]) < float(found["seconds"]) - compute_s + 0.002
    audio_s, characters = (metric(faulty, name) - value for name, value in zip(names, before, strict=True))
    assert audio_s == pytest.approx(done["duration_s"] + float(waited.headers["x-duration-s"]), abs=0.001)
    assert characters == len("Zanzibar.") + 59
    assert not any("Zanzibar" in entry or "ᎠᎡ" in entry for entry in faulty.log)
