"""ElevenLabs' WebSockets, with the messages that its clients send; for their ends see websocket/test_endings."""

import io

import httpx
import numpy as np
import pytest
import soundfile

from tests.service.api.elevenlabs.stream_socket import VOICE, Heard, StreamSocket, open_context, pipecat
from tests.service.api.speech_client import KEYS, log_line
from tests.service.api.speech_socket import TIMEOUT_S, refused
from tests.service.api.websocket.sessions import config, spoken

SENTENCES = ("Well, Dr. Smith paid $5.50.", "It was not much, don't you think?")
SPACED = [f"{sentence} " for sentence in SENTENCES]
LONG = (
    "The long clause that follows here is meant to keep the model at work for a good while,"
    " because it goes on and on about nothing in particular until its author has run out of words. "
)


def assert_clock_is_that_of_the_audio(heard):
    """The alignments are together as long as the audio, which is PCM at 24 kHz."""
    assert heard.clock_ms == pytest.approx(len(heard.audio) / 48, abs=1)


def assert_words_start_as_in_a_session(heard, server, *parts):
    """Its words are those that `/synthesize/stream` says of the same text, and start with them."""
    talk = spoken(server, config(voice="af_bella"), *parts)
    words = [word for message in talk.of("audio") for word in message["words"]]
    for (shown, start_ms), word in zip(heard.word_starts(), words, strict=True):
        assert talk.text[word["text_start"] : word["text_end"]] in shown
        assert start_ms == pytest.approx(word["start_s"] * 1000, abs=1)


def test_a_text_in_parts_is_spoken_with_the_times_of_its_words(remembering):
    parts = ("Well, Dr. Sm", "ith paid $5", ".50. It was not ", "much, don't you think? ")
    with StreamSocket(remembering.url, VOICE) as socket:
        socket.send(
            text=" ", voice_settings={"stability": 0.5, "similarity_boost": 0.8},
            generation_config={"chunk_length_schedule": [120, 160]}, xi_api_key="anything",
        )  # fmt: skip
        for part in parts:
            socket.send(text=part, try_trigger_generation=True)
        heard = socket.say()
    assert heard.is_final
    assert heard.text == "".join(parts)
    assert_clock_is_that_of_the_audio(heard)
    assert_words_start_as_in_a_session(heard, remembering, *parts)


@pytest.mark.parametrize("query", ["", "&sync_alignment=true"])
def test_words_come_with_their_visemes_if_a_client_asks(remembering, query):
    with StreamSocket(remembering.url, query=f"output_format=pcm_24000&timestamps=visemes{query}") as socket:
        heard = socket.say("Papa paid $5. ", "Mama paid more. ")
    assert [heard.text[word["text_start"] : word["text_end"]] for word in heard.words] == [
        "Papa", "paid", "$5", "Mama", "paid", "more",
    ]  # fmt: skip
    starts = [start_ms for _, start_ms in heard.word_starts()]
    assert [word["start_s"] * 1000 for word in heard.words] == pytest.approx(starts, abs=1)
    assert [word["visemes"][0]["start_s"] for word in heard.words] == [word["start_s"] for word in heard.words]
    assert {word["visemes"][0]["name"] for word in heard.words} == {"PP", "FF"}
    with StreamSocket(remembering.url) as socket:
        assert socket.say("Hi. ").words == []
    refusal = refused(StreamSocket, remembering.url, query="timestamps=lips")
    assert (refusal.status_code, refusal.json()["detail"]["status"]) == (422, "invalid_request")


SSML = (
    '<speak version="1.1">Well, <sub alias="Doctor Smith">Smith</sub> paid<break time="700ms"/> '
    '<prosody rate="slow" contour="(0%,+20Hz)">five dollars</prosody>. <audio src="a.wav">Ding.</audio></speak>'
)


PARSED = "output_format=pcm_24000&enable_ssml_parsing=true"


@pytest.mark.parametrize("length", [1, 7, 40, 1000])
@pytest.mark.parametrize("auto", ["false", "true"])
def test_ssml_may_come_in_any_parts(server, auto, length):
    parts = [SSML[at : at + length] for at in range(0, len(SSML), length)]
    with StreamSocket(server.url, VOICE, f"{PARSED}&auto_mode={auto}") as socket:
        for part in parts:
            socket.send(text=part)
        heard = socket.say()
    assert heard.text.strip() == SSML
    at_once = httpx.post(
        f"{server.url}/v1/text-to-speech/{VOICE}", params={"output_format": "pcm_24000"},
        json={"text": SSML, "enable_ssml_parsing": True}, timeout=TIMEOUT_S,
    )  # fmt: skip
    assert len(heard.audio) / 48_000 == pytest.approx(len(at_once.content) / 48_000, abs=0.3)


