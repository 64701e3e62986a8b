"""Classes, types and roles only claim that text is furniture: what is prose is read."""

import itertools
import re

import pytest

from service.books.blocks import blocks_of
from service.books.book_files import read_book
from service.books.document_budget import Budget
from service.books.furniture import CLASSES, NAVIGATION, TYPES
from service.books.ledger import Ledger
from service.books.markup_trees import parse_html
from tests.service.books import made_books
from tests.service.books.made_books import page

SPELLINGS = (
    "page-break", "page_break", "x-page-number", "page-numbers", "PageNum", "pagenums",
    "page-header", "running-head", "section-break", "scene-break", "scene_breaks", "footnote-ref",
    "calibre-noteref", "pg-boilerplate",
    # No furniture, but known to the code.
    "footnote", "endnotes", "poem", "dropcap", "small-caps", "sc", "drop",
    "first-letter", "initial",
)  # fmt: skip
ROLES = ("doc-pagebreak", "doc-noteref", "doc-backlink", "doc-toc", "navigation", "note")
CLAIMS = [
    *(f'class="{name}"' for names in CLASSES.values() for name in sorted(names)),
    *(f'class="{name}"' for name in SPELLINGS),
    *(f'epub:type="{name}"' for name in (*TYPES, *sorted(NAVIGATION), "note", "footnote")),
    *(f'role="{name}"' for name in ROLES),
    'aria-hidden="true"',
]
ELEMENTS = ("p", "div", "span", "section", "h2", "li", "blockquote", "td", "a", "nav", "body", "b")
PROSE = [
    "Rain.", "Go home.", "She said yes?", "The old captain went below", "It rained all night long",
    "He looked at the sea, and then at his hands, and said nothing more that evening.",
    "It rained. " * 80,
]  # fmt: skip


def read(html):
    content = html if "<body" in html else f"<body>{html}</body>"
    return blocks_of(parse_html(content.encode(), "a", Budget("a")), Ledger())


def words(found):
    return re.findall(r"\w+", " ".join(b.paragraph.text for b in found if b.paragraph))


def around(element, claim, content):
    if element == "td":
        return f"<p>Before.</p><table><tr><td {claim}>{content}</td></tr></table><p>After.</p>"
    if element == "body":
        return f"<body {claim}><p>Before.</p><p>{content}</p><p>After.</p></body>"
    if element in ("span", "a", "b"):
        return f"<p>Before. <{element} {claim}>{content}</{element}> After.</p>"
    return f"<p>Before.</p><{element} {claim}>{content}</{element}><p>After.</p>"


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.thorough)])
def test_prose_is_read_whatever_its_element_claims(step):
    misses = []
    for claim, element, prose in [*itertools.product(CLAIMS, ELEMENTS, PROSE)][::step]:
        if not re.search(r"[.?]\Z", prose.strip()) and len(prose.split()) <= 5:
            continue  # five words without a mark at their end may be a running head
        for content in (prose, f"<i>{prose}</i>", f"<p>{prose}</p><p>{prose}</p>"):
            found = words(read(around(element, claim, content)))
            wanted = ["Before", *re.findall(r"\w+", re.sub("<[^>]+>", " ", content)), "After"]
            if [one.lower() for one in found] != [one.lower() for one in wanted]:
                misses.append((claim, element, content[:40], found[:12]))
    assert not misses, f"{len(misses)}: {misses[:5]}"


def test_single_words_are_read_unless_they_are_numbers_heads_or_ways_back():
    """A page number is a number, the mark of a note a sign: `the king` in a link is neither."""
    claims = ["page_break", "page_number", "scene", "note_mark"]
    for claim, prose in itertools.product(claims, ("king", "the king", "mix")):
        for name, element in itertools.product(CLASSES[claim], ("p", "div", "span")):
            found = words(read(around(element, f'class="{name}"', prose)))
            assert found == ["Before", *prose.split(), "After"], (name, element)


NUMBERS = ("5", "[12]", "Page 7", "p. 7", "p7", "xiv", "- 233 -", "12 / 300", "Page 3 of 20", "S. 4")
CLAIMS_OF_PAGES = (
    'class="pagebreak"', 'class="page-number"', 'class="pagenum"', 'class="page-header"',
    'epub:type="pagebreak"', 'role="doc-pagebreak"',
)  # fmt: skip


