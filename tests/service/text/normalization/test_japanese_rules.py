import pytest
from hypothesis import strategies as st
from service.text.characters import clean_text
from service.text.normalization.japanese import RULES, interpret
from service.text.normalization.rules import rewrite
from service.text.offset_mapping import TracedText
from tests.profiles import given


def normalized(text):
    return rewrite(clean_text(TracedText(text)), RULES)


def test_a_rewritten_number_has_the_span_of_the_number():
    text = "会議は19:30に始まる"
    said = normalized(text)
    start = said.text.index("19時30分")
    first, last = said[start : start + 6].span
    assert text[first:last] == "19:30"


@pytest.mark.parametrize("text", ["$5-6", "$5–6", "$5～6"])
def test_a_range_of_money_names_its_currency_at_its_end(text):
    assert normalized(text).text == "5から6ドル"


def test_a_month_that_there_is_not_is_no_other_month():
    assert normalized("2024年13月1日、12月1日").text == "2024年13がつ1日、12月1日"


@given(st.text())
def test_any_text_with_japanese_rules_keeps_its_letters(text):
    said = rewrite(TracedText(text), RULES).text
    assert [c for c in text if "ぁ" <= c <= "ヿ"] == [c for c in said if c in text and "ぁ" <= c <= "ヿ"]


@pytest.mark.parametrize(
    ("text", "interpretation", "detail", "said"),
    [
        ("1234", "cardinal", "", "1234"),
        ("-7", "cardinal", "", "マイナス7"),
        ("3", "ordinal", "", "3番目"),
        ("1203", "digits", "", "イチニーゼロサン"),
        ("AB1", "characters", "", "エー ビー イチ"),
        ("03/04/2024", "date", "mdy", "2024年3月4日"),
        ("04/03", "date", "dm", "3月4日"),
        ("2024-03-04", "date", "", "2024年3月4日"),
        ("19:05", "time", "", "19時5分"),
        ("+81 3 1234", "telephone", "", "プラスハチイチ、サン、イチニーサンヨン"),
        ("¥500", "currency", "", "500円"),
        ("12km", "unit", "", "12キロメートル"),
        ("neko", "cardinal", "", None),
        ("neko", "date", "ymd", None),
        ("99/99", "date", "md", None),
        ("neko", "unit", "", None),
        ("", "digits", "", None),
    ],
)
def test_japanese_is_read_as_what_it_is_said_to_be(text, interpretation, detail, said):
    assert interpret(text, interpretation, detail) == said  # type: ignore[arg-type]
