"""The packed word list gives the same answers as a dict."""

import gzip
import hashlib
from pathlib import Path

import pytest

import service.text.languages.english
from service.text.wordlist import WordList, pack

DATA = Path(service.text.languages.english.__file__).parent / "data"

ENTRIES = {
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
        *ENTRIES.items(), ("House", "hˈWs"), ("zoe", "zˈOi"), ("Read", ENTRIES["read"]), ("Don't", "dˈOnt"),
        ("HOUSE", None), ("nasa", None), ("Nasa", None), ("A", None), ("i", None), ("hous", None), ("houses", None),
        ("", None), ("\t", None), ("zzz", None), ("house\thˈWs", None),
    ],
)  # fmt: skip
def test_words_are_found_with_the_other_case_of_their_first_letter(word, entry):
    words = WordList(pack(ENTRIES))
    assert words.get(word) == entry
    assert (word in words) == (entry is not None)


@pytest.mark.parametrize(
    ("head", "rest", "expected"),
    [
        ("h", "[a-z]use", True), ("hous", "[a-z]", True), ("house", "", True), ("h", "[a-z]us", False),
        ("z", "[a-z]{1,9}", False), ("", "zo", False), ("pol", "[a-z]{3}", True), ("re", "[a-z]{2}", True),
        ("zz", "[a-z]", False),
    ],
)  # fmt: skip
def test_a_word_is_found_by_its_beginning_and_a_pattern(head, rest, expected):
    assert WordList(pack(ENTRIES)).has_match(head, rest) == expected


@pytest.mark.parametrize("count", range(6))
def test_each_of_a_few_is_found(count):
    entries = {letter * 3: letter for letter in "abcdefgh"[:count]}
    words = WordList(pack(entries))
    assert {word: words.get(word) for word in entries} == entries
    assert not any(word in words for word in ("", "aa", "aab", "aaaa", "zzz"))


@pytest.mark.parametrize("name", ["us_gold", "us_silver", "gb_gold", "gb_silver", "cmudict"])
def test_the_lists_are_those_that_were_fetched(name):
    sums = dict(reversed(line.split()) for line in (DATA / "SHA256SUMS").read_text(encoding="ascii").splitlines())
    packed = gzip.decompress((DATA / f"{name}.tsv.gz").read_bytes())
    assert hashlib.sha256(packed).hexdigest() == sums[f"{name}.tsv"]
    words = WordList.load(name)
    lines = packed.decode().splitlines()
    for line in (lines[0], lines[len(lines) // 3], lines[-1]):
        word, _, entry = line.partition("\t")
        assert words.get(word) == entry