def test_what_is_ignored_of_ssml_is_told_once_and_text_around_it_is_said(server):
    with StreamSocket(server.url, VOICE, PARSED) as socket:
        socket.send(text=f"{SSML} Then plain <b>words</b>. ")
        heard = socket.say()
    assert {one["name"] for one in heard.ignored} == {"contour", "audio"}
    assert "plain" in heard.text
    with StreamSocket(server.url, VOICE) as socket:
        socket.send(text=SSML)
        assert not socket.say().ignored


@pytest.mark.thorough
def test_speech_leaves_inside_the_first_sentence(faulty):
    with StreamSocket(faulty.url) as socket:
        socket.send(text=" ", voice_settings={"speed": 0.81})
        socket.send(text=LONG, flush=True)
        socket.receive()
        heard = socket.heard[None]
        assert 0 < heard.clock_ms < 2_000
        assert LONG.startswith(heard.text)
        assert heard.text != LONG
        assert socket.say().text == LONG


def test_a_flush_says_what_is_there_and_the_socket_stays_open(server):
    with StreamSocket(server.url) as socket:
        socket.send(text="Good", flush=False)
        socket.send(text=" day", flush=True)
        while socket.heard.get(None, Heard()).text != "Good day":
            socket.receive()
        heard = socket.say(" and good night. ")
    assert heard.text == "Good day and good night. "
    assert_clock_is_that_of_the_audio(heard)


def test_text_that_is_not_said_is_told_all_the_same(server):
    with StreamSocket(server.url) as socket:
        socket.send(text="— — —\nYes. ")
        socket.send(text="…\n…", flush=True)
        assert socket.say().text == "— — —\nYes. …\n…"


@pytest.mark.parametrize("name", ["mp3_22050_32", "opus_48000_64"])
def test_the_audio_of_a_text_is_one_file(server, name):
    with StreamSocket(server.url, VOICE, f"output_format={name}") as socket:
        for sentence in SPACED:
            socket.send(text=sentence, flush=True)
        heard = socket.say()
    samples, rate = soundfile.read(io.BytesIO(heard.audio))
    assert samples.size / rate * 1000 == pytest.approx(heard.clock_ms, abs=150)
    assert np.abs(samples).max() > 0.1


def test_pipecat_gets_every_word_of_a_turn_and_its_time(remembering):
    with pipecat(remembering) as socket:
        open_context(socket, "turn-1")
        socket.send(text=SENTENCES[0], context_id="turn-1")
        socket.send(text="", context_id="turn-1")  # to keep it alive
        socket.send(text="")
        socket.send(text=SENTENCES[1], context_id="turn-1")
        socket.send(context_id="turn-1", flush=True)
        socket.send(context_id="turn-1", close_context=True)
        heard = socket.until_final("turn-1")
        socket.close()
    assert not socket.heard
    # Each of its messages is a sentence, and its words end at spaces.
    assert heard.text == "".join(SPACED)
    assert_clock_is_that_of_the_audio(heard)
    assert_words_start_as_in_a_session(heard, remembering, *SPACED)


def test_an_interruption_stops_the_model_and_leaves_the_socket_open(faulty):
    other = "run 1.000 started"
    with pipecat(faulty) as socket:
        open_context(socket, "turn-1", speed=0.82)
        socket.send(text=LONG * 3, context_id="turn-1")
        socket.receive()
        socket.send(context_id="turn-1", close_context=True)
        assert len(socket.until_final("turn-1").text) < len(LONG) * 3
        n_others = sum(other in line for line in faulty.log)
        open_context(socket, "turn-2")
        socket.send(text="I see, and that was all.", context_id="turn-2", flush=True)
        faulty.wait_for_more(other, n_others)
        socket.send(context_id="turn-2", close_context=True)
        assert socket.until_final("turn-2").text == "I see, and that was all. "
        socket.close()
    log = "".join(faulty.log)
    assert "run 0.820 started" not in log[log.rindex(other) :]


def test_a_turn_that_is_complete_is_interrupted_by_closing_it_again(faulty):
    with pipecat(faulty) as socket:
        open_context(socket, "turn-1", speed=0.83)
        socket.send(text=LONG * 3, context_id="turn-1", flush=True)
        for _ in range(2):
            socket.send(context_id="turn-1", close_context=True)
        assert len(socket.until_final("turn-1").text) < len(LONG) * 3


