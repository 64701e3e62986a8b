"""The command line of `bench.statistics`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing

import numpy as np

from bench import speech, statistics
from bench.command import Section, command_line, publish
from bench.deadline import Deadline, add_minutes, in_parts
from bench.processes import REPOSITORY, ChildError
from bench.statistics.accuracy import compare
from bench.statistics.observations import observe
from bench.statistics.plan import plan
from service.loading import load_model, load_runtime
from service.model import SplitModel
from service.settings import Settings

STORE = REPOSITORY / "build" / "bench" / "statistics"
FILE = REPOSITORY / "voices" / "statistics.npz"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 for a missed bound, 2 for a failure, 3 if more is left to do."""
    parser = command_line("bench.statistics", statistics.__doc__)
    add_minutes(parser)
    options = parser.parse_args(arguments)
    deadline = Deadline(options.minutes)
    return in_parts(lambda: publish(_sections(deadline, write=options.write), write=options.write))


def _sections(deadline: Deadline, *, write: bool) -> Iterator[Section]:
    settings = Settings()
    voices = speech.voices()
    with closing(load_model(settings, load_runtime(settings), print)) as model:
        if not isinstance(model, SplitModel):
            raise ChildError("the model is not split, for it was not prepared")
        source = model.sha256
        found = observe(model, voices, list(plan(voices)), STORE, deadline)
    report, arrays, met = compare(found, voices, source)
    if write:
        np.savez_compressed(FILE, **arrays)
    yield Section("statistics", statistics.__doc__ or "", report, met)


if __name__ == "__main__":
    sys.exit(main())
