import pytest
from service.text.normalization.entities import RULES
from service.text.normalization.rules import rewrite
from service.text.offset_mapping import TracedText


def written(text):
    return rewrite(TracedText(text), RULES).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AT&amp;T", "AT&T"),
        ("&copy; &eacute; &hearts;", "© é ♥"),
        ("&#8217; &#x2014; &#X2014; &#0065;", "’ — — A"),
        ("&#146;&#150;", "’–"),
        ("a&nbsp;b", "a\u00a0b"),
        ("soft&shy;ly", "softly"),
        ("&#128512;", "😀"),
        ("&amp;amp;amp;lt;", "<"),
        ("&amp;#8217;", "’"),
        ("&amp;unknown;", "&unknown;"),
    ],
)
def test_references_become_their_characters(text, expected):
    assert written(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "R&D; and so on",
        "a & b; c",
        "&unknown;",
        "&notit;",
        "&amp without an end",
        "&#0; &#7; &#xD800; &#xFFFE; &#x81; &#9999999; &#xE000;",
        "&;",
        "&#;",
    ],
)
def test_what_is_no_reference_or_no_text_stays(text):
    assert written(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a <b>bold</b> word", "a bold word"),
        ('<a href="https://example.com/?a=1&b=2" target=_blank>here</a>', "here"),
        ("<INPUT type='text' disabled/>x", "x"),
        ("one<br>two<BR />three", "one\ntwo\nthree"),
        ("<li>one</li>\n<li>two</li>", "\none\n\n\ntwo\n"),
        ("<tr><td>a</td> <td>b</td></tr>", "\n a,  b\n"),
        ("<!DOCTYPE html><!-- a\n<b>note</b> -->x", "x"),
        ('<img alt="A dog" src=d.png><img src=e.png>', "A dog"),
        ("10<sup>-2</sup> m, 1<sup>st</sup>", "10⁻² m, 1st"),
        ("&lt;i&gt;escaped&lt;/i&gt;", "escaped"),
    ],
)
def test_tags_go_and_blocks_start_lines(text, expected):
    assert written(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a < b and c > d",
        "x<y>z",
        "I <3 you",
        "List<String> Map<K, V> Vec<u8> List<Object>",
        "if a <b and c> d",
        "<https://example.com>",
        "<me@example.com>",
        "<unknown>x</unknown>",
        "<b",
        "<!-- never closed",
    ],
)
def test_what_is_no_tag_stays(text):
    assert written(text) == text


def test_characters_know_the_reference_they_come_from():
    text = rewrite(TracedText("a &amp; <b>c</b>"), RULES)
    assert text.text == "a & c"
    assert text[2:3].span == (2, 7)
    assert text[4:5].span == (11, 12)
