"""`kokoro-service` in a process that may open few files: `python limited_server.py serve ...`."""

import resource
import sys

from service.__main__ import main

MOST_FILES = 128

if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_NOFILE, (MOST_FILES, MOST_FILES))
    sys.exit(main())
