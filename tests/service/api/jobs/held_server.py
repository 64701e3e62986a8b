"""`kokoro-service` that reads no document before it can open a FIFO, which the environment names.

`HELD_BY=... python held_server.py serve ...`.
"""

import logging
import os
import sys

from service.__main__ import main

from service.jobs import JobOrder

HELD_BY = "HELD_BY"
"""The variable that names the FIFO."""

logger = logging.getLogger("tests.held")
_read = JobOrder.read


def _held_read(order, *arguments, **options):
    logger.info("a document is to be read")
    with open(os.environ[HELD_BY], "rb") as fifo:
        fifo.read()
    return _read(order, *arguments, **options)


if __name__ == "__main__":
    JobOrder.read = _held_read  # type: ignore[method-assign]
    sys.exit(main())
