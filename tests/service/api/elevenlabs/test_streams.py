"""ElevenLabs' WebSockets, with the messages that its clients send."""

import io
import signal

import httpx
import numpy as np
import pytest
import soundfile
from tests.service.api.elevenlabs.stream_socket import Heard, StreamSocket
from tests.service.api.secured_server import KEYS
from tests.service.api.serving_process import REPLACED_SERVER
from tests.service.api.speech_client import log_line
from tests.service.api.speech_socket import SpeechSocket
from websockets.exceptions import InvalidStatus

VOICE = "hpp4J3VqNfWAUOO0d1Us"
SENTENCES = ("Well, Dr. Smith paid $5.50.", "It was not much, don't you think?")
LONG = (
    "The long clause that follows here is meant to keep the model at work for a good while,"
    " because it goes on and on about nothing in particular until its author has run out of words. "
)
PIPECAT = "model_id=eleven_flash_v2_5&output_format=pcm_24000&auto_mode=true"
LIVEKIT = (
    "model_id=eleven_turbo_v2_5&output_format={format}&enable_ssml_parsing=false"
    "&enable_logging=true&inactivity_timeout=180&apply_text_normalization=auto"
    "&sync_alignment=true&auto_mode=true"
)


def pipecat(server, query=PIPECAT):
    """Connect as pipecat's service does."""
    return StreamSocket(server.url, VOICE, query, {"xi-api-key": "anything"}, multi=True)


def open_context(socket, context_id, **settings):
    """Open a context as pipecat and livekit do."""
    socket.send(text=" ", voice_settings=settings, context_id=context_id)


def spoken_by_synthesize(server, *parts):
    """Return the words that `/synthesize/stream` says of the same text, and when they start."""
    with SpeechSocket(server.url) as talk:
        talk.receive()
        talk.exchange("config", "ready", voice="af_bella")
        talk.say(*parts)
        talk.finish()
        return [
            (talk.text[word["text_start"] : word["text_end"]], word["start_s"])
            for message in talk.of("audio")
            for word in message["words"]
        ]


def assert_clock_is_that_of_the_audio(heard):
    """The alignments are together as long as the audio, which is PCM at 24 kHz."""
    assert heard.clock_ms == pytest.approx(len(heard.audio) / 48, abs=1)


def assert_words_start_as(heard, words):
    found = heard.word_starts()
    assert len(found) == len(words)
    for (shown, start_ms), (text, start_s) in zip(found, words, strict=True):
        assert text in shown
        assert start_ms == pytest.approx(start_s * 1000, abs=1)


# One text.


def test_a_text_in_parts_is_spoken_with_the_times_of_its_words(remembering):
    parts = ("Well, Dr. Sm", "ith paid $5", ".50. It was not ", "much, don't you think? ")
    with StreamSocket(remembering.url, VOICE) as socket:
        socket.send(
            text=" ",
            voice_settings={"stability": 0.5, "similarity_boost": 0.8},
            generation_config={"chunk_length_schedule": [120, 160]},
            xi_api_key="anything",
        )
        for part in parts:
            socket.send(text=part, try_trigger_generation=True)
        socket.send(text="")
        assert socket.until_closed() == 1000
    heard = socket.heard[None]
    assert heard.is_final
    assert heard.text == "".join(parts)
    assert_clock_is_that_of_the_audio(heard)
    assert_words_start_as(heard, spoken_by_synthesize(remembering, *parts))


def test_speech_leaves_inside_the_first_sentence(telling_server):
    with StreamSocket(telling_server.url) as socket:
        socket.send(text=" ", voice_settings={"speed": 0.81})
        socket.send(text=LONG, flush=True)
        socket.receive()
        heard = socket.heard[None]
        assert 0 < heard.clock_ms < 2_000
        assert LONG.startswith(heard.text)
        assert heard.text != LONG
        socket.send(text="")
        assert socket.until_closed() == 1000
    assert heard.text == LONG


def test_a_flush_says_what_is_there_and_the_socket_stays_open(server):
    with StreamSocket(server.url) as socket:
        socket.send(text="Good", flush=False)
        socket.send(text=" day", flush=True)
        while socket.heard.get(None, Heard()).text != "Good day":
            socket.receive()
        socket.send(text=" and good night. ")
        socket.send(text="")
        assert socket.until_closed() == 1000
    assert socket.heard[None].text == "Good day and good night. "
    assert_clock_is_that_of_the_audio(socket.heard[None])


def test_text_that_is_not_said_is_told_all_the_same(server):
    with StreamSocket(server.url) as socket:
        socket.send(text="— — —\nYes. ")
        socket.send(text="…\n…", flush=True)
        socket.send(text="")
        assert socket.until_closed() == 1000
    assert socket.heard[None].text == "— — —\nYes. …\n…"


