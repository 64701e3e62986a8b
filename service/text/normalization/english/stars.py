"""Stars that markup leaves: products, powers, words that stars hide, `A*` and `5* hotel`."""

from __future__ import annotations

import re
from functools import lru_cache

from service.text.normalization.english.notation import text_before, word_set
from service.text.normalization.rules import Rule
from service.text.wordlist import WordList

# With its factors `a`: before a word, a small one would be read as the article.
_SIGN = re.compile(
    r"(?P<left>a(?<![\w'’]a))?(?P<sign>[ *](?<=[0-9A-Za-z)\]π²³%].)(?:(?<=\*)\*?|(?<=[ ])\*\*?[ ])"
    r"(?=[A-Za-z]|[-−]?(?:[0-9(π√]|[A-Za-z](?![A-Za-z]))))(?P<right>a(?![\w'’]))?"
)
_LEFT = re.compile(r"(?:[A-Za-z]+|[0-9]+|[)\]π²³%])\Z")
_RIGHT = re.compile(r"[-−]?([A-Za-z]+|[0-9]+|[(π√])")
_OPERATOR_BEFORE = re.compile(r"(?:[=+^≤≥≈×÷]|\w\()[ ]?\Z")
_OPERATOR_AFTER = re.compile(r"[ ]?[=+^≤≥≈×÷]|\(")
_TERMS = re.compile(r"\([ ]?[\w.]{1,12}[ ]?[-−+*/^]")
_TOKEN = re.compile(r"[A-Za-z*]+")
_ADDRESS_BEFORE = re.compile(r"(?:://|\\|(?:\A|\s)[~.]{0,2}/)\S{0,40}\Z")
_FUNCTIONS = word_set(
    "sin cos tan log ln exp sqrt abs min max pi alpha beta gamma delta theta lambda mu rho sigma "
    "phi omega"
)
_UNKNOWNS = frozenset("xyz")
_REACH = 40
"""Characters before and after a sign that tell what it is."""

# Other signs may hide letters too, next to a star: `f*#k`.
_HIDDEN = re.compile(
    r"[A-Za-z](?<![\w*/\\=+^|~<>#@&$%][A-Za-z])(?<!\w['’.][A-Za-z])[A-Za-z]{0,15}"
    r"[#@$%&]{0,8}\*[A-Za-z#@$%&*]{0,32}(?![\w/\\=+^|~(\[*]|\.\w)"
)
_LETTERS = re.compile(r"[A-Za-z]+")
_SIGNS = re.compile(r"[^A-Za-z]+")
# The letters after a number are a unit: `9 pm**`.
_NUMBER_BEFORE = re.compile(r"[0-9][ ]?\Z")
_OPENING = re.compile(r"\*(?<![\w*.,;:!?)\]}”’]\*)\**(?=[^\s*])")
_CUSTOMARY = word_set("G*d g*d S*x s*x S*X")
_ENDINGS = word_set("ing ed s")
# Two stars after these are those of a note, or of emphasis without a beginning.
_SHORT_WORDS = word_set(
    "ad am an as at be by do go ha he hi id if in is it ma me my no of oh ok on or ox pa pi so to "
    "tv uk up us we"
)
_RATED = re.compile(r"[1-7](?<![\w.,$£€¥-].)\*(?![\w*(/]|[ ]?[-+0-9(=])")

_TELLING = 3
"""Number of letters from which a part of a word says something, and of stars that only hide."""
_LONG = 7
"""Number of visible letters from which one star may hide up to three."""
_KEPT = 1024


def rules(*, british: bool) -> tuple[Rule, ...]:
    """Return the rules for stars. They come after those for markup, which has the same sign."""
    stars = _Stars(WordList.load("gb_gold" if british else "us_gold"))
    return (
        Rule(_SIGN, stars.operation, needs="*"),
        Rule(_HIDDEN, stars.hidden, needs="*", original=True),
        Rule(_RATED, lambda match: f"{match[0][0]} star", needs="*"),
    )