@pytest.mark.parametrize("element", ["p", "div", "span", "section", "a"])
def test_numbers_of_pages_are_left_out_and_no_scene_changes(element):
    for claim, number in itertools.product(CLAIMS_OF_PAGES, NUMBERS):
        found = read(around(element, claim, number))
        assert words(found) == ["Before", "After"], (claim, number)
        assert not any(b.paragraph and b.paragraph.kind == "break" for b in found)


def test_running_heads_and_marks_of_notes_are_left_out():
    for head in ("THE SEA", "The Sea 12", "Chapter One", "12"):
        assert words(read(around("div", 'class="running-head"', head))) == ["Before", "After"]
    for mark in ("1", "[3]", "*", "†", "iv", "(a)", "Note 4", "[fn 2]", "12a"):
        found = read(around("a", 'epub:type="noteref" href="#n1"', mark))
        assert words(found) == ["Before", "After"], mark
    for way in ("↩", "Back to the text", "[Return]"):
        assert words(read(around("a", 'role="doc-backlink" href="#r1"', way))) == ["Before", "After"]


@pytest.mark.parametrize("name", [*sorted(CLASSES["scene"]), "scene-break", "pagebreak"])
def test_a_change_of_scene_is_a_break_with_or_without_text(name):
    def kinds(content):
        found = read(f'<p>One.</p><div class="{name}">{content}</div><p>Two.</p>')
        return [(b.paragraph.kind, b.paragraph.text) for b in found if b.paragraph]

    alone = [("text", "One."), ("break", ""), ("text", "Two.")]
    assert kinds("") == kinds("* * *") == kinds("<p>⁂</p>") == kinds("<hr/>")[:1] + alone[1:]
    assert kinds("He woke late.") == [*alone[:2], ("text", "He woke late."), alone[2]]
    assert kinds("<p>He woke.</p>") == [*alone[:2], ("text", "He woke."), alone[2]]


def test_headings_and_what_a_form_holds_are_read():
    found = read('<h2 class="page-header">The Storm</h2><p>It rained.</p>')
    assert words(found) == ["The", "Storm", "It", "rained"]
    assert words(read("<form><p>It rained.</p><input value='x'/><button>Send</button></form>")) == ["It", "rained"]


def test_navigation_is_mostly_links():
    links = "".join(f'<li><a href="{n}.xhtml">Chapter {n}</a></li>' for n in range(20))
    for start in ("<nav>", '<nav epub:type="toc">', '<div role="doc-toc">', '<section epub:type="toc">'):
        end = f"</{start[1:].split()[0].strip('>')}>"
        assert words(read(f"<p>A.</p>{start}<ol>{links}</ol>{end}")) == ["A"]
        prose = "<p>" + "It rained. " * 30 + "</p>"
        assert words(read(f"<p>A.</p>{start}{prose}{end}")).count("rained") == 30


def test_the_boilerplate_of_project_gutenberg_is_left_out_by_its_name():
    licence = "<p>The Project\nGutenberg eBook of Waves</p><p>This eBook is for anyone.</p>"
    assert words(read(f'<p>A.</p><section class="pg-boilerplate">{licence}</section>')) == ["A"]
    assert words(read('<section class="pg-boilerplate"><p>It rained.</p></section>')) == ["It", "rained"]


def test_what_is_hidden_is_read_only_if_there_is_nothing_else():
    for hidden in ('hidden=""', 'style="display: none"'):
        assert words(read(f"<p {hidden}>He is gone.</p><p>She came.</p>")) == ["She", "came"]
        assert words(read(f"<div {hidden}><p>He is gone.</p></div>")) == ["He", "is", "gone"]
        assert words(read(f"<body {hidden}><p>He is gone.</p></body>")) == ["He", "is", "gone"]
        assert words(read(f"<div {hidden}>12</div>")) == []


@pytest.mark.parametrize(
    "attributes", ['epub:type="toc"', 'class="pagebreak"', 'epub:type="pagebreak"', 'role="note"', 'hidden=""']
)
def test_a_whole_document_never_vanishes(attributes, tmp_path):
    chapter = "<h1>Water</h1>" + "<p>It rained on the sea all day.</p>" * 9
    for body in (f"<body {attributes}>{chapter}</body>", f"<body><section {attributes}>{chapter}</section></body>"):
        document = page("").replace("<body></body>", body)
        book = read_book(made_books.epub(tmp_path / "a.epub", {"a.xhtml": document}, ""))
        (found,) = book.chapters
        assert found.role == "body"
        texts = [p.text for p in found.paragraphs if p.kind in ("text", "heading")]
        assert len(texts) == 10
