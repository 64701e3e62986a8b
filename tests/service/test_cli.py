import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from service import __version__, playback
from service.errors import InvalidRequestError
from service.model.prepared import GRAPHS
from service.playback import PlaybackError
from service.preparation import assembly
from service.resources import resource
from service.saying import normalization_of
from service.settings import Settings
from service.speech import VoiceLibrary
from service.tensor_files import pytorch_file
from service.text import USUAL, Normalization
from tests.service.commands import command, complaint
from tests.small_kokoro import write_small_kokoro


def run(*arguments, stdin=""):
    """Run a command in a process of its own: once for each kind of end, else `command` will do."""
    return subprocess.run([sys.executable, "-m", "service", *arguments], input=stdin, capture_output=True, text=True)


def test_say_writes_a_file(model_file, cache_dir, tmp_path):
    output = tmp_path / "hello.wav"
    done = run("say", "Hello.", "-o", str(output), "--cache-dir", str(cache_dir))
    assert done.returncode == 0, done.stderr
    info = soundfile.info(output)
    assert (info.samplerate, info.channels, info.subtype) == (24_000, 1, "PCM_16")
    assert info.duration > 0.5
    assert f"{info.duration:.2f} s of speech" in done.stderr


@pytest.mark.thorough
def test_say_reads_standard_input_and_shows_progress_on_long_text(model_file, cache_dir, tmp_path):
    output = tmp_path / "long.pcm"
    done = run(
        "say", "-", "-o", str(output), "--cache-dir", str(cache_dir), "--voice", "bm_lewis",
        "--speed", "2", stdin="This sentence is said many times over. " * 12,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "chunk 2, " in done.stderr
    assert "100%, " in done.stderr
    assert output.stat().st_size > 2 * 24_000 * 5


@pytest.mark.thorough
def test_say_takes_phonemes(model_file, cache_dir, tmp_path):
    arguments = ("-o", str(tmp_path / "a.wav"), "--cache-dir", str(cache_dir), "--phonemes")
    assert run("say", "həlˈO.", *arguments).returncode == 0
    done = run("say", "hello4", *arguments)
    assert done.returncode == 1
    assert re.match("kokoro-service: .*4", done.stderr.splitlines()[-1])


def test_a_process_tells_its_version_its_commands_and_why_it_refuses():
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"kokoro-service {__version__}\n")
    done = command("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "serve HTTP and WebSocket until stopped" in done.stdout
    done = run("say", "a", "-o", "/nowhere/a.wav")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "kokoro-service: /nowhere/a.wav: there is no folder /nowhere\n"


def test_every_command_tells_its_own_flags_and_those_of_the_settings_if_asked():
    usual = command("--help").stdout
    assert command().stdout == usual
    names = re.findall(r"^    ([a-z-]+)", usual, re.MULTILINE)
    assert {"serve", "say", "read", "voices", "mcp", "speech-dispatcher"} <= set(names)
    for name in (*names, "voices add", "voices mix"):
        done = command(*name.split(), "--help")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(f"usage: kokoro-service {name} ")
        assert {"--config", "--help-settings"} <= set(re.findall(r"--[a-z-]+", done.stdout))
        assert "--max-requests" not in done.stdout
        settings = command(*name.split(), "--help-settings")
        assert (settings.returncode, settings.stderr) == (0, "")
        told = set(re.findall(r"^  (--[a-z0-9-]+)", done.stdout + settings.stdout, re.MULTILINE))
        flags = {f"--{field.replace('_', '-')}" for field in Settings.model_fields}
        assert flags - told == {"--cuda-options", "--tensorrt-options", "--openai-voices"}, name
    for line in re.findall(r"^  (kokoro-service .*?)(?: +#.*)?$", usual, re.MULTILINE):
        assert shlex.split(line)[1] in names


def test_a_mistake_shows_the_flags_of_the_command_alone():
    done = command("say", "a", "--speed", "quick")
    assert "--volume" in done.stderr
    assert "--max-requests" not in done.stderr


def test_what_is_no_command_flag_or_variable_is_told(monkeypatch):
    for arguments in (["sing"], ["voices", "--loud"], ["say", "a", "--speed", "quick"]):
        done = command(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert "kokoro-service" in done.stderr.splitlines()[-1]
    monkeypatch.setenv("KOKORO_VOICE_DIR", "x")
    assert "KOKORO_VOICE_DIR (did you mean KOKORO_VOICES_DIR?)" in complaint("voices")


MISTAKES = [
    ("say ''", "empty"), ("say a -o a.m4a", ".wav"), ("say a -o /nowhere/a.wav", "/nowhere/a.wav"),
    ("say a -o /proc.wav/a.wav", "there is no folder"), ("say a -f a.txt", "not both"),
    ("say -f /nowhere.txt", "/nowhere.txt"), ("cache nobody --clear", "not in the cache: nobody"),
    ("say a --speed 9", "speed"), ("say a --loudness -3", "-50 to -10 LUFS"),
    ("say a --loudness -20 --volume 3", "not both"), ("say a --normalize yes", "urls=short,code=skip"),
    ("say a --normalize urls=long", "urls: Input should be 'full'"),
    ("say a --normalize links=skip", "links: Unexpected"), ("say a --normalize {urls", "no JSON"),
    ("voices --port x", "port"), ("voices --config /nowhere.toml", "/nowhere.toml"),
    ("prepare --model /nowhere.onnx", "/nowhere.onnx"), ("prepare --model x.onnx --no-prepare", "nothing to prepare"),
    (f"prepare --model {__file__}", "preparing the model failed"),
]  # fmt: skip


def test_mistakes_are_told_in_one_line(model_file, cache_dir):
    misses = {}
    for line, named in MISTAKES:
        arguments = shlex.split(line)
        if arguments[0] == "say" and "-o" not in arguments:
            arguments += ["-o", "a.wav"]
        done = command(*arguments, "--cache-dir", str(cache_dir))
        last = done.stderr.strip().splitlines()[-1]
        is_told = done.returncode == 1 and named in last and last.startswith("kokoro-service: ")
        if not is_told or "Traceback" in done.stderr:
            misses[line] = done.stderr
    assert not misses


def test_voices_lists_them():
    lines = command("voices").stdout.splitlines()
    assert len(lines) == 54
    assert lines[0].split() == ["af_alloy", "en-us", "female"]


def test_voices_are_added_and_blends_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    added = tmp_path / "data/kokoro-service/voices"
    styles = VoiceLibrary(resource("voices")).styles
    heart = styles(VoiceLibrary(resource("voices")).resolve("af_heart"))
    (tmp_path / "anna.pt").write_bytes(pytorch_file(heart))
    np.savez(tmp_path / "more.npz", ef_eva=heart[:1], em_max=heart)
    done = command("voices", "add", str(tmp_path / "anna.pt"), "--language", "es", "--sex", "female")
    assert done.stdout.splitlines() == [str(added / "anna.bin")]
    assert len(command("voices", "add", str(tmp_path / "more.npz")).stdout.splitlines()) == 2
    assert command("voices", "mix", "anna(3)-af_sky", "--save", "my_mix").returncode == 0
    listed = {line.split()[0]: line.split()[1:] for line in command("voices").stdout.splitlines()}
    assert len(listed) == 58
    assert [listed[name] for name in ("anna", "ef_eva", "my_mix")] == [["es", "female"], ["es", "female"], ["es", "-"]]
    library = VoiceLibrary(resource("voices"), added)
    assert np.array_equal(library.styles(library.resolve("anna")), heart)
    assert np.array_equal(library.styles(library.resolve("ef_eva"))[509], heart[0])
    mixed = (3 * heart - styles(VoiceLibrary(resource("voices")).resolve("af_sky"))) / 2
    np.testing.assert_allclose(library.styles(library.resolve("my_mix")), mixed, rtol=1e-5, atol=1e-6)
    before = sorted(added.iterdir())
    for arguments, told in (
        (["add", str(tmp_path / "anna.pt")], "of these names already: anna"),
        (["add", str(tmp_path / "more.npz"), "--name", "x"], "has 2 voices"),
        (["add", str(tmp_path / "anna.pt"), "--name", "../x"], "no name of a voice"),
        (["add", str(tmp_path / "anna.pt"), "--name", "b", "--language", "xx"], "unknown language 'xx'"),
        (["add", str(tmp_path / "none.pt")], "none.pt"), (["mix", "anna+", "--save", "c"], "is no voice"),
        (["mix", "anna", "--save", "af_heart"], "of these names already: af_heart"),
    ):  # fmt: skip
        done = command("voices", *arguments)
        assert done.returncode == 1
        assert told in done.stderr
    assert sorted(added.iterdir()) == before
    own = tmp_path / "own"
    assert command("voices", "--voices-dir", str(own), "add", str(tmp_path / "anna.pt")).returncode == 0
    assert [line.split()[0] for line in command("voices", "--voices-dir", str(own)).stdout.splitlines()] == ["anna"]


def test_prepare_prepares_the_model_once_and_says_where(model_file, cache_dir):
    done = command("prepare", "--cache-dir", str(cache_dir))
    assert done.returncode == 0, done.stderr
    folder = Path(done.stdout.strip())
    assert folder.parent == cache_dir / "prepared"
    files = {name for graph in GRAPHS for name in graph}
    assert {path.name for path in folder.iterdir()} == {"manifest.json", *files}
    again = command("prepare", "--cache-dir", str(cache_dir), "--model", str(model_file))
    assert (again.stdout, again.stderr) == (done.stdout, "")


def test_prepare_writes_the_published_model_where_none_is_prepared(tmp_path):
    done = command("prepare", "--cache-dir", str(tmp_path), "--no-prepare")
    assert done.returncode == 0, done.stderr
    assert assembly.is_published(Path(done.stdout.strip()))
    assert {path.suffix for path in tmp_path.iterdir()} == {".lock", ".onnx"}


def test_doctor_finds_everything_well(model_file, cache_dir):
    done = command("doctor", "--json", "--cache-dir", str(cache_dir))
    findings = {finding["name"]: finding for finding in json.loads(done.stdout)}
    assert done.returncode == 0
    assert not any(finding["ok"] is False for finding in findings.values())
    details = {name: finding["detail"] for name, finding in findings.items()}
    told = {
        "onnxruntime": "libonnxruntime.so", "compiled in": "CPUExecutionProvider", "memory": "GiB available",
        "voices": "54", "model": "gives durations", "prepared": "operators", "self-test": "passed in",
    }  # fmt: skip
    assert not {name: details[name] for name, part in told.items() if part not in details[name]}
    assert findings["provider cpu"]["ok"]
    assert details["board"]
    assert {"driver", "cuda", "cudnn", "tensorrt"} <= findings.keys()
    if "our own" in details["prepared"]:
        assert details["native kernels"].startswith(f"{details['prepared'].rpartition(' ')[2]}, ")
        assert "% of this machine's peak" in details["native kernels"]


@pytest.mark.parametrize(("arguments", "failing"), [
    (["--voices-dir", "/nowhere"], "no voices"), (["--model", "/nowhere/m.onnx"], "m.onnx"),
    (["--espeak-data", "/nowhere"], "/nowhere"), (["--voice", "af_nobody"], "af_nobody"),
    (["--kernels", "abacus"], "kernels = abacus: "),
])  # fmt: skip
def test_doctor_says_what_is_wrong_and_its_status_tells(model_file, cache_dir, arguments, failing):
    assert_failing(command("doctor", "--cache-dir", str(cache_dir), *arguments), failing)


@pytest.mark.thorough
def test_doctor_says_that_there_is_no_library(model_file, cache_dir, monkeypatch):
    monkeypatch.setenv("ONNXRUNTIME_LIB_DIR", "/nowhere")
    assert_failing(run("doctor", "--cache-dir", str(cache_dir)), "ONNXRUNTIME_LIB_DIR is set")


def assert_failing(done, failing):
    assert done.returncode == 1
    failures = [line for line in done.stdout.splitlines() if line.startswith("FAIL")]
    assert len(failures) == 1
    assert failing in failures[0]


def test_doctor_says_why_cuda_cannot_be_had_where_it_is_asked_for(model_file, cache_dir):
    done = command("doctor", "--json", "--cache-dir", str(cache_dir), "--provider", "cuda")
    assert done.returncode == 1
    findings = {finding["name"]: finding for finding in json.loads(done.stdout)}
    verdict = findings["provider cuda"]
    if "CUDAExecutionProvider" in findings["compiled in"]["detail"]:
        pytest.skip("needs an ONNX Runtime without CUDA: unset ONNXRUNTIME_DIR")
    assert verdict["ok"] is False
    assert "was built without CUDA: set ONNXRUNTIME_DIR" in verdict["detail"]


# What the command `say` makes of its arguments.


def test_choices_are_those_of_synthesize_and_others_are_refused_by_name():
    chosen = {
        "true": USUAL, "false": None, "{}": USUAL, "urls=short": Normalization(urls="short"),
        "urls=skip, code=skip,markdown=false": Normalization("skip", None, False, "skip"),
        '{"emoji": "name", "numbers_as": "digits"}': Normalization(emoji="name", numbers_as="digits"),
        '{"markdown": false}': Normalization(markdown=False),
    }  # fmt: skip
    assert {option: normalization_of(option) for option in chosen} == chosen
    for option in ("", "yes", "urls", "urls=", "urls=long", "x=1", "{", "[]", '{"x": 1}'):
        with pytest.raises(InvalidRequestError, match=r"^--normalize"):
            normalization_of(option)


# Playing through the machine's player; players here are programs that write down what they get.


KEEPS_INPUT = '#!/bin/sh\nprintf %s "$*" > "{folder}/arguments"\n/bin/cat > "{folder}/heard"\n'
KEEPS_FILE = '#!/bin/sh\n/bin/cp "$1" "{folder}/heard"\n'
FAILS = "#!/bin/sh\necho 'Connection refused' >&2\nexit 1\n"


def put(folder, name, program):
    """Install a player; return the one that is found."""
    path = folder / name
    path.write_text(program.format(folder=folder))
    path.chmod(0o755)
    return playback.find_player()


@pytest.fixture
def players(tmp_path, monkeypatch):
    """A folder that is all of the PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_the_first_player_of_the_list_is_taken_or_the_message_says_what_to_do(players):
    with pytest.raises(PlaybackError, match=r"no player \(paplay, .*\): name a file with -o"):
        playback.find_player()
    assert put(players, "aplay", KEEPS_INPUT).command[0] == "aplay"
    assert put(players, "paplay", KEEPS_INPUT).command[0] == "paplay"


def test_samples_are_played_as_they_come(players):
    playback.play_samples(put(players, "aplay", KEEPS_INPUT), [b"ab", b"", b"cd"])
    assert (players / "heard").read_bytes() == b"abcd"
    assert "-r 24000" in (players / "arguments").read_text()


def test_a_player_of_files_gets_a_file(players):
    player = put(players, "afplay", KEEPS_FILE)
    assert not player.reads_samples
    playback.play_file(player, b"RIFF")
    assert (players / "heard").read_bytes() == b"RIFF"


@pytest.mark.parametrize("name", ["paplay", "pw-play"])
def test_what_a_player_complains_of_is_told(players, name):
    player = put(players, name, FAILS)
    play, sound = (playback.play_samples, [b"ab"] * 100_000) if player.reads_samples else (playback.play_file, b"RIFF")
    with pytest.raises(PlaybackError, match=f"{name} cannot play: Connection refused"):
        play(player, sound)


def test_a_player_does_not_outlive_what_stops_the_speech(players):
    player = put(players, "aplay", "#!/bin/sh\nprintf %s $$ > '{folder}/pid'\nexec /bin/sleep 1000\n")

    def interrupted():
        while not (players / "pid").exists() or not (players / "pid").read_text():
            yield b""
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        playback.play_samples(player, interrupted())
    with pytest.raises(ProcessLookupError):
        os.kill(int((players / "pid").read_text()), 0)


@pytest.mark.thorough
def test_say_plays_where_no_file_is_named(players):
    put(players, "aplay", KEEPS_INPUT)
    model = write_small_kokoro(players / "small.onnx")
    done = run("say", "Hello.", "--model", str(model), "--no-prepare")
    assert done.returncode == 0, done.stderr
    assert len((players / "heard").read_bytes()) > 2 * 24_000 * 0.5
    assert "aplay: " in done.stderr
