"""Read an EPUB, 2 or 3."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from urllib.parse import unquote, urldefrag

from service.books import html_blocks
from service.books.archive import Archive
from service.books.book import Book, Chapter, ChapterRole, Illustration, Picture
from service.books.chaptering import Mark, by_contents, by_headings
from service.books.document_budget import Budget, Document
from service.books.furniture import NAVIGATION, is_navigation, types_of
from service.books.html_blocks import Block
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


def read_epub(document: Document) -> Book:
    """Read a book from an EPUB.

    Raises:
        InvalidBookError: it is damaged, protected by DRM, or larger than its budget.
    """
    budget = Budget(document.name)
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
        content = archive.read("META-INF/container.xml")
        container = parse_xml(content, "container.xml", budget)
        paths = [attribute(one, "full-path") for one in descendants(container, "rootfile")]
        if not paths:
            raise InvalidBookError(f"{archive.name} is damaged: container.xml names no package")
        self._folder = posixpath.dirname(paths[0])
        self._root = parse_xml(archive.read(paths[0]), paths[0], budget)
        self._items = {
            attribute(item, "id"): item
            for part in children(self._root, "manifest")
            for item in children(part, "item")
        }
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
        for identifier, item in self._items.items():
            declared = "cover-image" in attribute(item, "properties").split()
            path = self._path(attribute(item, "href"))[0]
            if (not declared and identifier not in named) or path not in self._archive:
                continue
            try:
                return path, picture_of(self._archive.picture(path, MAX_COVER_BYTES)), ()
            except (InvalidBookError, UnusableCoverError) as error:
                notes.append(f"the cover is left out: {error}")
        return "", None, tuple(notes[:1])

    def _spine(self) -> Iterator[tuple[str, bool]]:
        """Yield the path of each document once, and whether it is outside the reading order."""
        seen: set[str] = set()
        for spine in children(self._root, "spine"):
            for reference in children(spine, "itemref"):
                item = self._items.get(attribute(reference, "idref"))
                if item is None:
                    raise InvalidBookError(
                        f"{self._archive.name} is damaged: its spine names "
                        f"{attribute(reference, 'idref')!r}, which is not in its manifest"
                    )
                if "html" in attribute(item, "media-type") and not self._is_contents(item):
                    path = self._path(attribute(item, "href"))[0]
                    if path not in seen:
                        seen.add(path)
                        yield path, attribute(reference, "linear") == "no"

    def _is_contents(self, item: Element) -> bool:
        return "nav" in attribute(item, "properties").split()

    def _parsed(self, path: str) -> Element:
        return parse_xhtml(self._archive.read(path), path, self._budget)

    def _chapters(self) -> tuple[Chapter, ...]:
        spine = list(self._spine())
        self._archive.expect([path for path, _ in spine])
        found: list[Block] = []
        starts: dict[tuple[str, str], int] = {}
        bodies: dict[str, int] = {}  # blocks of each document
        roles: dict[str, ChapterRole] = {}
        for path, is_aside in spine:
            starts[path, ""] = len(found)
            root = self._parsed(path)
            role = _declared_role(root) or ("back" if is_aside else None)
            if role is not None:
                roles[path] = role
            for block in html_blocks.blocks(root, partial(self._illustration, path)):
                for anchor in block.anchors:
                    starts.setdefault((path, anchor), len(found))
                found.append(block)
            bodies[path] = len(found) - starts[path, ""]
        roles = {**self._landmarks(), **roles}
        contents = list(self._contents())
        marks = [
            Mark(title, level, starts.get((path, fragment), starts[path, ""]), roles.get(path))
            for title, level, path, fragment in contents
            if (path, "") in starts
        ]
        # Contents that point to nowhere say nothing; then each document is a chapter.
        is_broken = len(marks) < len(contents) / 2
        # Documents that declare what they are, though the contents do not name them; and those
        # after them, which are not the same.
        known = {mark.start for mark in marks}
        documents = [path for path in bodies if bodies[path]]
        for before, path in zip(["", *documents], documents, strict=False):
            start = starts[path, ""]
            if start not in known and (is_broken or path in roles or before in roles):
                marks.append(Mark("", 1, start, roles.get(path)))
        return by_contents(found, marks) if marks else by_headings(found)

    def _contents(self) -> Iterator[tuple[str, int, str, str]]:
        """Yield title, level, path and fragment of each entry of the table of contents."""
        for item in self._items.values():
            if self._is_contents(item):
                path = self._path(attribute(item, "href"))[0]
                root = self._parsed(path)
                for nav in descendants(root, "nav"):
                    if "toc" in types_of(attributes(nav)):
                        for one in children(nav, "ol"):
                            yield from self._of_list(one, 1, path)
                        return
        spine = children(self._root, "spine")
        ncx = self._items.get(attribute(spine[0], "toc")) if spine else None
        if ncx is None:
            of_type = (i for i in self._items.values() if "ncx" in attribute(i, "media-type"))
            ncx = next(of_type, None)
        path = self._path(attribute(ncx, "href"))[0] if ncx is not None else ""
        if path in self._archive:
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

    def _landmarks(self) -> dict[str, ChapterRole]:
        """Return the roles that the guide of EPUB 2 declares, by path."""
        roles: dict[str, ChapterRole] = {}
        for guide in children(self._root, "guide"):
            for one in children(guide, "reference"):
                role = _role({attribute(one, "type").lower()})
                if role is not None and "#" not in attribute(one, "href"):
                    roles[self._path(attribute(one, "href"))[0]] = role
        return roles


def _declared_role(root: Element) -> ChapterRole | None:
    """Return what the body of a document, or its only part, says that it is."""
    for body in descendants(root, "body"):
        inner = [one for one in body if local_name(one)]
        declared = types_of(attributes(body))
        if len(inner) == 1:
            declared |= types_of(attributes(inner[0]))
        if declared & NAVIGATION and not is_navigation(body):
            declared -= NAVIGATION
        if role := _role(declared):
            return role
    return None


def _role(types: set[str]) -> ChapterRole | None:
    if types & _NOTES_TYPES:
        return "notes"
    if types & _BACK_TYPES:
        return "back"
    return "front" if types & _FRONT_TYPES else None
