"""What a server with keys and its callers share."""

from __future__ import annotations

import socket
import subprocess
import sys
from typing import Any

import httpx

KEYS = ("first-key-0123456789", "second-key-0123456789")
STRANGER = "nobodys-key-0123456789"
LISTED = "https://app.example.com"
FOREIGN = "https://elsewhere.example.com"
TEXT = "Yes."


def complaint(*arguments: str) -> str:
    """Have a server refuse to start; return the one line that it says."""
    command = [sys.executable, "-m", "service", "serve", "--port", "0", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("kokoro-service: ")
    return line


def bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


def connect(server: Any) -> socket.socket:
    url = httpx.URL(server.url)
    return socket.create_connection((url.host, url.port or 0), timeout=300)
