"""The traps of printed text, each with a case."""

import re

import pytest
from hypothesis import strategies as st

from service.books import chaptering, markdown_file, text_file, tidying
from service.books.blocks import blocks_of
from service.books.book import Paragraph
from service.books.document_budget import Budget
from service.books.ledger import Ledger
from service.books.markup_trees import parse_html, parse_xml
from tests.profiles import given

TEXTS = [
    ("soft hyphens", "text", "un\u00adbe\u00adliev\u00adable", "unbelievable"),
    ("invisible characters", "text", "no\u200bthing\ufeff here\u2060.", "nothing here."),
    ("footnote marks", "text", "It rained.[12] He left[3], too.*", "It rained. He left, too.*"),
    ("references", "text", "See [12], as in [3] and Ref. [4].", "See [12], as in [3] and Ref. [4]."),
    ("daggers", "text", "It rained† again.‡", "It rained again."),
    ("raised numbers", "text", "He said so.¹² Then\u00a0left¹.", "He said so. Then left."),
    ("exponents stay", "text", "It has 20 m² of floor.", "It has 20 m² of floor."),
    ("markup stays", "text", "Say [of](-1) it[1](x).", "Say [of](-1) it[1](x)."),
    ("spaced ellipses", "text", "Well . . . no. Yes.... And", "Well … no. Yes… And"),
    ("dialogue by dash", "text", "— Come in! — he said.", "Come in! — he said."),
    ("dialogue by hyphen", "text", "- Come in.", "Come in."),
    ("a minus stays", "text", "-5 degrees.", "-5 degrees."),
    ("double hyphens", "text", "He went--slowly.", "He went—slowly."),
    ("options stay", "text", "Use ---x.", "Use —x."),
    ("verse", "verse", "The wind blew\n  And so it grew.", "The wind blew,\nAnd so it grew."),
    ("verse that runs on", "verse", "I saw the\nwide sea", "I saw the\nwide sea"),
    ("a letter's address", "text", "221B Baker Street\nLondon", "221B Baker Street, London"),
    ("an epigraph", "quotation", "“All is water.”\nThales", "“All is water.”, Thales"),
    ("capitals in headings", "heading", "THE LONG ROAD TO ROME", "The Long Road to Rome"),
    ("abbreviations in headings", "heading", "NATO", "NATO"),
    ("Roman numbers", "heading", "CHAPTER XIV. THE STORM", "Chapter 14. The Storm"),
    ("a short division", "heading", "ACT IV.\nSCENE II.", "Act 4. Scene 2."),
    ("a hundredth chapter", "heading", "CHAPTER C. THE END", "Chapter 100. The End"),
    ("a letter", "heading", "Appendix C. Tables", "Appendix C. Tables"),
    ("a letter before words", "heading", "Chapter D Determinants", "Chapter D Determinants"),
    ("Roman numbers alone", "heading", "IV", "4"),
    ("Roman numbers with titles", "heading", "I. Introduction", "1. Introduction"),
    ("in other languages", "heading", "Chapitre IX", "Chapitre 9"),
    ("the pronoun", "heading", "I Remember", "I Remember"),
    ("a word of numerals", "heading", "MIX", "MIX"),
    ("foreign phrases", "text", "He had a déjà vu.", "He had a déjà vu."),
    ("addresses of the web", "text", "See https://a.org/b-c_d?e=1.", "See https://a.org/b-c_d?e=1."),
    ("code", "code", "if x--:\n  y[1] ...", "if x--:\n y[1] ..."),
]


def test_what_print_has_and_speech_has_not_is_tidied():
    misses = [
        (name, tidying.tidy(text, kind), wanted)
        for name, kind, text, wanted in TEXTS
        if tidying.tidy(text, kind) != wanted
    ]
    assert not misses


HTML = [
    ("drop caps", '<p><span class="dropcap">T</span>he sea.</p>', [("text", "The sea.")]),
    ("drop caps apart", '<p><span class="dropcap">T</span> HE sea.</p>', [("text", "THE sea.")]),
    ("a drop cap that is a word", '<p><span class="dropcap">A</span> man.</p>', [("text", "A man.")]),
    ("pictures of drop caps", '<p><img alt="O" src="o.png"/>nce.</p>', [("text", "Once.")]),
    ("other pictures", '<p><img alt="A sea" src="o.png"/>Once.</p>', [("text", "Once.")]),
    ("small caps", '<p><span class="smallcaps">MR. DARCY OF KENT</span> left.</p>',
     [("text", "Mr. Darcy of Kent left.")]),
    ("notes' marks", '<p>It rained<sup><a href="#n1">1</a></sup>.</p>', [("text", "It rained.")]),
    ("notes' links", '<p>It rained.<a href="n.html#a">[1]</a></p>', [("text", "It rained.")]),
    ("other links", '<p>See page <a href="#p5">5</a>.</p>', [("text", "See page 5.")]),
    ("exponents", "<p>E = mc<sup>2</sup></p>", [("text", "E = mc²")]),
    ("page numbers", '<p>It <span class="pagenum">12</span>rained.</p><div role="doc-pagebreak">13</div>',
     [("text", "It rained.")]),
    ("running heads", '<div class="runhead">THE SEA</div><p>It rained.</p>', [("text", "It rained.")]),
    ("verse", '<div class="poem">The wind blew<br/>And so it grew.</div>',
     [("verse", "The wind blew,\nAnd so it grew.")]),
    ("scene breaks", "<p>A.</p><hr/><p>B.</p>", [("text", "A."), ("break", ""), ("text", "B.")]),
    ("ornaments", "<p>A.</p><p>* * *</p><p>B.</p>", [("text", "A."), ("break", ""), ("text", "B.")]),
    ("tables", "<table><caption>Prices</caption><tr><th>Tea</th><td>2</td></tr></table>",
     [("caption", "Prices"), ("table", "Tea, 2")]),
    ("code", "<pre>a = 1\nb = 2</pre>", [("code", "a = 1\nb = 2")]),
    ("notes", '<aside epub:type="footnote"><p>A lot.</p></aside>', [("note", "A lot.")]),
    ("quotations", "<blockquote><p>All.</p></blockquote>", [("quotation", "All.")]),
    ("headings", "<h2>CHAPTER II</h2>", [("heading", "Chapter 2")]),
    ("inline around paragraphs", "<span><p>A.</p><p>B.</p></span>", [("text", "A."), ("text", "B.")]),
    ("what is hidden", '<p hidden="">A.</p><p style="display: none">B.</p><p>C.</p>', [("text", "C.")]),
    ("foreign phrases", '<p>He had a <i lang="fr">déjà vu</i>.</p>', [("text", "He had a déjà vu.")]),
    ("text between elements", "<div>A.<p>B.</p>C.</div>", [("text", "A."), ("text", "B."), ("text", "C.")]),
]  # fmt: skip


