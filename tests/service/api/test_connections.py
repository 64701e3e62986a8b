"""Many connections: room is made for new ones, and nobody who is served notices."""

import asyncio
import resource
import select
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx
import pytest
from hypothesis import strategies as st
from websockets.sync.client import connect

from service.api.connections import Connections, most_connections
from service.api.protocol import protocol_classes
from tests.profiles import given
from tests.service.api.altered_server import MOST_FILES
from tests.service.api.asgi_server import Identified, ask, read_answer, serving
from tests.service.api.serving_process import LIMITED_SERVER, WYOMING, lent
from tests.service.api.speech_client import Caller, is_cut_off, speak, wait_until
from tests.service.api.websocket.sessions import opened
from tests.service.api.wyoming.talks import SHORT, Talk

MOST = 10
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Site:
    """Answers at once, or when it is told to; bodies and messages of WebSockets come back."""

    def __init__(self):
        self.go_on = threading.Event()
        self.n_waiting = 0
        self.n_received = 0
        self.n_left = 0

    async def __call__(self, scope, receive, send):
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            message = await receive()
            await send({"type": "websocket.send", "text": message["text"]})
            return
        if scope["type"] != "http":
            return
        if scope["path"] == "/slow":
            self.n_waiting += 1
            await asyncio.get_running_loop().run_in_executor(None, self.go_on.wait, 60)
        body, more = b"", scope["method"] == "POST"
        while more:
            if scope["path"] == "/slowly" and body:
                await asyncio.get_running_loop().run_in_executor(None, self.go_on.wait, 60)
            message = await receive()
            if message["type"] == "http.disconnect":
                self.n_left += 1
                return
            body += message["body"]
            more = message["more_body"]
            self.n_received = len(body)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body or scope["path"].encode()})


@pytest.fixture
def site():
    return Site()


@pytest.fixture
def port(site):
    http, websockets = protocol_classes(Connections(MOST), 8192, 60.0, 60.0)
    with serving(Identified(site), http=http, ws=websockets, timeout_keep_alive=60) as port:
        yield port
        site.go_on.set()


def connected(stack, port):
    return stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))


