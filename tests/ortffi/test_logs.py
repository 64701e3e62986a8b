"""ONNX Runtime's messages reach Python, and nothing of Python reaches C."""

import gc
import logging
import sys
from collections import Counter
from unittest.mock import Mock

import pytest

import ortffi
from ortffi import LogLevel
from ortffi.logs import LogCallback, LoggingFunction, LogMessage, to_logger, to_standard_error
from tests.ortffi import tiny_models
from tests.ortffi.meeting import together
from tests.ortffi.raw_session import create_session, listen, needs, raw_session

MESSAGE = LogMessage(LogLevel.WARNING, "onnxruntime", "tts", "file.cc:1 Function", "mind 100 %s")


def say(callback, severity=2, category=b"a", log_id=b"b", location=b"c", text=b"d"):
    """Call the function as ONNX Runtime does."""
    LoggingFunction(callback.function)(callback.parameter, severity, category, log_id, location, text)


@pytest.fixture
def logger(request):
    logger = logging.getLogger(request.node.name)
    logger.setLevel(logging.DEBUG)
    yield logger
    logger.handlers.clear()


def test_a_session_speaks_to_its_callback(library):
    needs("SetUserLoggingFunction")
    heard = []
    callback = LogCallback(heard.append)
    with raw_session(ortffi.init(), tiny_models.add(), listen(ortffi.init(), callback, LogLevel.VERBOSE)):
        pass
    assert {message.severity for message in heard} >= {LogLevel.VERBOSE, LogLevel.INFO}
    message = next(m for m in heard if "Session successfully initialized" in m.text)
    assert message.category == "onnxruntime"
    assert message.code_location.startswith("inference_session.cc:")


def test_a_severity_becomes_the_level_of_the_same_meaning(logger, caplog):
    levels = {"VERBOSE": "DEBUG", "INFO": "INFO", "WARNING": "WARNING", "ERROR": "ERROR", "FATAL": "CRITICAL"}
    for severity in levels:
        to_logger(logger)(MESSAGE._replace(severity=LogLevel[severity]))
    assert [record.levelname for record in caplog.records] == list(levels.values())
    caplog.clear()
    logger.setLevel(logging.ERROR)
    to_logger(logger)(MESSAGE)
    assert not caplog.records


def test_a_record_has_all_that_the_message_has(logger, caplog):
    to_logger(logger)(MESSAGE)
    (record,) = caplog.records
    assert record.getMessage() == "mind 100 %s [file.cc:1 Function]"
    found = record.name, record.category, record.log_id, record.code_location
    assert found == (logger.name, "onnxruntime", "tts", "file.cc:1 Function")


def test_standard_error_gets_a_line_where_there_is_one(capsys, monkeypatch):
    to_standard_error(MESSAGE)
    assert capsys.readouterr().err == ("[W:onnxruntime:tts, file.cc:1 Function] mind 100 %s\n")
    monkeypatch.setattr(sys, "stderr", None)
    to_standard_error(MESSAGE)
    assert not capsys.readouterr().out


def test_each_callback_hears_its_own_messages():
    heard = [], []
    callbacks = [LogCallback(messages.append) for messages in heard]
    for number, callback in enumerate(callbacks):
        say(callback, text=b"%d" % number)
    assert [[message.text for message in messages] for messages in heard] == [["0"], ["1"]]
    assert callbacks[0].function == callbacks[1].function


def test_strange_messages_are_taken_too():
    heard = []
    callback = LogCallback(heard.append)
    say(callback, severity=17, category=None, log_id=None, location=None, text=None)
    say(callback, severity=-1, text=b"half \xc3")
    assert heard == [(LogLevel.FATAL, "", "", "", ""), (LogLevel.FATAL, "a", "b", "c", "half \ufffd")]


def test_a_callback_that_is_gone_hears_nothing():
    heard = []
    callback = LogCallback(heard.append)
    function, parameter = LoggingFunction(callback.function), callback.parameter
    del callback
    gc.collect()
    function(parameter, 2, b"", b"", b"", b"")
    function(None, 2, b"", b"", b"", b"")
    assert not heard


def test_a_session_outlives_its_callback(library):
    needs("SetUserLoggingFunction")
    environment = ortffi.init()
    listening = listen(environment, LogCallback(lambda _message: None), LogLevel.VERBOSE)
    session = create_session(environment, tiny_models.add(), listening)
    del listening
    gc.collect()
    with raw_session(environment, tiny_models.add()):
        environment.api.ReleaseSession(session)


def test_what_a_handler_raises_stays_in_python(library, monkeypatch):
    """The session is made all the same, and the exception is reported."""
    needs("SetUserLoggingFunction")
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", reported.append)

    def fail(message):
        raise KeyError(message.text)

    listening = listen(ortffi.init(), LogCallback(fail), LogLevel.VERBOSE)
    with raw_session(ortffi.init(), tiny_models.add(), listening) as session:
        assert session
    assert {unraisable.exc_type for unraisable in reported} == {KeyError}
    assert any("initialized" in str(unraisable.exc_value) for unraisable in reported)


def test_what_a_logging_handler_raises_is_loggings_to_report(logger, capsys):
    logger.addHandler(logging.StreamHandler(Mock(write=Mock(side_effect=ZeroDivisionError))))
    say(LogCallback(to_logger(logger)))
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_threads_speak_at_the_same_time(threads):
    heard = []
    callback = LogCallback(heard.append)
    together(threads, lambda number: [say(callback, text=b"%d" % number) for _ in range(200)])
    assert Counter(message.text for message in heard) == {str(number): 200 for number in range(8)}


SETUP = """
import logging, threading, time
from pathlib import Path
import numpy as np, ortffi
from tests.ortffi import tiny_models
log = Path({log!r})
logging.basicConfig(level=logging.DEBUG, filename=log)
ortffi.init({library!r}, log_level=ortffi.LogLevel.VERBOSE, logger=logging.getLogger("ort"))
model = tiny_models.count_up()
"""
RUN_CUT_OFF = """
# Its kernels fail when the library's static objects go, and then it logs an error.
session = ortffi.SessionBuilder().with_intra_threads(2).commit_from_memory(model)
def work():
    session.run({"n": np.array(10**12), "start": np.zeros(1, np.int64)})
"""
LOADING = """
def work():
    while True:
        ortffi.SessionBuilder().with_intra_threads(1).commit_from_memory(model)
"""
EXIT = """
threads = [threading.Thread(target=work, daemon=True) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    clock = time.pthread_getcpuclockid(thread.ident)
    while time.clock_gettime(clock) < 0.02:  # until it works
        time.sleep(0.001)
while "initialized" not in log.read_text():  # however slow the machine
    time.sleep(0.001)
print("end", flush=True)
"""


@pytest.mark.thorough
@pytest.mark.parametrize("work", [RUN_CUT_OFF, LOADING], ids=["run cut off", "loading"])
@pytest.mark.parametrize("times", [3, pytest.param(200, marks=pytest.mark.slow)])
def test_messages_while_the_interpreter_ends_do_no_harm(
    run_python, library, tmp_path, skip_cut_off_loading, work, times
):
    """End an interpreter some times while there are messages; it must say nothing of it."""
    if work is LOADING:
        skip_cut_off_loading()
    if work is RUN_CUT_OFF and library.api_version <= 20:
        pytest.skip("up to ONNX Runtime 1.20 a run that is cut off may crash in its own kernels")
    log = tmp_path / "log"
    script = SETUP.format(log=str(log), library=str(library.path)) + work + EXIT
    for _ in range(times):
        done = run_python(script)
        assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")
    assert "initialized" in log.read_text()
