"""What both sides say: the same model file, token ids and style."""

from __future__ import annotations

from pathlib import Path

from bench.processes import THREADS
from service.loading import load_voices
from service.model import assemble, model_path
from service.settings import Settings
from service.speech import synthesizer
from service.text import FrontEnd, load_vocabulary

_SENTENCE = (
    "The harbour was quiet that morning, and only the gulls were awake to see the little boat "
    "come home."
)


def sentence() -> str:
    """Return the phonemes of a sentence of usual length: 96 of them."""
    return FrontEnd().read(_SENTENCE, "en-us", align=False).phonemes


def self_test() -> str:
    """Return the phonemes that the service says before it calls itself ready."""
    return synthesizer.SELF_TEST_PHONEMES


def arguments(phonemes: str) -> list[str]:
    """Return the command line of `bench.bare` and `bench.ours` for phonemes in the usual voice."""
    token_ids = load_vocabulary().token_ids(phonemes)
    voices = load_voices(Settings())
    style = voices.style(voices.resolve(Settings().voice), len(token_ids))
    return [str(model()), str(THREADS), ",".join(map(str, token_ids)), style.tobytes().hex()]


def model() -> Path:
    """Return the published model, assembled and checked."""
    path = model_path(None, None)
    assemble(path, lambda line: None)
    return path
