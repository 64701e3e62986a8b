"""Japanese text as words with their pronunciation, by Open JTalk and its dictionary."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
import threading
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any, NamedTuple

MAX_CHARACTERS = 500
"""What is analysed at once. Open JTalk takes some 2,000 characters, fewer if they are digits."""

PAUSE = "、"
"""What may stand for any mark: it ends a word, and is never part of an emoticon."""

_lock = threading.Lock()

# 何 is `nan` before these sounds, and otherwise `nani`.
_NAN_BEFORE = ("ダ", "デ", "ド", "ノ", "ト", "ナン")

# After one of these, the last sound of 美しい and 聞い(た) only makes it long.
_I_SOUNDS = frozenset("イキギシジチヂニヒビピミリ")
_INFLECTED = ("形容詞", "動詞")


class Morpheme(NamedTuple):
    """A word of the dictionary, or part of one.

    Attributes:
        start: offset in the text.
        end: likewise.
        pronunciation: in katakana as it is said; empty if it is not heard.
        pos: part of speech.
        kind: which kind of it.
        lemma: the form that the dictionary lists.
        continues: whether it is in one accent phrase with what is before it.
    """

    start: int
    end: int
    pronunciation: str
    pos: str
    kind: str
    lemma: str
    continues: bool


@functools.cache
def is_installed() -> bool:
    """Tell whether the extra `ja` is there."""
    return importlib.util.find_spec("pyopenjtalk") is not None


class Analyzer:
    """Finds the words of Japanese text. Safe to share between threads: Open JTalk has a lock."""

    def __init__(self) -> None:
        self._map = _load_module().g2p_mapping
        # What is read of a character that the dictionary has in no word.
        self._kanji = importlib.import_module("pyopenjtalk._unihan_readings_map").UNIHAN_READINGS
        # The first call opens the dictionary.
        self.analyze("あ")

    def analyze(self, text: str) -> list[Morpheme]:
        """Return the morphemes of at most MAX_CHARACTERS characters, in order."""
        return list(_placed(list(_corrected(self._analyze(text)))))

    def heard_alone(self, characters: Sequence[str]) -> set[str]:
        """Return which of at most MAX_CHARACTERS / 2 characters have a sound of their own."""
        heard = {character for character in characters if character in self._kanji}
        rest = [character for character in characters if character not in heard]
        # Without what is done to the words of a sentence, for which Sudachi would be loaded.
        for word in self._map(PAUSE.join(rest), use_vanilla=True) if rest else ():
            if word["mora_count"]:
                heard.update(rest[position // 2] for position in range(*word["char_span"]))
        return heard

    def _analyze(self, text: str) -> list[Morpheme]:
        try:
            # The models that would choose between readings are left out: the one for 何 needs a
            # second ONNX Runtime; Sudachi's takes 90 MB and reads 金を払う as `kin o harau`.
            found = self._map(text, use_sudachi_kanji_yomi=False, predict_nani=False)
        except ValueError:
            # It lost track of which word is where, as it does in one of some thousand texts of
            # characters that nobody would put together. What it reads in parts, it can place.
            if len(text) < 2:
                raise
            half = len(text) // 2
            return [
                *self._analyze(text[:half]),
                *(
                    morpheme._replace(start=morpheme.start + half, end=morpheme.end + half)
                    for morpheme in self._analyze(text[half:])
                ),
            ]
        return [
            Morpheme(
                word["char_span"][0],
                word["char_span"][1],
                word["pron"].replace("’", "") if word["phonemes"] and word["mora_count"] else "",
                word["pos"],
                word["pos_group1"],
                word["orig"],
                word["chain_flag"] == 1,
            )
            for word in found
        ]


def _corrected(morphemes: list[Morpheme]) -> Iterator[Morpheme]:
    """Yield the morphemes, said as cutlet's dictionary says them."""
    for position, morpheme in enumerate(morphemes):
        said = morpheme.pronunciation
        following = morphemes[position + 1 : position + 2]
        if morpheme.lemma == "何" and said == "ナニ" and following:
            if following[0].pronunciation.startswith(_NAN_BEFORE):
                said = "ナン"
        elif morpheme.pos == "動詞" and said == "イウ":
            said = "ユー"
        elif morpheme.pos in _INFLECTED and said[-1:] == "イ" and said[-2:-1] in _I_SOUNDS:
            said = said[:-1] + "ー"
        yield morpheme._replace(pronunciation=said)


def _placed(morphemes: list[Morpheme]) -> Iterator[Morpheme]:
    """Yield the morphemes, those of one number all in its place.

    The ten of 24 is nowhere in the text, and a place of no length is where Open JTalk sees it.
    """
    done = 0
    for is_number, group in groupby(morphemes, lambda morpheme: morpheme.kind == "数"):
        found = list(group)
        known = [morpheme for morpheme in found if morpheme.start < morpheme.end]
        start, end = (known[0].start, known[-1].end) if known else (done, done)
        for morpheme in found:
            if is_number or morpheme not in known:
                morpheme = morpheme._replace(start=start, end=end)
            yield morpheme
        done = end


def _load_module() -> Any:
    """Return `pyopenjtalk`, imported without ONNX Runtime's own package.

    Where that is installed it would be loaded, beside the library that the service uses, for a
    model that is not asked; where it is not, a warning would be printed.
    """
    with _lock:
        if "pyopenjtalk" not in sys.modules:
            with _stand_in("onnxruntime"):
                importlib.import_module("pyopenjtalk")
        return sys.modules["pyopenjtalk"]


class _NoSession:
    """Stands where a model would be loaded."""

    def __init__(self, *paths: object, **options: object) -> None:
        pass


@contextmanager
def _stand_in(name: str) -> Iterator[None]:
    """Have a module without models stand where the real one may be."""
    missing = object()
    hidden = sys.modules.get(name, missing)
    module = types.ModuleType(name)
    module.InferenceSession = _NoSession  # type: ignore[attr-defined]
    sys.modules[name] = module
    try:
        yield
    finally:
        if hidden is missing:
            del sys.modules[name]
        else:
            sys.modules[name] = hidden  # type: ignore[assignment]
