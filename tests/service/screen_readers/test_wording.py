"""How letters, keys, punctuation and capitals are worded."""

from xml.etree import ElementTree

import pytest
from hypothesis import strategies as st

from service.screen_readers import wording
from service.screen_readers.wording import Reading
from tests.profiles import given

SYMBOLS = """\ufeffcomplexSymbols:
. sentence ending\t(?<=x)\\.
symbols:
. sentence ending\tdot\tall\talways
,\tcomma\tall\talways
(\tleft paren\tmost\talways
\\#\tnumber\tsome
.\tdot\tsome
-\tdash\tmost\t\t# display
"""


@pytest.fixture(autouse=True)
def locales(tmp_path, monkeypatch):
    """speech-dispatcher's names, in two languages."""
    for language, text in (("en", SYMBOLS), ("de", "symbols:\n,\tKomma\tall\n")):
        (tmp_path / language).mkdir()
        (tmp_path / language / "symbols.dic").write_text(text, encoding="utf-8")
    monkeypatch.setattr(wording, "_LOCALES", tmp_path)
    wording.symbol_names.cache_clear()
    yield
    wording.symbol_names.cache_clear()


def inner(kind, text, **fields):
    document = Reading(**fields).document(kind, text)
    assert document.startswith("<speak>")
    return document.removeprefix("<speak>").removesuffix("</speak>")


@pytest.mark.parametrize(("text", "said"), [
    ("a", '<say-as interpret-as="characters">a</say-as>'), (",", "comma"), ("#", "number"), ("space", "space"),
    ("€", "euro sign"), ("<", "less-than sign"),
])  # fmt: skip
def test_characters_have_names(text, said):
    assert inner("CHAR", text) == said


def test_names_are_those_of_the_language():
    assert inner("CHAR", ",", language="de-at") == "Komma"
    assert inner("CHAR", "(", language="de") == "left paren"


def test_keys_are_said_one_by_one():
    assert inner("KEY", "control_alt_Delete") == "control alt Delete"
    assert inner("KEY", "shift_a").endswith(">a</say-as>")
    assert inner("KEY", "_") == "low line"


@pytest.mark.parametrize(("mode", "said"), [
    ("none", "Yes, (no) #1. So-so."), ("some", "Yes, (no)  number 1 dot. So-so dot."),
    ("most", "Yes,  left paren no)  number 1 dot. So dash so dot."),
    ("all", "Yes comma,  left paren no)  number 1 dot. So dash so dot."),
])  # fmt: skip
def test_punctuation_is_named_up_to_its_level(mode, said):
    assert inner("SPEAK", "<speak>Yes, (no) #1. So-so.</speak>", punctuation=mode) == said


def test_capitals_are_told_or_tick():
    text = "<speak>One two Three</speak>"
    assert inner("SPEAK", text, capitals="spell") == "capital One two capital Three"
    assert inner("SPEAK", text, capitals="icon").count(wording.CAPITAL_ICON) == 2
    assert inner("CHAR", "A", capitals="spell").startswith("capital ")
    assert inner("CHAR", "A", capitals="spell", language="es").startswith("mayúscula ")
    assert inner("CHAR", "A") == '<say-as interpret-as="characters">A</say-as>'


def test_markup_stays_and_the_text_in_it_is_worded():
    emphasis, kind = "<emphasis>c,</emphasis>", '<say-as interpret-as="x">,</say-as>'
    text = f'<speak version="1.0">A, <mark name="__spd_1"/>b {emphasis} {kind}</speak>'
    assert inner("SPEAK", text, punctuation="all") == (
        'A comma, <mark name="__spd_1"></mark>b <emphasis>c comma,</emphasis> <say-as interpret-as="x">,</say-as>'
    )
    assert inner("SPEAK", "<speak>ab</speak>", spells=True).count("characters") == 2
    assert inner("SPEAK", "x", pitch_st=-2.0) == '<prosody pitch="-2.00st">x</prosody>'


@given(st.sampled_from(["SPEAK", "CHAR", "KEY", "SOUND_ICON"]), st.text(), st.sampled_from(["none", "all"]),
       st.sampled_from(["none", "spell", "icon"]), st.booleans())  # fmt: skip
def test_whatever_comes_is_well_formed(kind, text, punctuation, capitals, spells):
    reading = Reading("en", punctuation, capitals, spells)
    assert ElementTree.fromstring(reading.document(kind, text)).tag == "speak"
    ElementTree.fromstring(reading.document(kind, f"<speak>{text}<mark name='a'/></speak>"))
