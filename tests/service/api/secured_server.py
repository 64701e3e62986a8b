"""What a server with keys and its callers share."""

import socket

import httpx

KEYS = ("first-key-0123456789", "second-key-0123456789")
STRANGER = "nobodys-key-0123456789"
LISTED = "https://app.example.com"
FOREIGN = "https://elsewhere.example.com"
TEXT = "Yes."


def bearer(key):
    return {"authorization": f"Bearer {key}"}


def connect(server):
    url = httpx.URL(server.url)
    return socket.create_connection((url.host, url.port or 0), timeout=300)
