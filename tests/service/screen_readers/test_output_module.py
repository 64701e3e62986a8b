"""The output module, as speech-dispatcher talks to it."""

import os
import random
import subprocess
import sys

import numpy as np
import pytest

from service.screen_readers.output_module import FASTEST, Settings, Voices, install
from service.speech.plan import MAX_SPEED
from tests.service.api.speech_client import KEYS
from tests.service.screen_readers.module_process import OutputModule, pcm_of

LONG = "The birch canoe slid on the smooth planks, and nobody knew how long that would go on. " * 4


@pytest.fixture
def module(server):
    with OutputModule(server.url) as module:
        yield module


def codes(events):
    """Return the codes, with those of audio that follow one another as one."""
    found = [event.code for event in events]
    return [code for code, before in zip(found, [None, *found], strict=False) if code != before or code != 705]


def test_a_text_begins_sounds_and_ends(module):
    events = module.say("<speak>Hello there.</speak>")
    assert codes(events) == [701, 705, 702]
    for event in events[1:-1]:
        assert event.lines[:-1] == (
            "bits=16", "num_channels=1", "sample_rate=24000", f"num_samples={len(event.pcm) // 2}", "big_endian=0",
        )  # fmt: skip
    assert np.abs(np.frombuffer(pcm_of(events), "<i2")).max() > 1000


def test_what_is_said_again_is_the_same_and_longer_at_a_lower_rate(module):
    first, again = (pcm_of(module.say("<speak>button</speak>")) for _ in range(2))
    assert first == again
    assert module.set(rate=-50) == 203
    assert len(pcm_of(module.say("<speak>button</speak>"))) > 1.3 * len(first)
    assert module.set(rate=100, pitch=50, volume=0) == 203
    fast = pcm_of(module.say("<speak>button</speak>"))
    assert len(fast) < len(first) / 2
    quieter = np.abs(np.frombuffer(fast, "<i2")).max() / np.abs(np.frombuffer(first, "<i2")).max()
    assert quieter < 0.8


def test_marks_are_told_in_order_where_they_sound(module):
    text = '<speak><mark name="a"/>One sentence.<mark name="b"/> Another one.<mark name="c &amp; d"/></speak>'
    for _ in range(2):  # also from the cache
        events = module.say(text)
        assert [event.lines[0] for event in events if event.code == 700] == ["a", "b", "c & d"]
        places = [len(pcm_of(events[:n])) for n, event in enumerate(events) if event.code == 700]
        whole = len(pcm_of(events))
        assert 0 <= places[0] < places[1] < places[2] <= whole
        assert 0.3 < places[1] / whole < 0.7


def test_stop_and_pause_end_a_text_at_once_and_nothing_of_it_comes_later(module):
    for command, code in (("STOP", 703), ("PAUSE", 704)):
        assert module.begin(f"<speak>{LONG}</speak>") == 200
        module.until(705)
        module.send(command)
        module.until(code)
        events = module.say("<speak>next</speak>")
        assert codes(events) == [701, 705, 702]
        assert len(pcm_of(events)) < 3 * 48_000
    module.send("STOP", "STOP", "PAUSE")  # of nothing
    assert codes(module.say("<speak>next</speak>")) == [701, 705, 702]


@pytest.mark.thorough
def test_any_sequence_of_speaking_and_stopping_is_answered_in_order(module):
    draw = random.Random(57)
    texts = ["<speak>button</speak>", f"<speak>{LONG}</speak>", "<speak>Well, <mark name='m'/>yes.</speak>"]
    for _ in range(60):
        kind = draw.choice(["SPEAK", "SPEAK", "SPEAK", "CHAR", "KEY"])
        text = draw.choice(texts) if kind == "SPEAK" else draw.choice("aB7,.")
        assert module.begin(text, kind) == 200
        if draw.random() < 0.6:
            events = module.until(705) if draw.random() < 0.5 else []
            module.send(draw.choice(["STOP", "PAUSE"]))
            events += module.until(702, 703, 704)
        else:
            events = module.until(702)
        found = [code for code in codes(events) if code not in (700, 705)]
        assert found in ([701, 702], [701, 703], [701, 704], [703], [704]), found


def test_letters_keys_icons_and_what_cannot_be_said(module):
    letters = {letter: pcm_of(module.say(letter, "CHAR")) for letter in ("a", "b", "7", "space", ",")}
    assert len(set(letters.values())) == len(letters)
    assert all(letters.values())
    assert pcm_of(module.say("control_alt_Delete", "KEY"))
    assert pcm_of(module.say("no-such-icon", "SOUND_ICON"))
    assert module.begin("", "SPEAK") == 301
    assert module.begin("a\nb", "CHAR") == 305
    # Markup that is none is text; nothing to say is silence.
    assert codes(module.say("3 < 4 & <b>")) == [701, 705, 702]
    assert codes(module.say("<speak></speak>"))[:1] + codes(module.say("<speak></speak>"))[-1:] == [701, 702]
    assert codes(module.say(".\n. dots\nand lines")) == [701, 705, 702]
    assert codes(module.say('<!DOCTYPE s [<!ENTITY a "b">]><speak>&a; bye</speak>')) == [701, 705, 702]