def test_a_document_is_read_as_a_reader_would():
    misses = []
    for name, html, wanted in HTML:
        root = parse_html(f"<html><body>{html}</body></html>".encode(), name, Budget(name))
        found = [b.paragraph for b in blocks_of(root, Ledger()) if b.paragraph]
        if [(paragraph.kind, paragraph.text) for paragraph in found] != wanted:
            misses.append((name, found))
    assert not misses


def test_words_are_joined_over_the_ends_of_lines():
    known = {"remember", "well-known", "example"}
    assert tidying.joined_lines("remem-\nber", known) == "remember"
    assert tidying.joined_lines("a well-\n  known man", known) == "a well-known man"
    assert tidying.joined_lines("un-\nknown", known) == "unknown"
    assert tidying.joined_lines("Anglo-\nSaxon", known) == "Anglo-Saxon"


def test_ornaments_are_a_break_and_what_has_no_letter_is_no_paragraph():
    assert {tidying.paragraph(text) for text in ("* * *", "***", "⁂", "~", "#", "• • •", "———")} == {
        Paragraph("", "break")
    }
    assert {tidying.paragraph(text) for text in ("", "—", "?!", "\u00ad")} == {None}
    numerals = {"I": 1, "IV": 4, "XC": 90, "MCMXCIV": 1994, "IIII": None, "VX": None, "": None}
    assert {one: tidying.roman(one) for one in numerals} == numerals


def test_entities_of_html_are_known_and_own_ones_are_not():
    root = parse_xml(b"<p>caf&eacute;&nbsp;&amp; co</p>", "a.xhtml", Budget("a.epub"))
    assert root.text == "caf\u00e9\u00a0& co"
    root = parse_xml(b'<!DOCTYPE p [<!ENTITY yours "no">]><p>&mine; &yours; AT&T &amp</p>', "a", Budget("a"))
    assert root.text == "&mine; &yours; AT&T &"


# The patterns of the sources and plainer ones, which backtrack in long runs of the same character.
PLAIN_FORMS = [
    (tidying._BROKEN_WORD, r"(\w+)[-‐\u00ad]\n\s*(\w+)", "ab1_-‐\u00ad\n \té"),
    (tidying._DIVISION_OF_TWO_LINES, rf"(?i:\b({tidying._DIVISION}))\s*\n\s*(?=[MDCLXVI\d]+\b)",
     ["chapter", "act", "e", "\n", "\n", " ", "\t", "XI", "1", "x"]),
    (text_file._PAGE_NUMBER, r"(?i)\s*[-–—\[(]*\s*(?:page\s+)?(\d{1,4})\s*[-–—\])]*\s*\Z",
     ["page", " ", "\t", "-", "—", "[", "]", "(", ")", "1", "23", "x"]),
    (chaptering._BACK, r"(?i)(?:index|also by\b.*|the full project gutenberg.*licen[cs]e.*)\W*\Z",
     ["index", "also by", "the full project gutenberg", "license", "licence", " ", ".", "x"]),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "plain", "pieces"), PLAIN_FORMS)
@given(data=st.data())
def test_patterns_match_what_their_plain_forms_match(pattern, plain, pieces, data):
    text = "".join(data.draw(st.lists(st.sampled_from(pieces), max_size=25)))
    expected = re.compile(plain)
    assert [m.regs for m in pattern.finditer(text)] == [m.regs for m in expected.finditer(text)]
    text = text.strip()
    assert bool(pattern.match(text)) == bool(expected.match(text))


@given(st.lists(st.sampled_from([":", " ", "\n", "]", "[", "a", "1"]), max_size=12).map("".join))
def test_captions_are_what_the_brackets_hold(inside):
    part = f" [Illustration{inside}]\n"
    plain = re.match(r"(?is)\s*\[illustration(?::\s*(?P<caption>.*?))?\]\s*\Z", part)
    kind, said = text_file._kind(part, after_heading=False)
    assert (kind == "caption") == (plain is not None)
    assert plain is None or said == (plain["caption"] or "")


@given(st.lists(st.sampled_from([" ", "\t", '"', "'", "a", "b c", ":"]), max_size=9).map("".join))
def test_values_of_front_matter_lose_their_quotes(written):
    plain = re.fullmatch(r"[ \t]*[\"']?(.*?)[\"']?[ \t]*", written)
    assert markdown_file._unquoted(written) == plain[1]
