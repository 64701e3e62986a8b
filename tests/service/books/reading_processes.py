"""Readers that do odd things, and the processes that they read in, as the kernel lists them."""

from contextlib import contextmanager
from pathlib import Path

from service.books.document_reader import DocumentReader
from service.books.ongoing_reading import ReadingLimits

ROOMY = ReadingLimits(cpu_s=60, wall_s=300, memory_bytes=256 << 20)


@contextmanager
def reader(name, limits=ROOMY):
    """Lend a reader that reads with one of `odd_readers`."""
    with DocumentReader(limits, f"tests.service.books.odd_readers:{name}") as documents:
        yield documents


def text(path, content):
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def _stat(pid):
    """Return the fields of proc(5) from the state on; none if there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return []
    return text.rpartition(")")[2].split()


def _all():
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def exists(pid):
    """Tell whether a process exists, be it a zombie."""
    return bool(_stat(pid))


def is_running(pid):
    """Tell whether a process exists that is no zombie."""
    return _stat(pid)[:1] not in ([], ["Z"])


def starter_of(pid):
    """Return the process that reads documents for a process; None if it has none."""
    for child in _all():
        if _stat(child)[1:2] == [str(pid)] and b"reading_process" in _command(child):
            return child
    return None


def in_session_of(starter):
    """Return all processes of the session that a process has begun, zombies too."""
    return [pid for pid in _all() if _stat(pid)[3:4] == [str(starter)]]


def children_of(pid):
    """Return the children of a process, zombies too."""
    return [child for child in _all() if _stat(child)[1:2] == [str(pid)]]


def _command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""
