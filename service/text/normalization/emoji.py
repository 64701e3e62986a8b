"""Emoji, emoticons and symbols: drop them, name them, or write the words that they stand for."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from service.text.characters import CLOSING, PAUSING
from service.text.normalization import emoticons
from service.text.normalization.rules import Rule
from service.text.scripts import FIRST_IDEOGRAPHIC

_CLOSING = PAUSING + CLOSING
_ENDS_FIGURE = tuple(")%°")
_STARTS_FIGURE = tuple("($€£+-−")
_OPENING = "([{“‘«‹「『【《（¿¡"

# Emoji, and signs that are only pictures: lines and boxes, weather, cards, dingbats.
_PICTURE = (
    "\u2310-\u2328\u232b-\u23ff\u2500-\u266c\u2670-\u2767\u2794-\u27bf\u2934\u2935\u2b05-\u2b07"
    "\u2b12-\u2bff\u303d\U0001f000-\U0001f0ff\U0001f170\U0001f171\U0001f17e\U0001f17f\U0001f18e"
    "\U0001f191-\U0001f1ff\U0001f200-\U0001fb9f"
)
# A sequence is one picture: a flag of two letters, a family, a hand and its skin.
_ONE = f"(?:[\U0001f1e6-\U0001f1ff]{{2}}|[{_PICTURE}])[\ufe00-\ufe0f]?[\U0001f3fb-\U0001f3ff]?"
_SEQUENCE = re.compile(f"{_ONE}(?:\u200d{_ONE})*")
_MODIFIER = re.compile("[\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]")
_PICTURES = re.compile(
    f"[ \t{_PICTURE}](?:(?<=[{_PICTURE}])|(?<![ \t]{{2}})[ \t]*[{_PICTURE}])"
    f"[ \t\u200d\u20e3\ufe00-\ufe0f{_PICTURE}]*"
)
# The information sign, as cleaning leaves it.
_INFORMATION = re.compile("i(?<!\\wi)\ufe0f[ ]?")
_STRAY = re.compile("[\u20e3\ufe00-\ufe0f]")

_KEYCAP = re.compile("[0-9#*\U0001f51f](?:(?<=[0-9#*])\ufe0f?\u20e3|(?<=\U0001f51f))")
# Circled numbers without a compatibility form.
_CIRCLED = re.compile("[\u24eb-\u24ff\u2776-\u2793]")

HEART = "[♥❤💙💚💛💜🧡🖤]"

_RATING = re.compile("[★⭐]\ufe0f?(?:[★⭐]\ufe0f?)*½?(?:☆\ufe0f?)*")
_RATED = re.compile(
    "[★⭐](?:(?<=[0-9].)|(?<=[0-9][ ].))(?![★⭐☆])\ufe0f?"
    "(?=(?P<rated>[ -](?:hotel|hostel|resort|restaurant|review|rating|service|general|app))?)"
)
_WHOLE_RATING = 5
_MOST_STARS = 10
"""Of a rating whose missing stars are shown too."""

_SYMBOLS = (
    "→", "↑", "↓", "©", "§", "§§", "¶", "¶¶", "×", "÷", "±", "≠", "≈", "≤", "≥", "∞", "√", "∑", "∫",
    "∬", "∭", "⨌", "∈", "∅", "∀", "∃", "∴", "∵", "⇒", "⇔", "№", "♯", "♭",
)  # fmt: skip


class PictureWords:
    """What a language says for symbols and pictures.

    Args:
        symbols: each of `_SYMBOLS`, a space and its words; between semicolons.
        stars: for four of five stars, for all five, and after a number, in `4★ hotel` and
            elsewhere.
        names_in: code of the language for which the `emoji` package has Unicode's names; None if
            it has none.
        solid_comma: the mark for a pause, as cleaning leaves it, if there are no spaces between
            words.
        love: where a heart is a verb, and the verb.
        typed_heart: where `<3` is a heart beside words without spaces.
        ends_with_shades: whether `B)` at the end of a message in small letters is a face.

    Raises:
        ValueError: a symbol has no words, or there are more.
    """

    def __init__(
        self,
        *,
        symbols: str,
        stars: tuple[str, str, str, str],
        names_in: str | None = None,
        solid_comma: str | None = None,
        love: tuple[re.Pattern[str], str] | None = None,
        typed_heart: re.Pattern[str] | None = None,
        ends_with_shades: bool = False,
    ) -> None:
        self.symbols = dict(pair.split(" ", 1) for pair in symbols.split("; "))
        if self.symbols.keys() != set(_SYMBOLS):
            raise ValueError(f"not the symbols: {set(_SYMBOLS) ^ self.symbols.keys()}")
        self.stars = stars
        self.names_in = names_in
        self.solid_comma = solid_comma
        self.love = love
        self.typed_heart = typed_heart
        self.ends_with_shades = ends_with_shades


# Next to numbers these are arithmetic, which is left to the rules of each language.
_ARITHMETIC = "×÷±≠≈≤≥√"
_ARITHMETIC_ALONE = re.compile(
    rf"[{_ARITHMETIC}](?<![0-9²³)].)(?<![0-9²³)][ ].)(?![ ]?[-−(√$£€]?\.?[0-9])"
)
_UPRIGHT = {"⬆": "↑", "⬇": "↓", "↗": "↑", "↘": "↓", "⇑": "↑", "⇓": "↓"}
_BEFORE_NUMBER = re.compile("[↑↓↗↘⇑⇓⬆⬇]\ufe0f?(?=[ ]?[-+−]?[$€£]?[0-9])")
_BEHIND_NOTE = re.compile(r"[♯♭](?:(?<=\b[A-Ga-g].)(?!\w)|(?<=\bdo .))")
_SAID = re.compile(
    "[" + "".join(sign for sign in _SYMBOLS if sign not in f"→↑↓♯♭{_ARITHMETIC}") + "]"
    "(?:(?<=§)§+|(?<=¶)¶+|\ufe0f)?"
)

_ARROWS = "←-↕↚-⇏⇐⇑⇓⇕-⇿⟵-⟿➔-➾⬅-⬇"
_DRAWN_ARROW = r"(?<![\w<=-][=-])(?:(?<=-)-?|(?<==)=?)>(?=[ ])"
_FROM_TO = re.compile(
    r"[→⟶➔➜➝➞➡-](?:(?<=-)(?<![\w<-].)-?>|(?<!-))\ufe0f?(?=[ ]?(?:[-+−]?[$€£]?[0-9]|[A-Z]\b))"
)
_BEFORE_FROM_TO = re.compile(r"(?:[0-9%°]|\b[A-Z])[ ]?\Z")
_SEPARATOR = re.compile(
    rf"[ \t=\-{_ARROWS}](?:(?<=[{_ARROWS}])|{_DRAWN_ARROW}"
    rf"|(?<=[ \t])(?<![ \t]{{2}})[ \t]*(?:[{_ARROWS}]|(?:--?|==?)>(?=[ ])|[•∙▪●‣|¦](?=[ \t])"
    r"|[·⋅](?=[ \t])(?!(?<=[0-9²³)][ ].)[ ][0-9(√])))"
    rf"[ \t\ufe0f{_ARROWS}]*"
)
_MUTE = re.compile("[™®℠†‡]+\ufe0f?[ ]?")

_loading = threading.Lock()
_SYMBOL = "symbols"
"""The name of rules for what is no picture, so that the caller's choice does not concern it."""


