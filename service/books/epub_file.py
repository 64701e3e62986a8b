"""Read an EPUB, 2 or 3."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from urllib.parse import unquote, urldefrag

from lxml import etree

from service.books.archive import Archive
from service.books.blocks import Block, blocks_of
from service.books.book import Book, Chapter, ChapterRole, Illustration, Picture
from service.books.chaptering import Mark, by_contents, by_headings, role_of_title
from service.books.document_budget import Budget, Document
from service.books.furniture import NAVIGATION, is_navigation, types_of
from service.books.illustrations import HEAD_BYTES, media_type_of, path_of, picture_of
from service.books.markup_trees import (
    Element,
    attribute,
    attributes,
    children,
    descendants,
    local_name,
    parse_xhtml,
    parse_xml,
    text_of,
)
from service.covers import MAX_COVER_BYTES, UnusableCoverError
from service.errors import InvalidBookError

_OBFUSCATION = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})
"""Encryption of fonts, which hides no text."""

_KEYS_OF_SHOPS = ("META-INF/rights.xml", "META-INF/sinf.xml", "META-INF/license.lcpl")
_FRONT_TYPES = frozenset({
    "cover", "frontcover", "titlepage", "halftitlepage", "copyright-page", "toc", "landmarks",
    "loi", "lot", "imprint", "title-page",
})  # fmt: skip
_BACK_TYPES = frozenset(["index", "colophon", "bibliography", "backcover"])
_NOTES_TYPES = frozenset(["footnotes", "endnotes", "rearnotes", "notes"])

_DOCUMENT = re.compile(r"html|svg|dtbook|x-oeb1-document|(?:text|application)/xml\Z|\Z")
"""Media types of what has text, as the spines of old books have them too."""
_NAMED_DOCUMENT = re.compile(r"\.(?:x?html?|xml|svg)\Z", re.I)
_OF_A_PAGE = frozenset(("cover", "frontcover", "titlepage", "halftitlepage", "title-page"))
_MOST_WORDS_OF_A_PAGE = 300
"""A cover or title page with more words is a book whose converter gave it that name."""

_OF_DTBOOK = {"sent": "span", "w": "span", "list": "ul", "line": "p", "prodnote": "div"}
_CLASSES_OF_DTBOOK = {
    "pagenum": ("span", "pagenum"), "noteref": ("span", "noteref"), "annoref": ("span", "noteref"),
    "note": ("aside", "footnote"), "annotation": ("aside", "footnote"),
    "linegroup": ("div", "poem"), "poem": ("div", "poem"),
}  # fmt: skip
"""Elements of DAISY's books, as HTML has them."""


def read_epub(document: Document) -> Book:
    """Read a book from an EPUB.

    Raises:
        InvalidBookError: it is damaged, protected by DRM, or larger than its budget.
    """
    budget = Budget(document.name, ledger=document.ledger)
    with Archive(document.path, budget) as archive:
        _refuse_drm(archive, budget)
        return _Package(archive, budget).book(document)


def _refuse_drm(archive: Archive, budget: Budget) -> None:
    refusal = (
        f"{archive.name} is protected by DRM, so its text cannot be read; get a copy without DRM "
        "from its publisher"
    )
    if any(key in archive for key in _KEYS_OF_SHOPS):
        raise InvalidBookError(refusal)
    if "META-INF/encryption.xml" in archive:
        content = archive.read("META-INF/encryption.xml")
        root = parse_xml(content, "encryption.xml", budget)
        methods = {
            attribute(one, "Algorithm")
            for data in descendants(root, "encrypteddata")
            for one in children(data, "encryptionmethod")
        }
        if methods - _OBFUSCATION:
            raise InvalidBookError(refusal)


