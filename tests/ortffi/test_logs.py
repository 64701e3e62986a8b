"""ONNX Runtime's messages reach Python, and nothing of Python reaches C."""

import gc
import logging
import sys
import threading

import pytest
from ortffi.logs import LogCallback, LoggingFunction, LogMessage, to_logger, to_standard_error
from tests.ortffi import tiny_models
from tests.ortffi.raw_session import listen, needs, raw_session

import ortffi
from ortffi import LogLevel

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
    environment = ortffi.init()
    with raw_session(environment, tiny_models.add(), listen(environment, callback, LogLevel.VERBOSE)):
        pass
    assert {message.severity for message in heard} >= {LogLevel.VERBOSE, LogLevel.INFO}
    message = next(m for m in heard if "Session successfully initialized" in m.text)
    assert message.category == "onnxruntime"
    assert message.code_location.startswith("inference_session.cc:")


@pytest.mark.parametrize(
    ("severity", "level"),
    [
        (LogLevel.VERBOSE, logging.DEBUG),
        (LogLevel.INFO, logging.INFO),
        (LogLevel.WARNING, logging.WARNING),
        (LogLevel.ERROR, logging.ERROR),
        (LogLevel.FATAL, logging.CRITICAL),
    ],
)
def test_a_severity_becomes_the_level_of_the_same_meaning(logger, caplog, severity, level):
    to_logger(logger)(MESSAGE._replace(severity=severity))
    assert [record.levelno for record in caplog.records] == [level]


def test_a_record_has_all_that_the_message_has(logger, caplog):
    to_logger(logger)(MESSAGE)
    (record,) = caplog.records
    assert record.getMessage() == "mind 100 %s [file.cc:1 Function]"
    assert (record.name, record.category, record.log_id, record.code_location) == (
        logger.name,
        "onnxruntime",
        "tts",
        "file.cc:1 Function",
    )


def test_a_message_below_the_loggers_level_makes_no_record(logger, caplog):
    logger.setLevel(logging.ERROR)
    to_logger(logger)(MESSAGE)
    assert not caplog.records


def test_standard_error_gets_a_line(capsys):
    to_standard_error(MESSAGE)
    assert capsys.readouterr().err == ("[W:onnxruntime:tts, file.cc:1 Function] mind 100 %s\n")


def test_without_standard_error_nothing_is_printed(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    to_standard_error(MESSAGE)
    assert not capsys.readouterr().out


def test_each_callback_hears_its_own_messages():
    first, second = [], []
    callbacks = [LogCallback(first.append), LogCallback(second.append)]
    say(callbacks[0], text=b"one")
    say(callbacks[1], text=b"two")
    assert [message.text for message in first] == ["one"]
    assert [message.text for message in second] == ["two"]
    assert callbacks[0].function == callbacks[1].function


def test_strange_messages_are_taken_too():
    heard = []
    callback = LogCallback(heard.append)
    say(callback, severity=17, category=None, log_id=None, location=None, text=None)
    say(callback, severity=-1, text=b"half \xc3")
    assert heard == [
        LogMessage(LogLevel.FATAL, "", "", "", ""),
        LogMessage(LogLevel.FATAL, "a", "b", "c", "half \ufffd"),
    ]


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
    callback = LogCallback(lambda _message: None)
    step = listen(environment, callback, LogLevel.VERBOSE)
    with raw_session(environment, tiny_models.add(), step):
        del callback, step
        gc.collect()
        with raw_session(environment, tiny_models.add()):
            pass


def test_what_a_handler_raises_stays_in_python(library, monkeypatch):
    """The session is made all the same, and the exception is reported."""
    needs("SetUserLoggingFunction")
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", reported.append)

    def fail(message):
        raise KeyError(message.text)

    callback = LogCallback(fail)
    environment = ortffi.init()
    with raw_session(environment, tiny_models.add(), listen(environment, callback, LogLevel.VERBOSE)) as session:
        assert session
    assert {unraisable.exc_type for unraisable in reported} == {KeyError}
    assert any("initialized" in str(unraisable.exc_value) for unraisable in reported)


def test_what_a_logging_handler_raises_is_loggings_to_report(logger, capsys):
    class Failing(logging.Handler):
        def emit(self, record):
            try:
                raise ZeroDivisionError
            except ZeroDivisionError:
                self.handleError(record)

    logger.addHandler(Failing())
    say(LogCallback(to_logger(logger)))
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_threads_speak_at_the_same_time():
    heard = []
    callback = LogCallback(heard.append)

    def speak(number):
        for _ in range(200):
            say(callback, text=b"%d" % number)

    threads = [threading.Thread(target=speak, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(8):
        assert sum(message.text == str(number) for message in heard) == 200


SETUP = """
import logging, threading, time
from pathlib import Path
import numpy as np, ortffi
from tests.ortffi import tiny_models
from ortffi._api import new
from ortffi.logs import LogCallback, to_logger
log = Path({log!r})
logging.basicConfig(level=logging.DEBUG, filename=log)
environment = ortffi.init({library!r}, log_level=ortffi.LogLevel.VERBOSE,
                          logger=logging.getLogger("ort"))
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


@pytest.fixture
def check_exit(run_python, library, tmp_path, skip_cut_off_loading):
    """End an interpreter some times while there are messages; it must say nothing of it."""

    def check_exit(work, times):
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

    return check_exit


WORKS = pytest.mark.parametrize("work", [RUN_CUT_OFF, LOADING], ids=["run cut off", "loading"])


@WORKS
def test_messages_while_the_interpreter_ends_do_no_harm(check_exit, work):
    check_exit(work, 3)


@pytest.mark.slow
@WORKS
def test_messages_while_the_interpreter_ends_two_hundred_times_do_no_harm(check_exit, work):
    check_exit(work, 200)
