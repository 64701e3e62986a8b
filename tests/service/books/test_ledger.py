"""The ledger: whatever a document is like, each of its words is read, or left out and told."""

import random
import re
from contextlib import suppress

import pytest

from service.books import book_files
from service.books.document_budget import Document
from service.books.ledger import Ledger
from service.errors import InvalidBookError
from tests.service.books import made_books
from tests.service.books.made_books import WORD, fiction, pack, page

CLASSES = (
    "", "", "", "calibre1", "pagebreak", "page-break", "page-header", "page-number", "section-break", "scene-break",
    "transition", "tb", "running-head", "noteref", "footnote", "poem", "verse", "dropcap", "smallcaps", "backlink",
    "pg-boilerplate", "initial", "hidden", "note", "sidebar", "toc",
)  # fmt: skip
ATTRIBUTES = (
    "", "", "", ' role="note"', ' role="doc-pagebreak"', ' epub:type="toc"', ' epub:type="pagebreak"', ' hidden=""',
    ' role="presentation"', ' aria-hidden="true"', ' style="display:none"', ' id="here"', ' epub:type="footnote"',
    ' role="navigation"', ' lang="fr"', ' epub:type="noteref"', ' role="heading"',
)  # fmt: skip
BLOCKS = (
    "p", "div", "section", "article", "aside", "blockquote", "h1", "h2", "h6", "ul", "ol", "dl", "figure", "center",
    "header", "footer", "details", "nav", "pre", "form", "fieldset", "unknown", "main",
)  # fmt: skip
INSIDE = {"ul": "li", "ol": "li", "dl": "dd", "figure": "figcaption", "details": "summary", "fieldset": "legend"}
SPANS = (
    "i", "b", "em", "strong", "span", "a", "small", "u", "code", "kbd", "sup", "sub", "q", "cite", "del", "ins",
    "font", "mark", "abbr", "x-new", "ruby", "button", "label", "svg", "math", "object", "noscript", "time",
)  # fmt: skip
ODDITIES = (
    "&nbsp;", "&amp;", "&", " & ", "<br/>", "<br/><br/>", "<hr/>", "<!-- c -->", "<img src='a.png' alt='x'/>",
    "&#8203;", "&#160;", "\t", "\n", "\r\n", "<wbr/>", "*", "* * *", "—", "1", "[1]", "&shy;", "&hellip;", "\u00ad",
)  # fmt: skip
LOOSE = (
    "<br>",
    "<p>",
    "<i>",
    "</b>",
    "<Mission failed>",
    "</div>",
    "<td>",
    "<li>",
    "</html>",
    "<title/>",
    "<a id='x'/>",
)


