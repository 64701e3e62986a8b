"""`kokoro-service` that reads a document without end if its text says so; see `loop_if_asked`.

`python endless_server.py serve ...`.
"""

import sys

from service.__main__ import main
from service.books.document_reader import DocumentReader

_init = DocumentReader.__init__


def _init_with_odd_reader(self, limits):
    _init(self, limits, "tests.service.books.odd_readers:loop_if_asked")


if __name__ == "__main__":
    DocumentReader.__init__ = _init_with_odd_reader
    sys.exit(main())
