"""The chunks to fit the predictor with, and those held out to evaluate it."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass

from bench.processes import ChildError
from bench.reading import front_end_reader, sentences_of
from service.model.kokoro import MAX_TOKENS
from service.speech import VoiceLibrary
from service.text import Espeak, load_vocabulary

KINDS = ("own", "blend", "foreign")
LEAST_TOKENS, MOST_TOKENS = 20, 480
LONGEST_S, TOKENS_PER_SECOND = 31.0, 15.0


@dataclass(frozen=True)
class Chunk:
    """A chunk: its kind, whether it is held out of the fit, its voice, token ids and speed."""

    kind: str
    held_out: bool
    voice: str
    token_ids: tuple[int, ...]
    speed: float

    @property
    def key(self) -> str:
        """Return a name for files."""
        text = f"{self.voice} {self.speed} {self.token_ids}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def plan(voices: VoiceLibrary) -> Iterator[Chunk]:
    """Yield every chunk; the same ones at every call.

    Raises:
        ChildError: the language of a voice is unknown.
    """
    languages = {voice.name: voice.language or "" for voice in voices.voices}
    if "" in languages.values():
        raise ChildError("the language of a voice is unknown")
    chance, names = random.Random(7), list(languages)
    sentences = {language: _sentences(language) for language in sorted(set(languages.values()))}

    def chunk(kind: str, held_out: bool, voice: str, language: str) -> Chunk:
        while True:
            n_tokens = round(LEAST_TOKENS * (MOST_TOKENS / LEAST_TOKENS) ** chance.random())
            speed = 1.0 if chance.random() < 0.5 else round(0.6 * 3 ** chance.random(), 2)
            if n_tokens / TOKENS_PER_SECOND / speed <= LONGEST_S:
                break
        pool, said = sentences[language][held_out], []
        while len(said) < n_tokens:
            said += chance.choice(pool)
        # The last sentence may be cut off, so that the chunk is about as long as drawn.
        return Chunk(kind, held_out, voice, tuple(said[: int(n_tokens * 1.15)][:MAX_TOKENS]), speed)

    def blend() -> tuple[str, str]:
        parts = chance.sample(names, chance.choice((2, 2, 3)))
        weighted = [f"{name}({chance.expovariate(1.0) + 1e-3:.3f})" for name in parts]
        return "+".join(weighted), languages[parts[0]]

    for held_out, n_own, n_blends, n_foreign in ((True, 3, 60, 54), (False, 22, 500, 120)):
        for name in names * n_own:
            yield chunk("own", held_out, name, languages[name])
        for _ in range(n_blends):
            yield chunk("blend", held_out, *blend())
        for number in range(n_foreign):
            name = names[number % len(names)]
            others = [language for language in sentences if language != languages[name]]
            yield chunk("foreign", held_out, name, chance.choice(others))


def _sentences(language: str) -> tuple[list[list[int]], list[list[int]]]:
    """Return token ids of sentences to fit with, and of those held out."""
    read, known = front_end_reader(Espeak(), language), load_vocabulary()
    said = [list(known.token_ids(f"{read(text)} ")) for text in sentences_of(language)]
    usable = [token_ids for token_ids in said if 5 <= len(token_ids) <= 400]
    random.Random(language).shuffle(usable)
    n_held_out = len(usable) // 4
    return usable[n_held_out:], usable[:n_held_out]
