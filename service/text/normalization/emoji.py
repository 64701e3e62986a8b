"""Emoji, emoticons and symbols: drop them, name them, or write the words that they stand for."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from service.text.normalization import emoticons
from service.text.normalization.markdown import LINE_STARTS
from service.text.normalization.rules import Rule

# Codes of the languages for which the `emoji` package has Unicode's names. Hindi is missing.
_NAMED_IN = {
    "en-us": "en",
    "en-gb": "en",
    "es": "es",
    "fr": "fr",
    "it": "it",
    "pt-br": "pt",
    "ja": "ja",
    "zh": "zh",
}
# The mark for a pause in languages without spaces, as cleaning leaves it.
_COMMAS = {"ja": "、", "zh": ","}
_FIRST_IDEOGRAPHIC = "\u2e80"
_PAUSES = ".!?…:;,—。！？：；，、।॥"
_CLOSING = _PAUSES + "”’\"')]}»›」』】》）"
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

# Where a heart is a verb.
_HEART = "[♥❤💙💚💛💜🧡🖤]"
_LOVING = f"[{emoticons.LOVING}I永远]"
_LOVES = {
    **dict.fromkeys(
        ("en-us", "en-gb"),
        (rf"{_HEART}(?:(?<=\b[Ii] .)|(?<=\b[Ww]e .)|(?<=\b[Tt]hey .))\ufe0f?(?= \w)", "love"),
    ),
    "zh": (
        rf"[ ]?{_HEART}(?:(?<={_LOVING}.)|(?<={_LOVING}[ ].))\ufe0f?[ ]?(?=\w)",
        "爱",
    ),
}

# For four of five stars, for all five, and after a number, in `4★ hotel` and elsewhere.
_STARS = {
    "en-us": ("{n} out of {total} stars", "{n} stars", "star", "stars"),
    "en-gb": ("{n} out of {total} stars", "{n} stars", "star", "stars"),
    "es": ("{n} de {total} estrellas", "{n} estrellas", "estrellas", "estrellas"),
    "fr": ("{n} étoiles sur {total}", "{n} étoiles", "étoiles", "étoiles"),
    "it": ("{n} stelle su {total}", "{n} stelle", "stelle", "stelle"),
    "pt-br": ("{n} de {total} estrelas", "{n} estrelas", "estrelas", "estrelas"),
    "hi": ("{total} में से {n} स्टार", "{n} स्टार", "स्टार", "स्टार"),
    "ja": ("星{total}個中{n}個", "星{n}個", "つ星", "つ星"),
    "zh": ("{total}颗星中的{n}颗", "{n}颗星", "星", "星"),
}
_RATING = re.compile("[★⭐]\ufe0f?(?:[★⭐]\ufe0f?)*(?:☆\ufe0f?)*")
_RATED = re.compile(
    "[★⭐](?:(?<=[0-9].)|(?<=[0-9][ ].))(?![★⭐☆])\ufe0f?"
    "(?=(?P<rated>[ -](?:hotel|hostel|resort|restaurant|review|rating|service|general|app))?)"
)
_WHOLE_RATING = 5

# One row for each symbol; the columns are `_COLUMNS`.
_COLUMNS = ("en", "es", "fr", "it", "pt-br", "hi", "ja", "zh")
_WORDS = """
→ | to | a | vers | a | para | से | から | 到
↑ | up | subida | en hausse | su | alta | ऊपर | 上昇 | 上升
↓ | down | bajada | en baisse | giù | queda | नीचे | 下降 | 下降
© | copyright | copyright | copyright | copyright | copyright | कॉपीराइट | 著作権 | 版权所有
§ | section | sección | paragraphe | paragrafo | seção | धारा | セクション | 第
§§ | sections | secciones | paragraphes | paragrafi | seções | धाराएँ | セクション | 第
¶ | paragraph | párrafo | paragraphe | paragrafo | parágrafo | अनुच्छेद | 段落 | 段落
¶¶ | paragraphs | párrafos | paragraphes | paragrafi | parágrafos | अनुच्छेद | 段落 | 段落
× | times | por | fois | per | vezes | गुणा | かける | 乘以
÷ | divided by | entre | divisé par | diviso | dividido por | भाग | 割る | 除以
± | plus or minus | más menos | plus ou moins | più o meno | mais ou menos | प्लस माइनस | プラスマイナス | 正负
≠ | is not equal to | no es igual a | n'est pas égal à | diverso da | diferente de | बराबर नहीं | ノットイコール | 不等于
≈ | is about | aproximadamente | environ | circa | aproximadamente | लगभग | 約 | 约等于
≤ | is less than or equal to | menor o igual que | inférieur ou égal à | minore o uguale a | menor ou igual a | अधिकतम | 以下 | 小于等于
≥ | is greater than or equal to | mayor o igual que | supérieur ou égal à | maggiore o uguale a | maior ou igual a | न्यूनतम | 以上 | 大于等于
∞ | infinity | infinito | infini | infinito | infinito | अनंत | 無限大 | 无穷大
√ | square root of | raíz cuadrada de | racine carrée de | radice quadrata di | raiz quadrada de | वर्गमूल | ルート | 根号
∑ | sum of | suma de | somme de | somma di | soma de | योग | 総和 | 求和
∫ | integral of | integral de | intégrale de | integrale di | integral de | समाकल | 積分 | 积分
∬ | double integral of | integral doble de | intégrale double de | integrale doppio di | integral dupla de | द्वि समाकल | 二重積分 | 二重积分
∭ | triple integral of | integral triple de | intégrale triple de | integrale triplo di | integral tripla de | त्रि समाकल | 三重積分 | 三重积分
⨌ | quadruple integral of | integral cuádruple de | intégrale quadruple de | integrale quadruplo di | integral quádrupla de | चतुः समाकल | 四重積分 | 四重积分
∈ | in | pertenece a | appartient à | appartiene a | pertence a | सदस्य | 属する | 属于
∅ | empty set | conjunto vacío | ensemble vide | insieme vuoto | conjunto vazio | रिक्त समुच्चय | 空集合 | 空集
∀ | for all | para todo | pour tout | per ogni | para todo | सभी के लिए | すべての | 任意
∃ | there exists | existe | il existe | esiste | existe | अस्तित्व है | 存在する | 存在
∴ | therefore | por lo tanto | donc | quindi | portanto | इसलिए | ゆえに | 所以
∵ | because | porque | parce que | perché | porque | क्योंकि | なぜならば | 因为
⇒ | implies | implica | implique | implica | implica | अर्थात | ならば | 推出
⇔ | if and only if | si y solo si | si et seulement si | se e solo se | se e somente se | यदि और केवल यदि | 同値 | 当且仅当
№ | number | número | numéro | numero | número | नंबर | ナンバー | 号
♯ | sharp | sostenido | dièse | diesis | sustenido | शार्प | シャープ | 升
♭ | flat | bemol | bémol | bemolle | bemol | फ़्लैट | フラット | 降
"""  # noqa: E501
_TABLE: Mapping[str, Mapping[str, str]] = {
    row[0]: dict(zip(_COLUMNS, row[1:], strict=True))
    for row in ([cell.strip() for cell in line.split("|")] for line in _WORDS.strip().splitlines())
}

# Next to numbers these are arithmetic, which is left to the rules of each language.
_ARITHMETIC = "×÷±≠≈≤≥√"
_ARITHMETIC_ALONE = re.compile(
    rf"[{_ARITHMETIC}](?<![0-9²³)].)(?<![0-9²³)][ ].)(?![ ]?[-−(√$£€]?\.?[0-9])"
)
_UPRIGHT = {"⬆": "↑", "⬇": "↓", "↗": "↑", "↘": "↓", "⇑": "↑", "⇓": "↓"}
_BEFORE_NUMBER = re.compile("[↑↓↗↘⇑⇓⬆⬇]\ufe0f?(?=[ ]?[-+−]?[$€£]?[0-9])")
_BEHIND_NOTE = re.compile(r"[♯♭](?:(?<=\b[A-Ga-g].)(?!\w)|(?<=\bdo .))")
_SAID = re.compile(
    "[" + "".join(sign for sign in _TABLE if sign not in f"→↑↓♯♭{_ARITHMETIC}") + "]"
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
    rf"|(?<=[ \t])(?<![ \t]{{2}})[ \t]*(?:[{_ARROWS}]|(?:--?|==?)>(?=[ ])|[•·∙⋅▪●‣|¦](?=[ \t])))"
    rf"[ \t\ufe0f{_ARROWS}]*"
)
_MUTE = re.compile("[™®℠†‡]+\ufe0f?[ ]?")

_loading = threading.Lock()


def rules(language: str, *, named: bool) -> Sequence[Rule]:
    """Return the rules for emoji, emoticons and symbols.

    Without `named`, emoji and emoticons are dropped. In Hindi they always are, because there are no
    names for them. With `named` they become their Unicode names in the language, without skin tone,
    and a row of equal ones is named once. Digits and signs of keycaps stay, stars of a rating are
    counted, and symbols that people read aloud become words. `language` is a code of
    `service.text.languages`.
    """
    column = "en" if language.startswith("en-") else language
    words = {sign: row[column] for sign, row in _TABLE.items()}
    draw = _name_pictures if named and language in _NAMED_IN else _drop_pictures
    return (
        Rule(_KEYCAP, _keycap),
        Rule(_CIRCLED, lambda match: _beside(match, f"{unicodedata.numeric(match[0]):.0f}")),
        Rule(_RATED, partial(_rated, language)),
        Rule(_RATING, partial(_rating, *_STARS[language][:2])),
        Rule(_FROM_TO, partial(_from_to, words["→"])),
        Rule(
            _BEFORE_NUMBER,
            lambda match: _beside(match, words[_UPRIGHT.get(match[0][0], match[0][0])]),
        ),
        Rule(_BEHIND_NOTE, lambda match: _beside(match, words[match[0]])),
        Rule(_SEPARATOR, partial(_separate, language)),
        Rule(_ARITHMETIC_ALONE, lambda match: _beside(match, words[match[0]])),
        Rule(_SAID, lambda match: _beside(match, words.get(match[0][:2]) or words[match[0][0]])),
        Rule(_MUTE, _mute),
        Rule(_INFORMATION, _mute),
        *emoticons.rules(language, pictures=_PICTURE),
        *_love_rules(language),
        Rule(_PICTURES, partial(draw, language)),
        Rule(_STRAY, lambda match: ""),
        # Without the picture, the text after it starts the line.
        *LINE_STARTS,
    )


def _love_rules(language: str) -> Sequence[Rule]:
    if language not in _LOVES:
        return ()
    pattern, word = _LOVES[language]
    return (Rule(re.compile(pattern), lambda match: word),)


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
    return _is_said(character) and character < _FIRST_IDEOGRAPHIC


def _beside(match: re.Match[str], word: str) -> str:
    """Return the word with spaces to separate it from its neighbours."""
    before, after = _around(match)
    follows = _is_spaced(before) or before in _ENDS_FIGURE or before in _TABLE
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


def _rated(language: str, match: re.Match[str]) -> str:
    word = _STARS[language][3 if match["rated"] is None else 2]
    return word if language in _COMMAS else _beside(match, word)


def _rating(some: str, every: str, match: re.Match[str]) -> str | None:
    n = sum(map(match[0].count, "★⭐"))
    total = n + match[0].count("☆")
    if total != _WHOLE_RATING:
        return None
    return _beside(match, (every if n == total else some).format(n=n, total=total))


def _separate(language: str, match: re.Match[str]) -> str:
    """Return a comma between words, nothing at the ends of a line."""
    before, after = _around(match)
    if not before or not after:
        return ""
    if before in _PAUSES + _OPENING or after in _CLOSING:
        return " " if before not in _OPENING and after not in _CLOSING else ""
    return _COMMAS.get(language, ", ")


def _drop_pictures(language: str, match: re.Match[str]) -> str:
    """Return the space or the pause that pictures leave."""
    before, after = _around(match)
    if not before or not after or before in _OPENING or after in _CLOSING:
        return ""
    spaced = match[0] != match[0].strip()
    if language in _COMMAS:
        is_inside = _is_said(before) and _is_said(after) and not spaced
        return _COMMAS[language] if is_inside else " " * spaced
    if _is_said(before) and after.isupper():
        return ", "
    return " " if spaced or _is_said(after) else ""


def _name_pictures(language: str, match: re.Match[str]) -> str:
    """Return the names of pictures in a row."""
    names: list[str] = []
    for picture in _SEQUENCE.findall(match[0]):
        name = _name(picture, language)
        if name and name not in names[-1:]:
            names.append(name)
    if not names:
        return _drop_pictures(language, match)
    before, after = _around(match)
    comma = _COMMAS.get(language)
    if comma is not None:
        left = comma if _is_said(before) else ""
        right = comma if _is_said(after) else ""
        return left + comma.join(names) + right
    left = "" if not before or before in _OPENING else " "
    right = "" if not after or after in _CLOSING else ", " if after.isupper() else " "
    return left + ", ".join(names) + right


def _name(picture: str, language: str) -> str:
    """Return the name of one picture; empty if it has none."""
    data, code = _names(language), _NAMED_IN[language]
    plain = _MODIFIER.sub("", picture)
    entry = data.get(plain) or data.get(f"{plain}\ufe0f")
    if entry is None and "\u200d" in plain:
        parts = [_name(part, language) for part in plain.split("\u200d")]
        return " ".join(filter(None, parts))
    return "" if entry is None else str(entry[code]).strip(":").replace("_", " ")


def _names(language: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the data of all emoji, with their names in the language."""
    # Loaded only if names are wanted: 6 MB, and 2 MB more for each language except English.
    import emoji

    with _loading:
        emoji.config.load_language(_NAMED_IN[language])
    return emoji.EMOJI_DATA