class Maker:
    """Makes documents of words that are all different, so each can be looked for."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.words = []

    def word(self):
        number = "".join(chr(97 + len(self.words) // place % 26) for place in (676, 26, 1))
        word = f"w{''.join(self.chance.choices('abcdefghijklmnopqrstuvwxyz', k=3))}q{number}"
        self.words.append(word)
        return word

    def pick(self, *what):
        return self.chance.choice(what)

    def prose(self, depth=0):
        parts = []
        for _ in range(self.chance.randrange(1, 5)):
            match self.chance.randrange(9):
                case 0 if depth < 4:
                    name = self.chance.choice(SPANS)
                    parts.append(f"<{name}{self.attributes()}>{self.prose(depth + 1)}</{name}>")
                case 1:
                    parts.append(self.chance.choice(ODDITIES))
                case 2:
                    parts.append(f"{self.word()}<sup>{self.pick('2', '12', '*', 'th', self.word())}</sup> ")
                case 3:
                    href = self.pick("#n1", "x.html#a", "http://a.org")
                    parts.append(f"<a href='{href}'>{self.pick('(12)', '[3]', '7', self.word())}</a> ")
                case _:
                    parts.append(
                        " ".join(self.word() for _ in range(self.chance.randrange(1, 9))) + self.pick(".", " ", ", ")
                    )
        return "".join(parts)

    def attributes(self):
        style = self.chance.choice(CLASSES)
        return (f' class="{style}"' if style else "") + self.chance.choice(ATTRIBUTES)

    def blocks(self, depth=0):
        return "".join(self.block(depth) for _ in range(self.chance.randrange(1, 4)))

    def block(self, depth):
        if depth > 5 or self.chance.random() < 0.35:
            return f"<p{self.attributes()}>{self.prose()}</p>"
        if self.chance.random() < 0.2:
            return self.table(depth)
        name = self.chance.choice(BLOCKS)
        inner = INSIDE.get(name)
        text = self.prose() if self.chance.random() < 0.3 else ""
        content = text + self.blocks(depth + 1)
        if name in ("p", "pre") or name[0] == "h":
            content = self.prose()
        elif inner:
            content = f"<{inner}{self.attributes()}>{content}</{inner}>"
        tail = self.prose() if self.chance.random() < 0.2 else ""
        return f"<{name}{self.attributes()}>{content}</{name}>{tail}"

    def table(self, depth):
        rows = ""
        for _ in range(self.chance.randrange(1, 4)):
            cells = ""
            for _ in range(self.chance.randrange(1, 4)):
                content = self.prose() if self.chance.random() < 0.6 else self.blocks(depth + 2)
                cell = self.pick("td", "th")
                cells += f"<{cell}{self.attributes()}>{content}</{cell}>"
            rows += f"<tr{self.attributes()}>{cells}</tr>"
        caption = f"<caption>{self.prose()}</caption>" if self.chance.random() < 0.3 else ""
        return f"<table{self.attributes()}>{caption}{rows}</table>"

    def loosened(self, markup):
        """Return markup with faults in it."""
        for _ in range(self.chance.randrange(1, 4)):
            places = [match.end() for match in re.finditer(r"[ >]", markup)]
            outside = [one for one in places if markup.rfind("<", 0, one) <= markup.rfind(">", 0, one)]
            if not outside:
                return markup
            place = self.chance.choice(outside)
            markup = markup[:place] + self.chance.choice(LOOSE) + markup[place:]
        return markup


def html(maker, path):
    body = maker.blocks()
    if maker.chance.random() < 0.4:
        body = maker.loosened(body)
    encoding = maker.pick("utf-8", "utf-16", "latin-1", "windows-1251", "utf-8-sig")
    after = f"</html>{maker.word()}" if maker.chance.random() < 0.2 else ""
    head = f"<head><meta charset='{encoding}'><title>t</title><style>p {{}}</style></head>"
    written = f"<html>{head}<body{maker.attributes()}>{body}</body>{after}"
    maker.words = [word for word in maker.words if word in written]
    path.write_bytes(written.encode(encoding, "xmlcharrefreplace"))


def epub(maker, path):
    pages, texts = {}, []
    for number in range(maker.chance.randrange(1, 4)):
        body = maker.blocks()
        written = page(body).replace("<body>", f"<body{maker.attributes()}>")
        if maker.chance.random() < 0.4:
            written = maker.loosened(written)
        encoding = maker.pick("utf-8", "utf-8", "utf-16", "latin-1")
        written = written.replace('encoding="utf-8"', f'encoding="{encoding}"')
        texts.append(written)
        pages[f"{number}.xhtml"] = written.encode(encoding, "xmlcharrefreplace")
    maker.words = [word for word in maker.words if word in "".join(texts)]
    made_books.epub(path, pages, maker.pick("", '<li><a href="0.xhtml">One</a></li>'))


def fb2(maker, path):
    def paragraphs(depth=0):
        parts = []
        for _ in range(maker.chance.randrange(1, 5)):
            text = fb2_prose()
            parts.append(
                maker.pick(
                    f"<p>{text}</p>", f"<subtitle>{text}</subtitle>", f"<cite><p>{text}</p></cite>", "<empty-line/>",
                    f"<poem><stanza><v>{text}</v><v>{fb2_prose()}</v></stanza></poem>", f"<p>{text}</p>{fb2_prose()}",
                    f"<epigraph><p>{text}</p><text-author>{fb2_prose()}</text-author></epigraph>", f"<div>{text}</div>",
                    f"<table><tr><td>{text}</td><th>{fb2_prose()}</th></tr></table>", f"<new><p>{text}</p></new>",
                    f"<annotation><p>{text}</p></annotation>", f"<ul><li>{text}</li></ul>",
                )
            )  # fmt: skip
        if depth < 3 and maker.chance.random() < 0.5:
            parts.append(f"<section><title><p>{fb2_prose()}</p></title>{paragraphs(depth + 1)}</section>")
        return "".join(one for one in parts if one)

    def fb2_prose():
        words = " ".join(maker.word() for _ in range(maker.chance.randrange(1, 6)))
        name = maker.pick("emphasis", "strong", "sup", "sub", "strikethrough", "style", "code", "new")
        link = f'<a href="#n" type="note">{maker.pick("1", "[2]", maker.word())}</a>'
        return maker.pick(words, f"{words} <{name}>{maker.word()}</{name}>", words + link, f"{words} & {maker.word()}")

    # What is made and not chosen is not in the document.
    written = fiction(f"<section><title><p>{fb2_prose()}</p></title>{paragraphs()}</section>")
    if maker.chance.random() < 0.3:
        written = written.replace("</p>", "", 1)
    maker.words = [word for word in maker.words if word in written]
    path.write_text(written)


def docx(maker, path):
    def run(text):
        look = maker.pick("", "", "<w:rPr><w:b/></w:rPr>", '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>',
                          "<w:rPr><w:vanish/></w:rPr>", '<w:rPr><w:vanish w:val="0"/></w:rPr>')  # fmt: skip
        return f"<w:r>{look}<w:t xml:space='preserve'>{text} </w:t></w:r>"

    def inline(depth=0):
        parts = []
        for _ in range(maker.chance.randrange(1, 4)):
            inner = inline(depth + 1) if depth < 3 and maker.chance.random() < 0.4 else run(maker.word())
            form = maker.chance.choice((
                "{}", "<w:ins>{}</w:ins>", "<w:del>{}</w:del>", "<w:moveTo>{}</w:moveTo>",
                "<w:moveFrom>{}</w:moveFrom>", "<w:fldSimple>{}</w:fldSimple>", "<w:smartTag>{}</w:smartTag>",
                "<w:hyperlink>{}</w:hyperlink>",
                "<w:sdt><w:sdtPr/><w:sdtContent>{}</w:sdtContent></w:sdt>", "<w:new>{}</w:new>",
                "<w:r><w:br w:type='page'/></w:r>{}<w:r><w:tab/></w:r>",
                "<w:r><w:pict><w:txbxContent><w:p>{}</w:p></w:txbxContent></w:pict></w:r>",
                "<w:r><w:AlternateContent><w:Choice><w:txbxContent><w:p>{}</w:p></w:txbxContent></w:Choice><w:Fallback/>"
                "</w:AlternateContent></w:r>",
            ))  # fmt: skip
            parts.append(form.format(inner))
        if maker.chance.random() < 0.1:
            parts.append(f"<m:oMath xmlns:m='m'><m:sSup><m:e><m:r><m:t>{maker.word()}</m:t></m:r></m:e><m:sup><m:r>"
                         "<m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>")  # fmt: skip
        return "".join(parts)

    def paragraph():
        look = maker.pick("", "", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>', '<w:pPr><w:pStyle w:val="H"/></w:pPr>',
                          '<w:pPr><w:numPr/></w:pPr>')  # fmt: skip
        return f"<w:p>{look}{inline()}</w:p>"

    def blocks(depth=0):
        parts = []
        for _ in range(maker.chance.randrange(1, 5)):
            inner = blocks(depth + 1) if depth < 3 and maker.chance.random() < 0.3 else paragraph()
            parts.append(maker.chance.choice((
                "{}", "{}", "<w:sdt><w:sdtContent>{}</w:sdtContent></w:sdt>", "<w:ins>{}</w:ins>", "<w:new>{}</w:new>",
                "<w:tbl><w:tr><w:tc>{}</w:tc></w:tr></w:tbl>", "<w:customXml>{}</w:customXml>",
                "<w:tbl><w:tr><w:sdt><w:sdtContent><w:tc>{}</w:tc></w:sdtContent></w:sdt></w:tr></w:tbl>",
            )).format(inner))  # fmt: skip
        return "".join(parts)

    styles = (
        f'<w:styles {WORD}><w:style w:styleId="H"><w:name w:val="Mine"/><w:basedOn w:val="B"/></w:style>'
        '<w:style w:styleId="B"><w:name w:val="heading 1"/><w:basedOn w:val="H"/></w:style></w:styles>'
    )
    document = f"<w:document {WORD}><w:body>{blocks()}</w:body></w:document>"
    note = f"<w:footnotes {WORD}><w:footnote w:id='1'><w:p>{run(maker.word())}</w:p></w:footnote></w:footnotes>"
    pack(path, {"word/document.xml": [document.encode()], "word/styles.xml": [styles.encode()],
                "word/footnotes.xml": [note.encode()]})  # fmt: skip


def markdown(maker, path):
    def inline(depth=0):
        words = " ".join(maker.word() for _ in range(maker.chance.randrange(1, 6)))
        form = maker.chance.choice((
            "{}", "{}", "**{}**", "*{}*", "~~{}~~", "`{}`", "[{}](https://a.org)", "{}<br>", "<b>{}</b>", "{}[^1]",
            "<kbd>{}</kbd>", "{} & x", "{}<sup>2</sup>", "$x^2$ {}", "<span class='a'>{}</span>",
        ))  # fmt: skip
        more = f" {inline(depth + 1)}" if depth < 3 and maker.chance.random() < 0.5 else ""
        return form.format(words) + more

    parts = [maker.pick("", "---\ntitle: T\n---\n", "+++\ntitle = 'T'\n+++\n")]
    for _ in range(maker.chance.randrange(1, 8)):
        text = inline()
        parts.append(maker.chance.choice((
            "{}", "# {}", "## {}", "> {}", "- {}", "1. {}", "- a\n  - {}", "| a | b |\n|---|---|\n| {} | c |",
            "***\n\n{}", "```\n{}\n```", "<p>{}</p>", "<details><summary>s</summary>\n\n{}\n\n</details>",
            "<h2>{}</h2>", "<table><tr><td>{}</td><td>b</td></tr></table>", "[^1]: {}",
            "<div align='center'>\n{}\n</div>", "> - > {}",
        )).format(text.replace("|", "/")))  # fmt: skip
    path.write_text("\n\n".join(parts) + "\n")


def plain(maker, path):
    parts = []
    for number in range(maker.chance.randrange(1, 12)):
        words = " ".join(maker.word() for _ in range(maker.chance.randrange(1, 30)))
        parts.append(
            maker.pick(
                words, f"{words}.", f"CHAPTER {number}\n\n{words}.", f"{number}\n\n{words}.", f"1984\n\n{words}",
                f"\f{words}", f"Page {number}\n\n{words}", f"   {words}", f"[{number}] {words}", f"* * *\n\n{words}",
                f"[Illustration: {words}]", "\n".join(words.split()), f"第{number}章 {words}",
                f"- {number} -\n\n{words}",
            )
        )  # fmt: skip
    encoding = maker.pick("utf-8", "utf-16", "utf-32", "utf-8-sig")
    path.write_bytes(maker.pick("\n\n", "\r\n\r\n").join(parts).encode(encoding))


def portable(maker, path):
    pages = []
    for number in range(maker.chance.randrange(1, 6)):
        lines = [("THE SEA", 280, 770, 9)] * (maker.chance.random() < 0.7)
        for _ in range(maker.chance.randrange(1, 5)):
            words = [" ".join(maker.word() for _ in range(maker.chance.randrange(1, 8))) for _ in range(4)]
            words[0] += maker.pick("", "-", ".")
            left = maker.pick(72, 90, 330)
            top, height = maker.chance.randrange(100, 720), maker.pick(11, 11, 8, 18)
            lines += made_books.set_lines(words, left, top, height)
        lines += [(str(number + 5), 300, 30, 9)] * (maker.chance.random() < 0.7)
        pages.append(lines)
    made_books.pdf(path, pages, [(maker.pick("One", "Two"), 0)] * maker.pick(0, 2))


KINDS = {
    ".html": html, ".epub": epub, ".fb2": fb2, ".docx": docx, ".md": markdown, ".txt": plain, ".pdf": portable,
}  # fmt: skip


def unaccounted(kind, seed, folder):
    """Return what the ledger of a made document lacks: its difference, and words that are nowhere."""
    maker = Maker(f"{kind} {seed}")
    path = folder / f"a{kind}"
    KINDS[kind](maker, path)
    document = Document(path, path.name, Ledger(keeps_texts=True))
    chapters = ()
    with suppress(InvalidBookError):  # it has no text; then all is told
        chapters = book_files.read(document).chapters
    read = " ".join(p.text for chapter in chapters for p in chapter.paragraphs).lower()
    told = " ".join(text for reason, text in document.ledger.texts if reason != "formula").lower()
    counts = [(word, read.count(word), told.count(word)) for word in maker.words]
    lost = [one for one in counts if one[1] + one[2] != 1]
    return document.ledger.unaccounted, lost


@pytest.mark.parametrize(
    "seeds",
    [
        range(50),
        pytest.param(range(50, 150), marks=pytest.mark.thorough),
        pytest.param(range(150, 3150), marks=pytest.mark.slow),
    ],
    ids=["some", "many", "most"],
)
@pytest.mark.parametrize("kind", KINDS)
def test_every_word_is_read_or_told(kind, seeds, tmp_path):
    misses = []
    for seed in seeds:
        difference, lost = unaccounted(kind, seed, tmp_path)
        if difference or lost:
            misses.append((seed, difference, lost[:3]))
    assert not misses, f"{len(misses)} of {len(seeds)}: {misses[:5]}"
