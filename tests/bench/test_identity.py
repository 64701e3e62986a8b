import itertools
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from bench.identity import Case, answer, cases, compare, main
from bench.processes import ChildError


@pytest.fixture
def url():
    """A server whose answers to `/counted` never repeat."""
    numbers = itertools.count()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.path == "/counted":
                body = b"%d" % next(numbers)
            self.send_response(404 if self.path == "/missing" else 200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_forty_requests_cover_every_language_format_and_way_of_decoding():
    requests = list(cases())
    assert len(requests) == 40
    assert len({case.name for case in requests}) == 40
    told = json.dumps([case.body for case in requests])
    for value in ("wav", "pcm", "flac", "mp3", "opus", "srt", "windows", "whole", "zf_", "jf_"):
        assert f'"{value}' in told


def test_answers_are_compared(url):
    equal, other = Case("/echo", {"text": "a"}), Case("/counted", {"text": "a"})
    found = list(compare(answer, url, url, iter([equal, other])))
    assert [case for case, first, second in found if first == second] == [equal]


def test_refused_request_is_told(url):
    with pytest.raises(ChildError, match="refuses /missing"):
        answer(url, Case("/missing", {}))


def test_exit_status_tells_a_server_that_is_not_there(capsys):
    assert main(["http://127.0.0.1:9", "http://127.0.0.1:9"]) == 2
    assert "does not answer" in capsys.readouterr().err
