"""How fast each voice speaks: phonemes per second, in long chunks of its language.

    python -m bench.pace [--write]

The service splits texts into chunks by the `pace` in voices/manifest.json, so that no voice takes
too many seconds for a chunk. Here each voice says chunks of the texts of its language under
tests/data/reading, at speed 1. Its pace is that of all these chunks. The exit status is 1 if the
manifest is more than 5 % off. `--write` corrects the manifest. It takes four minutes on two cores.
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
N_CHUNKS = 4
TOLERANCE = 0.05


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 if the manifest is off, 2 for a failure."""
    parser = plain_command_line("bench.pace", __doc__)
    parser.add_argument("--write", action="store_true", help=f"correct {MANIFEST.name}")
    options = parser.parse_args(arguments)
    return exit_status(partial(_is_right, write=options.write))


def _is_right(*, write: bool) -> bool:
    """Print the table; return whether the manifest is right, or was corrected."""
    manifest = json.loads(MANIFEST.read_text(encoding="utf-8"))
    chunks_in = cache(partial(_chunks, Espeak()))
    right = True
    print("| voice | phonemes per second | manifest |\n|---|---|---|")
    with speaker(OURS["service"]) as found:
        for voice in speech.voices().voices:
            language = speech.language_of(voice.name)
            pace = round(_pace(found, voice.name, chunks_in(language)), 1)
            holds = abs(voice.pace / pace - 1) <= TOLERANCE
            right &= holds
            written = f"{voice.pace:g}" + ("" if holds else " (off)")
            print(f"| {voice.name} | {pace} | {written} |", flush=True)
            manifest[voice.name]["pace"] = pace
    if write:
        MANIFEST.write_text(f"{json.dumps(manifest, indent=1)}\n", encoding="utf-8")
    return right or write


def _pace(found: Speaker, voice: str, chunks: Sequence[str]) -> float:
    audio_s = sum(found.say(chunk, voice).audio_s for chunk in chunks)
    return sum(map(len, chunks)) / audio_s


def _chunks(espeak: Espeak, language: str) -> list[str]:
    """Return the phonemes of chunks that are as long as those of a long text."""
    read, chunker = front_end_reader(espeak, language), Chunker()
    readings = (read_phonemes(read(text)) for text in sentences_of(language))
    cut = (chunk.phonemes for reading in readings for chunk in chunker.add(reading))
    long = (chunk for chunk in cut if MIN_CHUNK_LENGTH <= len(chunk) <= MAX_CHUNK_LENGTH)
    found = list(islice(long, N_CHUNKS))
    if len(found) < N_CHUNKS:
        raise ChildError(f"there are only {len(found)} chunks in {language}")
    return found


if __name__ == "__main__":
    sys.exit(main())
