"""Clients that take their time: silent, trickling, half gone; and those who do nothing wrong."""

import logging
import select
import socket
import threading
from contextlib import suppress

import pytest
from fastapi import Body, FastAPI, Request
from starlette.responses import StreamingResponse
from websockets.sync.client import connect

from service.api.connections import Connections
from service.api.middleware.limits import BodyTimeout
from service.api.protocol import protocol_classes
from tests.service.api.asgi_server import Answer, Identified, ask, read_answer, serving

# Long enough for this machine to do a few requests in it.
TIMEOUT_S = 0.5
MAX_HEAD_BYTES = 8192 + 1000
MOST_CONNECTIONS = 250


class Site:
    """The application, and what it saw."""

    def __init__(self):
        self.go_on = threading.Event()
        self.gone = threading.Event()
        self.bodies = []
        app = FastAPI()

        @app.get("/hello")
        async def hello():
            return "hello"

        @app.post("/echo")
        async def echo(request: Request):
            body = await request.body()
            self.bodies.append(body)
            return len(body)

        @app.post("/json")
        async def parsed(word: str = Body(embed=True)):
            return word

        @app.post("/unread")
        async def unread():
            return "no need to read that"

        @app.post("/slow")
        def slow():
            assert self.go_on.wait(60)
            return "done"

        @app.post("/endless")
        async def endless(request: Request):
            async def sound():
                yield b"first"
                while not await request.is_disconnected():
                    pass
                self.gone.set()

            return StreamingResponse(sound())

        inner = BodyTimeout(app, TIMEOUT_S)

        async def outer(scope, receive, send):
            if scope["type"] == "websocket":
                await receive()
                await send({"type": "websocket.accept"})
                message = await receive()
                await send({"type": "websocket.send", "text": message["text"]})
            elif scope["type"] == "http" and scope["path"] == "/until-gone":
                await BodyTimeout(self._until_gone, TIMEOUT_S)(scope, receive, send)
            else:
                await inner(scope, receive, send)

        self.app = Identified(outer)

    async def _until_gone(self, scope, receive, send):
        message = await receive()
        while message["type"] != "http.disconnect":
            self.bodies.append(message["body"])
            message = await receive()
        self.gone.set()


@pytest.fixture
def site():
    return Site()


@pytest.fixture
def port(site):
    http, websockets = protocol_classes(Connections(MOST_CONNECTIONS), MAX_HEAD_BYTES, TIMEOUT_S, send_timeout_s=60.0)
    with serving(site.app, http=http, ws=websockets, timeout_keep_alive=30) as port:
        yield port


def post(path, length, *more):
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Length: {length}", *more]
    return "\r\n".join([*lines, "", ""]).encode()


GET = b"GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"


def connected(port):
    return socket.create_connection(("127.0.0.1", port), timeout=60)


def is_closed(connection):
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:  # the peer closed before it had read everything
        return True


def trickle(connection, byte):
    """Send a byte now and then until an answer comes."""
    while not select.select([connection], [], [], TIMEOUT_S / 20)[0]:
        connection.sendall(byte)
    return read_answer(connection)


def let_the_timeout_pass(port):
    """Come back when a silent connection, opened now, has been given up."""
    with connected(port) as silent:
        assert read_answer(silent).status == 408


def assert_timed_out(connection, answer, identity=None):
    assert (answer.status, answer.error["code"]) == (408, "receive_timeout")
    assert answer.error["request_id"] == (identity or answer.headers["x-request-id"])
    assert answer.headers["connection"] == "close"
    assert is_closed(connection)


def test_a_silent_connection_gets_408_and_is_closed(port):
    with connected(port) as connection:
        assert_timed_out(connection, read_answer(connection))


@pytest.mark.thorough
@pytest.mark.parametrize("kept_alive", [False, True])
def test_a_trickled_head_gets_408(port, kept_alive):
    with connected(port) as connection:
        if kept_alive:
            assert ask(connection, GET).status == 200
        connection.sendall(b"GET /hello HTTP/1.1\r\nX-Long: ")
        assert trickle(connection, b"a").status == 408
        assert is_closed(connection)


def test_a_pipelined_head_that_never_ends_gets_408_after_the_first_answer(port):
    with connected(port) as connection:
        connection.sendall(GET + GET[:20])
        assert read_answer_exactly(connection).status == 200
        assert read_answer(connection).status == 408


