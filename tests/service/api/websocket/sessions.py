"""Sessions as clients open them, with texts to say in them."""

import socket

import httpx

from tests.service.api.speech_socket import SpeechSocket

SHORT = "Good day."
LONG = (
    " The long clause that follows here is meant to keep the model at work for a good while,"
    " because it goes on and on about nothing in particular until its author has run out of words"
    " that he knew when he began to write it down this morning."
)
N_LINES = 400
LINES = "Good day.\n" * N_LINES
"""After the first, all from the cache: the model does not hold the speech back."""


def opened(server, identity="", **options):
    """Open a session and receive its first message."""
    headers = {"X-Request-ID": identity} if identity else {}
    talk = SpeechSocket(server.url, headers, **options)
    assert talk.receive()["type"] == "ready"
    return talk


FLUSH, CANCEL = {"kind": "flush"}, {"kind": "cancel"}


def config(**fields):
    return {"kind": "config", **fields}


def spoken(server, *steps):
    """Return a session, over in good order, in which texts were said and messages sent without waiting."""
    with opened(server) as talk:
        for step in steps:
            if isinstance(step, str):
                talk.say(step)
            else:
                talk.send(**step)
        talk.finish()
        return talk


def slowly(server):
    """Return options of a client that takes little at a time, and does not wait to be closed."""
    url = httpx.URL(server.url)
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect((url.host, url.port))
    return {"sock": connection, "max_queue": 1, "close_timeout": 1}
