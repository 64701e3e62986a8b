"""Chunks that fail are tried again, and told of with their place if they fail for good."""

import pytest

from service.books.audiobook import Audiobook, Order
from service.books.book_files import read_book
from service.books.choice import Choice
from service.books.journal import Journal
from service.books.narration import Manner
from service.books.outputs import Output
from service.errors import SynthesisError
from tests.service.books.recorded_books import Heard

pytestmark = pytest.mark.thorough

TALE = "# One\n\nIt rained.\n\n# Two\n\nThen it stopped."


class Failing:
    """Takes the place of `Synthesizer.stream`, and fails at a chunk as often as it is told to."""

    def __init__(self, synthesizer, number, n_failures):
        self._stream = synthesizer.stream
        self._number = number
        self._n_failures = n_failures
        self._order = []
        self.n_calls = 0

    def __call__(self, plan, cancellation):
        self.n_calls += 1
        (chunk,) = plan.chunks
        if chunk.phonemes not in self._order:
            self._order.append(chunk.phonemes)
        if self._order.index(chunk.phonemes) == self._number and self._n_failures:
            self._n_failures -= 1
            raise SynthesisError("the audio is incomplete")
        return self._stream(plan, cancellation)


@pytest.fixture
def make(tmp_path, synthesizer):
    (tmp_path / "tale.md").write_text(TALE)
    book = read_book(tmp_path / "tale.md")
    output = Output.of(tmp_path / "tale.flac", None)
    order = Order(Choice(), Manner(speed=2.0), output)

    def make(told):
        with Journal(output.state) as journal:
            Audiobook(book, order.choice.of(book), order, journal, told).make(
                synthesizer, lambda identity: journal.identity != dict(identity)
            )

    return make


def test_a_chunk_that_fails_twice_is_made(make, synthesizer, monkeypatch):
    failing = Failing(synthesizer, number=1, n_failures=2)
    monkeypatch.setattr(synthesizer, "stream", failing)
    told = Heard()
    make(told)
    assert told.n_made == 4
    assert failing.n_calls == 6
    assert not told.of("failed")


def test_a_chunk_that_fails_for_good_is_told_and_all_others_are_kept(make, synthesizer, monkeypatch):
    failing = Failing(synthesizer, number=1, n_failures=3)
    monkeypatch.setattr(synthesizer, "stream", failing)
    told, again = Heard(), Heard()
    place = r"1 parts of the text failed.*chapter 1 \(One\), from character 6, 'It rained\.'"
    with pytest.raises(SynthesisError, match=place):
        make(told)
    assert told.n_made == 3
    (failed,) = [fields for event, _, fields in told.events if event == "failed"]
    assert failed == {
        "chapter": 1, "title": "One", "start": 5, "text": "It rained.", "reason": "the audio is incomplete"
    }  # fmt: skip
    make(again)
    assert again.n_made == 1
    assert failing.n_calls == 3 + 3 + 1


@pytest.mark.parametrize(
    ("name", "known"),
    [("a.m4b", "m4b"), ("a.M4A", "m4b"), ("a.mp4", "m4b"), ("a.MP3", "mp3"), ("a.ogg", "opus"), ("a.Opus", "opus")],
)
def test_a_format_has_the_endings_that_people_know(name, known, tmp_path):
    output = Output.of(tmp_path / name, None)
    assert (output.kind, output.book_format, output.path.name) == ("audio", known, name)
