"""Lines of the log, as a process writes them to standard error."""

import json
import logging
import subprocess
import sys
import textwrap
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import strategies as st

from service.logs import RequestFields, describe, log_request
from tests.profiles import given

SECRET = "what the caller wrote"


def run(log_format, body, level="info"):
    """Run statements in a process with that log; the lines of its standard error."""
    program = f"""
import logging
from service.logs import configure_logging, log_request
configure_logging({level!r}, {log_format!r})
logger = logging.getLogger("service.test")
SECRET = {SECRET!r}
{textwrap.dedent(body)}
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    return done.stderr.splitlines()


def run_json(body, level="info"):
    return [json.loads(line) for line in run("json", body, level)]


LINES = """
logger.warning('%d voices', 54, extra={'n_voices': 54, 'where': 'here'})
logger.info('up', extra={'color_message': '\\x1b[1mup'})
logger.info('two\\nlines \\u2028 \\ud800', extra={'x': float('nan')})
logger.error('it failed', extra={'error': ValueError(SECRET)})
log_request(logger, logging.INFO, {
    "id": "abc", "method": "POST", "path": "/synthesize", "status": 200, "outcome": "ok",
    "voice": "af_heart", "language": None, "cached": True, "seconds": 0.1234567,
})
"""


def test_a_line_of_text_has_time_level_logger_and_message_and_a_request_is_logfmt():
    first, *_, last = run("text", LINES)
    datetime.strptime(first[:23], "%Y-%m-%d %H:%M:%S,%f")
    assert first[23:] == " WARNING service.test: 54 voices"
    assert last.endswith(
        " INFO service.test: request id=abc method=POST path=/synthesize status=200 outcome=ok"
        " voice=af_heart cached=true seconds=0.123"
    )


def test_a_line_of_json_has_the_same_and_every_extra_field_whatever_is_in_it():
    lines = run_json(LINES)
    for line in lines:
        time = datetime.fromisoformat(line.pop("time"))
        assert time.utcoffset() == timedelta(0)
        assert abs(datetime.now(timezone.utc) - time) < timedelta(days=1)
        assert line.pop("logger") == "service.test"
    assert lines == [
        {"level": "WARNING", "message": "54 voices", "n_voices": 54, "where": "here"},
        {"level": "INFO", "message": "up"},  # the colours of uvicorn are left out
        {"level": "INFO", "message": "two\nlines \u2028 \ud800", "x": "nan"},
        {"level": "ERROR", "message": "it failed", "error": "ValueError"},
        {"level": "INFO", "message": "request", "id": "abc", "method": "POST", "path": "/synthesize",
         "status": 200, "outcome": "ok", "voice": "af_heart", "cached": True, "seconds": 0.123457},
    ]  # fmt: skip


def test_messages_below_the_level_are_left_out():
    body = "logger.debug('a'); logger.info('b'); logger.warning('c'); logger.error('d')"
    assert [line["message"] for line in run_json(body, "warning")] == ["c", "d"]
    assert [line["message"] for line in run_json(body, "debug")] == ["a", "b", "c", "d"]


def test_logfmt_quotes_what_needs_it():
    written = {
        "plain-1.0": "plain-1.0", "": '""', "two words": '"two words"', "a=b": '"a=b"', "ünï": "ünï",
        'say "hi"': r'"say \"hi\""', "back\\slash": r'"back\\slash"', "line\nfeed": r'"line\nfeed"',
        "\x1b[31m": r'"\x1b[31m"', "\u2028\x85\ud800": r'"\u2028\x85\ud800"', "a\xa0b": r'"a\xa0b"',
        7: "7", False: "false",
    }  # fmt: skip
    assert {value: str(RequestFields({"x": value})) for value in written} == {
        value: f"request x={quoted}" for value, quoted in written.items()
    }


@given(st.dictionaries(st.sampled_from("abc"), st.text()))
def test_whatever_the_values_it_is_one_line_that_can_be_read_back(fields):
    line = str(RequestFields(fields))
    assert line.isprintable()
    found = {}
    rest = line.removeprefix("request")
    while rest:
        name, rest = rest[1:].split("=", 1)
        if rest.startswith('"'):
            end = 1
            while rest[end] != '"':
                end += 2 if rest[end] == "\\" else 1
            body = rest[1:end]
            found[name] = body.encode("latin-1", "backslashreplace").decode("unicode_escape")
            rest = rest[end + 1 :]
        else:
            value, space, rest = rest.partition(" ")
            found[name], rest = value, space + rest
    assert found == fields


def test_other_handlers_see_the_line_of_a_request_too(caplog):
    with caplog.at_level(logging.INFO):
        log_request(logging.getLogger("service.test"), logging.INFO, {"id": "abc"})
    assert caplog.messages == ["request id=abc"]


FAILURE = """
def inner():
    raise ValueError(SECRET)