def rules(own: PictureWords, *, named: bool) -> Sequence[Rule]:
    """Return the rules for emoji, emoticons and symbols, in the words of a language.

    Without `named`, emoji and emoticons are dropped, as they are in a language without names for
    them. With `named` they become their Unicode names in the language, without skin tone, and a row
    of equal ones is named once. Digits and signs of keycaps stay, stars of a rating are counted,
    and symbols that people read aloud become words.
    """
    words = own.symbols
    draw = _name_pictures if named and own.names_in is not None else _drop_pictures
    return (
        Rule(_KEYCAP, _keycap),
        Rule(_CIRCLED, lambda match: _beside(match, f"{unicodedata.numeric(match[0]):.0f}")),
        Rule(_RATED, partial(_rated, own)),
        Rule(_RATING, partial(_rating, *own.stars[:2], own.solid_comma is not None)),
        Rule(_FROM_TO, partial(_from_to, words["→"]), name=_SYMBOL),
        Rule(
            _BEFORE_NUMBER,
            lambda match: _beside(match, words[_UPRIGHT.get(match[0][0], match[0][0])]),
            name=_SYMBOL,
        ),
        Rule(_BEHIND_NOTE, lambda match: _beside(match, words[match[0]]), name=_SYMBOL),
        Rule(_SEPARATOR, partial(_separate, own), name=_SYMBOL),
        Rule(_ARITHMETIC_ALONE, lambda match: _beside(match, words[match[0]]), name=_SYMBOL),
        Rule(
            _SAID,
            lambda match: _beside(match, words.get(match[0][:2]) or words[match[0][0]]),
            name=_SYMBOL,
        ),
        Rule(_MUTE, _mute),
        Rule(_INFORMATION, _mute),
        *emoticons.rules(own.typed_heart, ends_with_shades=own.ends_with_shades, pictures=_PICTURE),
        *_love_rules(own),
        Rule(_PICTURES, partial(draw, own)),
        Rule(_STRAY, lambda match: ""),
    )


def _love_rules(own: PictureWords) -> Sequence[Rule]:
    if own.love is None:
        return ()
    pattern, word = own.love
    return (Rule(pattern, lambda match: word),)


def _around(match: re.Match[str]) -> tuple[str, str]:
    """Return the characters before and after a match; empty at the ends of a line."""
    text, start, end = match.string, match.start(), match.end()
    before = text[start - 1] if start else ""
    after = text[end] if end < len(text) else ""
    return before.strip("\n"), after.strip("\n")


