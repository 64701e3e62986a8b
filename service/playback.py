"""Play speech through the player that the machine has."""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
import wave
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from service.errors import StartupError


class PlaybackError(StartupError):
    """There is no player, or it cannot play; the message says which."""


@dataclass(frozen=True)
class Player:
    """A program that plays sound.

    Attributes:
        command: its name and arguments.
        reads_samples: whether it takes 16-bit samples, mono, 24 kHz, on standard input, and so
            begins before the last one is made. Others get a WAV file as their last argument.
    """

    command: tuple[str, ...]
    reads_samples: bool


PLAYERS = (
    Player(("paplay", "--raw", "--format=s16le", "--rate=24000", "--channels=1"), True),
    Player(("pw-play",), False),
    Player(("aplay", "-q", "-t", "raw", "-f", "S16_LE", "-r", "24000", "-c", "1"), True),
    Player(("afplay",), False),
)
"""Of PulseAudio, PipeWire, ALSA and macOS: sound servers first, since they have the choice of the
device. afplay is untested."""


def find_player() -> Player:
    """Return the first player on the PATH. Raises PlaybackError."""
    for player in PLAYERS:
        if shutil.which(player.command[0]):
            return player
    names = ", ".join(player.command[0] for player in PLAYERS)
    raise PlaybackError(f"there is no player ({names}): name a file with -o")


def play_samples(player: Player, parts: Iterable[bytes]) -> None:
    """Play samples while they are made, and return after the last one is heard.

    Args:
        player: one that reads samples.
        parts: 16-bit samples, mono, 24 kHz.

    Raises:
        PlaybackError: the player ended with an error.
    """
    with subprocess.Popen(player.command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        try:
            for part in parts:
                process.stdin.write(part)
                process.stdin.flush()
            process.stdin.close()
        except BrokenPipeError:  # it ended, and its status says whether that was well
            with suppress(BrokenPipeError):  # of what is still to be flushed
                process.stdin.close()
        except BaseException:
            process.kill()
            raise
        complaint = process.stderr.read()
        _check(player, process.wait(), complaint)


def play_pcm(player: Player, pcm: bytes) -> None:
    """Play 16-bit samples, mono, 24 kHz, and return after the last one is heard.

    Raises:
        PlaybackError: the player ended with an error.
    """
    if player.reads_samples:
        play_samples(player, [pcm])
        return
    content = io.BytesIO()
    with wave.open(content, "wb") as file:
        file.setparams((1, 2, 24_000, 0, "NONE", ""))
        file.writeframes(pcm)
    play_file(player, content.getvalue())


def play_file(player: Player, content: bytes) -> None:
    """Play a WAV file.

    Raises:
        PlaybackError: the player ended with an error.
    """
    with tempfile.NamedTemporaryFile(suffix=".wav") as file:
        file.write(content)
        file.flush()
        done = subprocess.run([*player.command, file.name], stderr=subprocess.PIPE, check=False)
    _check(player, done.returncode, done.stderr)


def _check(player: Player, status: int, complaint: bytes) -> None:
    if status:
        lines = complaint.decode(errors="replace").strip().splitlines()
        reason = lines[-1] if lines else f"status {status}"
        raise PlaybackError(f"{player.command[0]} cannot play: {reason}; name a file with -o")
