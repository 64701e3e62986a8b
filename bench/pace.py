"""How quickly each voice speaks: phonemes in a second, in long pieces of its language.

    python -m bench.pace [--write]

The service cuts texts into pieces by what `pace` in voices/manifest.json says, so that a piece is
no longer than so many seconds whoever says it. Here each voice says pieces that texts of its
language under tests/data/reading are cut into, at speed 1; its pace is that of all of them. The
exit status is 1 where the manifest is more than 5 % off; `--write` puts right what it says. Four
minutes on two cores.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import cache, partial
from itertools import islice

from bench import speech
from bench.command import exit_status, plain_command_line
from bench.processes import REPOSITORY, ChildError
from bench.reading import front_end_reader, sentences_of
from bench.sides import OURS, Speaker, speaker
from service.speech.chunking import MAX_CHUNK_LENGTH, MIN_CHUNK_LENGTH, Chunker
from service.text import Espeak, read_phonemes

MANIFEST = REPOSITORY / "voices" / "manifest.json"
N_PIECES = 4
TOLERANCE = 0.05


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 if the manifest is off, 2 after a failure."""
    parser = plain_command_line("bench.pace", __doc__)
    parser.add_argument("--write", action="store_true", help=f"put them into {MANIFEST.name}")
    options = parser.parse_args(arguments)
    return exit_status(partial(_is_told_right, write=options.write))


def _is_told_right(*, write: bool) -> bool:
    """Print the table; tell whether the manifest is right, or has been put right."""
    manifest = json.loads(MANIFEST.read_text(encoding="utf-8"))
    pieces_in = cache(partial(_pieces, Espeak()))
    right = True
    print("| voice | phonemes in a second | manifest |\n|---|---|---|")
    with speaker(OURS["service"]) as found:
        for voice in speech.voices().voices:
            language = speech.language_of(voice.name)
            pace = round(_pace(found, voice.name, pieces_in(language)), 1)
            holds = abs(voice.pace / pace - 1) <= TOLERANCE
            right &= holds
            told = f"{voice.pace:g}" + ("" if holds else " (off)")
            print(f"| {voice.name} | {pace} | {told} |", flush=True)
            manifest[voice.name]["pace"] = pace
    if write:
        MANIFEST.write_text(f"{json.dumps(manifest, indent=1)}\n", encoding="utf-8")
    return right or write


def _pace(found: Speaker, voice: str, pieces: Sequence[str]) -> float:
    audio_s = sum(found.say(piece, voice).audio_s for piece in pieces)
    return sum(map(len, pieces)) / audio_s


def _pieces(espeak: Espeak, language: str) -> list[str]:
    """Return phonemes of a language in pieces as long as those of a long text."""
    read, chunker = front_end_reader(espeak, language), Chunker()
    readings = (read_phonemes(read(text)) for text in sentences_of(language))
    cut = (piece.phonemes for reading in readings for piece in chunker.add(reading))
    long = (piece for piece in cut if MIN_CHUNK_LENGTH <= len(piece) <= MAX_CHUNK_LENGTH)
    found = list(islice(long, N_PIECES))
    if len(found) < N_PIECES:
        raise ChildError(f"there are only {len(found)} pieces in {language}")
    return found


if __name__ == "__main__":
    sys.exit(main())
