"""What a server with keys and its callers share."""

import socket

import httpx
from tests.service.commands import complaint as complaint_of

KEYS = ("first-key-0123456789", "second-key-0123456789")
STRANGER = "nobodys-key-0123456789"
LISTED = "https://app.example.com"
FOREIGN = "https://elsewhere.example.com"
TEXT = "Yes."


def complaint(*arguments):
    """Have a server refuse to start; return the one line that it says."""
    return complaint_of("serve", "--port", "0", *arguments)


def bearer(key):
    return {"authorization": f"Bearer {key}"}


def connect(server):
    url = httpx.URL(server.url)
    return socket.create_connection((url.host, url.port or 0), timeout=300)
