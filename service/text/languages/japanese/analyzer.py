"""Split Japanese text into words with their pronunciation, by Open JTalk and its dictionary."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import re
import sys
import threading
import types
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any

from service.text.characters import is_meaningful
from service.text.languages.japanese import homographs
from service.text.languages.japanese.morpheme import Morpheme
from service.text.scripts import LATIN

MAX_CHARACTERS = 500
"""Characters that are analysed at once. Open JTalk takes some 2,000, fewer if they are digits."""

PAUSE = "、"
"""Stands for any mark: it ends a word and is never part of an emoticon."""

# Without a sound before them they have none, and for each Open JTalk writes a line to standard
# error.
_LENGTHENING = re.compile("[ー\uff70]+|[！？!?]+")
_SILENT_ALONE = "ヵヶ"
_LATIN_LETTER = re.compile(f"[{LATIN}]")
_CAPITALS = re.compile("[A-ZＡ-Ｚ]{2,}")
_LETTER_A = re.compile("(?<=[エケジ])イ(?!チ)")
"""In the names of A, J and K, which the dictionary writes in two ways."""
_REACH = 8
"""Characters before them that are looked at."""
_REPEATED = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]々+\\Z|[ぁ-ゖァ-ヴ][ヽヾゝゞ]+\\Z")

_lock = threading.Lock()

# 何 is `nan` before these sounds, otherwise `nani`.
_NAN_BEFORE = ("ダ", "デ", "ド", "ノ", "ト", "ナン")

# After one of these, the last sound of 美しい and 聞い(た) only lengthens it.
_I_SOUNDS = frozenset("イキギシジチヂニヒビピミリ")
_INFLECTED = ("形容詞", "動詞")


class Analyzer:
    """Finds the words of Japanese text. Safe to share between threads: Open JTalk has a lock."""

    def __init__(self) -> None:
        self._map = _load_module().g2p_mapping
        # The reading of characters that are in no word of the dictionary.
        self._kanji = importlib.import_module("pyopenjtalk._unihan_readings_map").UNIHAN_READINGS
        # The first call opens the dictionary.
        self.analyze("あ")

    def analyze(self, text: str) -> list[Morpheme]:
        """Return the morphemes of at most MAX_CHARACTERS characters, in order."""
        return list(_placed(list(_corrected(self._analyze(text), text))))

    def heard_alone(self, characters: Sequence[str]) -> set[str]:
        """Return which characters, of at most MAX_CHARACTERS / 2, have their own sound."""
        heard = {character for character in characters if character in self._kanji}
        rest = [one for one in characters if one not in heard and _known(one) != PAUSE]
        # Without the processing of whole sentences, which would load Sudachi.
        for word in self._map(PAUSE.join(rest), use_vanilla=True) if rest else ():
            if word["mora_count"]:
                heard.update(rest[position // 2] for position in range(*word["char_span"]))
        return heard

    def _analyze(self, text: str) -> list[Morpheme]:
        text = _LENGTHENING.sub(_audible, "".join(map(_known, text)))
        try:
            # The models that choose between readings are not used. The one for 何 needs a second
            # ONNX Runtime. Sudachi takes 90 MB and reads 金を払う as `kin o harau`.
            found = self._map(text, use_sudachi_kanji_yomi=False, predict_nani=False)
        except ValueError:
            # Open JTalk lost the positions of the words. This happens in one of some thousand texts
            # of random characters. It can find them in parts of the text.
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


@functools.lru_cache(8192)
def _known(character: str) -> str:
    """Return the character, or a pause for a sign that no Japanese standard has.

    Open JTalk quotes some of them on standard error.
    """
    if character.isascii() or "IDEOGRAPH" in unicodedata.name(character, ""):
        return character
    try:
        character.encode("cp932")
    except UnicodeEncodeError:
        return character if _LATIN_LETTER.match(character) else PAUSE
    return character


def _audible(match: re.Match[str]) -> str:
    """Return pauses for signs that have no sound before them."""
    before = match.string[: match.start()].rstrip(" ")[-_REACH:]
    sound = before[-1:]
    is_audible = sound and is_meaningful(sound) and sound not in _SILENT_ALONE
    return match[0] if is_audible or _REPEATED.search(before) else PAUSE * len(match[0])


def _corrected(morphemes: list[Morpheme], text: str) -> Iterator[Morpheme]:
    """Yield the morphemes, pronounced as in cutlet's dictionary."""
    for position, morpheme in enumerate(morphemes):
        said = homographs.pronunciation(morphemes, position, text)
        following = morphemes[position + 1 : position + 2]
        if morpheme.lemma == "何" and said == "ナニ" and following:
            if following[0].pronunciation.startswith(_NAN_BEFORE):
                said = "ナン"
        elif morpheme.pos == "動詞" and said == "イウ":
            said = "ユー"
        elif _CAPITALS.fullmatch(text[morpheme.start : morpheme.end]):
            said = _LETTER_A.sub("ー", said)
        elif morpheme.pos in _INFLECTED and said[-1:] == "イ" and said[-2:-1] in _I_SOUNDS:
            said = said[:-1] + "ー"
        yield morpheme._replace(pronunciation=said)


def _placed(morphemes: list[Morpheme]) -> Iterator[Morpheme]:
    """Yield the morphemes. Those of one number all get its span.

    The ten of 24 is not in the text; Open JTalk gives it an empty span.
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
    """Return `pyopenjtalk`, imported without the `onnxruntime` package.

    If it is installed, it would be loaded in addition to the service's library, for a model that is
    not used. If it is not installed, a warning would be printed.
    """
    with _lock:
        if "pyopenjtalk" not in sys.modules:
            with _stand_in("onnxruntime"):
                importlib.import_module("pyopenjtalk")
        return sys.modules["pyopenjtalk"]


class _NoSession:
    """Takes the place of a model."""

    def __init__(self, *paths: object, **options: object) -> None:
        pass


@contextmanager
def _stand_in(name: str) -> Iterator[None]:
    """Replace a module by an empty one while the context is open."""
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
