"""Stars that emphasis leaves: products, powers, hidden letters, marks of notes, `A*`, `5* hotel`.

Every star after a letter, a number or the end of a sentence becomes a word or is gone. Others are
those of code and addresses, and stay: `f(*args)`, `src/**/*.ts`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from service.text.document.emphasis import MEASURES
from service.text.normalization.locale import words
from service.text.normalization.rules import Rule
from service.text.scripts import is_ideographic, joins_letters
from service.text.wordlist import WordList

_ADDRESS_BEFORE = re.compile(r"(?:://|\\|(?:\A|\s)[~.]{0,2}/)\S{0,40}\Z")
_FORMULA_BEFORE = re.compile(r"(?:[=+^≤≥≈×÷]|\w\()[ ]?[\w*]{0,40}\Z")
_FORMULA_AFTER = re.compile(r"[\w*]{0,40}(?:[ ]?[=+^≤≥≈×÷]|\()")
_REACH = 40
"""Characters before and after a star that tell what it is."""

# Letters with vowel signs; the second set has no spaces between words.
_LETTERS = "A-Za-zÀ-ÖØ-öø-\u1fff"
_CHARACTERS = "々\u3041-\u30fe\u3400-\u9fff\uac00-\ud7a3"
_SIGN = re.compile(
    rf"(?P<left>a(?<![{_LETTERS}0-9_'’]a))?[ ]?(?P<sign>\*(?<!\*\*)\*?(?!\*))"
    rf"(?P<right>(?<=\*\*)[ ]?[-−]?[0-9]+(?:\.[0-9]+)?|[ ]?(?:a(?![{_LETTERS}0-9_'’]))?)"
)
_LEFT = re.compile(rf"(?:[{_LETTERS}]+|[{_CHARACTERS}]+|[0-9]+|[)\]π²³%])\Z")
_RIGHT = re.compile(rf"[-−]?([{_LETTERS}]+|[{_CHARACTERS}]+|[0-9]+|[(√π])")
_TERMS = re.compile(r"\([ ]?[\w.]{1,12}[ ]?[-−+*/^]")
_TOKEN = re.compile(rf"[{_LETTERS}*]+")
_FUNCTIONS = frozenset(
    words(
        "sin cos tan log ln exp sqrt abs min max pi alpha beta gamma delta theta lambda mu rho"
        " sigma phi omega"
    )
)
_UNKNOWNS = frozenset("xyz")
_VOWEL = re.compile(r"[aeiouyAEIOUY]")

# Other signs may hide letters too, next to a star: `f*#k`.
_HIDDEN = re.compile(
    rf"[{_LETTERS}](?<![\w*/\\=+^|~<>#@&$%][{_LETTERS}])(?<!\w['’.][{_LETTERS}])[{_LETTERS}]{{0,15}}"
    rf"[#@$%&]{{0,8}}\*[{_LETTERS}#@$%&*]{{0,32}}(?![\w/\\=+^|~(\[*]|\.\w)"
)
_BEGINNING_HIDDEN = re.compile(r"\*(?<![\w*/\\.(\[{]\*)(?P<seen>[A-Za-z]{3,15})(?![\w*=(\[]|\.\w)")
_WORDS = re.compile(rf"[{_LETTERS}]+")
_SIGNS = re.compile(rf"[^{_LETTERS}]+")
# The letters after a number are a unit: `9 pm**`.
_NUMBER_BEFORE = re.compile(r"[0-9][ ]?\Z")
_OPENING = re.compile(r"\*(?<![\w*.,;:!?)\]}”’]\*)\**(?=[^\s*])")
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_CUSTOMARY = frozenset(words("G*d g*d S*x s*x S*X"))
_ENDINGS = frozenset(("ing", "ed", "s"))
# Two stars after these are those of a note, or of emphasis without a beginning.
_SHORT_WORDS = frozenset(
    words(
        "ad am an as at be by do go ha he hi id if in is it ma me my no of oh ok on or ox pa pi so"
        " to tv uk up us we"
    )
)
_RATED = re.compile(r"[1-7](?<![\w.,$£€¥-].)\*(?![\w*(/]|[ ]?[-+0-9(=])")
_STARS = re.compile(r"\*(?<!\*\*)\**")
_SENTENCE_BEFORE = re.compile(r"(?:\A|\n|[.!?][\"”’)]?[ \t])[ \t]*\Z")

# Where stars are of code, and no word of a path is as short as `w/`.
_CALL_BEFORE = re.compile(r"\w\([^()]*\Z")
_FOLDER_BEFORE = re.compile(r"\w{2,}/\Z")

_STRONG = 2
_TELLING = 3
"""Number of letters from which a part of a word says something, and of stars that only hide."""
_LONG = 7
"""Number of visible letters from which one star may hide up to three."""
_KEPT = 1024


class StarWords(NamedTuple):
    """What a language says for stars.

    Attributes:
        times: the word for a product, with spaces where the language has them.
        power: template for `**` and the exponent.
        star: the word after the number of a rating, and after the letter of a grade; empty if such
            stars are silent.
        lexicon: the words that may be hidden; None if their shape has to tell.
    """

    times: str
    power: str
    star: str = ""
    lexicon: WordList | None = None


def rules(spoken: StarWords) -> tuple[Rule, ...]:
    """Return the rules for signs of arithmetic, hidden words, grades and ratings."""
    stars = _Stars(spoken)
    return (
        Rule(_SIGN, stars.operation),
        Rule(_HIDDEN, stars.hidden),
        Rule(_BEGINNING_HIDDEN, stars.without_beginning),
        Rule(_RATED, stars.rating),
    )


class _Stars:
    """Tells signs of arithmetic from stars that hide letters."""

    def __init__(self, spoken: StarWords) -> None:
        self._spoken = spoken
        self._completes = lru_cache(_KEPT)(self._completes_anew)

    def operation(self, match: re.Match[str]) -> str | None:
        """Return the words for a product or a power; nothing for `un*frigging*believable`."""
        if not self._is_operation(match):
            return "" if self._is_divided(_token(match)) else None
        left, right = "A" * (match["left"] is not None), match["right"].strip().replace("a", "A")
        if match["sign"] == "*":
            return f"{left}{self._spoken.times}{right}"
        return left + self._spoken.power.format(right)

    def _is_operation(self, match: re.Match[str]) -> bool:
        start, end = match.span("sign")
        before = match.string[max(0, start - _REACH) : start]
        after = match.string[end : end + _REACH]
        gaps = before[-1:] == " ", after[:1] == " "
        before, after = before.removesuffix(" "), after.removeprefix(" ")
        left, right = _LEFT.search(before), _RIGHT.match(after)
        if left is None or right is None or _ADDRESS_BEFORE.search(before):
            return False
        if len(right[1]) > 1 and right[1].isalpha() and after[0] in "-−":
            return False  # `C*-algebra`
        operands = left[0], right[1]
        letters = [operand for operand in operands if operand[0].isalpha() and operand != "π"]
        names = [operand for operand in letters if len(operand) > 1]
        is_power = match["sign"] == "**"
        if any(gaps):
            return not (names and is_power) if all(gaps) else not letters
        if any(name.lower() in _FUNCTIONS for name in names):
            return True
        is_term = _FORMULA_BEFORE.search(before[: left.start()]) is not None
        if is_term or _FORMULA_AFTER.match(after[right.end() :]):
            return True
        if len(letters) < 2:
            return not names or right[1] != "(" or _TERMS.match(after) is not None
        if is_ideographic(left[0][-1]) or is_ideographic(right[1][0]):
            # One star may hide a character.
            return not is_power and (
                MEASURES.issuperset((left[0][-1], right[1][0])) or min(map(len, operands)) > 1
            )
        if is_power:
            return not names and not _UNKNOWNS.isdisjoint(letters)
        return self._is_product(_token(match))

    def _is_product(self, token: str) -> bool:
        """Tell whether letters with single stars between them are factors, and no hidden word."""
        parts = token.strip("*").split("*")
        lengths = list(map(len, parts))
        if max(lengths) == 1:
            return token not in _CUSTOMARY
        if self._spoken.lexicon is None:
            return min(lengths) >= _TELLING or max(lengths) >= _LONG
        if all(len(one) == 1 or one.lower() in _FUNCTIONS or self._is_word(one) for one in parts):
            return True
        if self._is_divided(token) or self._completes(token):
            return False
        # `b*tch*s`
        return lengths[0] > 1 or all(len(one) == 1 or _VOWEL.search(one) for one in parts)

    def _is_divided(self, token: str) -> bool:
        """Tell whether stars enclose a part of a word, or a word inside another word."""
        head, _, rest = token.partition("*")
        inside, _, end = rest.partition("*")
        if self._spoken.lexicon is None:
            return False
        if all((head, inside, end)) and "*" not in end and self._is_word(head + inside + end):
            return True
        return self._is_word(head + end) and len(end) >= _TELLING and self._is_word(inside)

    def hidden(self, match: re.Match[str]) -> str | None:
        """Return what is said of a word of which stars hide letters."""
        letters, signs = _WORDS.findall(match[0]), _SIGNS.findall(match[0])
        most = max(map(len, signs))
        if not all("*" in sign for sign in signs) or _is_opened(match):
            return None
        before = match.string[max(0, match.start() - _REACH) : match.start()]
        if _ADDRESS_BEFORE.search(before):
            return None
        if len(letters) == len(signs) == 1:
            is_unit = most < _TELLING and _NUMBER_BEFORE.search(before)
            return None if is_unit else self._beginning(letters[0], most)
        if most < _TELLING and any(map(self._is_word, letters[1:-1])):
            return None  # `abso**bloody**lutely`
        # `hi**there` has the marks of emphasis, `m**rda` may not.
        is_shape = self._spoken.lexicon is None and len(letters[0]) == 1
        doubtful = most == _TELLING - 1 and len(letters[-1]) >= _TELLING
        if doubtful and not is_shape and not self._completes(match[0]):
            return None
        end = letters[-1] if len(letters) > len(signs) else ""
        # `p**s` is no plural.
        return self._said(letters[0], "" if end == "s" and most < _TELLING else end)

    def without_beginning(self, match: re.Match[str]) -> str | None:
        """Return what is said of a word of which a star hides the first letter: `*sshole`."""
        lexicon, seen = self._spoken.lexicon, match["seen"].lower()
        if lexicon is None or seen in lexicon or _is_opened(match):
            return None
        found = [letter for letter in _ALPHABET if letter + seen in lexicon]
        if not found:
            return None
        return (found[0] if len(found) == 1 else seen[0]).upper()

    def rating(self, match: re.Match[str]) -> str | None:
        """Return the number of stars of a hotel."""
        is_single = match[0][0] == "1" and self._spoken.lexicon is None
        return None if is_single else match[0][0] + self._spoken.star

    def _beginning(self, letters: str, n_stars: int) -> str | None:
        """Return what is said of a word of which stars hide the end."""
        if n_stars == 1:
            if len(letters) > 1 or self._spoken.lexicon is None:
                return None
            return "A-star" if letters in "aA" else letters + self._spoken.star
        if len(letters) >= _TELLING:
            return letters if n_stars >= _TELLING else None
        is_known = self._spoken.lexicon is None or letters.lower() in _SHORT_WORDS
        is_word = is_known or letters.isupper()
        return None if is_word and len(letters) > 1 and n_stars < _TELLING else letters[0].upper()

    def _said(self, head: str, end: str) -> str:
        """Return the first letter of a word, with the words and the ending that can be seen."""
        said = head[0].upper()
        if self._spoken.lexicon is None:
            return said
        for length in (len(head) - 1, len(head) - 2):
            if length > _TELLING and self._is_word(head[:length]):
                said = f"{head[:length]} {head[length].upper()}"  # `bullsh*t`
        if end.endswith("ing"):
            return f"{said} ing"
        is_said = end in _ENDINGS or (len(end) > _TELLING and self._is_word(end))
        return f"{said} {end}" if is_said else said

    def _is_word(self, text: str) -> bool:
        word, lexicon = text.lower(), self._spoken.lexicon
        if len(word) < _TELLING or lexicon is None:
            return len(word) >= _TELLING
        singular = word.removesuffix("s") if len(word) > _TELLING else word
        return _VOWEL.search(word) is not None and (word in lexicon or singular in lexicon)

    def _completes_anew(self, word: str) -> bool:
        """Tell whether the lexicon has a word whose letters the stars may hide, or its stem."""
        head, lexicon = _WORDS.match(word), self._spoken.lexicon
        if head is None or lexicon is None or not word.isascii():
            return False
        n_letters = sum(map(len, _WORDS.findall(word)))
        more = ",3" if n_letters >= _LONG and word.count("*") == 1 else ""
        rest = _SIGNS.sub(lambda sign: f"[a-z]{{{len(sign[0])}{more}}}", word[head.end() :].lower())
        stem = re.sub(r"(?<=[a-z])(?:ing|ers|er|ed|es|s|in)\Z", "", rest)
        beginning = head[0].lower()
        return any(lexicon.has_match(beginning, end) for end in dict.fromkeys((rest, stem)))


def _token(match: re.Match[str]) -> str:
    """Return the letters and stars around a star."""
    text, place = match.string, match.start("sign")
    nearby = _TOKEN.finditer(text, max(0, place - _REACH), place + _REACH)
    return next(found[0] for found in nearby if found.end() > place)


def _is_opened(match: re.Match[str]) -> bool:
    """Tell whether emphasis may begin before the match, in its paragraph."""
    text, start = match.string, match.start()
    return _OPENING.search(text, text.rfind("\n\n", 0, start) + 1, start) is not None


def _note(match: re.Match[str]) -> str | None:
    """Return nothing for stars of notes, and for emphasis that lacks its other end.

    What is left is a star by itself, and those of code, paths and telephones: `f(*args)`,
    `src/**/*.ts`, `*67`.
    """
    text, (start, end) = match.string, match.span()
    before, after = text[start - 1 : start] or "\n", text[end : end + 1] or "\n"
    nearby = text[max(0, start - _REACH) : start]
    is_strong = len(match[0]) == _STRONG
    if before.isspace():
        is_word = after.isalnum() if is_strong else after.isalpha()
        begins = is_word or after in "“\"'" or (is_strong and (after.isspace() or after in "(["))
        if begins and _CALL_BEFORE.search(nearby) is None:
            return ""
        return "" if after.isalnum() and _SENTENCE_BEFORE.search(nearby) is not None else None
    is_pattern = after == "." and text[end + 1 : end + 2].isalnum()
    is_pattern |= after == "/" and not joins_letters(before)
    if is_pattern or _ADDRESS_BEFORE.search(nearby):
        return None
    if before == "/" and is_strong and not _FOLDER_BEFORE.search(nearby):
        return ""
    if before in "*([{<=,/\\":
        return "" if is_strong and before == "," and after.isspace() else None
    if joins_letters(after) or after == "(":
        return " " if joins_letters(before) else ""
    return None if is_ideographic(after) else ""


NOTES = (Rule(_STARS, _note),)
"""The rule for the marks of notes, and of emphasis that lacks an end: they are silent."""
