"""Playing through the machine's player; players here are programs that write down what they get."""

import os
import subprocess
import sys

import pytest
from service.playback import PlaybackError
from tests.small_kokoro import write_small_kokoro

from service import playback

KEEPS_INPUT = '#!/bin/sh\nprintf %s "$*" > "{folder}/arguments"\n/bin/cat > "{folder}/heard"\n'
KEEPS_FILE = '#!/bin/sh\n/bin/cp "$1" "{folder}/heard"\n'
FAILS = "#!/bin/sh\necho 'Connection refused' >&2\nexit 1\n"


def put(folder, name, program):
    path = folder / name
    path.write_text(program.format(folder=folder))
    path.chmod(0o755)


@pytest.fixture
def players(tmp_path, monkeypatch):
    """A folder that is all of the PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_the_first_player_of_the_list_is_taken(players):
    put(players, "aplay", KEEPS_INPUT)
    assert playback.find_player().command[0] == "aplay"
    put(players, "paplay", KEEPS_INPUT)
    assert playback.find_player().command[0] == "paplay"


def test_without_a_player_the_message_says_what_to_do(players):
    with pytest.raises(PlaybackError, match=r"no player \(paplay, .*\): name a file with -o"):
        playback.find_player()


def test_samples_are_played_as_they_come(players):
    put(players, "aplay", KEEPS_INPUT)
    playback.play_samples(playback.find_player(), [b"ab", b"", b"cd"])
    assert (players / "heard").read_bytes() == b"abcd"
    assert "-r 24000" in (players / "arguments").read_text()


def test_a_player_of_files_gets_a_file(players):
    put(players, "afplay", KEEPS_FILE)
    player = playback.find_player()
    assert not player.reads_samples
    playback.play_file(player, b"RIFF")
    assert (players / "heard").read_bytes() == b"RIFF"


@pytest.mark.parametrize("name", ["paplay", "pw-play"])
def test_what_a_player_complains_of_is_told(players, name):
    put(players, name, FAILS)
    player = playback.find_player()
    with pytest.raises(PlaybackError, match=f"{name} cannot play: Connection refused"):
        _ = (
            playback.play_samples(player, [b"ab"] * 100_000)
            if player.reads_samples
            else playback.play_file(player, b"RIFF")
        )


def test_a_player_does_not_outlive_what_stops_the_speech(players):
    put(players, "aplay", "#!/bin/sh\nprintf %s $$ > '{folder}/pid'\nexec /bin/sleep 1000\n")

    def interrupted():
        while not (players / "pid").exists() or not (players / "pid").read_text():
            yield b""
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        playback.play_samples(playback.find_player(), interrupted())
    with pytest.raises(ProcessLookupError):
        os.kill(int((players / "pid").read_text()), 0)


def test_say_plays_where_no_file_is_named(players):
    put(players, "aplay", KEEPS_INPUT)
    model = write_small_kokoro(players / "small.onnx")
    done = subprocess.run(
        [sys.executable, "-m", "service", "say", "Hello.", "--model", str(model), "--no-prepare"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len((players / "heard").read_bytes()) > 2 * 24_000 * 0.5
    assert "aplay: " in done.stderr
