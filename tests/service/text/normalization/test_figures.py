import itertools

import pytest
from hypothesis import strategies as st
from service.text.characters import clean_text
from service.text.normalization.figures import rules
from service.text.normalization.rules import rewrite
from service.text.offset_mapping import TracedText
from tests.profiles import given

LANGUAGES = ("es", "fr", "it", "pt-br", "hi")


def _normalized(text, language):
    return rewrite(clean_text(TracedText(text), keep_joiners=language == "hi"), rules(language))


# Parts of figures, so that Hypothesis finds patterns and not only characters.
_PIECES = st.sampled_from(
    [
        *"0123456789",
        *" .,:;/-+–−()'’%°ºª€$£₹&#½²\n\u00a0",
        *"IVXLCDMabehkmx",
        *("12", "2024", "007", "1.000", "1,5", "km/h", "h", "am", "p. m.", "Sr.", "etc.", "er"),
        *("siglo ", "XX", "e", "mar.", "de ", "enero", "R$", "M€", "US$", "mil ", "v", "J.K."),
        *("क", "डॉ.", "वीं", "करोड़", "कि.मी.", "ा", "रु."),
    ]
)
_TEXTS = st.lists(_PIECES, max_size=14).map("".join) | st.text(max_size=30)


@given(text=_TEXTS, language=st.sampled_from(LANGUAGES))
def test_no_digit_is_left_and_offsets_go_forward(text, language):
    traced = _normalized(text, language)
    assert not any(character in "0123456789" for character in traced.text)
    spans = [traced[i : i + 1].span for i in range(len(traced))]
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in itertools.pairwise(spans))


def test_a_rewritten_figure_keeps_its_span():
    text = "Cuesta 10,50 € hoy."
    traced = _normalized(text, "es")
    start = traced.text.index("diez")
    end = traced.text.index(" hoy")
    first, last = traced[start:end].span
    assert text[first:last] == "10,50 €"


def test_a_language_without_a_table_has_no_rules():
    with pytest.raises(KeyError):
        rules("en-us")
