"""Unix sockets, standard input and output, and addresses that are taken."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.service.api.wyoming.talks import SHORT, Talk, pcm, run, whole
from tests.service.commands import command
from wyoming.event import Event, read_event, write_event
from wyoming.info import Describe

IN_USE = "Address already in use\n"


@pytest.mark.thorough
def test_a_unix_socket_serves_its_owner_and_group_and_is_removed(start_server, tmp_path):
    path = tmp_path / "wyoming.sock"
    # What a process that was killed has left.
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(path))
    server = start_server("--wyoming", f"unix://{path}")
    assert server.wait_for(r"wyoming on (\S+)") == f"unix://{path}"
    server.wait_until_ready()
    assert path.stat().st_mode & 0o777 == 0o660

    async def talk():
        async with Talk(f"unix://{path}") as client:
            return await client.say(SHORT)

    assert run(talk())
    second = start_server("--wyoming", f"unix://{path}")
    assert second.process.wait(timeout=240) == 1
    second.wait_for(rf"kokoro-service: wyoming: cannot listen on unix://{path}: {IN_USE}")
    assert run(talk())
    assert server.stop() == 0
    assert not path.exists()


def test_a_path_that_is_no_socket_is_left_alone(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("keep me")
    done = command("serve", "--port", "0", "--model", "/nowhere.onnx", "--wyoming", f"unix://{path}")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("kokoro-service: wyoming: cannot listen")
    assert path.read_text() == "keep me"


def test_a_taken_port_stops_start_up_with_one_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        uri = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        # Found before the model is looked for, which is not there.
        done = command("serve", "--port", "0", "--model", "/nowhere.onnx", "--wyoming", uri)
    assert done.returncode == 1
    told = done.stderr.splitlines(keepends=True)[-1]
    assert told == f"kokoro-service: wyoming: cannot listen on {uri}: {IN_USE}"
    assert "Traceback" not in done.stderr


@pytest.mark.thorough
def test_standard_streams_serve_one_client_and_nothing_but_events(cache_dir):
    arguments = ("--port", "0", "--cache-dir", str(cache_dir), "--wyoming", "stdio://")
    with subprocess.Popen(
        [sys.executable, "-m", "service", "serve", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        while b"ready in " not in process.stderr.readline():
            pass
        write_event(Describe().event(), process.stdin)
        info = read_event(process.stdout)
        assert info is not None
        assert info.type == "info"
        # Who stops writing is answered all the same.
        write_event(whole(SHORT).event(), process.stdin)
        process.stdin.close()
        heard: list[Event] = []
        while (event := read_event(process.stdout)) is not None:
            heard.append(event)
        assert pcm(heard)
        assert process.wait(timeout=240) == 0
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.thorough
def test_standard_input_that_is_a_file_is_refused(cache_dir):
    arguments = ("--port", "0", "--cache-dir", str(cache_dir), "--wyoming", "stdio://")
    with Path(__file__).open("rb") as file:
        done = subprocess.run(
            [sys.executable, "-m", "service", "serve", *arguments],
            stdin=file,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
    assert done.returncode == 1
    assert done.stdout == ""
    assert "kokoro-service: wyoming: standard input and output must be pipes" in done.stderr
