import contextlib
import functools
import os
import random
import signal
import subprocess
import sys
import time
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from service.errors import EmptyTextError, EspeakError, InvalidTextError
from service.text import LANGUAGES, Espeak, check_text
from service.text.espeak import process as espeak_process

AMERICAN = "gmw/en-US"
FRENCH = "roa/fr"
VOICES = [language.espeak_voice for language in LANGUAGES.values() if language.espeak_voice]

NEEDS_PROC = pytest.mark.skipif(
    not Path("/proc/self/task").is_dir(), reason="looks processes up in /proc, which is Linux's"
)

# Each one crashed espeak-ng 1.52 with some or all voices.
KILLERS = [
    "Tह-ं",
    "---लच्छेद",
    "X\u0d37-\u0d19",
    "'-\u0d30",
    "…-ഹҕ",
    "—-ঠৎ",
    "x\u097f-\u0912\u095c",
    "ꙝs㉿",
    "ꬷɍ",
    "s'" * 125,
]


def process_of(espeak):
    """Return the parent process of all forks."""
    assert espeak._process is not None
    return espeak._process.pid


def child_of(pid):
    """Return the only child of a process, once it has one."""
    deadline = time.monotonic() + 20
    while not (children := Path(f"/proc/{pid}/task/{pid}/children").read_text().split()):
        assert time.monotonic() < deadline
        time.sleep(0.001)
    return int(children[0])


def wait_until_gone(pid):
    deadline = time.monotonic() + 20
    while (stat := Path(f"/proc/{pid}/stat")).exists():
        if stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.parametrize("text", KILLERS)
def test_what_crashes_espeak_is_read_or_refused_and_the_next_text_read(espeak, text):
    process = process_of(espeak)
    for voice in VOICES:
        with contextlib.suppress(InvalidTextError):
            espeak.phonemize(text, voice)
    assert process_of(espeak) == process
    assert espeak.phonemize("cats", AMERICAN) == "kˈæts"


def test_one_of_them_does_kill(espeak):
    if not espeak.version.startswith("1.52"):
        pytest.skip(f"known of espeak-ng 1.52, this is {espeak.version}")
    with pytest.raises(InvalidTextError, match="espeak-ng crashes on 'Tह-ं'"):
        espeak.phonemize("Tह-ं", AMERICAN)


@pytest.mark.thorough
def test_threads_get_their_own_answers_while_some_texts_kill(espeak):
    def read(number):
        try:
            return espeak.phonemize("Tह-ं" if number % 5 == 0 else str(number), AMERICAN)
        except InvalidTextError:
            return "refused"

    expected = [read(number) for number in range(100)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(read, range(100))) == expected


@pytest.mark.parametrize(
    ("voice", "before", "text"),
    [
        (FRENCH, "I was", "read"), (FRENCH, "I will", "un live"), ("inc/hi", "I have", "I read it"),
        ("inc/hi", "I will", "record the record"), (FRENCH, "9ستر", "৴ঠকৠ6 🤵 9ستر duXoãé F"),
    ],
)  # fmt: skip
def test_a_text_is_read_the_same_whatever_was_read_before(espeak, voice, before, text):
    alone = Espeak().phonemize(text, voice)
    espeak.phonemize(before, voice)
    assert espeak.phonemize(text, voice) == alone


@NEEDS_PROC
def test_a_reader_that_is_killed_from_outside_is_replaced():
    espeak = Espeak()
    process = process_of(espeak)
    os.kill(child_of(process), signal.SIGKILL)
    wait_until_gone(process)
    assert espeak.phonemize("cats", AMERICAN) == "kˈæts"
    assert process_of(espeak) != process


@NEEDS_PROC
def test_readers_go_on_or_are_replaced_when_their_process_is_killed():
    espeak = Espeak()
    process = process_of(espeak)
    reader = child_of(process)
    os.kill(process, signal.SIGKILL)
    wait_until_gone(process)
    assert espeak.phonemize("cats", AMERICAN) == "kˈæts"
    os.kill(reader, signal.SIGKILL)
    wait_until_gone(reader)
    assert espeak.phonemize("cats", AMERICAN) == "kˈæts"
    assert process_of(espeak) != process


@NEEDS_PROC
def test_processes_end_with_the_object():
    espeak = Espeak()
    process = process_of(espeak)
    reader = child_of(process)
    del espeak
    wait_until_gone(process)
    wait_until_gone(reader)


@NEEDS_PROC
def test_processes_end_with_the_service_that_is_killed(repository):
    code = """
import sys
from service.text import Espeak
espeak = Espeak()
espeak.phonemize("cats", "gmw/en-US")
print("ready", flush=True)
sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=repository, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as service:
        assert service.stdout is not None
        assert service.stdout.readline() == b"ready\n"
        process = child_of(service.pid)
        reader = child_of(process)
        service.kill()
    wait_until_gone(process)
    wait_until_gone(reader)


@NEEDS_PROC
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_to_all_processes_leave_the_readers_to_the_service(number):
    espeak = Espeak()
    process = process_of(espeak)
    for pid in (process, child_of(process)):
        os.kill(pid, number)
    assert espeak.phonemize("cats", AMERICAN) == "kˈæts"
    assert process_of(espeak) == process


# Loads the script with a reader that fails in ways that were not seen with espeak-ng.
FAILING = """
import importlib.util, os, sys
spec = importlib.util.spec_from_file_location("espeak_process", {script!r})
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)

