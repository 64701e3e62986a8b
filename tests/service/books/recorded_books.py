"""A book whose speech is made: tones in the place of voices."""

from datetime import datetime, timezone

import numpy as np

from service.audio import encode
from service.books.audiobook import Audiobook, Order
from service.books.choice import Choice
from service.books.journal import Journal, KeptSound, PlannedChunk
from service.books.narration import Manner
from service.books.outputs import Output
from service.books.sections import text_of_chapter


class Heard:
    """A watcher that keeps what it is told, and counts what is made."""

    def __init__(self):
        self.events = []
        self.n_made = 0

    def tell(self, event, line, **fields):
        self.events.append((event, line, fields))

    def planning(self, share): ...

    def show(self, chapter, pace):
        self.n_made += 1

    def of(self, event):
        return [line for name, line, _ in self.events if name == event]


def written(book, output):
    """Write the file of a book; return what was told of it."""
    heard = Heard()
    order = Order(Choice(), Manner(), Output.of(output, None))
    chapters = order.choice.of(book)
    tone = 0.1 * np.sin(2 * np.pi * 440 * np.arange(12_000) / 24_000)
    flac = encode([tone.astype(np.float32)], "flac")
    with Journal(order.output.state) as journal:
        chunks = [
            PlannedChunk(number, 0, f"{number}", 5, ((0, len(text_of_chapter(chapter))),))
            for number, chapter in enumerate(chapters)
        ]
        journal.plan({"book": "a"}, iter(chunks))
        for chunk in chunks:
            journal.keep(chunk.key, KeptSound(flac, tone.size, ((0.0, 0.5),)))
        (path,) = Audiobook(book, chapters, order, journal, heard).write(datetime(2026, 1, 31, tzinfo=timezone.utc))
    assert path == output
    return heard
