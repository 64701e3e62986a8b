import pytest
from hypothesis import strategies as st
from service.text.characters import clean_text
from service.text.normalization.mandarin import RULES, interpret
from service.text.normalization.mandarin.numbers import say_integer
from service.text.normalization.rules import rewrite
from service.text.offset_mapping import TracedText
from tests.profiles import given

VALUES = dict(zip("零一二三四五六七八九两", [*range(10), 2], strict=True))
PLACES = {"十": 10, "百": 100, "千": 1000}


def normalized(text):
    return rewrite(clean_text(TracedText(text)), RULES)


def value_of(words):
    """Return the value of a Chinese number below 10**16, as a listener understands it."""
    total = section = digit = 0
    for character in words:
        if character in VALUES:
            digit = VALUES[character]
        elif character in PLACES:
            section += (digit or 1) * PLACES[character]
            digit = 0
        else:
            base = 10**4 if character == "万" else 10**8
            if character == "亿":
                total = (total + section + digit) * base
            else:
                total += (section + digit) * base
            section = digit = 0
    return total + section + digit


@given(st.integers(0, 10**12 - 1))
def test_the_words_of_a_chinese_number_have_its_value(value):
    assert value_of(say_integer(str(value))) == value


def test_a_chinese_reading_has_the_span_of_the_number():
    text = "会议19:30开始"
    said = normalized(text)
    start = said.text.index("十九点三十分")
    first, last = said[start : start + 6].span
    assert text[first:last] == "19:30"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("+0.203", "正零点二零三"),
        ("上涨＋5%和+$5", "上涨正百分之五和正五美元"),
        ("x+5 (+3) 1+2。18+", "x加五 (正三) 一加二。十八加"),
        ("+86 138 1234 5678", "加八六, 幺三八, 幺二三四, 五六七八"),
    ],
)
def test_a_plus_is_said(text, said):
    assert normalized(text).text == said


@given(st.text())
def test_any_text_with_chinese_rules_keeps_its_letters(text):
    said = rewrite(TracedText(text), RULES).text
    assert set("㐀你好漢字ñé") & set(text) <= set(said)


@pytest.mark.parametrize(
    ("text", "interpretation", "detail", "said"),
    [
        ("1234", "cardinal", "", "一千二百三十四"),
        ("-7", "cardinal", "", "负七"),
        ("3", "ordinal", "", "第三"),
        ("1203", "digits", "", "一二零三"),
        ("ab1", "characters", "", "A B 一"),
        ("03/04/2024", "date", "mdy", "二零二四年三月四日"),
        ("04/03", "date", "dm", "三月四日"),
        ("2024-03-04", "date", "", "二零二四年三月四日"),
        ("19:05", "time", "", "十九点零五分"),
        ("110", "telephone", "", "幺幺零"),
        ("¥500", "currency", "", "五百元"),
        ("12km", "unit", "", "十二公里"),
        ("mao", "cardinal", "", None),
        ("mao", "date", "ymd", None),
        ("99/99", "date", "md", None),
        ("mao", "unit", "", None),
        ("", "telephone", "", None),
    ],
)
def test_chinese_is_read_as_what_it_is_said_to_be(text, interpretation, detail, said):
    assert interpret(text, interpretation, detail) == said  # type: ignore[arg-type]
