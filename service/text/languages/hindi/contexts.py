"""What Hindi writes in Latin letters and Western signs, where the sentence tells what it means."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from service.text.languages.hindi.locale import ADDRESSES, LOCALE, PICTURES
from service.text.normalization.figures import language_rules as rules_for_tables
from service.text.normalization.figures.numbers import Numerals
from service.text.normalization.locale import words
from service.text.normalization.normalizer import LanguageRules
from service.text.normalization.rules import Rule
from service.text.normalization.typed import roman_value

_NUMERALS = Numerals(LOCALE)
_LETTERS = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", LOCALE.letters, strict=True))

_HINDI = "\u0900-\u0963"
_REACH = 60
_SENTENCE = re.compile("[।!?\n]")
_FREE = r"(?<![\w/-])(?<![0-9][.,:])"
_CLEAR = r"(?![\w/:-]|[.,][0-9])"

_CRICKET = re.compile("रन|स्कोर|विकेट|ओवर|पारी|क्रिकेट|बल्ले|गेंद|पीछा|लक्ष्य|टेस्ट मैच|वनडे|टी20|ऑल आउट")
_SPORT = re.compile("सेट|गेम|स्कोर|मुक़ाबल|मुकाबल|गोल|फ़ाइनल|फाइनल|मैच|हराया|मात|जीत|बढ़त|बराबरी")
_ADDRESS = re.compile(
    "पता|नगर|मार्ग|सेक्टर|गली|मकान|फ़्लैट|फ्लैट|प्लॉट|रोड|कॉलोनी|पिन|ज़िला|जिला|डाक|निवासी|मोहल्ल"
    "|चौक|वार्ड|भवन|ब्लॉक|गाँव|तहसील|बाज़ार|पोस्ट|अपार्टमेंट|टावर|विहार|पुरम"
)
_RATIO = re.compile("अनुपात|रेशियो|पैमाना|पैमाने|मिला|स्केल|हिस्स")


def _around(match: re.Match[str]) -> tuple[str, str]:
    """Return what is in the same sentence, before and after a match, as far as it matters."""
    text = match.string
    before = _SENTENCE.split(text[max(0, match.start() - _REACH) : match.start()])[-1]
    after = _SENTENCE.split(text[match.end() : match.end() + _REACH], maxsplit=1)[0]
    return before, after


def _is_near(pattern: re.Pattern[str], match: re.Match[str]) -> bool:
    return any(map(pattern.search, _around(match)))


def _say(number: str) -> str:
    return _NUMERALS.say(_NUMERALS.parse(number))


def _spell(letters: str) -> str:
    return " ".join(_LETTERS[letter] for letter in letters.upper())


def _time(match: re.Match[str]) -> str | None:
    """Return a time in quarters: साढ़े चार बजे."""
    hour, minute = int(match["hour"]), int(match["minute"])
    after = f" {match['word']}" if match["word"] else ""
    if hour > 12 or hour == 0:
        return None
    if minute == 30:
        half = LOCALE.halves.get(hour) or f"साढ़े {_NUMERALS.cardinal(hour)}"
        return half + after
    if minute == 15:
        return f"सवा {_NUMERALS.cardinal(hour)}" + after
    if minute == 45:
        return f"पौने {_NUMERALS.cardinal(hour % 12 + 1)}" + after
    if minute == 0 or not match["word"]:
        return None
    clock = f"{_NUMERALS.cardinal(hour)} बजकर {_NUMERALS.cardinal(minute)} मिनट"
    return (
        clock
        if re.match(r"\s(?:पर|से|तक|के|का|की|को)(?!\w)", match.string[match.end() :][:6])
        else f"{clock} पर"
    )


def _length(match: re.Match[str]) -> str:
    first, second = ("घंटे", "मिनट") if match["unit"].startswith("घ") else ("मिनट", "सेकंड")
    return f"{_say(match['first'])} {first} {_say(str(int(match['second'])))} {second}"


def _wickets(match: re.Match[str]) -> str | None:
    runs, wickets = match["runs"], int(match["wickets"])
    if wickets > 10 or len(runs) < 2 or not _is_near(_CRICKET, match):
        return None
    return f"{_NUMERALS.cardinal(wickets)} विकेट पर {_say(runs)}"


def _score(match: re.Match[str]) -> str | None:
    if not _is_near(_SPORT, match):
        return None
    return f"{_say(match['first'])} {_say(match['last'])}"


def _ratio(match: re.Match[str]) -> str | None:
    if not _is_near(_RATIO, match):
        return None
    return " अनुपात ".join(map(_say, match[0].split(":")))


def _pin_code(match: re.Match[str]) -> str | None:
    if match["dash"] is None and not _is_near(_ADDRESS, match):
        return None
    return f", {_NUMERALS.digits(match['code'])}"


_DIVISIONS = frozenset(
    words(
        "अध्याय भाग खंड खण्ड पाठ सर्ग परिशिष्ट कक्ष अनुभाग चरण टाइप स्तर कक्षा अंक तालिका अनुसूची प्रश्न"
        " प्रकार श्रेणी ग्रेड फेज फ़ेज स्टेज यूनिट इकाई समूह वर्ग सूची चित्र आकृति पुस्तक ग्रंथ कांड पर्व"
        " धारा नियम मंडल काण्ड वॉल्यूम संस्करण क्षेत्र सेमेस्टर पेपर क्लास"
    )
)
_POSTPOSITIONS = frozenset(words("की के का को ने में से पर और या व तक भी ही तो है यह वह इस उस कि"))
_KINGS = frozenset(
    words(
        "हेनरी जॉर्ज चार्ल्स एडवर्ड विलियम जेम्स लुई फिलिप फ़िलिप पोप पॉल बेनेडिक्ट एलिज़ाबेथ एलिजाबेथ"
        " मैरी निकोलस रामसेस पीटर कैथरीन अलेक्ज़ेंडर नेपोलियन चंद्रगुप्त पुलकेशिन राजराज राजेंद्र अकबर शाह"
    )
)
_ORDINALS = words("प्रथम द्वितीय तृतीय चतुर्थ पंचम षष्ठ सप्तम अष्टम नवम दशम एकादश द्वादश त्रयोदश")


def _roman(match: re.Match[str]) -> str | None:
    word, numeral = match["word"], match["numeral"]
    value = roman_value(numeral)
    if value is None or (
        numeral in ("IV", "CV", "CD", "MD", "DC") and word not in _DIVISIONS | _KINGS
    ):
        return None
    if word in _DIVISIONS:
        return f"{word} {_NUMERALS.cardinal(value)}"
    if word in _POSTPOSITIONS or (len(numeral) == 1 and word not in _KINGS):
        return (
            f"{word} {_NUMERALS.cardinal(value)}"
            if len(numeral) > 1 and numeral in "VIII"
            else None
        )
    if not set(numeral) <= set("IVX"):
        return None
    if value <= len(_ORDINALS):
        return f"{word} {_ORDINALS[value - 1]}"
    return f"{word} {_NUMERALS.cardinal(value)}वें"


@cache
def _loanwords() -> dict[str, str]:
    file = files("service.text.languages.hindi") / "loanwords.tsv"
    lines = file.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines if line and line[0] != "#")


def _latin(match: re.Match[str]) -> str | None:
    """Return Latin words as Hindi writes them, None if English has to read one."""
    said: list[str] = []
    written = match[0].split(" ")
    for word in written:
        known = _loanwords().get(word.lower())
        if known is None:
            if not (word.isupper() and 2 <= len(word) <= 5) or not _is_acronym(word, written):
                return None
            known = _spell(word)
        said.append(known)
    return " ".join(said)


def _is_acronym(word: str, written: list[str]) -> bool:
    """Tell whether capitals are named: not in a headline, nor if they can be said as a word."""
    has_vowels = re.search("[AEIOU]", word) is not None
    return len(written) == 1 or len(word) <= 3 or not has_vowels


def _mixed(match: re.Match[str]) -> str:
    return f"{_spell(match['letters'])} "


_RULES: tuple[Rule, ...] = (
    Rule(
        re.compile(
            r"(?<![\w/-])(?<![0-9][.,:])(?P<hour>[01]?[0-9]):(?P<minute>[0-5][0-9])"
            r"(?:\s(?P<word>बजे)|(?=\sतक))(?!\w)"
        ),
        _time,
    ),
    Rule(
        re.compile(
            rf"{_FREE}(?P<first>[0-9]{{1,2}}):(?P<second>[0-5][0-9])(?=\s(?P<unit>मिनट|घंटे|घंटा))\s\S{{4,5}}"
        ),
        _length,
    ),
    Rule(
        re.compile(rf"{_FREE}[0-9]{{1,4}}(?::[0-9]{{1,5}}){{1,2}}{_CLEAR}"),
        _ratio,
    ),
    Rule(
        re.compile(rf"{_FREE}(?P<runs>[0-9]{{1,3}})[/-](?P<wickets>10|[0-9]){_CLEAR}"),
        _wickets,
    ),
    Rule(
        re.compile(
            rf"{_FREE}(?P<first>[0-9]{{1,2}})[-–](?P<last>[0-9]{{1,2}}){_CLEAR}"
            r"(?!\s(?:साल|वर्ष|लोग|दिन|मिनट|घंटे|किलो|बार|महीने|रुपये|रुपए|प्रतिशत|ओवर|अक्टूबर|बजे))"
        ),
        _score,
    ),
    Rule(
        re.compile(
            rf"(?<=[{_HINDI}])(?:\s?(?P<dash>[-–])|,)?\s?(?P<code>[1-9][0-9]{{5}})(?=\s?(?:[।,.;)\n]|\Z))(?![.,][0-9])"
        ),
        _pin_code,
    ),
    Rule(
        re.compile(r"\(0[0-9]{2,4}\)[ ]?[0-9]{3,4}[ -]?[0-9]{3,4}(?![0-9])"),
        lambda match: ", ".join(map(_NUMERALS.digits, re.findall("[0-9]+", match[0]))),
    ),
    Rule(re.compile(r"(?<!\w)[Ee]xt\.?\s?(?=[0-9])"), lambda match: "एक्सटेंशन "),
    Rule(
        re.compile(
            rf"(?<![{_HINDI}])(?P<word>[{_HINDI}]{{2,20}})\s(?P<numeral>[IVXLCDM]{{1,7}})(?![\w'’.-])"
        ),
        _roman,
    ),
    Rule(
        re.compile(r"(?<![\w.-])(?P<letters>[A-Z]{1,4})-?(?=[0-9]{1,4}(?![\w-]|[.,:/][0-9]))"),
        _mixed,
    ),
    Rule(
        re.compile(r"(?<![\w.,-])(?P<digit>[0-9])(?P<letters>[A-Z])(?=[- ]?[0-9]{2,4}(?!\w))-?"),
        lambda match: f"{_say(match['digit'])} {_spell(match['letters'])} ",
    ),
)
"""The rules before those of the tables, in the order in which they are applied."""

_LATIN_RULES: tuple[Rule, ...] = (
    Rule(
        re.compile(rf"(?<=[{_HINDI}]\s)(?<!ऐट\s)(?<!डॉट\s)[A-HJ-Z](?=\s[{_HINDI}]|[,।;)]|\Z)"),
        lambda match: _spell(match[0]),
    ),
    Rule(re.compile(r"(?<!\w)CrPC(?!\w)"), lambda match: _spell(match[0])),
    Rule(re.compile(r"(?<!\w)Hb(?!\w)"), lambda match: "एच बी"),
    Rule(
        re.compile(
            r"(?<![\w@/.#$&+'’-])(?<![0-9][ ])(?<!ऐट[ ])(?<!डॉट[ ])"
            r"[A-Za-z]{1,14}(?:[ ][A-Za-z]{1,14}){0,5}"
            r"(?![\w@&+'’²³]|[./#-]\w|[ ](?:ऐट|डॉट)[ ])"
        ),
        _latin,
    ),
)
"""The rules after them, for what is left in Latin letters."""


def language_rules() -> LanguageRules:
    """Return the rules of the language."""
    tables = rules_for_tables(LOCALE, ADDRESSES, PICTURES)
    return tables._replace(rules=(*_RULES, *tables.rules, *_LATIN_RULES))