def test_voices_and_settings(module):
    module.send("LIST VOICES")
    listed = module.next()
    assert (listed.code, len(listed.lines)) == (200, 55)
    assert "af_heart\ten-US\tfemale" in listed.lines
    default = pcm_of(module.say("<speak>hola</speak>"))
    assert module.set(language="es", synthesis_voice="NULL") == 203
    assert pcm_of(module.say("<speak>hola</speak>")) != default
    assert module.set(synthesis_voice="bm_lewis", language="en-US") == 203
    assert pcm_of(module.say("<speak>hola</speak>")) != default
    for name, value in (("rate", "fast"), ("volume", "101"), ("pitch", "")):
        assert module.set(**{name: value}) == 303
    module.send("SET", "nonsense", ".")
    assert [module.next().code, module.next().code] == [207, 302]
    assert module.set(pitch_range=5) == 203  # newer versions may have more


def test_other_commands_are_answered(module, tmp_path):
    log = tmp_path / "debug"
    assert module.ask(f"DEBUG ON {log}").lines == ("OK DEBUGGING ON",)
    assert module.ask("LOGLEVEL").code == 207
    assert module.ask("log_level=3\n.").code == 203
    assert module.ask("DEBUG OFF").lines == ("OK DEBUGGING OFF",)
    assert b"203 OK LOGLEVEL SET" in log.read_bytes()
    assert module.ask(f"DEBUG ON {tmp_path}/none/debug").code == 303
    assert module.ask("DEBUG").code == 302
    assert module.ask("DANCE").code == 300
    assert module.ask("AUDIO").code == 207
    assert module.ask("audio_output_method=oss\n.").code == 303


@pytest.mark.thorough
def test_it_starts_without_the_service_and_speaks_when_it_is_there(start_server):
    with OutputModule("http://127.0.0.1:9") as module:
        module.send("LIST VOICES")
        assert len(module.next().lines) == 55
        assert module.begin("<speak>Hello.</speak>") == 301
    server = start_server()
    server.wait_until_ready()
    with OutputModule(server.url) as module:
        assert codes(module.say("<speak>Hello.</speak>")) == [701, 705, 702]
        assert server.stop() == 0
        assert module.begin("<speak>Another.</speak>") == 301


@pytest.mark.thorough
def test_a_key_comes_from_the_environment(secured, monkeypatch):
    with OutputModule(secured.url) as module:
        assert module.begin("<speak>Hello.</speak>") == 301
    monkeypatch.setenv("KOKORO_API_KEY", KEYS[0])
    with OutputModule(secured.url) as module:
        assert codes(module.say("<speak>Hello.</speak>")) == [701, 705, 702]


def test_what_is_installed_starts_the_module(server, tmp_path):
    program = install(server.url, tmp_path / "modules")
    assert os.access(program, os.X_OK)
    done = subprocess.run([program, "kokoro.conf"], input="INIT\nQUIT\n", capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "210 OK QUIT", done.stderr
    assert sys.executable in program.read_text()


# How settings are understood.


def test_settings_become_speeds_and_gains_up_to_those_of_the_service():
    assert FASTEST == MAX_SPEED
    speeds = [Settings(rate=rate).speed for rate in (-100, -50, 0, 50, 100)]
    assert speeds == [0.333, 0.577, 1.0, 2.449, 6.0]
    assert [Settings(pitch=pitch).pitch_st for pitch in (-100, 0, 50, 100)] == [-4.0, 0.0, 1.0, 2.0]
    assert [Settings(volume=volume).gain_db for volume in (-100, 0, 100)] == [-40.0, -6.0, 0.0]


ROWS = [
    ("af_heart", "en-us", "female"), ("am_adam", "en-us", "male"), ("bm_lewis", "en-gb", "male"),
    ("ef_dora", "es", "female"), ("em_alex", "es", "male"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "voice"),
    [
        ({}, "af_heart"), ({"language": "en"}, "af_heart"), ({"language": "en-GB"}, "bm_lewis"),
        ({"language": "es-MX", "voice": "male2"}, "em_alex"), ({"language": "es"}, "ef_dora"),
        ({"voice": "MALE1"}, "am_adam"), ({"voice": "child_female"}, "af_heart"), ({"language": "tlh"}, "af_heart"),
        ({"synthesis_voice": "em_alex", "language": "en"}, "em_alex"), ({"synthesis_voice": "nobody"}, "af_heart"),
    ],
)  # fmt: skip
def test_the_voice_that_fits_best_speaks(settings, voice):
    assert Voices(ROWS, "af_heart").choose(Settings(**settings))[0] == voice
