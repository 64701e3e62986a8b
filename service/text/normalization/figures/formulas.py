"""The words of a language in formulas, from its tables."""

from __future__ import annotations

from string import ascii_uppercase

from service.text.normalization.emoji import PictureWords
from service.text.normalization.figures.numbers import Numerals
from service.text.normalization.formulas import FormulaWords, greek_names
from service.text.normalization.locale import Agreement, Locale, Suffix


def formula_words(locale: Locale, numerals: Numerals, pictures: PictureWords) -> FormulaWords:
    """Return what a language says in formulas; a language of Latin letters does not name them."""
    of_power = locale.operators["^"]

    def ordinal_power(text: str) -> str | None:
        said = None
        if locale.powers_are_ordinals:
            said = numerals.ordinal(int(text), Suffix(Agreement.FEMININE))
        return said and f"{of_power} {said}"

    named = dict(zip(ascii_uppercase, locale.letters, strict=True))
    is_named = not locale.letters[0].isascii()  # by a script without Latin letters

    def letters(text: str) -> list[str]:
        if is_named:
            return [named.get(letter.upper(), letter) for letter in text]
        return [
            # A small `x` would be a word of chat.
            letter.upper() if letter in locale.chat else letter
            for letter in text
        ]

    power = f"{of_power} {{n}}"
    return FormulaWords(
        number=lambda text: numerals.say(numerals.parse(text)),
        operators={
            sign: said
            for sign, said in (
                pictures.symbols | dict(locale.operators) | dict(locale.formula_signs)
            ).items()
            if not sign.isalpha()  # an `x` is a variable
        },
        names={
            **pictures.symbols,
            **locale.formula_names,
            **locale.percent,
            **greek_names(locale.greek),
            "°": locale.degree.many,
        },
        phrases={"over": locale.over, "power": power, "again": power, **locale.formula_phrases},
        powers={"2": locale.powers["²"], "3": locale.powers["³"]},
        letters=letters,
        signs=locale.signs,
        element=lambda symbol: " ".join(letters(symbol.upper())),
        ordinal_power=ordinal_power,
        units={symbol: noun.many for symbol, noun in locale.units.items()},
    )
