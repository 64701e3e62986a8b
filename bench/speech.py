"""What both sides say: the texts, their token ids and style, and the model file."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from bench.processes import THREADS, ChildError
from bench.reading import front_end_reader
from service.loading import load_voices
from service.preparation import assemble, model_path
from service.settings import Settings
from service.speech import VoiceLibrary, synthesizer
from service.text import Espeak, load_vocabulary

SHORT = "Yes, of course."
MEDIUM = (
    "The harbour was quiet that morning, and only the gulls were awake to see the little boat "
    "come home."
)
PARAGRAPH = (
    f"{MEDIUM} Nobody had expected her before the end of the week, and the old man on the quay put "
    "down his pipe, looked twice and began to run. There were three of them on deck, wet to the "
    "skin and laughing, and behind them, under a grey sail, lay the largest fish that any of us "
    "had ever seen. By noon the whole town had come to look at it, and the baker was selling bread "
    "from a basket, as if it were a holiday. In the evening they told us how it had been, and each "
    "told it another way, until the lamps were out."
)
"""600 characters."""

USUAL = 96
"""Number of tokens of a typical sentence."""


def phonemes(n_tokens: int) -> str:
    """Return phonemes of `n_tokens` tokens: the beginning of the paragraph, then a full stop."""
    text = " ".join([PARAGRAPH, *([MEDIUM] * 4)])
    known = load_vocabulary()
    read = "".join(symbol for symbol in _read(text) if known.token_ids(symbol))
    return read[: n_tokens - 1] + "."


@cache
def _read(text: str) -> str:
    return front_end_reader(Espeak(), "en-us")(text)


@cache
def voices() -> VoiceLibrary:
    """Return the voices that the service has by default."""
    return load_voices(Settings())


def language_of(voice: str) -> str:
    """Return the language of a voice.

    Raises:
        ChildError: the manifest does not have it.
    """
    language = voices().resolve(voice).language
    if language is None:
        raise ChildError(f"the language of {voice} is unknown")
    return language


def inputs(phonemes: str, voice: str) -> tuple[list[int], np.ndarray]:
    """Return what the model takes for phonemes in a voice: token ids, and style [1, 256]."""
    token_ids = load_vocabulary().token_ids(phonemes)
    return token_ids, voices().style(voices().resolve(voice), len(token_ids))


def self_test() -> str:
    """Return the phonemes of the service's self-test."""
    return synthesizer.SELF_TEST_PHONEMES


def arguments(phonemes: str) -> list[str]:
    """Return the command line of `bench.bare` for phonemes in the default voice."""
    token_ids, style = inputs(phonemes, Settings().voice)
    return [str(model()), str(THREADS), ",".join(map(str, token_ids)), style.tobytes().hex()]


def model() -> Path:
    """Return the published model, assembled and checked."""
    path = model_path(None, None)
    assemble(path, lambda line: None)
    return path