class Library:
    def __init__(self, library, data):
        if "{start}" == "dies":
            os.abort()

    def describe(self):
        return b"0\\0/"

    def phonemize(self, text, voice):
        while text == b"hang":
            pass
        if text == b"leave":
            os._exit(0)
        print("not an answer", flush=True)
        return text.decode()

module._Library = Library
module._MAX_READING_S = 0.05
module._main(*sys.argv[1:])
"""


def failing(tmp_path, monkeypatch, start="works"):
    script = tmp_path / "failing.py"
    script.write_text(FAILING.format(script=espeak_process.__file__, start=start))
    monkeypatch.setattr(espeak_process, "__file__", str(script))
    return Espeak()


def test_a_text_that_takes_for_ever_is_refused(tmp_path, monkeypatch):
    espeak = failing(tmp_path, monkeypatch)
    with pytest.raises(InvalidTextError, match="'hang'"):
        espeak.phonemize("hang", "any")
    assert espeak.phonemize("go on", "any") == "go on"


def test_a_text_that_ends_the_process_is_refused(tmp_path, monkeypatch):
    espeak = failing(tmp_path, monkeypatch)
    with pytest.raises(InvalidTextError, match="'leave'"):
        espeak.phonemize("leave", "any")
    assert espeak.phonemize("go on", "any") == "go on"


def test_a_library_that_kills_who_loads_it_cannot_be_used(tmp_path, monkeypatch):
    with pytest.raises(EspeakError, match="crashes the process that loads it"):
        failing(tmp_path, monkeypatch, start="dies")


def test_what_cannot_be_started_again_is_an_error(tmp_path, monkeypatch):
    espeak = failing(tmp_path, monkeypatch)
    Path(espeak_process.__file__).write_text("")
    with pytest.raises(EspeakError, match="cannot be started again"):
        espeak.phonemize("leave", "any")


# Scripts that espeak-ng reads by the rules of a language other than the voice's, and some more.
SCRIPTS = [
    *["LATIN", "DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU"],
    *["KANNADA", "MALAYALAM", "SINHALA", "GREEK", "CYRILLIC", "ARMENIAN", "GEORGIAN"],
    *["HANGUL", "HIRAGANA", "ARABIC", "HEBREW", "THAI", "MYANMAR", "ETHIOPIC", "CIRCLED"],
]
ASCII = [chr(code) for code in range(0x21, 0x7F)]
SIGNS = [*"-'’—…_./0123456789½²€😀🤷", "\u200d", "\u200c", "\ufe0f", "\u0301", "\u0327"]


@functools.cache
def letters():
    """Return the letters of each script."""
    found = {script: [] for script in SCRIPTS}
    for character in map(chr, range(0x21, 0x11000)):
        script = unicodedata.name(character, "").split(" ")[0]
        if script in found and unicodedata.name(character) != script:
            found[script].append(character)
    return found


def strange_text(source):
    """Return a word or two of at most 12 characters, mostly of one to three scripts."""
    alphabets = [ASCII, SIGNS, *source.sample(list(letters().values()), 2)]
    words = []
    for _ in range(source.randint(1, 2)):
        alphabet = source.choice(alphabets[2:])
        mixed = [source.choice(alphabets) if source.random() < 0.5 else alphabet for _ in range(12)]
        words.append("".join(map(source.choice, mixed))[: source.randint(1, 12)])
    return " ".join(words)


def any_text(source):
    """Return one to eight characters of all of Unicode."""
    text = "".join(chr(source.randrange(0x20, 0x110000)) for _ in range(source.randint(1, 8)))
    try:
        check_text(text)
    except (EmptyTextError, InvalidTextError):
        return any_text(source)
    return text


def read_strange_texts(espeak, seed, times):
    source = random.Random(seed)
    process = process_of(espeak)
    n_refused = 0
    for _ in range(times):
        text = strange_text(source) if source.random() < 0.8 else any_text(source)
        try:
            espeak.phonemize(text, source.choice(VOICES))
        except InvalidTextError:
            n_refused += 1
    # The same process is still running: only forks died, and only a few.
    assert process_of(espeak) == process
    assert n_refused < times / 500


@pytest.mark.thorough
def test_strange_texts_crash_nothing(espeak):
    read_strange_texts(espeak, seed=1, times=5_000)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
def test_very_many_strange_texts_crash_nothing(espeak, seed):
    read_strange_texts(espeak, seed, times=200_000)
