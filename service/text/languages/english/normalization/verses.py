"""Chapters and verses of scriptures, which look like times of day."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.notation import word_before, word_set
from service.text.languages.english.normalization.numbers import Numbers
from service.text.normalization.rules import Rule

_VERSE = re.compile(
    r"(?P<chapter>[0-9]{1,3}):(?P<verse>[0-9]{1,3})(?:[-–](?P<last>[0-9]{1,3}))?(?![:\w])"
)
_BOOKS = word_set(
    "genesis exodus leviticus numbers deuteronomy joshua judges ruth samuel kings chronicles "
    "ezra nehemiah esther job psalm psalms proverbs ecclesiastes isaiah jeremiah lamentations "
    "ezekiel daniel hosea joel amos obadiah jonah micah nahum habakkuk zephaniah haggai "
    "zechariah malachi matthew mark luke john acts romans corinthians galatians ephesians "
    "philippians colossians thessalonians timothy titus philemon hebrews james peter jude "
    "revelation surah sura quran "
    "gen ex lev num deut josh ps prov eccl isa jer ezek dan matt mk lk jn rom cor gal eph phil "
    "col thess tim heb jas pet rev"
)


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for chapters and verses."""

    def verse(match: re.Match[str]) -> str | None:
        if word_before(match).lower() not in _BOOKS:
            return None
        words = f"{numbers.cardinal(match['chapter'])} {numbers.cardinal(match['verse'])}"
        return f"{words} to {numbers.cardinal(match['last'])}" if match["last"] else words

    return (Rule(_VERSE, verse),)
