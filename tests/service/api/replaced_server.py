"""`kokoro-service` whose sessions end on SIGUSR1, as those of a replica do that is replaced.

They have no time to finish. `python replaced_server.py serve ...`.
"""

import asyncio
import signal
import sys

from service.__main__ import main
from service.api.admission import Admission

_init = Admission.__init__


def _noticed_init(self, *arguments, **options):
    _init(self, *arguments, **options)

    def replace(*_):
        asyncio.get_running_loop().call_soon_threadsafe(self.end_sessions, 0.0)

    signal.signal(signal.SIGUSR1, replace)


if __name__ == "__main__":
    Admission.__init__ = _noticed_init
    sys.exit(main())