def asked(port):
    """Return the answer that somebody gets who comes now."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        return ask(connection, GET)


def is_open(connection):
    """Tell whether the other side has neither closed it nor sent anything."""
    return not select.select([connection], [], [], 0)[0]


def test_for_a_new_connection_the_one_that_was_idle_for_longest_is_closed(port):
    with ExitStack() as stack:
        idle = []
        for _ in range(MOST):
            idle.append(connected(stack, port))
            assert ask(idle[-1], GET).status == 200
        # It has just been of use, so others go before it.
        assert ask(idle[0], GET).status == 200
        for number in range(1, MOST // 2):
            assert ask(connected(stack, port), GET).status == 200
            assert idle[number].recv(1) == b""
            assert is_open(idle[0])
            assert all(map(is_open, idle[number + 1 :]))


def test_who_is_served_keeps_the_connection_however_many_come(port, site):
    with ExitStack() as stack:
        websocket = stack.enter_context(connect(f"ws://127.0.0.1:{port}/"))
        slow = connected(stack, port)
        slow.sendall(b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_until(lambda: site.n_waiting == 1)
        for _ in range(20 * MOST):
            connected(stack, port)
        assert ask(connected(stack, port), GET).status == 200
        websocket.send("still here")
        assert websocket.recv(60) == "still here"
        site.go_on.set()
        assert read_answer(slow).body == b"/slow"


def test_if_all_are_served_one_more_gets_503(port, site):
    with ExitStack() as stack:
        slow = [connected(stack, port) for _ in range(MOST)]
        for connection in slow:
            connection.sendall(b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_until(lambda: site.n_waiting == MOST)
        new = connected(stack, port)
        answer = read_answer(new)
        assert (answer.status, answer.error["code"]) == (503, "overloaded")
        assert answer.headers["retry-after"] == "1"
        assert new.recv(1) == b""
        site.go_on.set()
        for connection in slow:
            assert read_answer(connection).status == 200
    with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        assert client.get("/").status_code == 200


def half_sent(body=b"half", length=b"Content-Length: 1000"):
    return b"POST /echo HTTP/1.1\r\nHost: localhost\r\n" + length + b"\r\n\r\n" + body


HALVES = {
    "a head": (half_sent()[:30],), "a body that never begins": (half_sent(b""),),
    "a body with its head": (half_sent(),), "a body after its head": (half_sent(b""), b"half"),
    "a body in chunks": (half_sent(b"5\r\nhal", b"Transfer-Encoding: chunked"),),
    "a body that waits": (half_sent(b"", b"Content-Length: 9\r\nExpect: 100-continue"),),
    "a body after an answer": (GET, half_sent()),
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("parts", HALVES.values(), ids=HALVES)
def test_who_sends_half_a_request_leaves_the_place_to_others(port, site, parts):
    with ExitStack() as stack:
        halves = []
        for _ in range(3 * MOST):
            halves.append(connected(stack, port))
            for part in parts:
                halves[-1].sendall(part)
                if part == GET:
                    assert read_answer(halves[-1]).status == 200
            assert asked(port).status == 200
        with ThreadPoolExecutor(4) as clients:
            others = [clients.submit(asked, port) for _ in range(2 * MOST)]
        assert {other.result().status for other in others} == {200}
        for half in halves[:MOST]:
            answer = read_answer(half)
            assert (answer.status, answer.error["code"]) == (408, "receive_timeout")
            assert half.recv(1) == b""
        if len(parts[0]) > 30:
            wait_until(lambda: site.n_left >= MOST)  # the application knows as well


def test_bodies_that_come_in_drops_leave_their_place_to_others(port, site):
    with ExitStack() as stack:
        for number in range(1, 3 * MOST + 1):
            slow = connected(stack, port)
            slow.sendall(half_sent(b""))
            for n_sent in range(1, 5):
                slow.sendall(b".")
                wait_until(lambda n_sent=n_sent: site.n_received == n_sent)
            if number % 10 == 0:
                assert asked(port).status == 200
        wait_until(lambda: site.n_left >= 2 * MOST)


@pytest.mark.thorough
def test_an_upload_that_goes_on_keeps_its_place_while_others_are_idle(port, site):
    with ExitStack() as stack:
        upload = connected(stack, port)
        upload.sendall(half_sent(b"", b"Content-Length: 300"))
        for n_sent in range(1, 301):
            upload.sendall(b".")
            wait_until(lambda n_sent=n_sent: site.n_received == n_sent)
            if n_sent % 10 == 0:
                for _ in range(MOST // 2):
                    connected(stack, port).sendall(GET[: n_sent // 20])
        assert read_answer(upload).body == b"." * 300


def test_what_waits_for_the_application_is_no_slow_upload(port, site):
    """A body that the application does not read yet does not wait for its client."""
    n_bytes = 1 << 20
    body = half_sent(b"", b"Content-Length: %d" % n_bytes).replace(b"/echo", b"/slowly")
    with ExitStack() as stack, ThreadPoolExecutor(1) as sender:
        upload = connected(stack, port)
        sent = sender.submit(upload.sendall, body + b"." * n_bytes)
        wait_until(lambda: site.n_received > 0)
        for _ in range(5 * MOST):
            connected(stack, port)
            assert asked(port).status == 200
        site.go_on.set()
        assert read_answer(upload).body == b"." * n_bytes
        sent.result()


@pytest.fixture(scope="module")
def limited(start_server, tmp_path_factory):
    """A server that may open few files, with every door."""
    yield from lent(start_server, *WYOMING, "--data-dir", str(tmp_path_factory.mktemp("data")), program=LIMITED_SERVER)


@pytest.mark.thorough
@pytest.mark.own_server
def test_idle_connections_at_the_limit_of_open_files_harm_nobody(limited):
    server, n_lines = limited, len(limited.log)
    ports = [httpx.URL(url).port for url in (server.uri, server.url, server.url)]
    stream = {"text": "Good day. " * 20, "stream": True, "format": "pcm"}
    with ExitStack() as stack:
        session = stack.enter_context(opened(server))
        caller = stack.enter_context(Caller(server, "goes-on", **stream))
        begun = caller.read_some()
        assert begun.startswith(b"HTTP/1.1 200")
        idle = []
        for number in range(300):
            idle.append(connected(stack, ports[number % 3]))
            if number % 50 == 0:
                assert httpx.get(f"{server.url}/health").status_code == 200
        assert not is_cut_off(begun + caller.read_all())
        session.say("Good day.")
        session.finish()
        for connection in idle[:100]:
            connection.close()
        assert httpx.get(f"{server.url}/health").status_code == 200
        with Talk(server.uri) as client:
            assert client.say(SHORT)
        assert speak(server, text="Good day.").status_code == 200
    lines = server.log[n_lines:]
    assert len(lines) < 40, "".join(lines)
    assert not any("Traceback" in line or " ERROR " in line for line in lines)
    assert sum("connections are open" in line for line in lines) == 1
    assert MOST_FILES == 128


# Which connection makes room for a new one, and how many there may be.


class Transport:
    """What `Connections` needs of one."""

    def __init__(self):
        self.is_aborted = False

    def get_extra_info(self, name):
        assert name == "socket"
        return self

    def fileno(self):
        return 7

    def abort(self):
        self.is_aborted = True


STEPS = st.sampled_from(["open", "open and busy", "open and busy", "busy", "idle", "uploading", "closed", "later"])


@given(st.lists(st.tuples(STEPS, st.integers(0, 40)), max_size=40))
def test_no_more_than_so_many_are_open_and_none_that_is_served_is_closed(steps):
    time_s = 0.0
    connections = Connections(5, lambda: time_s)
    there = {}  # whether it is served
    refused = set()
    for what, number in steps:
        if what.startswith("open"):
            new = Transport()
            has_place = connections.open(new)
            # Otherwise all are served.
            assert has_place or sum(there.values()) == 5
            there[new] = False
            if not has_place:
                refused.add(new)
            elif what == "open and busy":
                connections.busy(new)
                there[new] = True
        elif what == "later":
            time_s += number / 10
        elif there:
            one = list(there)[number % len(there)]
            if what == "closed":
                connections.closed(one)
                connections.closed(one)
                del there[one]
                refused.discard(one)
            elif one not in refused:
                getattr(connections, what)(one)
                there[one] = what == "busy"
        aborted = [one for one in there if one.is_aborted]
        assert not any(there[one] for one in aborted)
        for one in aborted:
            del there[one]
            refused.discard(one)
        assert len(there) - len(refused) <= 5


class Waiting:
    """Connections, each named, of which the one that makes room is told."""

    def __init__(self, most):
        self.time_s = 0.0
        self.connections = Connections(most, lambda: self.time_s)
        self.of = {}

    def open(self, name, state="idle", after_s=0.1):
        """Open one some time later; return who had to leave."""
        self.time_s += after_s
        self.of[name] = Transport()
        assert self.connections.open(self.of[name])
        left = [one for one, transport in self.of.items() if transport.is_aborted]
        for one in left:
            del self.of[one]
        getattr(self.connections, state)(self.of[name])
        return left


def test_the_longest_wait_ends_first_whatever_is_waited_for():
    waiting = Waiting(4)
    for name, state in [("a", "uploading"), ("b", "idle"), ("c", "busy"), ("d", "uploading")]:
        assert waiting.open(name, state) == []
    waiting.time_s += 10
    assert waiting.open("e") == ["a"]
    assert waiting.open("f") == ["b"]
    assert waiting.open("g") == ["d"]
    assert waiting.open("h") == ["e"]


def test_uploads_that_go_on_leave_a_place_to_newcomers():
    waiting = Waiting(16)
    for number in range(16):
        assert waiting.open(f"upload {number}", "uploading", 0.01) == []
    assert waiting.open("a", after_s=0.01) == ["upload 0"]
    assert waiting.open("b", after_s=0.01) == ["upload 1"]
    assert waiting.open("c", after_s=0.01) == ["a"]


def test_the_limit_of_open_files_is_raised_and_kept():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (300, hard))
        assert most_connections(100) == 100
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 300
        assert most_connections(1000) == 1000
        assert 1000 < resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 1200
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
