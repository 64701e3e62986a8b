"""What goes wrong, on purpose: the model, the client, the order to stop, the disk."""

import fcntl
import os
import re
import resource
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack

import httpx
import pytest

from tests.service.api import faulty_server
from tests.service.api.asgi_server import read_answer
from tests.service.api.serving_process import running
from tests.service.api.speech_client import (
    Caller,
    assert_refused,
    connect,
    in_flight,
    is_cut_off,
    log_line,
    reset,
    speak,
    wait_until,
)
from tests.service.files import mounted

pytestmark = pytest.mark.thorough

# Two chunks, when cut early.
TEXT = (
    "One moment, please, I am looking it up. The birch canoe slid on the smooth planks, and so did I, xylophonically."
)
LONG_TEXT = " ".join([TEXT] * 40)
FAST = {"format": "pcm", "speed": 2.0}
FAULTS = {
    faulty_server.ORT_ERROR: ("synthesis_failed", "out of something"),
    faulty_server.UNEXPECTED: ("internal_error", "builtins.RuntimeError"),
    faulty_server.NOT_FINITE: ("synthesis_failed", "not finite"),
    faulty_server.LOST_FRAME: ("synthesis_failed", "durations promise"),
}


def assert_serves(server):
    answer = speak(server, text="Hello.", **FAST)
    assert answer.status_code == 200
    assert len(answer.content) > 20_000
    wait_until(lambda: in_flight(server) == 0)


@pytest.mark.parametrize("speed", FAULTS)
def test_a_failure_in_the_middle_breaks_the_connection(telling_server, speed):
    outcome, reason = FAULTS[speed]
    identity = f"fault-{speed}"
    with Caller(telling_server, identity, text=TEXT, format="pcm", stream=True, speed=speed) as caller:
        answer = caller.read_all()
    assert answer.startswith(b"HTTP/1.1 200")
    assert is_cut_off(answer)
    assert len(answer) > 20_000
    line = log_line(telling_server, identity)
    assert f"status=200 outcome={outcome}" in line
    assert "chunks=1 " in line
    log = "".join(telling_server.log)
    assert f"request {identity} failed after its answer had started" in log
    assert reason in log
    assert not [secret for secret in ("xylophonic", faulty_server.SECRET) if secret in log]


@pytest.mark.parametrize("stream", [True, False])
def test_a_failure_before_any_audio_has_a_status_of_its_own(telling_server, stream):
    answer = speak(telling_server, text=TEXT, format="pcm", stream=stream, speed=faulty_server.AT_ONCE)
    assert "out of something" not in assert_refused(answer, 500, "synthesis_failed")
    assert "outcome=synthesis_failed" in log_line(telling_server, answer.headers["x-request-id"])
    assert_serves(telling_server)


def test_a_whole_answer_that_fails_in_the_middle_is_an_error(telling_server):
    fields = {"text": TEXT, "format": "mp3", "chunking": "early"}
    answer = speak(telling_server, speed=faulty_server.UNEXPECTED, **fields)
    assert faulty_server.SECRET not in assert_refused(answer, 500, "internal_error")


def test_events_that_break_off_have_no_end(telling_server):
    fields = {"text": TEXT, "format": "pcm", "stream": True, "timestamps": "word"}
    with Caller(telling_server, "fault-events", **fields, speed=faulty_server.ORT_ERROR) as caller:
        answer = caller.read_all()
    assert is_cut_off(answer)
    assert answer.count(b"event: audio") == 1
    assert b"event: done" not in answer


HEAD = b"POST /synthesize HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
WHOLE_HEAD = HEAD + b"content-length: 100\r\n\r\n"
FRAGMENTS = [b"", b"POST /synth", HEAD, WHOLE_HEAD, WHOLE_HEAD + b'{"text": "Hello']


