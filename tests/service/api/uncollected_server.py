"""`kokoro-service` in a process whose garbage collector never runs: what is in a cycle stays.

`python uncollected_server.py serve ...`.
"""

import gc
import sys

from service.__main__ import main

if __name__ == "__main__":
    gc.disable()
    sys.exit(main())
