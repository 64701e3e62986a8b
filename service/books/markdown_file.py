"""Read a book in Markdown, with the inline markup of docs/markup.md."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from service.books import tidying
from service.books.book import Book, Paragraph, ParagraphKind
from service.books.chaptering import by_headings
from service.books.document_budget import Budget, Document
from service.books.encodings import utf_8
from service.books.html_blocks import Block
from service.books.odd_characters import without_odd

# A link that is markup: `[Kokoro](/kˈOkəɹO/)`, `[never](+1)`.
_MARKUP = re.compile(r"/[^/]+/\Z|[-+−–]\d(?:\.\d*)?\Z")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*\n", re.S)
_FIELD = re.compile(r"(?m)^(title|author|lang(?:uage)?)[ \t]*:(.*)$")
_NOTE = re.compile(r"(?m)^\[\^[^\[\]\s]+\]:[ \t]*")
_NOTE_MARK = re.compile(r"\[\^[^\[\]\s]+\]")


def read_markdown(document: Document) -> Book:
    """Read a book from a Markdown file. Chapters begin at its headings.

    A front matter may give `title`, `author` and `lang`.

    Raises:
        InvalidBookError: it is no text.
    """
    budget = Budget(document.name)
    content = utf_8(budget.read(document.path), document.name)
    text = without_odd(content, budget).decode().replace("\r\n", "\n")
    budget.take_lines(text)
    # Nobody reads these either, and they must not be taken for what stands for brackets.
    text = text.translate(dict.fromkeys(map(ord, (_OPENED, _CLOSED)), "\ufffd"))
    fields: dict[str, str] = {}
    if match := _FRONT_MATTER.match(text):
        fields = {name[:4]: _unquoted(value) for name, value in _FIELD.findall(match[1])}
        text = text[match.end() :]
    blocks = list(_blocks(text))
    heads = (b.paragraph.text for b in blocks if b.paragraph and b.level == 1)
    title = fields.get("titl") or next(heads, document.stem)
    authors = tuple(filter(None, (fields.get("auth", ""),)))
    language = fields.get("lang") or None
    chapters = by_headings(blocks)
    return Book(title, authors, language, None, chapters, n_dropped=budget.n_dropped)


def _unquoted(value: str) -> str:
    """Return a value of the front matter without the quotes around it."""
    value = value.strip(" \t")
    value = value[1:] if value[:1] in ("'", '"') else value
    return value[:-1] if value[-1:] in ("'", '"') else value


def _blocks(text: str) -> Iterator[Block]:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    # Phonemes are no addresses, and their spaces would end a link.
    tokens = parser.parse(_NOTE.sub("\x02", _guarded(text)))
    kinds: list[ParagraphKind] = ["text"]
    level = 0
    cells: list[str] = []
    before = ""
    for token in tokens:
        name, outer, before = token.type, before, token.type
        if name == "heading_open":
            level = int(token.tag[1])
        elif name == "heading_close":
            level = 0
        elif name == "blockquote_open":
            kinds.append("quotation")
        elif name == "blockquote_close":
            kinds.pop()
        elif name in ("fence", "code_block"):
            yield from _block(token.content, "code", 0)
        elif name == "hr":
            yield Block(Paragraph("", "break"), 0, ())
        elif name == "tr_open":
            cells = []
        elif name == "tr_close":
            yield from _block(", ".join(filter(None, cells)), "table", 0)
        elif name == "inline":
            said = _inline(token.children or [])
            if outer in ("td_open", "th_open"):
                cells.append(said)
            elif said.startswith("\x02"):
                yield from _block(said.replace("\x02", ""), "note", 0)
            else:
                yield from _block(said, "heading" if level else kinds[-1], level)


def _block(text: str, kind: ParagraphKind, level: int) -> Iterator[Block]:
    done = tidying.paragraph(text, kind)
    if done is not None:
        yield Block(done, level if done.kind == "heading" else 0, ())


_PHONEMES = re.compile(r"(?<!\\)\[([^\[\]\n]+)\]\(\s*(/[^()/\n]+/)\s*\)")
_OPENED, _CLOSED = "\ue000", "\ue001"
"""Stand for brackets of markup while Markdown is parsed."""


def _guarded(text: str) -> str:
    return _PHONEMES.sub(rf"{_OPENED}\1{_CLOSED}(\2)", text)


def _inline(children: Sequence[Token]) -> str:
    """Return the text of a paragraph, with the links that are markup."""
    pieces: list[str] = []
    open_links: list[str] = []
    for child in children:
        if child.type == "link_open":
            href = str(child.attrGet("href") or "")
            open_links.append(href if _MARKUP.match(href) else "")
            pieces.append("[" if open_links[-1] else "")
        elif child.type == "link_close":
            href = open_links.pop()
            pieces.append(f"]({href})" if href else "")
        elif child.type == "softbreak":
            pieces.append(" ")
        elif child.type == "hardbreak":
            pieces.append("\n")
        elif child.type in ("text", "code_inline"):
            pieces.append(child.content)
    text = "".join(pieces).replace(_OPENED, "[").replace(_CLOSED, "]")
    return _NOTE_MARK.sub("", text)
