from __future__ import annotations

import typing

import pytest
from hypothesis import strategies as st
from service.text.markup.passages import Interpretation
from service.text.normalization.figures import interpret
from tests.profiles import given

_KINDS: tuple[Interpretation, ...] = typing.get_args(Interpretation)


@pytest.mark.parametrize(
    ("language", "kind", "detail", "text", "words"),
    [
        ("es", "cardinal", "", "1.234", "mil doscientos treinta y cuatro"),
        ("es", "cardinal", "", "007", "siete"),
        ("es", "cardinal", "", "-5", "menos cinco"),
        ("es", "cardinal", "", "XIV", "catorce"),
        ("fr", "cardinal", "", "3,5", "trois virgule cinq"),
        ("es", "ordinal", "", "3", "tercero"),
        ("es", "ordinal", "f", "3", "tercera"),
        ("fr", "ordinal", "", "21e", "vingt et unième"),
        ("it", "ordinal", "", "XX", "ventesimo"),
        ("pt-br", "ordinal", "f", "2", "segunda"),
        ("hi", "ordinal", "", "5", "पाँचवाँ"),
        ("es", "digits", "", "2024", "dos cero dos cuatro"),
        ("it", "digits", "", "12 34", "uno due, tre quattro"),
        ("es", "characters", "", "USB3", "u ese be tres"),
        ("pt-br", "characters", "", "ABC", "á bê cê"),
        ("hi", "characters", "", "PDF", "पी डी एफ़"),
        ("es", "date", "dmy", "05/03/2024", "cinco de marzo de dos mil veinticuatro"),
        ("es", "date", "mdy", "03/05/2024", "cinco de marzo de dos mil veinticuatro"),
        ("es", "date", "", "2024-03-05", "cinco de marzo de dos mil veinticuatro"),
        ("fr", "date", "dm", "1/5", "premier mai"),
        ("pt-br", "date", "my", "3/2024", "março de dois mil e vinte e quatro"),
        ("it", "date", "y", "1974", "mille novecento settantaquattro"),
        ("hi", "date", "dmy", "15/08/47", "पंद्रह अगस्त दो हज़ार सैंतालीस"),
        ("es", "time", "", "19:30", "diecinueve treinta"),
        ("fr", "time", "", "19h30", "dix-neuf heures trente"),
        ("it", "time", "", "19.30", "diciannove e trenta"),
        ("fr", "telephone", "", "0612345678", "zéro six, douze, trente-quatre, cinquante-six, soixante-dix-huit"),
        ("es", "telephone", "", "911 22", "nueve uno uno, dos dos"),
        ("es", "currency", "EUR", "10,50", "diez euros con cincuenta céntimos"),
        ("pt-br", "currency", "", "R$ 5", "cinco reais"),
        ("es", "unit", "", "5 km", "cinco kilómetros"),
    ],
)
def test_a_hint_decides_the_reading(language, kind, detail, text, words):
    assert (interpret(text, kind, detail, language) or "").lower() == words


@pytest.mark.parametrize(
    ("kind", "detail", "text"),
    [
        ("cardinal", "", "hola"),
        ("ordinal", "", "hola"),
        ("digits", "", "hola 5"),
        ("characters", "", " "),
        ("date", "dmy", "45/13/2024"),
        ("date", "dmy", "hola"),
        ("time", "", "hola"),
        ("telephone", "", "hola"),
        ("currency", "EUR", "hola"),
        ("unit", "", "hola"),
    ],
)
def test_what_is_not_of_the_kind_is_left(kind, detail, text):
    assert interpret(text, kind, detail, "es") is None


@given(
    text=st.text(max_size=12) | st.text("0123456789.,:/-+hIVX €", max_size=12),
    kind=st.sampled_from(_KINDS),
    detail=st.sampled_from(["", "dmy", "mdy", "ymd", "my", "y", "f", "EUR", "xyz"]),
    language=st.sampled_from(["es", "fr", "it", "pt-br", "hi"]),
)
def test_any_text_may_be_hinted_at(text, kind, detail, language):
    words = interpret(text, kind, detail, language)
    assert words is None or words.strip()