def test_a_text_with_nothing_to_pronounce_is_a_short_silence(server):
    with StreamSocket(server.url) as socket:
        socket.send(text="\N{SLIGHTLY SMILING FACE}")
        socket.send(text="")
        assert socket.until_closed() == 1000
    assert socket.heard[None].audio == bytes(2 * 4_800)  # 0.2 s
    assert socket.heard[None].text == "\N{SLIGHTLY SMILING FACE}"


@pytest.mark.parametrize("messages", [[], [" "]])
def test_an_empty_text_is_over_at_once(server, messages):
    with StreamSocket(server.url) as socket:
        for text in (*messages, ""):
            socket.send(text=text)
        assert socket.until_closed() == 1000
    heard = socket.heard[None]
    assert heard.is_final
    assert heard.audio == b""


@pytest.mark.parametrize("name", ["mp3_22050_32", "opus_48000_64"])
def test_the_audio_of_a_text_is_one_file(server, name):
    with StreamSocket(server.url, VOICE, f"output_format={name}") as socket:
        for sentence in SENTENCES:
            socket.send(text=f"{sentence} ", flush=True)
        socket.send(text="")
        assert socket.until_closed() == 1000
    heard = socket.heard[None]
    samples, rate = soundfile.read(io.BytesIO(heard.audio))
    assert samples.size / rate * 1000 == pytest.approx(heard.clock_ms, abs=150)
    assert np.abs(samples).max() > 0.1


# Several texts.


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
        # Each of its messages is a sentence, and its words end at spaces.
        assert heard.text == "".join(f"{sentence} " for sentence in SENTENCES)
        assert_clock_is_that_of_the_audio(heard)
        words = spoken_by_synthesize(remembering, *(f"{sentence} " for sentence in SENTENCES))
        assert_words_start_as(heard, words)
        socket.send(close_socket=True)
        assert socket.until_closed() == 1000
    assert not socket.heard


def test_an_interruption_stops_the_model_and_leaves_the_socket_open(telling_server):
    with pipecat(telling_server) as socket:
        open_context(socket, "turn-1", speed=0.82)
        socket.send(text=LONG * 3, context_id="turn-1")
        socket.receive()
        socket.send(context_id="turn-1", close_context=True)
        heard = socket.until_final("turn-1")
        assert len(heard.text) < len(LONG) * 3
        n_runs = sum("run 0.820 started" in line for line in telling_server.log)
        open_context(socket, "turn-2")
        socket.send(text="Yes.", context_id="turn-2", flush=True)
        socket.send(context_id="turn-2", close_context=True)
        assert socket.until_final("turn-2").text == "Yes. "
        assert sum("run 0.820 started" in line for line in telling_server.log) == n_runs
        socket.send(close_socket=True)
        assert socket.until_closed() == 1000


def test_a_turn_that_is_complete_is_interrupted_by_closing_it_again(telling_server):
    with pipecat(telling_server) as socket:
        open_context(socket, "turn-1", speed=0.83)
        socket.send(text=LONG * 3, context_id="turn-1", flush=True)
        for _ in range(2):
            socket.send(context_id="turn-1", close_context=True)
        heard = socket.until_final("turn-1")
        assert len(heard.text) < len(LONG) * 3


def test_a_closed_socket_stops_the_model(telling_server):
    with pipecat(telling_server) as socket:
        open_context(socket, "turn-1", speed=0.84)
        socket.send(text=LONG * 3, context_id="turn-1")
        telling_server.wait_for(r"run 0\.840 started")
    telling_server.wait_for(r"path=/v1/text-to-speech/{voice_id}/multi-stream-input .*cancelled")


@pytest.mark.parametrize("audio_format", ["pcm_24000", "mp3_22050_32"])
def test_livekit_gets_its_sentences_in_one_time(server, audio_format):
    with pipecat(server, LIVEKIT.format(format=audio_format)) as socket:
        open_context(socket, "segment")
        for sentence in SENTENCES:
            socket.send(text=f"{sentence} ", context_id="segment", flush=True)
        socket.send(text="", context_id="segment", flush=True)
        socket.send(context_id="segment", close_context=True)
        heard = socket.until_final("segment")
        assert heard.text == "".join(f"{sentence} " for sentence in SENTENCES)
        starts = [character.start_ms for character in heard.characters]
        assert starts == sorted(starts)
        if audio_format == "pcm_24000":
            assert_clock_is_that_of_the_audio(heard)


def test_contexts_are_apart_and_a_name_may_come_again(server):
    with pipecat(server) as socket:
        texts = {"one": "First.", "two": "Second."}
        for context_id in texts:
            open_context(socket, context_id)
        for context_id, text in texts.items():
            socket.send(text=text, context_id=context_id, flush=True)
            socket.send(context_id=context_id, close_context=True)
        for context_id, text in texts.items():
            assert socket.until_final(context_id).text == f"{text} "
        socket.send(text="Third.", context_id="one", flush=True)
        socket.send(text="Nobody's.", flush=True)
        socket.send(context_id="none", flush=True)
        socket.send(context_id="none", close_context=True)
        socket.send(close_socket=True)
        assert socket.until_closed() == 1000
    assert {name: heard.text for name, heard in socket.heard.items()} == {"one": "Third. ", None: "Nobody's. "}


