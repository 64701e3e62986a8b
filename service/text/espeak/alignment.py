"""Find which phonemes of a sentence belong to which of its words.

espeak-ng reads words in context: it weakens, merges and links them, and does not report which
phonemes belong to which word. So each word is also read alone. The concatenated phonemes of the
words are then aligned with those of the sentence, by dynamic programming over a weighted edit
distance.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

_Integers = npt.NDArray[np.int32]

# A sound, with the stress mark before it and modifiers after it; or a space.
_UNIT = re.compile("[ˈˌ]*[^ˈˌ ][ːʰʲ\u0303]*|[ˈˌ]+| ")
_STRESS = "ˈˌ"

# Costs of the edits that turn the words into the sentence. Only their order matters. The usual
# differences are weakened vowels, then voiced or flapped consonants. A word boundary is a space in
# the sentence wherever possible. A vowel hardly ever becomes a consonant.
_NEAR_COST = 2
_VOWEL_COST = 3
_CONSONANT_COST = 6
_UNLIKE_COST = 9
_GAP_COST = 5
_SPACE_GAP_COST = 2
_EDGE_GAP_COST = 3
_NEVER = 100  # more than a deletion and an insertion

_VOWELS = "aeiouyæøœɐɑɒɔɘəɚɛɜɤɥɨɪɯʊʌᵊᵻAIOQWY"
_NEAR = ("tdTɾ", "dðθ", "sz", "ʃʒʤʧ", "kɡ", "pb", "bβvf", "nmŋɲ", "ɹrɾʁl", "jiɪʎ", "wuʊ", "əɐʌᵊᵻæ")

_SPACE, _EDGE, _UNKNOWN = 0, 1, 2
_CODES = {
    symbol: code
    for code, symbol in enumerate(sorted({*_VOWELS, *"".join(_NEAR), *"bcdfhjklmnpstvwxz"}), 3)
}


def align(phonemes: str, readings: Sequence[str]) -> list[tuple[int, int]]:
    """Return start and end in `phonemes` of each word, given the phonemes of each word alone.

    `phonemes` consists of sounds, modifiers and spaces. The spans are in order, do not overlap,
    neither start nor end with a space, and cover all sounds. The span of a silent word is empty.
    """
    units = [(match.start(), match[0]) for match in _UNIT.finditer(phonemes)]
    said = _codes(unit for _, unit in units)
    expected = _expected(readings)
    edges = _edges(said, expected)
    # Start of each unit, and the end of the last one.
    starts = [*(start for start, _ in units), len(phonemes)]
    bounds = [0, *(starts[edge] for edge in edges), len(phonemes)]
    spans = []
    for start, end in pairwise(bounds):
        part = phonemes[start:end]
        start += len(part) - len(part.lstrip())
        spans.append((start, max(start, start + len(part.strip()))))
    return spans


def _codes(units: Iterable[str]) -> _Integers:
    """Return a small integer for each unit. Units that differ only in modifiers get the same."""
    codes = []
    for unit in units:
        sound = unit.lstrip(_STRESS)[:1]
        codes.append(_SPACE if sound == " " else _CODES.get(sound, _UNKNOWN))
    return np.array(codes, np.int32)


def _expected(readings: Sequence[str]) -> _Integers:
    """Return the codes of all words, with an edge between neighbours."""
    parts = []
    for reading in readings:
        parts += [_codes(_UNIT.findall(reading)), np.array([_EDGE], np.int32)]
    return np.concatenate(parts[:-1])


def _edges(said: _Integers, expected: _Integers) -> list[int]:
    """Return, for each edge between words, the number of units of the sentence before it."""
    costs = _cumulated(said, expected)
    edges: list[int] = []
    row, column = len(expected), len(said)
    while row:
        code = expected[row - 1]
        cost = costs[row, column]
        if column and cost == costs[row - 1, column - 1] + _SUBSTITUTION[code, said[column - 1]]:
            row, column = row - 1, column - 1
        elif cost == costs[row - 1, column] + _DELETION[code]:
            # Before insertions, so that a linking consonant belongs to the first word.
            row -= 1
        else:
            column -= 1
            continue
        if code == _EDGE:
            edges.append(column)
    return edges[::-1]


def _cumulated(said: _Integers, expected: _Integers) -> _Integers:
    """Return the least cost [expected + 1, said + 1] of turning each prefix into each other."""
    insertions = np.concatenate([[0], np.cumsum(_INSERTION[said])]).astype(np.int32)
    costs = np.empty((len(expected) + 1, len(said) + 1), np.int32)
    costs[0] = insertions
    substitutions = _SUBSTITUTION[expected[:, None], said[None, :]]
    for row, deletion in enumerate(_DELETION[expected]):
        best = costs[row] + deletion
        np.minimum(best[1:], costs[row, :-1] + substitutions[row], out=best[1:])
        # The best path to a column is the best path to an earlier column, then insertions.
        costs[row + 1] = np.minimum.accumulate(best - insertions) + insertions
    return costs


def _substitution_costs() -> _Integers:
    size = len(_CODES) + 3
    costs = np.full((size, size), _CONSONANT_COST, np.int32)
    vowels = [_CODES[vowel] for vowel in _VOWELS]
    costs[vowels, :] = costs[:, vowels] = _UNLIKE_COST
    costs[np.ix_(vowels, vowels)] = _VOWEL_COST
    for group in _NEAR:
        codes = [_CODES[symbol] for symbol in group]
        costs[np.ix_(codes, codes)] = _NEAR_COST
    spaces = [_SPACE, _EDGE]
    costs[spaces, :] = costs[:, spaces] = _NEVER
    costs[_EDGE, _SPACE] = 0
    np.fill_diagonal(costs, 0)
    return costs


def _gap_costs() -> _Integers:
    costs = np.full(len(_CODES) + 3, _GAP_COST, np.int32)
    costs[_SPACE] = _SPACE_GAP_COST
    costs[_EDGE] = _EDGE_GAP_COST
    return costs


_SUBSTITUTION = _substitution_costs()
_DELETION = _INSERTION = _gap_costs()