def _is_said(character: str) -> bool:
    """Tell whether a character belongs to a word. Combining marks do."""
    return character.isalnum() or (
        character != "" and unicodedata.category(character) in ("Mn", "Mc")
    )


def _is_spaced(character: str) -> bool:
    """Tell whether a space separates it from the next word."""
    return _is_said(character) and character < FIRST_IDEOGRAPHIC


def _beside(match: re.Match[str], word: str) -> str:
    """Return the word with spaces to separate it from its neighbours."""
    before, after = _around(match)
    follows = _is_spaced(before) or before in _ENDS_FIGURE or before in _SYMBOLS
    left = " " if follows else ""
    right = " " if _is_spaced(after) or after in _STARTS_FIGURE else ""
    return left + word + right


def _keycap(match: re.Match[str]) -> str:
    return _beside(match, "10" if match[0][0] == "\U0001f51f" else match[0][0])


def _from_to(word: str, match: re.Match[str]) -> str | None:
    before = match.string[max(0, match.start() - 3) : match.start()]
    return None if _BEFORE_FROM_TO.search(before) is None else _beside(match, word)


def _mute(match: re.Match[str]) -> str:
    before, _ = _around(match)
    return " " if match[0][-1] == " " and before not in ("", " ") else ""


def _rated(own: PictureWords, match: re.Match[str]) -> str:
    word = own.stars[3 if match["rated"] is None else 2]
    return _beside(match, word) if own.solid_comma is None else word


def _rating(some: str, every: str, is_solid: bool, match: re.Match[str]) -> str | None:
    n = sum(map(match[0].count, "★⭐"))
    half = "½" if "½" in match[0] else ""
    total = n + len(half) + match[0].count("☆")
    if "☆" in match[0]:
        words = some if total <= _MOST_STARS else None
    else:
        words = every if total == _WHOLE_RATING or _is_alone(match) else None
    if words is None:
        return None
    return _beside(
        match, words.format(n=f"{n}.5" if half and is_solid else f"{n}{half}", total=total)
    )


def _is_alone(match: re.Match[str]) -> bool:
    """Tell whether stars are a rating: one may be a bullet, and two rows an ornament."""
    text = match.string
    start, end = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
    line = text[start : match.start()] + text[match.end() : end if end >= 0 else len(text)]
    n = sum(map(match[0].count, "★⭐"))
    return 1 < n < _WHOLE_RATING and not any(star in line for star in "★⭐")


def _separate(own: PictureWords, match: re.Match[str]) -> str:
    """Return a comma between words, nothing at the ends of a line."""
    before, after = _around(match)
    if not before or not after:
        return ""
    if before in PAUSING + _OPENING or after in _CLOSING:
        return " " if before not in _OPENING and after not in _CLOSING else ""
    return own.solid_comma or ", "


def _drop_pictures(own: PictureWords, match: re.Match[str]) -> str:
    """Return the space or the pause that pictures leave."""
    before, after = _around(match)
    if not before or not after or before in _OPENING or after in _CLOSING:
        return ""
    spaced = match[0] != match[0].strip()
    if own.solid_comma is not None:
        is_inside = _is_said(before) and _is_said(after) and not spaced
        return own.solid_comma if is_inside else " " * spaced
    if _is_said(before) and after.isupper():
        return ", "
    return " " if spaced or _is_said(after) else ""


def _name_pictures(own: PictureWords, match: re.Match[str]) -> str:
    """Return the names of pictures in a row."""
    assert own.names_in is not None
    names: list[str] = []
    for picture in _SEQUENCE.findall(match[0]):
        name = _name(picture, own.names_in)
        if name and name not in names[-1:]:
            names.append(name)
    if not names:
        return _drop_pictures(own, match)
    before, after = _around(match)
    comma = own.solid_comma
    if comma is not None:
        left = comma if _is_said(before) else ""
        right = comma if _is_said(after) else ""
        return left + comma.join(names) + right
    left = "" if not before or before in _OPENING else " "
    right = "" if not after or after in _CLOSING else ", " if after.isupper() else " "
    return left + ", ".join(names) + right


def _name(picture: str, code: str) -> str:
    """Return the name of one picture, in a language of the `emoji` package; empty if none."""
    data = _names(code)
    plain = _MODIFIER.sub("", picture)
    entry = data.get(plain) or data.get(f"{plain}\ufe0f")
    if entry is None and "\u200d" in plain:
        parts = [_name(part, code) for part in plain.split("\u200d")]
        return " ".join(filter(None, parts))
    return "" if entry is None else str(entry[code]).strip(":").replace("_", " ")


def _names(code: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the data of all emoji, with their names in the language."""
    # Loaded only if names are wanted: 6 MB, and 2 MB more for each language except English.
    import emoji

    with _loading:
        emoji.config.load_language(code)
    return emoji.EMOJI_DATA