# Errors.


def test_a_text_that_cannot_be_read_ends_its_context_only(server):
    with pipecat(server) as socket:
        open_context(socket, "bad")
        socket.send(text="Ꭰ Ꭱ.", context_id="bad")
        assert socket.until_final("bad").audio == b""
        (error,) = socket.errors
        assert (error["contextId"], error["error"]) == ("bad", "invalid_text")
        open_context(socket, "good")
        socket.send(text="Yes.", context_id="good", flush=True)
        socket.send(close_socket=True)
        assert socket.until_closed() == 1000
    assert socket.heard["good"].text == "Yes. "


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("no JSON", "invalid_request"),
        (b"\x00", "invalid_request"),
        ('{"text": 5}', "invalid_request"),
        ('{"text": "a", "voice_settings": {"speed": 9}}', "invalid_request"),
        ('{"text": "' + "a" * 20_001 + '"}', "max_character_limit_exceeded"),
    ],
)
def test_a_message_that_is_none_closes_the_socket(server, message, name):
    for multi in (False, True):
        with StreamSocket(server.url, multi=multi) as socket:
            socket.socket.send(message)
            assert socket.until_closed() == 1008
        (error,) = socket.errors
        assert (error["error"], error["code"]) == (name, 1008)
        assert error["message"]


def test_who_sends_nothing_is_closed(server):
    query = "output_format=pcm_24000&inactivity_timeout=1"
    with StreamSocket(server.url, query=query) as socket:
        socket.send(text="Yes. ", flush=True)
        assert socket.until_closed() == 1008
    assert socket.heard[None].audio
    (error,) = socket.errors
    assert error["error"] == "input_timeout_exceeded"


@pytest.mark.parametrize(
    ("voice_id", "query", "status", "name"),
    [
        ("nobody", "", 404, "voice_not_found"),
        ("af_heart", "output_format=mp3", 400, "unsupported_format"),
        ("af_heart", "output_format=wav_24000", 400, "unsupported_format"),
        ("af_heart", "language_code=xx", 422, "language_unavailable"),
        ("af_heart", "inactivity_timeout=181", 422, "invalid_request"),
        ("af_heart", "inactivity_timeout=soon", 422, "invalid_request"),
    ],
)
def test_a_socket_that_cannot_speak_is_not_opened(server, voice_id, query, status, name):
    with pytest.raises(InvalidStatus) as refused:
        StreamSocket(server.url, voice_id, query)
    response = refused.value.response
    assert response.status_code == status
    detail = httpx.Response(status, content=bytes(response.body)).json()["detail"]
    assert detail["status"] == name


def test_a_socket_needs_the_key(secured):
    with pytest.raises(InvalidStatus) as refused:
        StreamSocket(secured.url)
    assert refused.value.response.status_code == 401
    with StreamSocket(secured.url, headers={"xi-api-key": KEYS[0]}) as socket:
        socket.send(text="")
        assert socket.until_closed() == 1000


@pytest.mark.own_server
@pytest.mark.thorough
def test_a_service_that_stops_says_what_it_was_given(start_server):
    server = start_server()
    server.wait_until_ready()
    with pipecat(server) as socket:
        open_context(socket, "last")
        socket.send(text="Good night.", context_id="last")
        socket.receive()
        server.process.send_signal(signal.SIGTERM)
        assert socket.until_closed() == 1001
    assert socket.heard["last"].text == "Good night. "
    assert socket.heard["last"].is_final
    assert server.stop() == 0


@pytest.mark.own_server
@pytest.mark.thorough
def test_a_replica_that_is_replaced_ends_its_sessions_in_time(start_real_server):
    server = start_real_server(program=REPLACED_SERVER)
    server.wait_until_ready()
    with pipecat(server) as socket:
        open_context(socket, "long")
        socket.send(text="Good night, and so on. " * 40, context_id="long")
        socket.receive()
        server.process.send_signal(signal.SIGUSR1)
        assert socket.until_closed() == 1001
    assert not socket.heard["long"].is_final
    (error,) = socket.errors
    assert (error["error"], error["code"]) == ("not_ready", 1001)
    assert server.stop() == 0


def test_a_session_is_logged_without_its_text(server):
    identity = "stream-of-elevenlabs"
    with StreamSocket(server.url, VOICE, headers={"x-request-id": identity}) as socket:
        socket.send(text="Extraordinary. ")
        socket.send(text="")
        assert socket.until_closed() == 1000
    line = log_line(server, identity)
    assert "path=/v1/text-to-speech/{voice_id}/stream-input " in line
    assert "voice=af_bella" in line
    assert "outcome=ok" in line
    assert not any("Extraordinary" in entry or VOICE in entry for entry in server.log)