def test_clients_who_leave_in_the_middle_of_a_request_leave_nothing_behind(server):
    n_lines = len(server.log)
    for fragment in FRAGMENTS:
        for leave in (socket.socket.close, reset, lambda c: c.shutdown(socket.SHUT_WR)):
            connection = connect(server)
            connection.sendall(fragment)
            leave(connection)
            if connection.fileno() >= 0:
                assert connection.recv(1000) == b""  # closed from the other side too
                connection.close()
    wait_until(lambda: in_flight(server) == 0)
    assert_serves(server)
    log = "".join(server.log[n_lines:])
    assert not re.findall(" ERROR | WARNING ", log)
    # Those who had sent a whole head.
    assert set(re.findall(r"outcome=(\w+)", log)) == {"aborted", "ok"}


@pytest.mark.parametrize("stream", [True, False])
def test_who_closes_its_half_of_the_connection_is_taken_for_gone(telling_server, stream):
    """As asyncio and most servers of HTTP do: it cannot be told from a client that went away."""
    identity = f"half-{stream}"
    with Caller(telling_server, identity, **FAST, text=LONG_TEXT, stream=stream) as caller:
        wait_until(lambda: in_flight(telling_server) == 1)
        caller.socket.shutdown(socket.SHUT_WR)
        assert is_cut_off(caller.read_all())
        assert "outcome=cancelled" in log_line(telling_server, identity)
    assert_serves(telling_server)


