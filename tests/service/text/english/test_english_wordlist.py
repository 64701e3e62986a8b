"""The packed list of words answers as a dictionary does."""

from __future__ import annotations

import pytest

from service.text.english.wordlist import Entry, WordList

ENTRIES: dict[str, Entry] = {
    "house": "hˈWs",
    "Polish": "pˈOlɪʃ",
    "polish": "pˈɑlɪʃ",
    "Zoe": "zˈOi",
    "NASA": "nˈæsə",
    "a": "ɐ",
    "I": "ˌI",
    "read": {"DEFAULT": "ɹˈid", "VBD": "ɹˈɛd"},
    "don't": "dˈOnt",
}


@pytest.mark.parametrize(
    ("word", "entry"),
    [
        *ENTRIES.items(),
        ("House", "hˈWs"),
        ("zoe", "zˈOi"),
        ("Read", ENTRIES["read"]),
        ("Don't", "dˈOnt"),
        ("HOUSE", None),
        ("nasa", None),
        ("Nasa", None),
        ("A", None),
        ("i", None),
        ("hous", None),
        ("houses", None),
        ("", None),
        ("\t", None),
        ("zzz", None),
        ("house\thˈWs", None),
    ],
)
def test_words_are_found_with_the_other_case_of_their_first_letter(
    word: str, entry: Entry | None
) -> None:
    words = WordList(ENTRIES)
    assert words.get(word) == entry
    assert (word in words) == (entry is not None)
    if entry is None:
        with pytest.raises(KeyError):
            words[word]


def test_it_lists_its_own_entries() -> None:
    words = WordList(ENTRIES)
    assert sorted(words) == sorted(ENTRIES)
    assert len(words) == len(ENTRIES)
    assert 1 not in words
    assert len(WordList({})) == 0
    assert "a" not in WordList({})
