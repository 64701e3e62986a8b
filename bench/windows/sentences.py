"""The texts that are said: sentences joined to given lengths, for each voice."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations

import numpy as np

from bench import speech
from bench.reading import front_end_reader, sentences_of
from bench.renderings import Case
from service.text import Espeak, load_vocabulary

VOICES = ("af_heart", "af_bella", "am_michael", "am_puck", "bf_emma", "bm_george", "am_adam",
          "af_nicole", "af_sarah", "af_nova", "af_aoede", "af_kore", "am_fenrir", "am_echo",
          "bf_isabella", "bm_fable")  # fmt: skip
N_SENTENCES = 8
SHORTEST_S, LONGEST_S, MOST_TOKENS = 3.0, 30.0, 500


def lengths_s(count: int) -> list[float]:
    """Return lengths spread evenly from the shortest to the longest, both included."""
    return [float(length) for length in np.linspace(SHORTEST_S, LONGEST_S, count)]


def sentences(voices: Sequence[str], count: int) -> list[Case]:
    """Return `count` texts for each voice, in its language.

    The voices take the lengths in turn, so that each voice has short and long texts.

    Raises:
        ChildError: the language of a voice is unknown.
    """
    espeak, cases = Espeak(), []
    read = cache(lambda language: _read(front_end_reader(espeak, language), language))
    pools = {}
    for name in voices:
        known = read(speech.language_of(name))
        pools[name] = random.Random(name).sample(known, len(known))
    for number, length_s in enumerate(lengths_s(count * len(voices))):
        voice = voices[number % len(voices)]
        text, phonemes = put_together(pools[voice], n_tokens(length_s, voice))
        cases.append(Case(text, phonemes, voice))
    return cases


def n_tokens(length_s: float, voice: str) -> int:
    """Return how many tokens a voice says in a number of seconds, at most `MOST_TOKENS`.

    A voice's pace is measured in chunks of some seconds, and longer chunks are said faster: eight
    voices were 4 to 12 % faster in 3 to 27 seconds (a line fitted by eye).
    """
    faster = 1.03 + length_s / 300
    return min(MOST_TOKENS, round(length_s * speech.voices().resolve(voice).pace * faster))


def put_together(pool: list[tuple[str, str]], n_tokens: int) -> tuple[str, str]:
    """Take sentences out of a pool that together have `n_tokens` tokens or a few fewer.

    Args:
        pool: texts and their phonemes; each phoneme is a token.
        n_tokens: how many are wanted, with the spaces between sentences.

    Returns:
        The text and its phonemes.

    Raises:
        ValueError: the pool is empty, or no sentence is short enough.
    """
    longest = max(len(phonemes) for _, phonemes in pool)
    taken: list[tuple[str, str]] = []
    left = n_tokens
    while left > 2 * longest:
        taken.append(pool.pop())
        left -= len(taken[-1][1]) + 1
    # One or two sentences fill the rest, whichever fits best.
    nearest = _nearest(pool, left)
    for pair in nearest:
        pool.remove(pair)
    if not (taken or nearest):
        raise ValueError(f"no sentence has {n_tokens} tokens or fewer")
    texts, phonemes = zip(*taken, *nearest, strict=True)
    return " ".join(texts), " ".join(phonemes)


def _nearest(pool: Sequence[tuple[str, str]], n_tokens: int) -> list[tuple[str, str]]:
    """Return the one or two sentences that come nearest to `n_tokens` from below, or none."""
    by_length = {len(pair[1]): pair for pair in pool}
    choices = [(length,) for length in by_length if length <= n_tokens]
    choices += [pair for pair in combinations(by_length, 2) if sum(pair) + 1 <= n_tokens]
    return [by_length[length] for length in max(choices, key=sum, default=())]


def _read(read: Callable[[str], str], language: str) -> list[tuple[str, str]]:
    """Return the sentences of a language whose phonemes are all in the vocabulary."""
    known = load_vocabulary()
    pairs = ((text, read(text)) for text in sentences_of(language))
    return [pair for pair in pairs if len(known.token_ids(pair[1])) == len(pair[1])]