def open_files(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


@pytest.mark.parametrize("n_connections", [2_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_thousands_of_short_connections_leave_nothing_behind(server, n_connections):
    server.client.get("/health")
    before = open_files(server)
    request = b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
    for number in range(n_connections):
        connection = connect(server)
        way = number % 4
        if way == 1:
            connection.sendall(request)
            assert read_answer(connection).status == 200
        elif way == 2:
            connection.sendall(FRAGMENTS[number % len(FRAGMENTS)])
        elif way == 3:
            reset(connection)
        connection.close()
    wait_until(lambda: open_files(server) <= before)
    assert_serves(server)


def refuses_connections(server):
    try:
        connect(server).close()
    except ConnectionRefusedError:
        return True
    except ConnectionResetError:
        # It met the socket while it was being closed: the next one tells.
        return False
    return False


def test_sigterm_lets_a_stream_come_to_its_end_and_takes_nothing_new(start_real_server):
    stopping = start_real_server("--shutdown-timeout-s", "3600")
    stopping.wait_until_ready()
    body = {**FAST, "text": " ".join([TEXT] * 4), "stream": True}
    with ExitStack() as stack:
        response = stack.enter_context(stopping.client.stream("POST", "/synthesize", json=body))
        identity = response.headers["x-request-id"]
        parts = response.iter_bytes()
        heard = next(parts)
        whole = stack.enter_context(Caller(stopping, "whole", **{**body, "stream": False}))
        wait_until(lambda: in_flight(stopping) == 2)
        kept = stack.enter_context(httpx.Client(base_url=stopping.url, timeout=60))
        assert kept.get("/ready").status_code == 200
        stopping.process.send_signal(signal.SIGTERM)
        wait_until(lambda: refuses_connections(stopping))
        # Over a connection that was there before there are answers still, but no speech.
        assert kept.get("/health").status_code == 200
        for refused in (kept.get("/ready"), kept.post("/synthesize", json={"text": "a"})):
            assert_refused(refused, 503, "not_ready")
            assert refused.headers["retry-after"] == "1"
        heard += b"".join(parts)
        answer = whole.read_all()
    assert answer.startswith(b"HTTP/1.1 200")
    assert not is_cut_off(answer)
    assert len(answer) == pytest.approx(len(heard), rel=0.01)  # it has other joins
    line = log_line(stopping, identity)
    assert "outcome=ok" in line
    (audio_s,) = re.findall(r" audio_s=([\d.]+)", line)
    assert len(heard) == pytest.approx(float(audio_s) * 48_000, abs=48)
    assert stopping.process.wait(timeout=120) == 0
    assert not any(" ERROR " in line for line in stopping.log)


def test_after_the_time_for_finishing_what_is_spoken_is_broken_off(start_real_server):
    server = start_real_server("--shutdown-timeout-s", "0.2")
    server.wait_until_ready()
    fields = {**FAST, "text": LONG_TEXT}
    with (
        Caller(server, "stopped-stream", stream=True, **fields) as stream,
        Caller(server, "stopped-whole", **fields) as whole,
    ):
        begun = stream.read_some()
        wait_until(lambda: in_flight(server) == 2)
        server.process.send_signal(signal.SIGTERM)
        begun += stream.read_all()
        refusal = whole.read_all()
        assert server.process.wait(timeout=120) == 0
    assert begun.startswith(b"HTTP/1.1 200")
    assert is_cut_off(begun)
    assert "status=200 outcome=not_ready" in log_line(server, "stopped-stream")
    assert refusal.startswith(b"HTTP/1.1 503")
    assert not is_cut_off(refusal)
    assert "status=503 outcome=not_ready" in log_line(server, "stopped-whole")


def test_a_service_that_waits_for_another_to_prepare_the_model_stops_when_told(start_server, tmp_path):
    folder = tmp_path / "prepared"
    folder.mkdir()
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        server = start_server("--cache-dir", str(tmp_path))
        wait_until(lambda: any("waiting for another process" in line for line in server.log))
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=120) == 0


@pytest.mark.slow
def test_who_reads_nothing_does_not_keep_the_service_from_stopping(start_server):
    server = start_server("--shutdown-timeout-s", "0.2")
    server.wait_until_ready()
    with Caller(server, "deaf", frugal=True, **FAST, text=LONG_TEXT, stream=True) as caller:
        assert caller.read_some().startswith(b"HTTP/1.1 200")
        # They take turns with it, so meanwhile it has come as far as it can.
        for _ in range(6):
            assert speak(server, text="Hello.", **FAST).status_code == 200
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=120) == 0
        assert not caller.read_all().endswith(b"0\r\n\r\n")


def test_a_model_file_that_vanishes_is_missed_at_the_next_start_only(start_server, model_file, tmp_path):
    path = tmp_path / "model.onnx"
    path.hardlink_to(model_file)
    with running(start_server, "--model", str(path)) as server:
        before = speak(server, text="Hello.", **FAST)
        path.unlink()
        assert speak(server, text="Hello.", **FAST).content == before.content
        assert server.client.get("/ready").status_code == 200
    again = start_server("--model", str(path))
    assert again.process.wait(timeout=120) == 1
    again.wait_for("kokoro-service: ")
    (complaint,) = [line for line in again.log if line.startswith("kokoro-service: ")]
    assert str(path) in complaint
    assert not any("Traceback" in line for line in again.log)


def prepare(folder, prepare_process=None):
    """Have the model assembled, which must fail; return the one line of complaint."""
    done = subprocess.run(
        [sys.executable, "-m", "service", "prepare", "--cache-dir", str(folder)],
        capture_output=True, text=True, timeout=300, preexec_fn=prepare_process,
    )  # fmt: skip
    assert done.returncode == 1
    (complaint,) = [x for x in done.stderr.splitlines() if x.startswith("kokoro-service: ")]
    assert "Traceback" not in done.stderr
    # No half of a model; who comes next begins anew.
    assert [path.name for path in folder.rglob("*") if path.is_file()] == [".lock"]
    return complaint


def test_a_full_disk_stops_the_assembly_with_one_line_and_leaves_nothing(tmp_path):
    with mounted(tmp_path / "disk") as disk:
        complaint = prepare(disk)
    assert "No space left on device" in complaint
    assert "cache_dir" in complaint


def test_a_limit_on_files_stops_the_assembly_with_one_line_and_leaves_nothing(tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    assert "File too large" in prepare(tmp_path, limit)
