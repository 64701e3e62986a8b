import itertools
from pathlib import Path

from hypothesis import strategies as st
from service.text.normalization.english import early_rules, rules, unmarked_rules
from service.text.normalization.rules import rewrite
from service.text.offset_mapping import TracedText
from tests.profiles import given

DATA = Path(__file__).parents[3] / "data" / "reading"

_PIECES = [
    *("1", "2", "0", "12", "1984", "3", "555", "10", "000", "1/2", "0x", "A4", "½", "²"),
    *(",", ".", ":", "/", "-", "–", "$", "€", "%", "°", "×", "+", "=", "^", "#", "&", "@", "'"),
    *('"', "’", "(", ")", "~", ">", "<", "≤", "√", "±", "−", "_", "¢", "£", "é", "ß", "漢"),
    *("C", "m", "km", "h", "x", "a", "A", "I", "II", "V", "IV", "K", "p", "v", "th", "st"),
    *("St.", "Dr.", "No.", "Inc.", "etc.", "vs.", "ext.", "lb.", "oz.", "ft", "a.m.", "pm"),
    *("Jan", "March", "Henry", "Chapter", "The", "the", "in", "on", "call", "ISBN", "UTC"),
    *("USD", "EUR", "M", "bn", "AD", "BC"),
]

_awkward = st.lists(st.sampled_from([*_PIECES, " ", " ", "\n"]), max_size=12).map("".join)
_any = st.text(max_size=60)


def _normalize(text, *, british):
    return rewrite(TracedText(text), rules(british=british))


@given(text=st.one_of(_awkward, _any), british=st.booleans())
def test_any_text_is_read_with_its_offset_mapping(text, british):
    normalized = _normalize(text, british=british)
    spans = [normalized[index : index + 1].span for index in range(len(normalized))]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(one <= next_one for one, next_one in itertools.pairwise(spans))


@given(text=_awkward, british=st.booleans())
def test_no_digit_is_left(text, british):
    assert not any(digit in _normalize(text, british=british).text for digit in "0123456789")


@given(
    whole=st.integers(0, 999_999),
    part=st.from_regex("[0-9]{1,8}", fullmatch=True),
    sign=st.sampled_from("+-−±"),
    british=st.booleans(),
)
def test_a_sign_changes_no_decimal(whole, part, sign, british):
    number = _normalize(f"It is {whole}.{part} now", british=british).text.removeprefix("It is ")
    name = {"+": "plus", "±": "plus or minus"}.get(sign, "minus")
    assert _normalize(f"It is {sign}{whole}.{part} now", british=british).text == (f"It is {name} {number}")


@given(text=st.one_of(_awkward, _any), british=st.booleans())
def test_a_rule_matches_only_texts_with_a_character_that_it_needs(text, british):
    for rule in (*early_rules(), *unmarked_rules(british=british), *rules(british=british)):
        if rule.needs and rule.pattern.search(text):
            assert set(rule.needs) & set(text), rule.pattern.pattern


def test_no_golden_text_has_a_match_without_a_character_that_the_rule_needs():
    lines = (DATA / name for name in ("awkward.tsv", "en-us.tsv", "en-gb.tsv", "agreement.tsv"))
    texts = "\n".join(file.read_text(encoding="utf-8") for file in lines).splitlines()
    for rule in rules(british=True):
        lacking = [text for text in texts if rule.needs and not set(rule.needs) & set(text)]
        assert not any(map(rule.pattern.search, lacking)), rule.pattern.pattern
