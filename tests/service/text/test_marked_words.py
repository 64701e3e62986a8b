"""Words with Markdown's marks sound like the same words without them."""

import gzip
import random
import re
from pathlib import Path

import pytest

import service.text.languages.english
from tests.service.text.reading_tables import rows
from tests.service.text.whole_reading import normalized, read

LEXICON = Path(service.text.languages.english.__file__).parent / "data" / "us_gold.tsv.gz"

PHRASES = re.split(
    r"\s*\|\s*",
    "TL;DR | What is AI | Sign in | 10 am | 10 a.m. | 7:30 pm | shouldn't | I | a | A | IT | I'm"
    "| U.S. | e.g. | C++ | C# | Node.js | README.md | R2-D2 | COVID-19 | 24/7 | 1/2 | 50% | $5"
    "| $1,200 | 25 °C | 5 km | 3x | 2nd | 1990s | Q3 | v2.1 | #1 | No. 5 | Dr. Lee | Wait! |"
    "Really? | Note: | Yes, please | naïve | état | state-of-the-art | x | x = 5 | H2O |"
    "Henry VIII | May 5 | 2024-03-15 | 555-1234 | rock 'n' roll | it's | 5'10\" | 50 Hz |"
    "10 W | 3 A | 16 GB | 2 min | 6 h | IDs | PhD | MP3 | i7 | -5 | +3 | 100th | sh*t | f**k | B) |"
    "plan B | Adobe XD",
)
POSITIONS = (
    "{} first",
    "You {} panic",
    "They said {}.",
    "- {}: text\n- other",
    "## {}\n\nText here.",
    "Is it {}? Yes, {}!",
    'See this ({}) now, “{}” or "{}"',
    "*One* {} **two**",
)
MARKS = ("**{}**", "*{}*", "***{}***", "__{}__", "_{}_", "~~{}~~", "**_{}_**")


def phrases(n):
    """Yield phrases: fixed ones, then words of all kinds and parts of sentences."""
    yield from PHRASES[:n]
    dice = random.Random(46)
    packed = gzip.decompress(LEXICON.read_bytes()).decode()
    words = [line.split("\t")[0] for line in packed.splitlines()]
    kinds = (
        [word for word in words if word.islower() and len(word) <= 3],
        [word for word in words if word.islower() and len(word) > 3],
        [word for word in words if word.istitle()],
        [word for word in words if word.isupper() and len(word) > 1],
        [word for word in words if "'" in word],
    )
    sentences = [text.rstrip(".?!").split() for kind, text, _ in rows("agreement") if kind.startswith("en-us")]
    for index in range(max(0, n - len(PHRASES))):
        kind = index % (len(kinds) + 4)
        if kind < len(kinds):
            yield dice.choice(kinds[kind])
        elif kind == len(kinds):
            yield f"{dice.choice(kinds[0])}-{dice.choice(kinds[1])}"
        elif kind == len(kinds) + 1:
            unit = dice.choice(["am", "pm", "km", "m", "kg", "h", "in", "people", "A", "W", "ft"])
            yield f"{dice.randint(1, 2100)} {unit}"
        elif kind == len(kinds) + 2:
            number = f"{dice.randint(1, 12)}{dice.choice(['', *'abcd'])}"
            yield f"{dice.choice(['Step', 'Chapter', 'Figure', 'Option'])} {number}"
        else:
            sentence = dice.choice(sentences)
            start = dice.randrange(len(sentence))
            yield " ".join(sentence[start : start + dice.randint(1, 4)]).strip(",;:")


@pytest.mark.parametrize(
    ("n", "step"),
    [
        (100, len(POSITIONS)),  # each phrase in one position
        pytest.param(100, 1, marks=pytest.mark.thorough),
        pytest.param(2000, 1, marks=pytest.mark.slow),
    ],
)
def test_marks_change_no_sound(front_end, n, step):
    misses = []
    for index, phrase in enumerate(phrases(n)):
        for position in POSITIONS[index % step :: step]:
            plain = read(front_end, position.replace("{}", phrase), "en-us")
            for mark in MARKS if n < len(PHRASES) * 2 else MARKS[:3]:
                text = position.replace("{}", mark.format(phrase))
                marked = read(front_end, text, "en-us")
                if marked.phonemes != plain.phonemes:
                    misses.append(f"{text!r}: {marked.normalized!r}, not {plain.normalized!r}")
    assert not misses, "\n".join(misses)


@pytest.mark.parametrize("mark", ["*", "**", "***"])
@pytest.mark.parametrize("sign", [*"/=+&%$#@.,:;-–—(\"'"])
def test_marks_beside_signs_lose_nothing(front_end, sign, mark):
    misses = []
    for left, right in (("bread", "butter"), ("Q", "A"), ("24", "7"), ("AT", "T")):
        plain = read(front_end, f"The {left}{sign}{right} here", "en-us")
        for first, second in ((mark, mark), (mark, ""), ("", mark)):
            text = f"The {first}{left}{first}{sign}{second}{right}{second} here"
            marked = read(front_end, text, "en-us")
            if marked.phonemes != plain.phonemes:
                misses.append(f"{text!r}: {marked.normalized!r}, not {plain.normalized!r}")
    assert not misses, "\n".join(misses)


@pytest.mark.parametrize("language", ["en-gb", "es", "fr", "it", "pt-br", "hi", "ja", "zh"])
def test_no_star_beside_a_sign_is_left(language):
    for sign in "/=+&%$#@.,:;-–—":
        for mark in ("*", "**", "***"):
            text = f"{mark}bread{mark}{sign}{mark}butter{mark}"
            said = normalized(text, language).text
            assert "*" not in said, f"{text}: {said}"


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("un*frigging*believable", "unfriggingbelievable"), ("*emphasis*s", "emphasiss"),
        ("10 km**away**", "10 kmaway"), ("9 pm**", "9 pm"), ("x+**y**", "x+y"), ("Dr.**Who**", "Dr.Who"),
    ],
)  # fmt: skip
def test_no_letter_vanishes_beside_stars(marked, plain):
    said = normalized(marked).text
    assert said.replace("*", "") == normalized(plain).text


def test_stars_of_formulas_join_no_words():
    assert "Dostresdos" not in normalized("2**3**2", "es").text