class _Stars:
    """Tells signs of arithmetic from stars that hide letters.

    Args:
        lexicon: the words that may be hidden.
    """

    def __init__(self, lexicon: WordList) -> None:
        self._lexicon = lexicon
        self._completes = lru_cache(_KEPT)(self._completes_anew)

    def operation(self, match: re.Match[str]) -> str | None:
        """Return the word for a product, or the usual sign for a power."""
        if not self._is_operation(match):
            return None
        said = "^" if "**" in match["sign"] else " times "
        return "A" * (match["left"] is not None) + said + "A" * (match["right"] is not None)

    def _is_operation(self, match: re.Match[str]) -> bool:
        start, end = match.span("sign")
        before = match.string[max(0, start - _REACH) : start]
        after = match.string[end : end + _REACH]
        left, right = _LEFT.search(before), _RIGHT.match(after)
        if left is None or right is None or _ADDRESS_BEFORE.search(before):
            return False
        operands = left[0], right[1]
        letters = [operand for operand in operands if operand.isascii() and operand.isalpha()]
        names = [operand for operand in letters if len(operand) > 1]
        if any(name.lower() in _FUNCTIONS for name in names):
            return True
        if match["sign"][0] == " ":
            return not names
        is_term = _OPERATOR_BEFORE.search(before[: left.start()]) is not None
        if is_term or _OPERATOR_AFTER.match(after[right.end() :]):
            return True
        if len(letters) < 2:
            return not names or right[1] != "(" or _TERMS.match(after) is not None
        is_power = "**" in match["sign"]
        token = _token(match.string, start)
        if not names:
            return not _UNKNOWNS.isdisjoint(letters) if is_power else token not in _CUSTOMARY
        if self._completes(token):
            return False
        return all(map(self._is_word, letters)) if is_power else not _is_opened(match)

    def hidden(self, match: re.Match[str]) -> str | None:
        """Return what is said of a word of which stars hide letters."""
        letters, signs = _LETTERS.findall(match[0]), _SIGNS.findall(match[0])
        most = max(map(len, signs))
        if not all("*" in sign for sign in signs) or _is_opened(match):
            return None
        if len(letters) == len(signs) == 1:
            is_unit = most < _TELLING and _NUMBER_BEFORE.search(text_before(match))
            return None if is_unit else _beginning(letters[0], most)
        if most < _TELLING and any(len(part) >= _TELLING for part in letters[1:-1]):
            return None  # `abso**bloody**lutely`
        # `hi**there` has the marks of emphasis.
        doubtful = most == 1 or (most < _TELLING and len(letters[-1]) >= _TELLING)
        if doubtful and match[0] not in _CUSTOMARY and not self._completes(match[0]):
            return None
        end = letters[-1] if len(letters) > len(signs) else ""
        # `p**s` is no plural.
        return self._said(letters[0], "" if end == "s" and most < _TELLING else end)

    def _said(self, head: str, end: str) -> str:
        """Return the first letter of a word, with the words and the ending that can be seen."""
        said = head[0].upper()
        for length in (len(head) - 1, len(head) - 2):
            if length > _TELLING and self._is_word(head[:length]):
                said = f"{head[:length]} {head[length].upper()}"  # `bullsh*t`
        if end.endswith("ing"):
            return f"{said} ing"
        is_said = end in _ENDINGS or (len(end) > _TELLING and self._is_word(end))
        return f"{said} {end}" if is_said else said

    def _is_word(self, text: str) -> bool:
        return len(text) >= _TELLING and text.lower() in self._lexicon

    def _completes_anew(self, word: str) -> bool:
        """Tell whether the lexicon has a word whose letters the stars may hide, or its stem."""
        head = _LETTERS.match(word)
        if head is None:
            return False
        n_letters = sum(map(len, _LETTERS.findall(word)))
        more = ",3" if n_letters >= _LONG and word.count("*") == 1 else ""
        rest = _SIGNS.sub(lambda sign: f"[a-z]{{{len(sign[0])}{more}}}", word[head.end() :].lower())
        stem = re.sub(r"(?<=[a-z])(?:ing|ers|er|ed|es|s|in|y)\Z", "", rest)
        beginning = head[0].lower()
        return any(self._lexicon.has_match(beginning, end) for end in dict.fromkeys((rest, stem)))


def _token(text: str, place: int) -> str:
    """Return the letters and stars around a star."""
    nearby = _TOKEN.finditer(text, max(0, place - _REACH), place + _REACH)
    return next(found[0] for found in nearby if found.end() > place)


def _is_opened(match: re.Match[str]) -> bool:
    """Tell whether emphasis may begin before the match, in its paragraph."""
    text, start = match.string, match.start()
    return _OPENING.search(text, text.rfind("\n\n", 0, start) + 1, start) is not None


def _beginning(letters: str, n_stars: int) -> str | None:
    """Return what is said of a word of which stars hide the end."""
    if n_stars == 1:
        if len(letters) > 1:
            return None
        return "A-star" if letters in "aA" else f"{letters} star"
    if len(letters) >= _TELLING:
        return letters if n_stars >= _TELLING else None
    is_word = letters.isupper() or letters.lower() in _SHORT_WORDS
    return None if is_word and len(letters) > 1 and n_stars < _TELLING else letters[0].upper()
