"""`kokoro-service` with something altered: `python altered_server.py ALTERATION serve ...`."""

import asyncio
import gc
import logging
import os
import resource
import signal
import sys

from service.__main__ import main
from service.api.admission import Admission
from service.jobs import JobOrder

MOST_FILES = 128


def limited():
    resource.setrlimit(resource.RLIMIT_NOFILE, (MOST_FILES, MOST_FILES))


def replaced():
    """End its sessions on SIGUSR1, as those of a replica that is replaced: they have no time to finish."""
    init = Admission.__init__

    def noticed_init(self, *arguments, **options):
        init(self, *arguments, **options)

        def replace(*_):
            asyncio.get_running_loop().call_soon_threadsafe(self.end_sessions, 0.0)

        signal.signal(signal.SIGUSR1, replace)

    Admission.__init__ = noticed_init


def held():
    """Have it read no document before it can open a FIFO, which the variable HELD_BY names."""
    read = JobOrder.read

    def held_read(*arguments, **options):
        logging.getLogger("tests.held").info("a document is to be read")
        with open(os.environ["HELD_BY"], "rb") as fifo:
            fifo.read()
        return read(*arguments, **options)

    JobOrder.read = held_read


if __name__ == "__main__":
    # Where the collector never runs, what is in a cycle stays.
    {"held": held, "limited": limited, "replaced": replaced, "uncollected": gc.disable}[sys.argv[1]]()
    sys.exit(main(sys.argv[2:]))
