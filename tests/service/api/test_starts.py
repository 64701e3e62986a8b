"""Starting: what is refused is told in one line, and the last line says where the service is ready."""

import json
import re
import socket

import httpx
import pytest

from tests.service.api.serving_process import running, write
from tests.service.api.speech_client import KEYS
from tests.service.commands import command, complaint


@pytest.mark.thorough
def test_what_cannot_serve_is_told_in_one_line(small_cache, tmp_path):
    keys, lexicon = write(tmp_path / "keys", f"{KEYS[0]}\nsesame\n".encode()), tmp_path / "robot.toml"
    lexicon.write_text('entry = [{ word = "x" }]\n', encoding="utf-8")
    wide = ("can be reached from other machines", "api_keys_file", "--insecure")
    cases = [
        (("--host", "0.0.0.0"), ("host 0.0.0.0", *wide)), (("--host", "::"), ("host ::", *wide)),
        (("--api-keys-file", keys), (f"{keys}, line 2", "16")),
        (("--lexicons-dir", tmp_path), (f"{lexicon}: entry 1 ('x'): it must have either",)),
        (("--lexicons-dir", tmp_path / "none"), (f"lexicons_dir {tmp_path / 'none'} is not a folder",)),
    ]  # fmt: skip
    for arguments, named in cases:
        line = complaint("serve", "--port", "0", *map(str, arguments))
        assert all(part in line for part in named), line
        assert not any(secret in line for secret in ("sesame", KEYS[0]))
    for flag, value, part in (  # after the log has begun
        ("--voices-dir", "/nowhere", "no voices"), ("--voice", "af_nobody", "af_nobody"),
        ("--provider", "cuda", "CUDA"), ("--lexicon", str(lexicon), f"{lexicon}: entry 1"),
        ("--espeak-library", "/nowhere/libespeak-ng.so", "libespeak-ng.so"),
    ):  # fmt: skip
        done = command("serve", "--port", "0", "--cache-dir", str(small_cache), flag, value)
        assert (done.returncode, done.stdout) == (1, "")
        assert_told(done.stderr.splitlines(), part)


def assert_told(lines, part):
    (told,) = [line for line in lines if line.startswith("kokoro-service: ")]
    assert part in told
    assert not any("Traceback" in line for line in lines)


@pytest.mark.parametrize(("arguments", "environment", "part"), [
    (("--model", "/nowhere/model.onnx"), {}, "model.onnx cannot be read"),
    pytest.param((), {"ONNXRUNTIME_DIR": "/nowhere"}, "ONNXRUNTIME_DIR is set", marks=pytest.mark.thorough),
])  # fmt: skip
def test_a_process_that_cannot_serve_ends_with_one_line_and_status_1(start_server, arguments, environment, part):
    server = start_server(*arguments, environment=environment, forked=False)
    assert server.process.wait(timeout=120) == 1
    server.wait_for(r"kokoro-service: ")
    assert_told(server.log, part)


def test_a_taken_port_is_all_that_is_said():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        # Found before the model is looked for, which is not there.
        line = complaint("serve", "--port", port, "--model", "/nowhere.onnx")
    assert line == (
        f"kokoro-service: cannot listen on 127.0.0.1:{port}: Address already in use; choose another with --port, "
        "or a free one with --port 0"
    )


def test_it_says_that_it_is_ready_and_where(server):
    assert server.wait_for(r"ready: open (http://127\.0\.0\.1:\d+) in a browser, or send requests there$") == server.url


@pytest.mark.parametrize(("arguments", "said"), [
    (("--host", "0.0.0.0", "--api-keys-file"), r"ready: open (http://localhost:\d+) in a browser"),
    pytest.param(
        ("--host", "::1", "--log-format", "json", "--no-page"), r'"ready: listening on (http://\[::1\]:\d+)"',
        marks=pytest.mark.thorough,
    ),
    pytest.param(("--host", "0.0.0.0", "--insecure"), r"open (http://localhost:\d+) in", marks=pytest.mark.thorough),
    pytest.param(("--host", "localhost"), r"ready: open (http://localhost:\d+) in", marks=pytest.mark.thorough),
])  # fmt: skip
def test_the_last_line_of_start_up_says_so_on_other_hosts(start_server, secured_keys, arguments, said):
    has_keys = arguments[-1] == "--api-keys-file"
    with running(start_server, *arguments, *([str(secured_keys)] if has_keys else [])) as server:
        url = server.wait_for(said)
        n_lines = len(server.log)
        assert re.search(said, server.log[n_lines - 1].rstrip())
        assert httpx.get(f"{url}/health").json() == {"status": "alive"}
        assert httpx.get(f"{url}/ready").status_code == 200
        # With keys anyone may know that it listens, and nothing else.
        assert httpx.get(f"{url}/metrics").status_code == (401 if has_keys else 200)
        assert (httpx.get(f"{url}/").status_code == 200) is ("--no-page" not in arguments)
        if "json" in arguments:
            assert json.loads(server.log[n_lines - 1])["url"] == url