def outer():
    try:
        inner()
    except ValueError as error:
        raise KeyError(SECRET) from error
try:
    outer()
except KeyError:
    logger.exception("it failed")
"""


def test_an_exception_is_logged_without_its_message_though_another_handler_has_formatted_it():
    body = "import io\nlogger.addHandler(logging.StreamHandler(io.StringIO()))\n" + FAILURE
    (line,) = run_json(body)
    assert line["message"] == "it failed"
    for found in ("\n".join(run("text", body)), "\n".join(run("text", FAILURE)), line["exception"]):
        assert SECRET not in found
        for told in ("builtins.KeyError", "builtins.ValueError", "in inner", "in outer"):
            assert told in found


def test_exceptions_that_refer_to_each_other_are_described_once():
    first, second = ValueError(SECRET), KeyError(SECRET)
    first.__cause__, second.__cause__ = second, first
    assert [describe(first).count(name) for name in ("ValueError", "KeyError")] == [1, 1]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 has no exception groups")
def test_exceptions_of_a_group_are_described():
    group = ExceptionGroup("several", [ValueError(SECRET), KeyError(SECRET)])  # noqa: F821
    text = describe(group)
    assert "ValueError" in text
    assert "KeyError" in text
    assert SECRET not in text


def test_texts_and_paths_of_websockets_are_not_logged_even_at_debug():
    body = """
    import socket, threading
    import uvicorn
    from websockets.sync.client import connect

    async def app(scope, receive, send):
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            message = await receive()
            await send({"type": "websocket.send", "text": message["text"]})
            raise RuntimeError(message["text"])

    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(
        app, log_config=None, access_log=False, ws="websockets-sansio", lifespan="off"))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    # The client's own log is not the service's.
    quiet = logging.Logger("client", logging.CRITICAL)
    url = f"ws://127.0.0.1:{listener.getsockname()[1]}/private-path"
    with connect(url, logger=quiet) as websocket:
        websocket.send(SECRET)
        assert websocket.recv() == SECRET
    server.should_exit = True
    thread.join()
    """
    text = "\n".join(run("text", body, "debug"))
    assert "builtins.RuntimeError" in text
    assert SECRET not in text
    assert "private-path" not in text


def test_asyncio_and_uvicorn_complain_once_a_minute_of_the_same():
    lines = run(
        "text",
        """
        import time
        asyncio_logger = logging.getLogger("asyncio")
        def complain(what):
            for number in range(1000):
                try:
                    raise OSError(24, SECRET)
                except OSError as error:
                    asyncio_logger.error(f"{what}\\nsocket: {number}", exc_info=error)
        complain("socket.accept() out of system resource")
        complain("something else")
        now = time.monotonic()
        time.monotonic = lambda: now + 61
        complain("socket.accept() out of system resource")
        for _ in range(3):
            logger.error("of others nothing is held back")
            uvicorn_logger = logging.getLogger("uvicorn.error")
            uvicorn_logger.warning("Invalid HTTP request received.")
            uvicorn_logger.warning("Unsupported upgrade request.")
            uvicorn_logger.info("nor what uvicorn tells")
            uvicorn_logger.error("nor its errors")
        """,
    )
    complaints = [line.partition("asyncio: ")[2] for line in lines if " asyncio: " in line]
    accepting = "socket.accept() out of system resource"
    assert complaints == [accepting, "something else", accepting]
    for kept in ("of others", "nor what", "nor its"):
        assert sum(kept in line for line in lines) == 3
    for once in ("Invalid HTTP", "Unsupported upgrade"):
        assert sum(once in line for line in lines) == 1
