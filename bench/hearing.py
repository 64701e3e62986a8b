"""How well a speech recognizer understands three English front ends, all with the same model.

    python -m bench.hearing [--sentences 60] [--voices af_heart,am_michael] [--show]

The sentences are every tenth American one of tests/data/reading/agreement.tsv. Their phonemes come
from our front end, from espeak-ng, and from the official front end, whose phonemes are in the file.
The recognizer is pocketsphinx. It mishears more than one word in ten of anybody's speech, so only
differences of its word error rate count. Phonemes that two front ends share are recognized once.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cache
from typing import Any

import numpy as np

from bench.command import plain_command_line
from bench.reading import TEXTS, espeak_reader, front_end_reader
from bench.report import heading
from service.loading import load_synthesizer
from service.settings import Settings
from service.speech import Synthesizer, Utterance
from service.text import Espeak

RECOGNIZER_RATE_HZ = 16_000
LANGUAGE = "en-us"

Listen = Callable[[str, str], list[str]]
"""Returns the words that are recognized when a voice says phonemes."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return 1 if more words are misheard than with the official front end."""
    parser = plain_command_line("bench.hearing", __doc__)
    parser.add_argument("--sentences", type=int, default=60)
    parser.add_argument("--voices", default="af_heart,am_michael")
    parser.add_argument("--show", action="store_true", help="print what was misheard")
    options = parser.parse_args(arguments)
    voices = options.voices.split(",")
    cases = read_cases(options.sentences)
    front_ends = list(cases[0][1])
    print(f"{heading()}\n")
    with closing(load_synthesizer(Settings(), lambda line: None)) as synthesizer:
        listen = make_listener(synthesizer)
        rates: dict[str, list[tuple[int, int]]] = {name: [] for name in front_ends}
        for voice in voices:
            for name in front_ends:
                rates[name].append(errors(cases, name, voice, listen, show=options.show))
    print(f"| front end | {' | '.join(voices)} | all |\n|---|{'---|' * (len(voices) + 1)}")
    total = {name: _sum(found) for name, found in rates.items()}
    for name, found in rates.items():
        cells = [f"{wrong / n:.3f}" for wrong, n in [*found, total[name]]]
        print(f"| {name} | {' | '.join(cells)} |")
    return int(total["ours"][0] > total["official"][0])


def read_cases(count: int) -> list[tuple[str, dict[str, str]]]:
    """Return sentences with their phonemes by front end."""
    lines = (TEXTS / "agreement.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line.startswith(f"{LANGUAGE}/")]
    engine = Espeak()
    ours, espeak = front_end_reader(engine, LANGUAGE), espeak_reader(engine, LANGUAGE)
    return [
        (
            text,
            {
                "ours": ours(text),
                "espeak-ng": espeak(text),
                "official": official,
            },
        )
        for _, text, official in rows[:: max(1, len(rows) // count)][:count]
    ]


def errors(
    cases: Sequence[tuple[str, dict[str, str]]],
    front_end: str,
    voice: str,
    listen: Listen,
    *,
    show: bool,
) -> tuple[int, int]:
    """Return how many words were misheard, and how many there are."""
    wrong = total = 0
    for text, phonemes in cases:
        expected = words(text)
        heard = listen(phonemes[front_end], voice)
        missed = n_errors(expected, heard)
        if show and missed:
            print(f"{front_end}, {voice}: {text}  ->  {' '.join(heard)}")
        wrong += missed
        total += len(expected)
    return wrong, total


def recognizer() -> Any:
    """Return a decoder of pocketsphinx for samples at `RECOGNIZER_RATE_HZ`.

    Raises:
        ImportError: it is not installed, as from Python 3.14 on, for which it has no wheels.
    """
    import pocketsphinx  # here, since the rest of a bench works without it

    return pocketsphinx.Decoder(samprate=RECOGNIZER_RATE_HZ, loglevel="FATAL")


def make_listener(synthesizer: Synthesizer) -> Listen:
    """Return a function that says phonemes and recognizes words; it keeps results."""
    decoder = recognizer()

    @cache
    def listen(phonemes: str, voice: str) -> list[str]:
        plan = synthesizer.plan(Utterance(phonemes, "phonemes", voice))
        segments = synthesizer.stream(plan)
        return hear(decoder, np.concatenate([segment.samples for segment in segments]))

    return listen


def hear(decoder: Any, samples: Any) -> list[str]:
    """Return the words recognized in samples [n] at 24 kHz, resampled to 16 kHz."""
    return words(recognized(decoder, samples))


def recognized(decoder: Any, samples: np.ndarray) -> str:
    """Return what a recognizer makes of samples [n] at 24 kHz; an empty string for nothing."""
    decoder.start_utt()
    decoder.process_raw(_as_pcm(samples), False, True)
    decoder.end_utt()
    found = decoder.hyp()
    return str(found.hypstr or "") if found else ""


def _as_pcm(samples: np.ndarray) -> bytes:
    """Return samples [n] at 24 kHz as the recognizer takes them: int16 at 16 kHz."""
    n = samples.size // 3 * 3
    spectrum = np.fft.rfft(samples[:n].astype(np.float64))
    resampled = np.fft.irfft(spectrum[: n // 3 + 1], n * 2 // 3) * 2 / 3
    return np.clip(resampled * 32767, -32768, 32767).astype("<i2").tobytes()


def words(text: str) -> list[str]:
    """Return the words of a text in lower case; hyphens separate words."""
    return re.findall(r"[a-z']+", text.lower().replace("’", "'"))


def n_errors(expected: Sequence[str], heard: Sequence[str]) -> int:
    """Return the fewest insertions, deletions and substitutions between two lists of words."""
    row = list(range(len(heard) + 1))
    for i, word in enumerate(expected, start=1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(heard, start=1):
            substituted = diagonal + (word != other)
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, substituted)
    return row[-1]


def _sum(found: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return sum(wrong for wrong, _ in found), sum(n for _, n in found)


if __name__ == "__main__":
    sys.exit(main())