def read_answer_exactly(connection):
    """Read one answer and not a byte of what comes after it."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += connection.recv(1)
    lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (x.partition(": ") for x in lines[1:-2])}
    body = b""
    while len(body) < int(headers["content-length"]):
        body += connection.recv(int(headers["content-length"]) - len(body))
    return Answer(int(lines[0].split()[1]), headers, body)


def test_pipelined_requests_are_answered_in_their_order(port, site):
    bodies = [b"a" * n for n in (1, 22, 333)]
    with connected(port) as connection:
        connection.sendall(b"".join(post("/echo", len(body)) + body for body in bodies))
        for body in bodies:
            assert read_answer_exactly(connection).body == str(len(body)).encode()
    assert site.bodies == bodies


@pytest.mark.thorough
def test_a_kept_alive_connection_may_idle_longer_than_the_timeout(port):
    with connected(port) as connection:
        for _ in range(3):
            assert ask(connection, GET).status == 200
            let_the_timeout_pass(port)


def test_an_answer_may_take_longer_than_the_timeout(port, site):
    with connected(port) as connection:
        connection.sendall(post("/slow", 0))
        let_the_timeout_pass(port)
        site.go_on.set()
        assert read_answer(connection).body == b'"done"'


def test_a_websocket_outlives_the_timeout(port):
    with connect(f"ws://127.0.0.1:{port}/") as websocket:
        let_the_timeout_pass(port)
        websocket.send("still here")
        assert websocket.recv() == "still here"


def head_of(n_bytes):
    start = b"GET /hello HTTP/1.1\r\nHost: localhost\r\nX-Long: "
    return start + b"a" * (n_bytes - len(start) - 4) + b"\r\n\r\n"


@pytest.mark.thorough
@pytest.mark.parametrize("n_after", [0, 1])
@pytest.mark.parametrize("part", [1, 100, 4096, 100_000])
def test_a_head_may_have_so_many_bytes_and_not_one_more(port, part, n_after):
    """Whatever comes before and after it, and however it is cut."""
    rest = GET * n_after
    for n_bytes, status in ((MAX_HEAD_BYTES, 200), (MAX_HEAD_BYTES + 1, 431)):
        for before in (b"", GET):
            with connected(port) as connection:
                content = before + head_of(n_bytes) + rest
                # The last part completes the head, so it is refused with all of it read.
                for start in range(0, len(content), part):
                    connection.sendall(content[start : start + part])
                if before:
                    assert read_answer_exactly(connection).status == 200
                answer = read_answer_exactly(connection)
                assert answer.status == status
                if status == 431:
                    assert answer.error["code"] == "head_too_large"
                    assert str(MAX_HEAD_BYTES) in answer.error["message"]
                    assert is_closed(connection)


@pytest.mark.parametrize(("content", "status", "code"), [
    (b"GET /hello HTTP/1.1\r\nX-Long: " + b"a" * (MAX_HEAD_BYTES + 1), 431, "head_too_large"),
    (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", 400, "invalid_http"),
    (b"POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n", 400, None),
])  # fmt: skip
def test_what_is_no_request_is_refused(port, content, status, code):
    with connected(port) as connection:
        answer = ask(connection, content)
        assert answer.status == status
        assert code in (None, answer.error["code"])
        assert is_closed(connection)


@pytest.mark.parametrize("path", ["/echo", "/json"])
def test_a_trickled_body_gets_408_and_the_connection_closes(port, path):
    with connected(port) as connection:
        connection.sendall(post(path, 5000, "Content-Type: application/json"))
        assert_timed_out(connection, trickle(connection, b" "), "the-request")


def test_a_body_that_never_comes_gets_408(port):
    with connected(port) as connection:
        connection.sendall(post("/echo", 10, "Expect: 100-continue"))
        assert connection.recv(12) == b"HTTP/1.1 100"
        while connection.recv(1) != b"\n" or connection.recv(2) != b"\r\n":
            pass
        assert read_answer(connection).status == 408


def test_waiting_for_the_client_to_go_away_has_no_timeout(port, site):
    with connected(port) as connection:
        connection.sendall(post("/until-gone", 4) + b"body")
        let_the_timeout_pass(port)
        let_the_timeout_pass(port)
        assert not site.gone.is_set()
    assert site.gone.wait(60)
    assert b"".join(site.bodies) == b"body"


def test_a_body_that_nobody_reads_does_not_hold_the_connection(port):
    with connected(port) as connection:
        connection.sendall(post("/unread", 100_000))
        assert read_answer_exactly(connection).status == 200
        # Closed with bytes on their way, so perhaps by a reset.
        with suppress(ConnectionError):
            while not select.select([connection], [], [], TIMEOUT_S / 20)[0]:
                connection.sendall(b" ")
            assert is_closed(connection)


def test_a_body_that_nobody_reads_may_come_after_the_answer(port):
    with connected(port) as connection:
        connection.sendall(post("/unread", 5) + b"12")
        assert read_answer_exactly(connection).status == 200
        connection.sendall(b"345" + GET)
        assert read_answer_exactly(connection).status == 200
        let_the_timeout_pass(port)
        connection.sendall(GET)
        assert read_answer_exactly(connection).status == 200


def test_a_body_that_breaks_while_it_is_answered_breaks_the_answer(port, site, caplog):
    with connected(port) as connection:
        connection.sendall(b"POST /endless HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        received = b""
        while b"first" not in received:
            received += connection.recv(100)
        connection.sendall(b"no chunk\r\n")
        while chunk := connection.recv(100):
            received += chunk
        assert not received.endswith(b"0\r\n\r\n")
    assert site.gone.wait(60)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_a_client_that_goes_away_in_its_head_leaves_nothing(port, caplog):
    for part in (b"", GET[:10]):
        with connected(port) as connection:
            connection.sendall(part)
    let_the_timeout_pass(port)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
