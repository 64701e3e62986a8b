"""How loud each voice is: integrated loudness (ITU-R BS.1770) over ten sentences of its language.

    python -m bench.loudness [--write]

A dialogue, and a request with `normalize_loudness`, brings the voices to the same loudness by the
`lufs` in voices/manifest.json. Here each voice says sentences of the texts of its language under
tests/data/reading. The exit status is 1 if the manifest is more than 0.5 LU off. `--write` corrects
the manifest. It takes four minutes on two cores.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import cache, partial

import numpy as np

from bench.command import exit_status, plain_command_line
from bench.processes import REPOSITORY
from bench.reading import sentences_of
from service.audio.loudness import measure
from service.loading import load_synthesizer
from service.settings import Settings
from service.speech import Delivery, Synthesizer, Utterance

MANIFEST = REPOSITORY / "voices" / "manifest.json"
N_SENTENCES = 10
LENGTHS = range(30, 91)
"""Characters of a sentence: three to six seconds, in which all voices are intelligible."""
TOLERANCE_LU = 0.5


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 if the manifest is off, 2 for a failure."""
    parser = plain_command_line("bench.loudness", __doc__)
    parser.add_argument("--write", action="store_true", help=f"correct {MANIFEST.name}")
    options = parser.parse_args(arguments)
    return exit_status(partial(_is_right, write=options.write))


def _is_right(*, write: bool) -> bool:
    """Print the table; return whether the manifest is right, or was corrected."""
    manifest = json.loads(MANIFEST.read_text(encoding="utf-8"))
    right = True
    print("| voice | LUFS | manifest |\n|---|---|---|")
    synthesizer = load_synthesizer(Settings(), print)
    try:
        for voice in synthesizer.planner.voices.voices:
            lufs = round(loudness_of(synthesizer, voice.name, _sentences(voice.language or "")), 1)
            known = manifest[voice.name].get("lufs")
            holds = known is not None and abs(known - lufs) <= TOLERANCE_LU
            right &= holds
            print(f"| {voice.name} | {lufs} | {known}{'' if holds else ' (off)'} |", flush=True)
            manifest[voice.name]["lufs"] = lufs
    finally:
        synthesizer.close()
    if write:
        MANIFEST.write_text(f"{json.dumps(manifest, indent=1)}\n", encoding="utf-8")
    return right or write


def loudness_of(synthesizer: Synthesizer, voice: str, sentences: Sequence[str]) -> float:
    """Return the integrated loudness of a voice that says sentences, in LUFS."""
    spoken = (
        segment.samples
        for text in sentences
        for segment in synthesizer.stream(
            synthesizer.plan(Utterance(text, voice=voice), Delivery())
        )
    )
    return measure([np.concatenate(list(spoken))]).lufs


@cache
def _sentences(language: str) -> tuple[str, ...]:
    """Return sentences of a language, the shorter ones of those that there are."""
    least = 12 if language in ("ja", "zh") else LENGTHS.start
    fitting = (text for text in sentences_of(language) if least <= len(text) < LENGTHS.stop)
    return tuple(list(dict.fromkeys(fitting))[:N_SENTENCES])


if __name__ == "__main__":
    sys.exit(main())
