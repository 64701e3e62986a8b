import argparse
import os
import signal

import pytest
from bench.command import Section, add_names, command_line, exit_status, paragraph, positive, publish
from bench.processes import ChildError

from bench import command


@pytest.fixture(autouse=True)
def process_as_before():
    environment = dict(os.environ)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield
    os.environ.update(environment)
    for number, handler in handlers.items():
        signal.signal(number, handler)


def failing():
    raise ChildError("it ended")


def interrupted():
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("measure", "status"), [(lambda: True, 0), (lambda: False, 1), (failing, 2), (interrupted, 130)]
)
def test_status_says_how_it_went(measure, status):
    assert exit_status(measure) == status


def test_settings_of_the_caller_do_not_reach_children(monkeypatch):
    monkeypatch.setenv("KOKORO_THREADS", "1")
    os.environ["KOKORO_KERNELS"] = "avx2"  # says what to measure
    assert exit_status(lambda: "KOKORO_THREADS" not in os.environ) == 0
    assert os.environ.pop("KOKORO_KERNELS") == "avx2"


@pytest.fixture
def results(tmp_path, monkeypatch):
    path = tmp_path / "RESULTS.md"
    path.write_text("# Measurements\n\n## other\n\nstays\n", encoding="utf-8")
    monkeypatch.setattr(command, "RESULTS", path)
    return path


def test_what_was_found_before_a_failure_is_written(results, capsys):
    def sections():
        yield Section("one", "About one.\n", "| a |", met=False)
        raise ChildError("it ended")

    assert publish(sections(), write=True) == 2
    written = results.read_text(encoding="utf-8")
    assert "## other\n\nstays\n" in written
    assert "## one\n\nAbout one.\n\n" in written
    assert written.endswith("\n\n| a |\n")
    assert "| a |" in capsys.readouterr().out


@pytest.mark.parametrize(("met", "status"), [((True, True), 0), ((False, True), 1)])
def test_one_missed_bound_is_enough(results, met, status):
    before = results.read_text(encoding="utf-8")
    sections = [Section("one", "", "", met=each) for each in met]
    assert publish(sections, write=False) == status
    assert results.read_text(encoding="utf-8") == before


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "many"])
def test_numbers_of_repeats_are_positive(text):
    with pytest.raises(argparse.ArgumentTypeError):
        positive(text)


def test_a_command_knows_repeats_only_where_they_count_something():
    assert command_line("bench.x", "About.", "pairs").parse_args(["--repeats", "3"]).repeats == 3
    assert "repeats" not in command_line("bench.x", "About.").parse_args([])


def test_paragraph_is_found_by_its_first_word():
    doc = "Title.\n\nLength: of a text.\nMore.\n\nThreads: of a run."
    assert paragraph(doc, "length") == "Length: of a text.\nMore."


@pytest.mark.parametrize(("given", "names"), [([], ["one", "other"]), (["other"], ["other"])])
def test_all_is_measured_where_nothing_is_named(given, names):
    parser = command_line("bench.x", "About.")
    add_names(parser, "NAME", ["one", "other"])
    assert parser.parse_args(given).names == names


def test_unknown_names_are_refused(capsys):
    parser = command_line("bench.x", "About.")
    add_names(parser, "NAME", ["one", "other"])
    with pytest.raises(SystemExit):
        parser.parse_args(["nobody"])
    assert "'nobody' is none of one, other" in capsys.readouterr().err