class _Package:
    """The package document of an EPUB."""

    def __init__(self, archive: Archive, budget: Budget) -> None:
        self._archive = archive
        self._budget = budget
        path = self._package_path()
        self._folder = posixpath.dirname(path)
        self._root = parse_xml(archive.read(path), path, budget) if path else _no_package()
        self._items = [
            item for part in children(self._root, "manifest") for item in children(part, "item")
        ]
        self._metadata = [one for part in children(self._root, "metadata") for one in part.iter()]
        self._illustrations: dict[str, Illustration | None] = {}

    def book(self, document: Document) -> Book:
        """Read the whole book."""
        self._cover_path, cover, notes = self._cover()
        authors = dict.fromkeys(filter(None, map(text_of, self._named("creator"))))
        return Book(
            next(filter(None, map(text_of, self._named("title"))), document.stem),
            tuple(authors),
            next(filter(None, map(text_of, self._named("language"))), None),
            cover,
            self._chapters(),
            notes=notes,
            n_dropped=self._budget.n_dropped,
            identifier=self._identifier(),
        )

    def _package_path(self) -> str:
        """Return the path of the package document; empty if there is none."""
        archive = self._archive
        if "META-INF/container.xml" in archive:
            content = archive.read("META-INF/container.xml")
            if content.strip():
                container = parse_xml(content, "container.xml", self._budget)
                named = (attribute(one, "full-path") for one in descendants(container, "rootfile"))
                for path in filter(archive.__contains__, filter(None, named)):
                    return path
        packages = (name for name in archive.names if name.lower().endswith(".opf"))
        path = min(packages, key=lambda name: (name.count("/"), name), default="")
        if not path and not any(map(_NAMED_DOCUMENT.search, archive.names)):
            raise InvalidBookError(
                f"{archive.name} is damaged: it has no META-INF/container.xml that names a package"
            )
        what = f"the package is {path}" if path else "its documents are read in their names' order"
        archive_note = f"{archive.name} is damaged: no container names its package; {what}"
        self._budget.ledger.note(archive_note)
        return path

    def _named(self, name: str) -> list[Element]:
        return [one for one in self._metadata if local_name(one) == name]

    def _identifier(self) -> str:
        """Return the identifier that the package calls its own, else the first; may be empty."""
        own = attribute(self._root, "unique-identifier")
        found = self._named("identifier")
        found.sort(key=lambda one: attribute(one, "id") != own)
        return next(filter(None, map(text_of, found)), "")

    def _path(self, href: str, base: str | None = None) -> tuple[str, str]:
        """Return the path in the archive that a reference names, and its fragment."""
        target, fragment = urldefrag(href)
        folder = self._folder if base is None else posixpath.dirname(base)
        joined = posixpath.normpath(posixpath.join(folder, unquote(target))) if target else base
        return (joined or "").lstrip("/"), unquote(fragment)

    def _illustration(self, document: str, src: str, alt: str) -> Illustration | None:
        """Return the picture that a document names, unless it is the cover."""
        named = path_of(src)
        if named is None:
            return None
        path = posixpath.normpath(posixpath.join(posixpath.dirname(document), named))
        if path == self._cover_path:
            return None
        if path not in self._illustrations:
            media_type = media_type_of(self._archive.head(path, HEAD_BYTES))
            member = self._archive.name_of(path)
            self._illustrations[path] = (
                Illustration(self._archive.path, member, media_type, "") if media_type else None
            )
        known = self._illustrations[path]
        return None if known is None else replace(known, alt=alt)

    def _cover(self) -> tuple[str, Picture | None, tuple[str, ...]]:
        """Return the path of the cover, the cover, and what is to be told if it cannot be had."""
        named = {
            attribute(one, "content")
            for one in self._named("meta")
            if attribute(one, "name") == "cover"
        }
        notes = []
        for item in self._items:
            identifier = attribute(item, "id")
            declared = "cover-image" in attribute(item, "properties").split()
            path = self._path(attribute(item, "href"))[0]
            if (not declared and identifier not in named) or path not in self._archive:
                continue
            try:
                return path, picture_of(self._archive.picture(path, MAX_COVER_BYTES)), ()
            except (InvalidBookError, UnusableCoverError) as error:
                notes.append(f"the cover is left out: {error}")
        return "", None, tuple(notes[:1])

    def _spine(self) -> Iterator[tuple[str, bool, bool]]:
        """Yield the path of each document once, whether it is outside the reading order, and
        whether it is the table of contents."""
        seen: set[str] = set()
        references = [
            reference
            for spine in children(self._root, "spine")
            for reference in children(spine, "itemref")
        ]
        asides = [attribute(one, "linear") == "no" for one in references]
        if all(asides):
            asides = [False] * len(asides)
        for aside, items in zip(asides, self._referred(references), strict=True):
            for item in items:
                path = self._path(attribute(item, "href"))[0]
                if self._is_document(item, path) and path not in seen:
                    seen.add(path)
                    if path in self._archive:
                        yield path, aside, self._is_contents(item)
                    else:
                        self._budget.ledger.miss(f"{path}, which the spine names, is missing")
        if seen:
            return
        paths = [self._path(attribute(item, "href"))[0] for item in self._items]
        names = [path for path in paths if path in self._archive] or sorted(
            self._archive.names, key=_natural
        )
        for name in dict.fromkeys(filter(_NAMED_DOCUMENT.search, names)):
            if not name.startswith("META-INF/"):
                yield name, False, False

    def _referred(self, references: list[Element]) -> Iterator[list[Element]]:
        """Yield the items that each reference of the spine names.

        Items that share an id are named in their order, and the last reference names the rest.
        """
        items: dict[str, list[Element]] = {}
        for item in self._items:
            items.setdefault(attribute(item, "id"), []).append(item)
        left = Counter(attribute(one, "idref") for one in references)
        for reference in references:
            name = attribute(reference, "idref")
            left[name] -= 1
            found = items.get(name)
            if found is None:
                self._budget.ledger.note(f"the spine names {name!r}, which the manifest lacks")
                yield []
            elif left[name] or len(found) < 2:
                yield found[:1]
                items[name] = found[1:] or found
            else:
                yield found

    @staticmethod
    def _is_document(item: Element, path: str) -> bool:
        media_type = attribute(item, "media-type").lower().strip()
        if not media_type or media_type.endswith("xml"):
            return bool(_NAMED_DOCUMENT.search(path)) or "html" in media_type
        return _DOCUMENT.search(media_type) is not None

    def _is_contents(self, item: Element) -> bool:
        return "nav" in attribute(item, "properties").split()

    def _parsed(self, path: str) -> Element:
        root = parse_xhtml(self._archive.read(path), path, self._budget)
        return _of_dtbook(root) if local_name(root) == "dtbook" else root

    def _chapters(self) -> tuple[Chapter, ...]:
        spine = list(self._spine())
        self._archive.expect([path for path, _, _ in spine])
        found: list[Block] = []
        starts: dict[tuple[str, str], int] = {}
        bodies: dict[str, int] = {}  # blocks of each document
        roles: dict[str, ChapterRole] = {}
        landmarks = self._landmarks()
        for path, is_aside, is_contents in spine:
            starts[path, ""] = len(found)
            try:
                root = self._parsed(path)
            except InvalidBookError as error:
                self._budget.ledger.miss(f"{path} cannot be read: {error}")
                continue
            types = _declared_types(root) or landmarks.get(path, set())
            if is_contents:
                types = types | {"toc"}
            finder = partial(self._illustration, path)
            for block in blocks_of(root, self._budget.ledger, finder):
                for anchor in block.anchors:
                    starts.setdefault((path, anchor), len(found))
                found.append(block)
            own = found[starts[path, ""] :]
            bodies[path] = len(own)
            if types & {*_OF_A_PAGE, "toc"} and _n_words(own) > _MOST_WORDS_OF_A_PAGE:
                types = types - {*_OF_A_PAGE, "toc"}
            role = _role(types) or ("back" if is_aside else None)
            if role is not None:
                roles[path] = role
        contents = list(self._contents())
        marks = [
            Mark(title, level, starts.get((path, fragment), starts[path, ""]), roles.get(path))
            for title, level, path, fragment in contents
            if (path, "") in starts
        ]
        # Contents that point to nowhere say nothing; then each document is a chapter.
        is_broken = len(marks) < len(contents) / 2
        marks += self._unlisted(found, marks, starts, bodies, roles, is_broken)
        return by_contents(found, marks) if marks else by_headings(found)

    def _unlisted(
        self,
        found: list[Block],
        marks: list[Mark],
        starts: dict[tuple[str, str], int],
        bodies: dict[str, int],
        roles: dict[str, ChapterRole],
        is_broken: bool,
    ) -> Iterator[Mark]:
        """Yield marks for documents that the contents do not name, and that are no part of others.

        Those declare what they are, or stand after one that is no text of the book: what that is
        said of holds for no other.
        """
        known = sorted(marks, key=lambda mark: mark.start)
        listed = {mark.start for mark in known}
        documents = [path for path in bodies if bodies[path]]
        before = ""
        after_aside = False
        place = 0
        for path in documents:
            start = starts[path, ""]
            end = start + bodies[path]
            is_apart = is_broken or path in roles or before in roles
            if after_aside and path not in roles:
                is_apart = not _goes_on(before, path, found[start:end])
            if is_apart and start not in listed:
                after_aside = False
                yield Mark("", 1, start, roles.get(path))
            while place < len(known) and known[place].start < end:
                mark = known[place]
                title = mark.title or next(_headings(found[mark.start : end]), "")
                after_aside = (mark.role or role_of_title(title)) != "body"
                place += 1
            before = path

    def _contents(self) -> Iterator[tuple[str, int, str, str]]:
        """Yield title, level, path and fragment of each entry of the table of contents."""
        for item in self._items:
            path = self._path(attribute(item, "href"))[0]
            if self._is_contents(item) and path in self._archive:
                root = self._parsed(path)
                for nav in descendants(root, "nav"):
                    if "toc" in types_of(attributes(nav)):
                        for one in children(nav, "ol"):
                            yield from self._of_list(one, 1, path)
                        return
        named = {attribute(spine, "toc") for spine in children(self._root, "spine")} - {""}
        tables = [item for item in self._items if "ncx" in attribute(item, "media-type")]
        tables.sort(key=lambda item: attribute(item, "id") not in named)
        tables += [item for item in self._items if attribute(item, "id") in named]
        paths = (self._path(attribute(item, "href"))[0] for item in tables)
        path = next(filter(self._archive.__contains__, paths), "")
        if path:
            root = parse_xml(self._archive.read(path), path, self._budget)
            for one in descendants(root, "navmap"):
                yield from self._of_points(one, 1, path)

    def _of_list(
        self, items: Element, level: int, base: str
    ) -> Iterator[tuple[str, int, str, str]]:
        for item in children(items, "li"):
            for link in children(item, "a"):
                yield text_of(link), level, *self._path(attribute(link, "href"), base)
            for inner in children(item, "ol"):
                yield from self._of_list(inner, level + 1, base)

    def _of_points(
        self, part: Element, level: int, base: str
    ) -> Iterator[tuple[str, int, str, str]]:
        for point in children(part, "navpoint"):
            titles, contents = children(point, "navlabel"), children(point, "content")
            if titles and contents:
                yield text_of(titles[0]), level, *self._path(attribute(contents[0], "src"), base)
            yield from self._of_points(point, level + 1, base)

    def _landmarks(self) -> dict[str, set[str]]:
        """Return the types that the guide of EPUB 2 declares, by path."""
        types: dict[str, set[str]] = {}
        for guide in children(self._root, "guide"):
            for one in children(guide, "reference"):
                if "#" not in attribute(one, "href"):
                    path = self._path(attribute(one, "href"))[0]
                    types.setdefault(path, set()).add(attribute(one, "type").lower())
        return types


