"""Choose the reading of a homograph in its sentence, by weights learned from sentences.

`bench/homographs.py` makes the weights and tells what they are learned from. Noun or adjective
against verb is one classifier for all homographs, plus weights of each homograph's own; two dozen
others, such as `bass`, have weights of their own and look at the topic, by vectors of words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

TOKEN = re.compile(r"[A-Za-zÀ-ɏ]+(?:['’][A-Za-z]+)*|\d[\d,.]*|[^\w\s]")
"""A token of a sentence: a word with its apostrophes, a number or a mark."""

_OFFSETS = range(-3, 4)
_AROUND = (-2, -1, 1, 2)
_FREQUENT = 100
"""Number of the most frequent words, which tell no topic."""

_NEAR = 8
_LONGEST = 40
"""Words of a sentence, to each side, that are looked at; it bounds the time of a decision."""

_FAR = 8
_RULERS = ("VB", "MD", "TO", "DT", "PRP", "IN", "CC", "WH", "EX")
"""Classes of words that tell what part of speech follows, or that a clause has its verb."""

_TIME = (
    "yesterday today tomorrow ago last night when then once never ever already always often usually"
    " sometimes every each day week month year morning evening before after since until while still"
    " later now soon next during did had was were is are has have can will would must should"
)
_TIMES = frozenset(_TIME.split())
"""Words that tell whether `read` is past."""

_SHORT = 7
"""Tokens of a short sentence; one of more than twice as many is long."""

_SENTENCE_ENDS = frozenset(".!?…")
_SIGNS = str.maketrans("’“”", '\'""')


class Decision(NamedTuple):
    """What was chosen.

    Attributes:
        reading: its name in Google's WikipediaHomographData, such as `lead_nou`.
        score: how sure it is: 0 is a guess, 3 is sure.
    """

    reading: str
    score: float


class Classes:
    """Word classes: the tags that a word has had, or a guess by its ending.

    Args:
        words: the class of a word in lower case.
        endings: the class of unknown words by their last 2 to 4 letters.
    """

    def __init__(self, words: Mapping[str, str], endings: Mapping[str, str]) -> None:
        self._words, self._endings = words, endings

    def __call__(self, word: str) -> str:
        """Return the class of a word, a number or a mark; `-` for the empty string."""
        if not word:
            return "-"
        small = normal(word)
        known = self._words.get(small)
        if known is not None:
            is_name = word[0].isupper() and word != "I" and "NN" in known
            return known + "^" if is_name else known
        if word[0].isdigit():
            return "CD"
        if not word[0].isalpha():
            return word[0]
        if word[0].isupper():
            return "NNP?"
        endings = (self._endings.get(small[-length:]) for length in (4, 3, 2))
        return next(filter(None, endings), "NN") + "?"


class Homographs:
    """The classifier. Safe to share between threads.

    Args:
        stored: the arrays of the file of weights.
    """

    def __init__(self, stored: Mapping[str, NDArray[Any]]) -> None:
        meta = json.loads(stored["meta"].tobytes())
        self._table = stored["table"].data
        self._mask = len(self._table) - 1
        self._scale: float = meta["scale"]
        self._vectors: NDArray[np.float32] = stored["vectors"].astype(np.float32) / np.float32(127)
        self._dense = dict(zip(meta["dense"], stored["dense"].astype(np.float32), strict=True))
        self._rows = {word: row for row, word in enumerate(meta["vocabulary"].split(" "))}
        self._alike: dict[str, str] = meta["alike"]
        self._shared: dict[str, str] = meta["shared"]
        self._classes = Classes(_spread(meta["words"]), _spread(meta["endings"]))
        self.readings: dict[str, list[str]] = meta["readings"]
        """The readings of each homograph."""

    @classmethod
    @cache
    def load(cls) -> Homographs:
        """Return the classifier with the shipped weights: one object for all readers."""
        file = files("service.text.languages.english") / "data" / "homographs.npz"
        with file.open("rb") as opened, np.load(opened) as stored:
            return cls(dict(stored))

    def choose(self, words: Sequence[str], index: int) -> Decision | None:
        """Return the reading of a word among the words and marks of a text; None if it has one."""
        homograph = words[index].lower()
        readings = self.readings.get(homograph)
        if readings is None:
            return None
        words, index = _sentence(words, index)
        shared = self._shared.get(homograph)
        names = features(words, index, self._classes)
        if shared == "past":
            names += tenses(words, index, self._classes)
        found = [name.encode() for name in names]
        if shared is not None:
            score = self._sum(homograph, found) + self._sum(shared, found)
            return Decision(readings[score > 0], abs(score))
        if len(readings) == 1:
            return Decision(readings[0], 0.0)
        homograph = self._alike.get(homograph, homograph)
        topic = context(self._rows, self._vectors, words, index)
        if len(readings) == 2:
            score = self._sum(homograph, found) + float(topic @ self._dense[homograph])
            return Decision(readings[score > 0], abs(score))
        names = [f"{homograph}#{k}" for k in range(len(readings))]
        scores = [self._sum(name, found) + float(topic @ self._dense[name]) for name in names]
        best = max(range(len(scores)), key=scores.__getitem__)
        return Decision(readings[best], abs(scores[best]))

    def _sum(self, name: str, found: Sequence[bytes]) -> float:
        table, mask, start = self._table, self._mask, crc32(f"{name}|".encode())
        return self._scale * sum(table[crc32(feature, start) & mask] for feature in found)


def normal(word: str) -> str:
    """Return a word in lower case; all numbers are alike, years apart."""
    if word[0].isdigit():
        return "0000" if len(word.strip(".,")) == 4 else "0"
    return word.lower().translate(_SIGNS)


def features(words: Sequence[str], index: int, classes: Classes) -> list[str]:
    """Return the features of the word at `index`; they do not contain the word itself."""
    near = [words[index + k] if 0 <= index + k < len(words) else "" for k in _OFFSETS]
    w3, w2, w1, _, v1, v2, v3 = (
        normal(word) if word else "<s>" if k < 3 else "</s>" for k, word in enumerate(near)
    )
    c3, c2, c1, _, d1, d2, d3 = map(classes, near)
    found = [
        *(
            "b",
            f"b{_length(words)}",
            f"w-3={w3}",
            f"w-2={w2}",
            f"w-1={w1}",
            f"w1={v1}",
            f"w2={v2}",
            f"w3={v3}",
        ),
        *(f"w-2-1={w2} {w1}", f"w12={v1} {v2}", f"w-11={w1} {v1}", f"w-3-2-1={w3} {w2} {w1}"),
        *(f"l-3={c3}", f"l-2={c2}", f"l-1={c1}", f"l1={d1}", f"l2={d2}", f"l3={d3}"),
        *(f"l-2-1={c2} {c1}", f"l12={d1} {d2}", f"l-11={c1} {d1}", f"l-3-2-1={c3} {c2} {c1}"),
        *(f"l-2-11={c2} {c1} {d1}", f"l-112={c1} {d1} {d2}", f"l123={d1} {d2} {d3}"),
        *(f"wl={w1} {d1}", f"lw={c1} {v1}", f"wl2={w2} {c1}", f"lw2={d1} {v2}"),
        f"c={_shape(words[index])}{'' if index else '^'}",
        *(f"p{side}={found}" for side, found in _frame(words, index, classes)),
    ]
    for k, word in zip(_AROUND, (w2, w1, v1, v2), strict=True):
        found.append(f"s{k}={_shape(near[k + 3])}")
        if len(word) > 3 and word.isalpha():
            found += (f"x{k}={word[-3:]}", f"y{k}={word[-2:]}")
    return found


def _length(words: Sequence[str]) -> int:
    """Return 0, 1 or 2 for a short, a middling and a long sentence: talk is short."""
    return (len(words) > _SHORT) + (len(words) > _SHORT * 2)


def tenses(words: Sequence[str], index: int, classes: Classes) -> Iterator[str]:
    """Yield the classes of the verbs of a sentence, and its words of time."""
    for k, word in enumerate(words):
        name = classes(word)
        if k != index and name.startswith(("VB", "MD")):
            yield f"t{'-' if k < index else '+'}={name}"
        if k != index and normal(word) in _TIMES:
            yield f"time={normal(word)}"


def _frame(words: Sequence[str], index: int, classes: Classes) -> Iterator[tuple[str, str]]:
    """Yield the side and the class of the nearest words that open or rule a clause or a phrase."""
    for side, step in (("-", -1), ("", 1)):
        nouns = 0
        for k in range(1, _FAR):
            place = index + step * k
            if not 0 <= place < len(words):
                yield side, f"{nouns} $"
                break
            name = classes(words[place])
            if not name[0].isalpha() or name.startswith(_RULERS):
                yield side, f"{nouns} {name}"
                yield side + "w", normal(words[place])
                break
            nouns = min(nouns + name.startswith("NN"), 2)


def context(
    rows: Mapping[str, int], vectors: NDArray[np.float32], words: Sequence[str], index: int
) -> NDArray[np.float32]:
    """Return the vectors of the topic, of the near topic, and of four neighbours, joined.

    Args:
        rows: the row of each word in lower case, the most frequent first.
        vectors: the vectors, of length 1.
        words: the tokens of a sentence.
        index: the word that is asked about.
    """
    places = [rows.get(normal(word).partition("'")[0], -1) for word in words]
    topical = [(k, row) for k, row in enumerate(places) if row >= _FREQUENT and k != index]
    near = [row for k, row in topical if abs(k - index) <= _NEAR]
    parts = [4 * _mean(vectors, [row for _, row in topical]), 4 * _mean(vectors, near)]
    for k in _AROUND:
        row = places[index + k] if 0 <= index + k < len(words) else -1
        parts.append(2 * vectors[row] if row >= 0 else np.zeros_like(vectors[0]))
    return np.concatenate(parts)


def _mean(vectors: NDArray[np.float32], rows: Sequence[int]) -> NDArray[np.float32]:
    total: NDArray[np.float32] = vectors[list(rows)].sum(0) if rows else np.zeros_like(vectors[0])
    return total / max(float(np.linalg.norm(total)), 1e-6)


def _shape(word: str) -> str:
    """Return what the capitals and marks of a token look like."""
    if not word:
        return ""
    if word[0].isdigit():
        return "0"
    if not word[0].isalpha():
        return word[0].translate(_SIGNS)
    if word.isupper() and len(word) > 1:
        return "AA"
    return "Aa" if word[0].isupper() else "a"


def _sentence(words: Sequence[str], index: int) -> tuple[Sequence[str], int]:
    """Return the words of the sentence around a word, and its index among them."""
    start = index
    while start > max(0, index - _LONGEST) and words[start - 1] not in _SENTENCE_ENDS:
        start -= 1
    end = index + 1
    while end < min(len(words), index + _LONGEST) and words[end - 1] not in _SENTENCE_ENDS:
        end += 1
    return words[start:end], index - start


def _spread(groups: Mapping[str, str]) -> dict[str, str]:
    return {word: name for name, group in groups.items() for word in group.split(" ")}


SOUNDS: Mapping[str, tuple[str, str]] = {
    "aged_adj": ("ˈAʤɪd", "ˈAʤɪd"),
    "august_adj": ("ɔɡˈʌst", "ɔːɡˈʌst"),
    "august": ("ˈɔɡəst", "ˈɔːɡəst"),
    "august_nam": ("ˈWɡʊst", "ˈWɡʊst"),
    "axes_nou-vrb": ("ˈæksᵻz", "ˈaksɪz"),
    "axes_nou": ("ˈæksˌiz", "ˈaksiːz"),
    "bases_nou-base": ("bˈAsᵻz", "bˈAsɪz"),
    "bases_nou-basis": ("bˈAsˌiz", "bˈAsiːz"),
    "bass": ("bˈAs", "bˈAs"),
    "bass_corp": ("bˈæs", "bˈas"),
    "blessed_adj": ("blˈɛsɪd", "blˈɛsɪd"),
    "bologna": ("bəlˈOni", "bəlˈQni"),
    "bow_nou-knot": ("bˈO", "bˈQ"),
    "bow_nou-ship": ("bˈW", "bˈW"),
    "bows_nou-knot": ("bˈOz", "bˈQz"),
    "bows_nou-ship": ("bˈWz", "bˈWz"),
    "celtic_adj-nou-sports": ("sˈɛltɪk", "sˈɛltɪk"),
    "celtic": ("kˈɛltɪk", "kˈɛltɪk"),
    "content_nou": ("kˈɑntɛnt", "kˈɒntɛnt"),
    "content_adj-nou-vrb": ("kəntˈɛnt", "kəntˈɛnt"),
    "export_vrb": ("ɪkspˈɔɹt", "ɪkspˈɔːt"),
    "exports_vrb": ("ɪkspˈɔɹts", "ɪkspˈɔːts"),
    "expose_nou": ("ˌɛkspOzˈA", "ɛkspˈQzA"),
    "frequent_vrb": ("fɹikwˈɛnt", "fɹɪkwˈɛnt"),
    "frequents_vrb": ("fɹikwˈɛnts", "fɹɪkwˈɛnts"),
    "impact_vrb": ("ɪmpˈækt", "ɪmpˈakt"),
    "impacts_vrb": ("ɪmpˈækts", "ɪmpˈakts"),
    "increment_vrb": ("ˈɪŋkɹəmˌɛnt", "ˈɪŋkɹɪmɛnt"),
    "instrument_vrb": ("ˈɪnstɹəmˌɛnt", "ˈɪnstɹʊmɛnt"),
    "jesus_es": ("hAsˈus", "hAsˈuːs"),
    "job_bible": ("ʤˈOb", "ʤˈQb"),
    "job": ("ʤˈɑb", "ʤˈɒb"),
    "lead_nou": ("lˈɛd", "lˈɛd"),
    "mate_nou": ("mˈɑtA", "mˈatA"),
    "mobile": ("mˈObᵊl", "mˈQbIl"),
    "mobile_geo": ("mObˈil", "mQbˈiːl"),
    "mobile_nou-art": ("mˈObˌil", "mˈQbIl"),
    "nestle_nam": ("nˈɛsli", "nˈɛslA"),
    "ornament_vrb": ("ˈɔɹnəmˌɛnt", "ˈɔːnəmɛnt"),
    "perfume_nou": ("pˈɜɹfjˌum", "pˈɜːfjuːm"),
    "perfume_vrb": ("pəɹfjˈum", "pəfjˈuːm"),
    "polish": ("pˈɑlɪʃ", "pˈɒlɪʃ"),
    "polish_geo": ("pˈOlɪʃ", "pˈQlɪʃ"),
    "protest_vrb": ("pɹətˈɛst", "pɹətˈɛst"),
    "protests_vrb": ("pɹətˈɛsts", "pɹətˈɛsts"),
    "ravel_nam": ("ɹəvˈɛl", "ɹavˈɛl"),
    "reading_geo": ("ɹˈɛdɪŋ", "ɹˈɛdɪŋ"),
    "recount_nou": ("ɹˈikˌWnt", "ɹˈiːkWnt"),
    "recounts_nou": ("ɹˈikˌWnts", "ɹˈiːkWnts"),
    "resume_nou": ("ɹˈɛzəmˌA", "ɹˈɛzjʊmˌA"),
    "resumes_nou": ("ɹˈɛzəmˌAz", "ɹˈɛzjʊmˌAz"),
    "rodeo_geo": ("ɹOdˈAO", "ɹQdˈAQ"),
    "row_1": ("ɹˈO", "ɹˈQ"),
    "row_2": ("ɹˈW", "ɹˈW"),
    "rows_1": ("ɹˈOz", "ɹˈQz"),
    "rows_2": ("ɹˈWz", "ɹˈWz"),
    "sake_jp": ("sˈɑki", "sˈɑːki"),
    "sow": ("sˈO", "sˈQ"),
    "sow_nou": ("sˈW", "sˈW"),
    "sows": ("sˈOz", "sˈQz"),
    "sows_nou": ("sˈWz", "sˈWz"),
    "tear_nou": ("tˈɪɹ", "tˈɪə"),
    "tear_vrb": ("tˈɛɹ", "tˈɛː"),
}
"""American and British phonemes of readings whose part of speech does not tell them."""

_ADJECTIVES = frozenset(
    [
        "animate",
        "close",
        "consummate",
        "deliberate",
        "diffuse",
        "elaborate",
        "invalid",
        "learned",
        "minute",
        "pasty",
    ]
)
"""Homographs that the lexicon tells apart as adjectives."""

_PASTS = {"read_past": "VBD", "wound_vrb": "VBD", "learned_vrb": "VBN", "blessed_vrb": "VBN"}


def tag_of(reading: str, tag: str) -> str:
    """Return the tag that gives a word this reading in the lexicon.

    Args:
        reading: its name, of one that `SOUNDS` does not have.
        tag: the tag that the tagger gives; kept where it agrees.
    """
    if reading in _PASTS:
        return _PASTS[reading]
    homograph, _, use = reading.partition("_")
    if homograph.endswith("s") and not homograph.endswith(("ss", "jesus")):
        return "VBZ" if use == "vrb" else "NNS"
    if reading in _VERBS or use == "present" or (use.endswith("vrb") and homograph != "wound"):
        return "VB"
    if not use and homograph != "minute":
        return tag
    if homograph in _ADJECTIVES:
        return "JJ" if use.startswith("adj") else "NN"
    if homograph in ("compact", "upset") and tag.startswith("JJ"):
        return tag
    return "NN"


_VERBS = frozenset(["affect", "compress", "isolate", "transform"])
"""Names of readings that are verbs without saying so."""