def test_a_closed_socket_stops_the_model(faulty):
    with pipecat(faulty) as socket:
        open_context(socket, "turn-1", speed=0.84)
        socket.send(text=LONG * 3, context_id="turn-1")
        faulty.wait_for(r"run 0\.840 started")
    faulty.wait_for(r"path=/v1/text-to-speech/{voice_id}/multi-stream-input .*cancelled")


def test_contexts_are_apart_and_a_name_may_come_again(server):
    texts = {"one": "First.", "two": "Second."}
    with pipecat(server) as socket:
        for context_id in texts:
            open_context(socket, context_id)
        for context_id, text in texts.items():
            socket.send(text=text, context_id=context_id, flush=True)
            socket.send(context_id=context_id, close_context=True)
        assert {name: socket.until_final(name).text.strip() for name in texts} == texts
        socket.send(text="Third.", context_id="one", flush=True)
        socket.send(text="Nobody's.", flush=True)
        socket.send(context_id="none", flush=True)
        socket.send(context_id="none", close_context=True)
        socket.close()
    assert {name: heard.text for name, heard in socket.heard.items()} == {"one": "Third. ", None: "Nobody's. "}


def test_a_text_that_cannot_be_read_ends_its_context_only(server):
    with pipecat(server) as socket:
        open_context(socket, "bad")
        socket.send(text="Ꭰ Ꭱ.", context_id="bad")
        assert socket.until_final("bad").audio == b""
        assert [(error["contextId"], error["error"]) for error in socket.errors] == [("bad", "invalid_text")]
        open_context(socket, "good")
        socket.send(text="Yes.", context_id="good", flush=True)
        socket.close()
    assert socket.heard["good"].text == "Yes. "


NO_MESSAGES = (
    ("no JSON", "invalid_request"), (b"\x00", "invalid_request"), ('{"text": 5}', "invalid_request"),
    ('{"text": "a", "voice_settings": {"speed": 9}}', "invalid_request"),
    ('{"text": "' + "a" * 20_001 + '"}', "max_character_limit_exceeded"),
)  # fmt: skip


@pytest.mark.parametrize("multi", [False, True])
def test_a_message_that_is_none_closes_the_socket(server, multi):
    for message, name in NO_MESSAGES:
        with StreamSocket(server.url, multi=multi) as socket:
            socket.socket.send(message)
            assert socket.until_closed() == 1008
        (error,) = socket.errors
        assert (error["error"], error["code"], error["message"] != "") == (name, 1008, True)


def test_who_sends_nothing_is_closed(server):
    with StreamSocket(server.url, query="output_format=pcm_24000&inactivity_timeout=1") as socket:
        socket.send(text="Yes. ", flush=True)
        assert socket.until_closed() == 1008
    assert socket.heard[None].audio
    assert [error["error"] for error in socket.errors] == ["input_timeout_exceeded"]


REFUSED = (
    ("nobody", "", 404, "voice_not_found"), ("af_heart", "output_format=mp3", 400, "unsupported_format"),
    ("af_heart", "output_format=wav_24000", 400, "unsupported_format"),
    ("af_heart", "language_code=xx", 422, "language_unavailable"),
    ("af_heart", "inactivity_timeout=181", 422, "invalid_request"),
    ("af_heart", "inactivity_timeout=soon", 422, "invalid_request"),
)  # fmt: skip


def test_a_socket_that_cannot_speak_is_not_opened(server):
    answers = []
    for voice_id, query, _, _ in REFUSED:
        answer = refused(StreamSocket, server.url, voice_id, query)
        answers.append((voice_id, query, answer.status_code, answer.json()["detail"]["status"]))
    assert answers == [*REFUSED]


def test_a_socket_needs_the_key(secured):
    assert refused(StreamSocket, secured.url).status_code == 401
    with StreamSocket(secured.url, headers={"xi-api-key": KEYS[0]}) as socket:
        socket.say()


def test_a_session_is_logged_without_its_text(server):
    identity = "stream-of-elevenlabs"
    with StreamSocket(server.url, VOICE, headers={"x-request-id": identity}) as socket:
        socket.say("Extraordinary. ")
    line = log_line(server, identity)
    assert "path=/v1/text-to-speech/{voice_id}/stream-input " in line
    assert "voice=af_bella" in line
    assert "outcome=ok" in line
    assert not any("Extraordinary" in entry or VOICE in entry for entry in server.log)
