"""Words made of known ones, which no list has: `ragebait`, `cosplayer`, `memeable`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from service.text.languages.english import emphasis
from service.text.languages.english.sounds import VOWELS
from service.text.languages.english.stems import tapped


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SHORTEST = 4
"""Letters of a part that is not in `_SHORT`."""

_SHORT = _words(
    "air bad bed big bot box boy bro bug cam car cat cup dog ear egg eye fan fat fin fix fun gas"
    " gun hip hot hub ice jet job key kid lab law leg lip low man map new nut off oil old one out"
    " pay pod pop pot pub rap raw red rug sad sea set sex sky sun tax tea tip top toy war way web"
)
_NOT_PARTS = _words("axis cation coho esses inter ness ring sham ting")
"""Words that are more often a piece of another: `workcation`."""

_ENDINGS = _words(
    "ably able ability adder ally ator cally ence esque ever fully gram graph iced ident ions"
    " ling ment mental rally rial rice stress tally test tress ural vent ward"
)
"""Words that are more often endings: `noticeably`, `basically`, `managerial`."""

_ALONE = 6
"""Letters of a second part that may begin as the first ends: `stabbed` is no bed."""

_BEFORE_MAIN_STRESS = _words(
    "anti auto counter crypto eco electro geo hydro hyper hypo macro mega meta micro mini mono"
    " multi nano neuro para photo post proto pseudo radio retro semi super techno trans ultra"
)
"""First parts that leave the main stress to a second one of several syllables."""

_WEAK_FIRST = _words("out over under")
"""First parts of verbs, which leave the main stress to any second one: `overfit`."""

_LONG = 4
"""Syllables of a second part that has the main stress after any first: `backpropagation`."""

_SUFFIXES = {
    "able": "əbᵊl", "er": "əɹ", "ers": "əɹz", "ism": "ˌɪzəm", "less": "ləs", "ness": "nəs",
    "ship": "ʃɪp",
}  # fmt: skip
_AFTER_SILENT_E = ("able", "er", "ers", "ism")


def halves(word: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to cut a word in small letters in two parts, the most even ones first."""
    for cut in sorted(range(3, len(word) - 2), key=lambda cut: abs(2 * cut - len(word))):
        parts = word[:cut], word[cut:]
        first, second = parts
        are_words = all(len(part) >= _SHORTEST or part in _SHORT for part in parts)
        is_doubled = first[-1] == second[0] and len(second) < _ALONE
        if are_words and not is_doubled and second not in _ENDINGS and _NOT_PARTS.isdisjoint(parts):
            yield parts


def joined(first: str, said: str, second_said: str) -> str:
    """Return the phonemes of two words that are written as one.

    Args:
        first: the first of them.
        said: its phonemes.
        second_said: the phonemes of the second.
    """
    said = emphasis.strengthen(said, emphasis.Strength.PRIMARY)
    second_said = emphasis.strengthen(second_said, emphasis.Strength.PRIMARY)
    syllables = sum(map(VOWELS.__contains__, second_said))
    has_weak_first = first in _WEAK_FIRST or (syllables > 1 and first in _BEFORE_MAIN_STRESS)
    if syllables >= _LONG or has_weak_first:
        return emphasis.weaken(said) + second_said
    return said + emphasis.weaken(second_said)


def suffixed(word: str, look_up: Callable[[str], str | None], *, british: bool) -> str | None:
    """Return the phonemes of a known word with a suffix; None if there is none.

    Args:
        word: a word in small letters.
        look_up: returns the phonemes of a known word.
        british: whether they are British.
    """
    for suffix, ending in _SUFFIXES.items():
        if not word.endswith(suffix) or len(word) < len(suffix) + _SHORTEST:
            continue
        for stem in _stems(word[: -len(suffix)], suffix):
            said = look_up(stem)
            if said is None:
                continue
            if ending[0] == "ə":
                # British English inserts an r that the phonemes do not show.
                if british and said[-1] in "əː":
                    return None
                said = tapped(said, british)
            return said + (ending.replace("əɹ", "ə") if british else ending)
    return None


def _stems(stem: str, suffix: str) -> Iterator[str]:
    if suffix in _AFTER_SILENT_E:
        yield f"{stem}e"
        if stem[-1] == stem[-2]:
            yield stem[:-1]
    yield stem
