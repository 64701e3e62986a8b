"""Words that the lexicon has with one pronunciation only, and contexts that require another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from service.text.languages.english import words as classes

_NEAR = 7
"""Distance, in words, at which a word of the same topic counts as context."""


class _Reading(NamedTuple):
    """A pronunciation that a word has in some contexts. One matching context is enough.

    Attributes:
        american: the American phonemes.
        british: the British phonemes.
        before: phrases of one or two words directly before it.
        after: words directly after it.
        near: words at most 7 words away.
        tags: prefixes of the tags that it must have; empty for any tag.
        capital: whether it must start with a capital.
        alone: whether no noun may follow that it describes.
        apart: whether no hyphen may be before it.
    """

    american: str
    british: str
    before: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()
    near: frozenset[str] = frozenset()
    tags: tuple[str, ...] = ()
    capital: bool | None = None
    alone: bool = False
    apart: bool = False


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> frozenset[str]:
    return frozenset(phrase.strip() for phrase in text.split(","))


_SHIP = _words("ship stern boat hull starboard anchor mast vessel sailors deck waves canoe aft")
_MUSIC = _words(
    "guitar guitars guitarist drum drums drummer player clef jazz band singer voice soprano alto"
    " tenor treble music musician baritone plays play played playing piano violin cello keyboard"
    " orchestra song songs sing sings sang notes speaker speakers sound amplifier rhythm loud"
)
_RESUME = _phrases("a, my, your, his, her, our, their, updated, whose")

READINGS: Mapping[str, Sequence[_Reading]] = {
    "aged": [
        _Reading(
            "ˈAʤɪd",
            "ˈAʤɪd",
            after=_words("man woman men women mother father parents parent relatives couple lady"),
        )
    ],
    "bases": [
        _Reading(
            "bˈAsᵻz",
            "bˈAsɪz",
            before=_phrases(
                "military, air, army, naval, data, knowledge, missile, customer, power"
            ),
            after=_words("loaded"),
            near=_words("acids acid baseball runner runners inning troops soldiers military"),
        )
    ],
    "bass": [
        _Reading(
            "bˈæs",
            "bˈas",
            before=_phrases(
                "sea, striped, largemouth, smallmouth, freshwater, rock, white, grilled, fried"
            ),
        ),
        _Reading("bˈAs", "bˈAs", before=_phrases("double, electric, stand-up"), near=_MUSIC),
    ],
    "blessed": [
        _Reading(
            "blˈɛsɪd",
            "blˈɛsɪd",
            after=_words("virgin sacrament mother trinity mary silence relief event"),
        ),
        _Reading("blˈɛsɪd", "blˈɛsɪd", after=_words("are is"), capital=True),
    ],
    "bow": [
        _Reading(
            "bˈW",
            "bˈW",
            before=_phrases(
                "take a, takes a, took a, taking a, taken a, a deep, a low, a slight, a stiff,"
                " a small, a polite, a formal, made a, makes a, make a, final, the ship's"
            ),
            near=_SHIP,
        )
    ],
    "does": [
        _Reading(
            "dˈOz",
            "dˈQz",
            before=_phrases(
                "two, three, four, five, six, several, young, female, bucks and, stags and,"
                " fawns and, the, many, the, many"
            ),
        )
    ],
    "export": [_Reading("ɪkspˈɔɹt", "ɪkspˈɔːt", tags=("VB",))],
    "exports": [_Reading("ɪkspˈɔɹts", "ɪkspˈɔːts", tags=("VB",))],
    "invalid": [
        _Reading(
            "ˈɪnvəlɪd",
            "ˈɪnvəlɪd",
            after=_words(
                "mother father wife husband sister brother son daughter child aunt uncle cousin"
                " parent parents relative employer lady soldier soldiers sailors corps chair"
                " chairs carriage carriages pension pensions"
            ),
        ),
        _Reading(
            "ˈɪnvəlɪd",
            "ˈɪnvəlɪd",
            before=_phrases(
                "a, an, the, this, that, her, his, elderly, permanent, confirmed, chronic, old,"
                " helpless, hopeless, lifelong, poor, young, virtual, bedridden, rich, wealthy"
            ),
            alone=True,
        ),
    ],
    "job": [
        _Reading(
            "ʤˈOb",
            "ʤˈQb",
            before=_phrases("book of, patience of, story of, trials of, sufferings of"),
            near=_words("bible biblical prophet satan scripture god testament ecclesiastes psalms"),
            capital=True,
        )
    ],
    "lead": [
        _Reading(
            "lˈɛd",
            "lˈɛd",
            before=_phrases(
                "made of, heavy as, molten, lined with, filled with, ounces of, pounds of,"
                " pound of, tons of, lump of, piece of, pieces of, sheets of, traces of, levels of,"
                " amounts of, containing, contains, melted, melting"
            ),
            after=_words(
                "pipe pipes piping paint paints poisoning acid bullet bullets weight weights shot"
                " crystal roof roofs solder mine mines ore dust oxide glass battery batteries"
                " exposure pellets sinker sinkers pencil pencils lined"
            ),
            near=_words("zinc tin arsenic cadmium mercury copper metals toxic"),
            tags=("NN", "JJ"),
        )
    ],
    "minute": [
        # `the very minute`, `this is minute five`
        _Reading(
            "mˈɪnət",
            "mˈɪnɪt",
            before=_phrases("the very, this very, that very"),
            after=_words("one two three four five six seven eight nine ten twenty thirty forty"),
        ),
        _Reading(
            "mInˈut",
            "mInjˈuːt",
            before=_phrases("so, too, extremely, incredibly, almost, are, were"),
            alone=True,
        ),
        _Reading(
            "mInˈut",
            "mInjˈuːt",
            after=_words(
                "adjustment adjustments amount amounts analysis animals attention bits bubbles"
                " cells change changes crack cracks creature creatures crystal crystals detail"
                " details difference differences dose doses dots droplets error errors"
                " examination flaw flaws fossil fraction fractions fragment fragments glands"
                " grain grains hairs hole holes increments insect insects inspection movement"
                " movements observation observations organism organisms particle particles piece"
                " pieces pores portion portions proportion proportions quantities quantity"
                " sample samples scale scratch scratches scrutiny sea seeds shift shifts size"
                " snail snails specimen specimens speck specks spines spots structures teeth"
                " trace traces variation variations indistinct operculate secretory dark white"
                " black green red"
            ),
            apart=True,
        ),
    ],
    "minutes": [_Reading("mˈɪnəts", "mˈɪnɪts")],
    "nice": [
        _Reading(
            "nˈis",
            "nˈiːs",
            near=_words("france riviera cannes marseille marseilles monaco lyon provence antibes"),
            capital=True,
        )
    ],
    "number": [
        _Reading(
            "nˈʌməɹ",
            "nˈʌmə",
            before=_phrases("grew, grow, grows, ever"),
            near=_words("numb"),
        )
    ],
    "permits": [
        _Reading(
            "pəɹmˈɪts",
            "pəmˈɪts",
            after=_words("the a an you us them it only no any anyone everyone users students"),
        )
    ],
    "polish": [_Reading("pˈɑlɪʃ", "pˈɒlɪʃ", tags=("VB",))],
    "produce": [
        _Reading(
            "pɹədˈus",
            "pɹədjˈuːs",
            after=_words(
                "a an the more less enough their its his her evidence electricity results"
            ),
        )
    ],
    "protest": [_Reading("pɹətˈɛst", "pɹətˈɛst", tags=("VB",))],
    "protests": [_Reading("pɹətˈɛsts", "pɹətˈɛsts", tags=("VB",))],
    "reading": [
        _Reading(
            "ɹˈɛdɪŋ",
            "ɹˈɛdɪŋ",
            near=_words("berkshire pennsylvania paddington swindon slough england town festival"),
            capital=True,
        )
    ],
    "record": [_Reading("ɹəkˈɔɹd", "ɹɪkˈɔːd", after=_words("your my it them everything yourself"))],
    "resume": [_Reading("ɹˈɛzəmˌA", "ɹˈɛzjʊmˌA", before=_RESUME, near=_words("applicant cv"))],
    "resumes": [
        _Reading(
            "ɹˈɛzəmˌAz",
            "ɹˈɛzjʊmˌAz",
            before=_RESUME | _phrases("of, many, fifty, hundred, hundreds of, all the, reading"),
            near=_words("applicants candidates recruiter recruiters"),
        )
    ],
    "row": [
        _Reading(
            "ɹˈW",
            "ɹˈW",
            before=_phrases(
                "blazing, furious, diplomatic, terrible, bitter, fierce, flaming, a political,"
                " had a, having a, huge, public"
            ),
            after=_words("erupted"),
            tags=("NN",),
        )
    ],
    "tear": [
        _Reading(
            "tˈɛɹ",
            "tˈɛː",
            before=_phrases("wear and"),
            near=_words("jacket fabric cloth muscle ligament seam sleeve trousers jeans tent net"),
        )
    ],
    "use": [
        _Reading(
            "jˈuz",
            "jˈuːz",
            before=_phrases("both, fbi, police, also, you, we, they, i, teams, can, to, not"),
            after=_words("it them these those your"),
        )
    ],
}

_PASTS = classes.PASTS | _words("died lived needed spent wanted")
_OR = _words("or nor")
_SENTENCE_ENDS = frozenset(".!?")


def find_pronunciations(
    words: Sequence[str], tags: Sequence[str], *, british: bool
) -> dict[int, str]:
    """Return the phonemes of words that differ from the lexicon, by the index of the word.

    Args:
        words: the words and marks of a text.
        tags: the tag of each.
        british: whether to pronounce British or American English.
    """
    found: dict[int, str] = {}
    for index, word in enumerate(words):
        for reading in READINGS.get(word.lower(), ()):
            if _fits(reading, words, index, tags[index]):
                found[index] = reading.british if british else reading.american
                break
    return found


UNUSUAL_SENSE = "SENSE_1"
"""In place of a tag: the word has the sense that is not the usual one."""


def find_sense(word: str, tag: str, *, british: bool) -> str | None:
    """Return the phonemes of a word whose part of speech or sense the caller gives.

    None if the lexicon has them.
    """
    for reading in READINGS.get(word.lower(), ()):
        is_certain = not (reading.before or reading.after or reading.near) and reading.tags
        if tag == UNUSUAL_SENSE or (is_certain and tag.startswith(reading.tags)):
            return reading.british if british else reading.american
    return None


def _fits(reading: _Reading, words: Sequence[str], index: int, tag: str) -> bool:
    if reading.tags and not tag.startswith(reading.tags):
        return False
    if reading.capital is not None and words[index][0].isupper() != reading.capital:
        return False
    if not (reading.before or reading.after or reading.near):
        return True
    before = _same_sentence(words[max(0, index - _NEAR) : index][::-1])[::-1]
    after = _same_sentence(words[index + 1 : index + 1 + _NEAR])
    if (reading.alone and not _is_alone(after)) or (reading.apart and before[-1:] == ["-"]):
        return False
    return (
        (bool(after) and after[0] in reading.after)
        or not reading.before.isdisjoint((" ".join(before[-1:]), " ".join(before[-2:])))
        or not reading.near.isdisjoint(before)
        or not reading.near.isdisjoint(after)
    )


def _is_alone(after: Sequence[str]) -> bool:
    """Tell whether the next words cannot be a noun, or an adjective before one."""
    if after[:1] == ["and"]:
        after = after[1:]
        return bool(after) and (after[0] in classes.FUNCTION_WORDS or after[0] in _PASTS)
    return not after or not after[0][0].isalnum() or after[0] in classes.FUNCTION_WORDS - _OR


def _same_sentence(words: Sequence[str]) -> list[str]:
    """Return the words up to the end of the sentence, in lower case."""
    return [word.lower() for word in takewhile(lambda word: word not in _SENTENCE_ENDS, words)]
