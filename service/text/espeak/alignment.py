"""Tell which phonemes of a sentence belong to which of its words.

A phonemizer reads words in their context: it weakens, merges and links them, and does not say
which phonemes are whose. So each word is read alone too, and the words' phonemes in a row are
aligned with the sentence's, as two spellings of one text are: by dynamic programming over a
weighted edit distance.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

_Integers = npt.NDArray[np.int32]

# A sound with the stress before it and the length and manner after it, or a space.
_UNIT = re.compile("[ˈˌ]*[^ˈˌ ][ːʰʲ\u0303]*|[ˈˌ]+| ")
_STRESS = "ˈˌ"

# Costs of the edits that make the sentence out of its words. Their order matters, not their size:
# a weakened vowel, then a voiced or flapped consonant, are the usual differences; a word's edge
# is a space in the sentence wherever it can be; a vowel hardly ever becomes a consonant.
_NEAR_COST = 2
_VOWEL_COST = 3
_CONSONANT_COST = 6
_UNLIKE_COST = 9
_GAP_COST = 5
_SPACE_GAP_COST = 2
_EDGE_GAP_COST = 3
_NEVER = 100  # more than leaving out both

_VOWELS = "aeiouyæøœɐɑɒɔɘəɚɛɜɤɥɨɪɯʊʌᵊᵻAIOQWY"
_NEAR = ("tdTɾ", "dðθ", "sz", "ʃʒʤʧ", "kɡ", "pb", "bβvf", "nmŋɲ", "ɹrɾʁl", "jiɪʎ", "wuʊ", "əɐʌᵊᵻæ")

_SPACE, _EDGE, _UNKNOWN = 0, 1, 2
_CODES = {
    symbol: code
    for code, symbol in enumerate(sorted({*_VOWELS, *"".join(_NEAR), *"bcdfhjklmnpstvwxz"}), 3)
}


def align(phonemes: str, readings: Sequence[str]) -> list[tuple[int, int]]:
    """Return start and end in `phonemes` of each word, given what each is read as alone.

    `phonemes` holds sounds, modifiers and spaces. The spans are in order and apart, neither start
    nor end with a space, and hold all sounds; that of a word that is not heard is empty.
    """
    units = [(match.start(), match[0]) for match in _UNIT.finditer(phonemes)]
    said = _codes(unit for _, unit in units)
    expected = _expected(readings)
    edges = _edges(said, expected)
    # Where the unit with this index starts; the last one is the end.
    starts = [*(start for start, _ in units), len(phonemes)]
    bounds = [0, *(starts[edge] for edge in edges), len(phonemes)]
    spans = []
    for start, end in pairwise(bounds):
        part = phonemes[start:end]
        start += len(part) - len(part.lstrip())
        spans.append((start, max(start, start + len(part.strip()))))
    return spans


def _codes(units: Iterable[str]) -> _Integers:
    """Return a small integer for each unit, the same for those that differ only in modifiers."""
    codes = []
    for unit in units:
        sound = unit.lstrip(_STRESS)[:1]
        codes.append(_SPACE if sound == " " else _CODES.get(sound, _UNKNOWN))
    return np.array(codes, np.int32)


def _expected(readings: Sequence[str]) -> _Integers:
    """Return the codes of the words in a row, an edge between each two."""
    parts = []
    for reading in readings:
        parts += [_codes(_UNIT.findall(reading)), np.array([_EDGE], np.int32)]
    return np.concatenate(parts[:-1])


def _edges(said: _Integers, expected: _Integers) -> list[int]:
    """Return, for each edge between words, the number of units said before it."""
    costs = _cumulated(said, expected)
    edges: list[int] = []
    row, column = len(expected), len(said)
    while row:
        code = expected[row - 1]
        cost = costs[row, column]
        if column and cost == costs[row - 1, column - 1] + _SUBSTITUTION[code, said[column - 1]]:
            row, column = row - 1, column - 1
        elif cost == costs[row - 1, column] + _DELETION[code]:
            # Before insertions: a consonant that links two words ends the first one.
            row -= 1
        else:
            column -= 1
            continue
        if code == _EDGE:
            edges.append(column)
    return edges[::-1]


def _cumulated(said: _Integers, expected: _Integers) -> _Integers:
    """Return the least cost [expected + 1, said + 1] of making each beginning from the other."""
    insertions = np.concatenate([[0], np.cumsum(_INSERTION[said])]).astype(np.int32)
    costs = np.empty((len(expected) + 1, len(said) + 1), np.int32)
    costs[0] = insertions
    substitutions = _SUBSTITUTION[expected[:, None], said[None, :]]
    for row, deletion in enumerate(_DELETION[expected]):
        best = costs[row] + deletion
        np.minimum(best[1:], costs[row, :-1] + substitutions[row], out=best[1:])
        # The best way to a column is the best one to some column before it, then insertions.
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
