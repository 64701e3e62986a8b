"""How well a speech recognizer understands voices whose pitch is moved.

    python -m bench.pitch [--sentences 30] [--voices af_heart,am_michael]

SSML may move the pitch by stretching and resampling, which moves the formants too. Sentences of
tests/data/reading/agreement.tsv are said once, and moved by -8 to +8 semitones. The recognizer is
that of `bench.hearing`, so only differences of its word error rate count.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing

import numpy as np

from bench.command import plain_command_line
from bench.hearing import hear, n_errors, read_cases, recognizer, words
from bench.report import heading
from service.loading import load_synthesizer
from service.model.kokoro import Samples
from service.settings import Settings
from service.speech import Utterance
from service.speech.pitch import Resampler, ratio_of
from service.speech.stretching import Stretcher

SEMITONES = (-8, -6, -5, -4, -3, -2, 0, 2, 3, 4, 5, 6, 8)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = plain_command_line("bench.pitch", __doc__)
    parser.add_argument("--sentences", type=int, default=30)
    parser.add_argument("--voices", default="af_heart,am_michael")
    options = parser.parse_args(arguments)
    voices = options.voices.split(",")
    texts = [text for text, _ in read_cases(options.sentences)]
    decoder = recognizer()
    wrong = {(semitones, voice): 0 for semitones in SEMITONES for voice in voices}
    with closing(load_synthesizer(Settings(), lambda line: None)) as synthesizer:
        for voice in voices:
            for text in texts:
                plan = synthesizer.plan(Utterance(text, voice=voice))
                said = np.concatenate([one.samples for one in synthesizer.stream(plan)])
                for semitones in SEMITONES:
                    heard = hear(decoder, moved(said, semitones))
                    wrong[semitones, voice] += n_errors(words(text), heard)
    n_words = sum(len(words(text)) for text in texts)
    print(f"{heading()}\n\n| semitones | {' | '.join(voices)} |\n|---|{'---|' * len(voices)}")
    for semitones in SEMITONES:
        rates = (f"{wrong[semitones, voice] / n_words:.3f}" for voice in voices)
        print(f"| {semitones:+d} | {' | '.join(rates)} |")
    return 0


def moved(samples: Samples, semitones: float) -> Samples:
    """Return speech with its pitch moved."""
    if not semitones:
        return samples
    ratio = ratio_of(semitones)
    stretcher, resampler = Stretcher(1 / ratio), Resampler(ratio)
    stretched = np.concatenate([stretcher.add(samples), stretcher.finish()])
    return np.concatenate([resampler.add(stretched), resampler.finish()])


if __name__ == "__main__":
    sys.exit(main())