def _no_package() -> Element:
    return etree.Element("package")


def _natural(name: str) -> list[tuple[int, str]]:
    """Return what a name is sorted by: chapter 10 comes after chapter 2."""
    return [(int(one), "") if one.isdecimal() else (0, one) for one in re.split(r"(\d{1,9})", name)]


def _of_dtbook(root: Element) -> Element:
    """Return a book of DAISY in elements of HTML."""
    for element in root.iter():
        name = local_name(element)
        if name in _OF_DTBOOK:
            element.tag = _OF_DTBOOK[name]
        elif name in _CLASSES_OF_DTBOOK:
            element.tag, style = _CLASSES_OF_DTBOOK[name]
            element.set("class", style)
    return root


def _n_words(blocks: list[Block]) -> int:
    return sum(len(block.paragraph.text.split()) for block in blocks if block.paragraph)


def _headings(blocks: list[Block]) -> Iterator[str]:
    for block in blocks:
        if block.paragraph is not None and block.paragraph.kind == "heading":
            yield block.paragraph.text


def _goes_on(before: str, path: str, blocks: list[Block]) -> bool:
    """Tell whether a document is the next part of one that a converter has cut."""
    return _uncut(before) == _uncut(path) and not any(True for _ in _headings(blocks))


def _uncut(name: str) -> str:
    """Return the name of a document without what a converter adds when it cuts it."""
    stem = posixpath.splitext(name)[0].rstrip("0123456789").rstrip("_-")
    return stem.removesuffix("split").removesuffix("part").rstrip("_-")


def _declared_types(root: Element) -> set[str]:
    """Return what the body of a document, or its only part, says that it is."""
    for body in descendants(root, "body"):
        inner = [one for one in body if local_name(one)]
        declared = types_of(attributes(body))
        if len(inner) == 1:
            declared |= types_of(attributes(inner[0]))
        if declared & NAVIGATION and not is_navigation(body):
            declared -= NAVIGATION
        if _role(declared):
            return declared
    return set()


def _role(types: set[str]) -> ChapterRole | None:
    if types & _NOTES_TYPES:
        return "notes"
    if types & _BACK_TYPES:
        return "back"
    return "front" if types & _FRONT_TYPES else None
