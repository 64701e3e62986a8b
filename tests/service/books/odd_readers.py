"""Readers that do what documents might make a reader do; `DocumentReader` takes them by name."""

import ctypes
import errno
import json
import os
import re
import resource
import signal
import sys
import threading
import time
from pathlib import Path

from service.books import book_files
from service.books.book import Book, Chapter, Paragraph, Picture
from service.books.book_files import read_book

SECRET = "a text of somebody"

_ENDLESS = re.compile(r"(?:a+)+$")


def note_start(path):
    """Tell who waits that reading has begun: an empty file, for no byte may be written."""
    path.with_name(f"{path.name}.{os.getpid()}").touch()


def started(path):
    """Return the processes that have begun to read a document."""
    return [int(one.suffix[1:]) for one in path.parent.glob(f"{path.name}.*")]


def text_of(book):
    """Return the first paragraph."""
    return book.chapters[0].paragraphs[0].text


def loop(path, name=None):
    """Never end, in C, where no other thread of the process runs."""
    note_start(path)
    _ENDLESS.match("a" * 60 + "!")


def loop_if_asked(path, name=None):
    """Never end if the text says so: while it is received, or once it is a job's."""
    text = path.read_bytes()
    if b"loop now" in text or (b"loop later" in text and "incoming" not in path.parts):
        return loop(path)
    return read_book(path, name)


def sleep(path, name=None):
    note_start(path)
    while True:
        time.sleep(1)


def take_memory(path, name=None):
    taken = [bytearray(1 << 24)]
    while True:
        taken.append(bytearray(1 << 24))


def crash(path, name=None):
    ctypes.string_at(0)


def be_killed(path, name=None):
    os.kill(os.getpid(), signal.SIGKILL)


def end(path, name=None):
    os._exit(0)


def recur(path, name=None):
    return recur(path)


def fail(path, name=None):
    text = SECRET
    print(text, file=sys.stderr, flush=True)
    os.write(1, text.encode())
    os.write(2, text.encode())
    raise KeyError(text)


def _fail(document):
    raise KeyError(SECRET)


def parse_wrongly(path, name=None):
    """Have a fault in what reads documents of a kind."""
    book_files._reader = lambda ending: _fail
    return read_book(path, name)


def be_refused_by_the_disk(path, name=None):
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def seek_wrongly(path, name=None):
    """What zipfile raises of some damaged archives."""
    with path.open("rb") as file:
        file.seek(-1)


def write_a_file(path, name=None):
    path.with_name("written").write_text(SECRET)


def _book(title, *paragraphs, cover=None):
    return Book(title, (), None, cover, (Chapter("One", paragraphs),))


def make_much_text(path, name=None):
    """Return a book whose text alone is small, beside a text that is too large."""
    return _book("Much", Paragraph("x" * 3_000_000))


def make_many_paragraphs(path, name=None):
    return _book("Many", *[Paragraph("x")] * 20_000)


def make_a_large_cover(path, name=None):
    return _book("Cover", Paragraph("Hello."), cover=Picture(bytes(3_000_000), "image/png"))


class _Trap:
    def __reduce__(self):
        return os.system, ("touch trapped",)


def send_code(path, name=None):
    """As a reader that a document has taken over might."""
    return _book("Cover", Paragraph("Hello."), cover=Picture(_Trap(), "image/png"))


def tell_what_it_has(path):
    """Return what the process has, as JSON in the text of a book."""
    descriptors = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            descriptors[name] = os.readlink(f"/proc/self/fd/{name}")
        except FileNotFoundError:  # of the listing itself
            continue
    told = {
        "pid": os.getpid(), "parent": os.getppid(), "descriptors": descriptors,
        "threads": threading.active_count(), "core": resource.getrlimit(resource.RLIMIT_CORE)[0],
        "niceness": os.nice(0), "first to go": Path("/proc/self/oom_score_adj").read_text().strip(),
        "modules": sorted({name.partition(".")[0] for name in sys.modules}),
        "rooms": sorted({name for name in sys.modules if re.fullmatch(r"service\.\w+", name)}),
        "folder": os.getcwd(),
    }  # fmt: skip
    return _book("Told", Paragraph(json.dumps(told)))
