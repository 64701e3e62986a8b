"""How far a corpus is, told in lines."""

import io

import pytest
from service.cluster.corpus_progress import CorpusProgress, duration


class Terminal(io.StringIO):
    def isatty(self):
        return True


def told(out):
    now_s = 0.0
    progress = CorpusProgress(1_000, 10_000, 7, out, lambda: now_s)
    with progress:
        for _ in range(3):
            now_s += 20
            progress.advance(1_000, 29.0)
    return out.getvalue()


def test_lines_tell_how_far_it_is_and_how_much_time_is_left():
    assert told(io.StringIO()) == (
        "1,000 utterances to speak, 7 are there already\n"
        "2 of 1,000 utterances, 20%, 58 s of speech, 3 min left\n"
        "3 of 1,000 utterances, 30%, 87 s of speech, 2 min left\n"
    )


def test_on_a_terminal_each_line_takes_the_place_of_the_one_before():
    shown = told(Terminal())
    assert shown.count("\r\033[K") == 4
    assert shown.count("\n") == 2
    assert shown.endswith("left\n")


@pytest.mark.parametrize(
    ("seconds", "written"), [(4.4, "4 s"), (89, "89 s"), (600, "10 min"), (5400, "1.5 h"), (180_000, "2.1 days")]
)
def test_durations_are_for_people(seconds, written):
    assert duration(seconds) == written
