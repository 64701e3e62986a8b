"""Single words as in the official front end: with endings, in capitals, in context."""

from service.text.english.lexicon import Lexicon
from service.text.english.tokens import Next, Token

NEXT = {"vowel": Next(True), "consonant": Next(False), "pause": Next(None), "to": Next(False, True)}


def test_words_are_said_as_the_official_front_end_says_them(table):
    lexicons = {code: Lexicon(british=code == "en-gb", guess=lambda word: f"<{word}>") for code in ("en-us", "en-gb")}
    rows = table("words.tsv")
    assert len(rows) > 2500
    misses = []
    for language, parts, following, expected in rows:
        word = tuple(Token(*part.rsplit("/", 1)) for part in parts.split(" "))
        said = lexicons[language].pronounce(word, NEXT[following])
        if said != expected:
            misses.append(f"{language} {parts} before {following}: {said}, not {expected}")
    assert misses == []
