"""Phonetic alphabets: X-SAMPA, those of Microsoft, pinyin and kana, into Kokoro's symbols.

A sound that the vocabulary lacks becomes the nearest one. Nothing is refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from service.text.characters import is_blank
from service.text.languages import LANGUAGES
from service.text.markup.ipa import kokoro_phonemes
from service.text.markup.values import parse_phonemes, quote
from service.text.vocabulary import describe, load_vocabulary


@dataclass(frozen=True, slots=True)
class Pronunciation:
    """What a phonetic alphabet says.

    Attributes:
        phonemes: in symbols of the vocabulary; None if they are unknown.
        reason: what of it cannot be said; empty if nothing.
    """

    phonemes: str | None = None
    reason: str = ""


def _table(text: str) -> dict[str, str]:
    """Return a table of `symbol=sound` with spaces between; `symbol=` is silent."""
    return dict(entry.rsplit("=", 1) for entry in text.split())


_NEAREST = _table(
    "ʕ=ʔ ʢ=ʔ ʡ=ʔ ħ=h ɦ=h ʜ=h ʙ=b ɓ=b ɗ=d ᶑ=d ɠ=ɡ ʛ=ɡ ɢ=ɡ ʄ=ʤ ɱ=m ʀ=ʁ ɭ=l ʟ=l ɬ=l ɮ=l ɺ=ɾ "
    "ʑ=ʒ ʐ=ʒ ɧ=ʃ ƥ=p ɘ=ə ɵ=ø ɞ=ɜ ɶ=a ʏ=y ʉ=u ɝ=ɜɹ ɷ=ʊ ɩ=ɪ ı=ɪ ʍ=w ʘ=p ǀ=t ǃ=k ǂ=k ǁ=k ⱱ=v "
    "ʷ=w ᵝ= ˑ=ː :=ː '=ˈ ʼ= ’=ˈ ˀ= ˠ= ˤ= ⁿ=n ˡ=l ˞=ɹ ‿= |= ‖= ˥= ˦= ˧= ˨= ˩= ↗= ↘= /= [= "
    "]= -= ,=ˌ ƛ=l ʦ=ts ʣ=dz ς=s ε=ɛ ə=ə ∅= ꜜ= ꜛ="
)
"""Sounds and signs of IPA that the vocabulary lacks, or that are written otherwise in it."""

_BRACKETS = str.maketrans("", "", "()[]/")
"""Around transcriptions, and sounds that may be missing."""

_SAMPA = _table(
    r"A=ɑ {=æ 6=ɐ Q=ɒ E=ɛ @=ə @`=ɚ 3=ɜ 3`=ɝ I=ɪ O=ɔ 2=ø 9=œ &=ɶ U=ʊ }=ʉ V=ʌ Y=ʏ 1=ɨ 7=ɤ "
    r"M=ɯ @\=ɘ 3\=ɞ 8=ɵ I\=ɪ U\=ʊ B=β C=ç D=ð F=ɱ G=ɣ H=ɥ J=ɲ K=ɬ L=ʎ N=ŋ P=ʋ R=ʁ S=ʃ T=θ "
    r"W=ʍ X=χ Z=ʒ ?=ʔ b_<=ɓ d_<=ɗ g_<=ɠ B\=ʙ G\=ɢ H\=ʜ J\=ɟ K\=ɮ L\=ʟ M\=ɰ N\=ɴ O\=ʘ R\=ʀ "
    r"X\=ħ ?\=ʕ <\=ʢ >\=ʡ h\=ɦ j\=ʝ l\=ɺ p\=ɸ r\=ɹ r\`=ɻ s\=ɕ v\=ʋ x\=ɧ z\=ʑ d`=ɖ l`=ɭ "
    r"n`=ɳ r`=ɽ s`=ʂ t`=ʈ z`=ʐ r=r :=ː :\=ˑ %=ˌ .=. -= '=ʲ ~=̃ _~=̃ _h=ʰ _j=ʲ _w=w `=ɹ =̩="
)
_SAMPA['"'] = "ˈ"
_SAMPA_SYMBOL = re.compile(
    "|".join(map(re.escape, sorted(_SAMPA, key=len, reverse=True)))
    + r"|_[A-Za-z0-9\"=?^~+\\-](?:_\w)?|=|."
)

_UPS = _table(
    "P=p B=b T=t D=d K=k G=ɡ M=m N=n NG=ŋ NJ=ɲ F=f V=v TH=θ DH=ð S=s Z=z SH=ʃ ZH=ʒ H=h "
    "CH=tʃ JH=dʒ TS=ts DZ=dz L=l LJ=ʎ R=r RA=ɹ DX=ɾ W=w J=j HY=ɥ X=x GH=ɣ C=ç BH=β PH=ɸ "
    "QT=ʔ RR=ʁ QH=χ TR=ʈ DR=ɖ NR=ɳ SC=ɕ SR=ʂ I=i IH=ɪ IX=ɨ E=e EH=ɛ AE=æ A=a AA=ɑ AO=ɔ "
    "O=o OX=ɵ UH=ʊ UU=ʊ U=u UX=ʉ Y=y YH=ʏ EU=ø OE=œ Q=ɒ AH=ʌ AX=ə AXR=ɚ ER=ɝ ERR=ɝ EHR=ɛɹ "
    "EI=eɪ AI=aɪ OI=ɔɪ AU=aʊ OU=oʊ UI=uɪ LNG=ː S1=ˈ S2=ˌ .= -= +="
)
_SAPI = _table(
    "aa=ɑ ae=æ ah=ʌ ao=ɔ aw=aʊ ax=ə ay=aɪ b=b ch=tʃ d=d dh=ð eh=ɛ er=ɝ ey=eɪ f=f g=ɡ h=h "
    "hh=h ih=ɪ iy=i jh=dʒ k=k l=l m=m n=n ng=ŋ ow=oʊ oy=ɔɪ p=p r=ɹ s=s sh=ʃ t=t th=θ uh=ʊ "
    "uw=u v=v w=w y=j z=z zh=ʒ -= &= _= ,= .="
)
_SAPI_STRESSES = {"1": "ˈ", "2": "ˌ"}
_SAPI_VOWELS = frozenset(
    ["aa", "ae", "ah", "ao", "aw", "ax", "ay", "eh", "er", "ey", "ih", "iy", "ow", "oy", "uh", "uw"]
)

_KANA = frozenset({"x-amazon-yomigana", "x-amazon-pron-kana", "yomigana", "kana", "x-kana"})
_PINYIN = frozenset({"x-amazon-pinyin", "pinyin", "x-pinyin"})
_ACCENT_SIGNS = re.compile(r"['’/*_|;+^!ꜜ]")
_SYLLABLE = re.compile(r"([a-zü:]{1,7}?)r?\s?([0-5])(?![0-9])")
_TONE_MARKS = {"\u0304": "1", "\u0301": "2", "\u030c": "3", "\u0300": "4"}


def read(alphabet: str, ph: str, language: str | None) -> Pronunciation:
    """Return what a `phoneme` element says.

    Args:
        alphabet: as it is written.
        ph: phonemes in it.
        language: code of the language whose voice will speak them; None if unknown.
    """
    name = alphabet.strip().lower().removeprefix("x-microsoft-")
    if is_blank(ph):
        return Pronunciation(reason="there are no phonemes")
    if name in _KANA or (name == "sapi" and language == "ja"):
        return _read_kana(ph)
    if name in _PINYIN or (name == "sapi" and language == "zh"):
        return _read_pinyin(ph)
    if name == "kokoro":
        return _known(ph)
    to_ipa = _ALPHABETS.get(name)
    if to_ipa is None:
        return Pronunciation(reason=f"the alphabet {quote(alphabet)} is unknown")
    ipa, unknown = to_ipa(ph)
    return _nearest(ipa, language, unknown)


def _known(ph: str) -> Pronunciation:
    try:
        return Pronunciation(parse_phonemes(ph))
    except ValueError:
        symbols = load_vocabulary().symbols
        kept = "".join(symbol for symbol in ph if symbol in symbols or symbol.isspace())
        unknown = [symbol for symbol in ph if symbol not in symbols and not symbol.isspace()]
        return _said(kept, unknown)


def _nearest(ipa: str, language: str | None, unknown: list[str]) -> Pronunciation:
    """Return IPA in the symbols of the vocabulary, or in those of the nearest sounds."""
    ipa = ipa.translate(_BRACKETS)
    if not unknown:
        try:
            return Pronunciation(kokoro_phonemes(ipa, language))
        except ValueError:
            pass
    symbols = load_vocabulary().symbols
    written: list[str] = []
    told = list(unknown)
    for symbol in unicodedata.normalize("NFD", ipa):
        if symbol in _NEAREST:
            written.append(_NEAREST[symbol])
            if unicodedata.category(symbol).startswith("L") and _NEAREST[symbol] != symbol:
                told.append(symbol)
        elif symbol in symbols and not (symbol.isascii() and symbol.isupper()):
            written.append(symbol)
        elif symbol.isascii() and symbol.lower() in symbols and symbol.isalpha():
            told.append(symbol)
            written.append(symbol.lower())
        elif symbol == "g" or symbol in ".\u0329\u0361\u035c\u032f\u032a" or symbol.isspace():
            written.append(symbol)
        elif not unicodedata.category(symbol).startswith("M"):
            told.append(symbol)
    ready = unicodedata.normalize("NFC", "".join(written))
    try:
        phonemes = kokoro_phonemes(ready, language)
    except ValueError:
        return _said("".join(symbol for symbol in ready if symbol in symbols), told)
    return Pronunciation(phonemes, reason=_lacking(told))


def _said(phonemes: str, unknown: list[str]) -> Pronunciation:
    try:
        return Pronunciation(parse_phonemes(phonemes), reason=_lacking(unknown))
    except ValueError:
        return Pronunciation(reason="the phonemes make no sound")


def _lacking(unknown: list[str]) -> str:
    if not unknown:
        return ""
    return f"the model has no {describe(unknown[0][0])}; the nearest sounds are spoken"


def _from_sampa(ph: str) -> tuple[str, list[str]]:
    unknown: list[str] = []

    def ipa(match: re.Match[str]) -> str:
        symbol = match[0]
        if symbol in _SAMPA:
            return _SAMPA[symbol]
        if symbol[0] == "_" or symbol == "=":
            return ""
        if symbol.isspace() or (symbol.isascii() and symbol.islower()):
            return symbol
        unknown.append(symbol)
        return ""

    return _SAMPA_SYMBOL.sub(ipa, ph), unknown


def _from_phones(table: Mapping[str, str], ph: str) -> tuple[str, list[str]]:
    unknown = [phone for phone in ph.split() if phone not in table]
    return "".join(table.get(phone, "") for phone in ph.split()), unknown


def _from_ups(ph: str) -> tuple[str, list[str]]:
    return _from_phones(_UPS, ph.upper().replace(".", " . "))


def _from_sapi(ph: str) -> tuple[str, list[str]]:
    """Return IPA with the stress before the vowel, where it is behind it in SAPI."""
    phones: list[str] = []
    for phone in ph.lower().replace("-", " - ").split():
        stress = _SAPI_STRESSES.get(phone[-1])
        if stress is not None:
            phone = phone[:-1]
            if phone:
                phones.append(phone)
            vowels = [i for i, earlier in enumerate(phones) if earlier in _SAPI_VOWELS]
            if vowels:
                phones.insert(vowels[-1], stress)
            continue
        phones.append(phone)
    return _from_phones({**_SAPI, "ˈ": "ˈ", "ˌ": "ˌ"}, " ".join(phones))


def _from_arpabet(ph: str) -> tuple[str, list[str]]:
    """Return IPA for the alphabet of the CMU Pronouncing Dictionary: `HH AH0 L OW1`."""
    phones = re.sub(r"\bah0", "ax", ph.lower())
    return _from_sapi(re.sub(r"(?<=[a-z])([012])", lambda m: f" {m[1]}" * (m[1] != "0"), phones))


def _kana_of_romaji() -> dict[str, str]:
    """Return the kana of the syllables of Hepburn romaji."""
    rows = {"": "あいうえお", "k": "かきくけこ", "s": "さしすせそ", "t": "たちつてと",
            "n": "なにぬねの", "h": "はひふへほ", "m": "まみむめも", "r": "らりるれろ",
            "g": "がぎぐげご", "z": "ざじずぜぞ", "d": "だぢづでど", "b": "ばびぶべぼ",
            "p": "ぱぴぷぺぽ"}  # fmt: skip
    glides = dict(zip("auo", "ゃゅょ", strict=True))
    syllables = {"n": "ん", "n'": "ん", "wa": "わ", "wo": "を", "ya": "や", "yu": "ゆ", "yo": "よ"}
    for onset, row in rows.items():
        syllables |= {onset + vowel: kana for vowel, kana in zip("aiueo", row, strict=True)}
        if onset:
            syllables |= {f"{onset}y{vowel}": row[1] + small for vowel, small in glides.items()}
    for onset, kana in (("sh", "し"), ("ch", "ち"), ("j", "じ")):
        syllables[f"{onset}i"] = kana
        syllables |= {onset + vowel: kana + small for vowel, small in glides.items()}
    return syllables | {"tsu": "つ", "fu": "ふ", "-": "ー"}


_ROMAJI = _kana_of_romaji()
_ROMAJI_SYLLABLE = re.compile(
    "(?P<double>(?:t(?=ch)|([kstpgdbfjz])(?=\\2))?)"
    f"(?P<syllable>{'|'.join(sorted(_ROMAJI, key=len, reverse=True))})(?P<long>\u0304|\u0302)?"
)


def _in_kana(ph: str) -> str:
    """Return kana for romaji: `きょうと` for `kyōto`; other text as it is."""
    letters = unicodedata.normalize("NFD", ph.lower().replace("^", "").replace("’", "'"))
    written = _ROMAJI_SYLLABLE.sub(
        lambda match: (
            ("っ" if match["double"] else "")
            + _ROMAJI[match["syllable"]]
            + ("ー" if match["long"] else "")
        ),
        letters,
    )
    return ph if re.search("[a-z]", written) else unicodedata.normalize("NFC", written)


def _read_kana(ph: str) -> Pronunciation:
    """Return the phonemes of words in kana or romaji; the signs of accents are passed over."""
    words = _ACCENT_SIGNS.sub("", _in_kana(ph)).split()
    said = list(map(LANGUAGES["ja"].load_sounds().read_syllable, words))
    if not all(said):
        return Pronunciation(reason=f"{quote(ph)} is not all kana")
    return _said(" ".join(filter(None, said)), [])


def _read_pinyin(ph: str) -> Pronunciation:
    """Return the phonemes of syllables with tones as figures or marks."""
    said: list[str] = []
    read_syllable = LANGUAGES["zh"].load_sounds().read_syllable
    written = _with_figures(ph.lower()).replace("u:", "ü").replace("v", "ü")
    for syllable, tone in _SYLLABLE.findall(written):
        phonemes = read_syllable(syllable + (tone if tone != "0" else "5"))
        if phonemes is not None:
            said.append(phonemes)
    left = _SYLLABLE.sub("", written).strip(" -'")
    if not said or left:
        reason = f"{quote(ph)} is not all pinyin with tones"
        return Pronunciation("".join(said) or None, reason=reason)
    return _said("".join(said), [])


def _with_figures(ph: str) -> str:
    """Return pinyin with figures for tone marks: `ni3 hao3` for `nǐ hǎo`."""
    if ph.isascii() or re.search(r"[0-5]", ph):
        return ph
    words: list[str] = []
    for word in ph.split():
        letters = unicodedata.normalize("NFD", word)
        tone = next((_TONE_MARKS[letter] for letter in letters if letter in _TONE_MARKS), "5")
        bare = "".join(letter for letter in letters if letter not in _TONE_MARKS)
        words.append(unicodedata.normalize("NFC", bare) + tone)
    return " ".join(words)


_ALPHABETS: Mapping[str, Callable[[str], tuple[str, list[str]]]] = {
    "": lambda ph: (ph, []),
    "ipa": lambda ph: (ph, []),
    "x-sampa": _from_sampa,
    "xsampa": _from_sampa,
    "ups": _from_ups,
    "sapi": _from_sapi,
    **dict.fromkeys(("cmu", "x-cmu", "arpabet", "x-arpabet", "cmu-arpabet"), _from_arpabet),
}
