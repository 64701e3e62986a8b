"""How soon live streams start while jobs are spoken behind them.

    python -m bench.jobs [--repeats N] [--write]

One server. A client streams a short text and a sentence as raw samples, first while there are no
jobs, then while four jobs are being spoken, and so on in turns; each round deletes the jobs and
makes new ones. First audio is the time from the request to the first bytes. A row compares by the
median ratio of a round's median with jobs to its median without.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from tempfile import TemporaryDirectory

import httpx

from bench import speech
from bench.command import Section, command_line, publish
from bench.processes import ChildError, server
from bench.report import Bound, note, ratio, table
from bench.streams import OURS, SETTLE_S, listen_to

ROUNDS = 7
ANSWERS = 5
"""To each text, with and without jobs, in a round."""

N_JOBS = 4
BOUND = Bound(1.3)
TEXTS = {"short": speech.SHORT, "sentence": speech.MEDIUM}
LONG_TEXT = "\n\n".join(f"CHAPTER {number}\n\n{speech.PARAGRAPH}" for number in range(1, 9))


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 for a missed bound, 2 for a failure."""
    parser = command_line("bench.jobs", __doc__, "rounds")
    options = parser.parse_args(arguments)
    return publish(_sections(options.repeats or ROUNDS), write=options.write)


def _sections(rounds: int) -> Iterator[Section]:
    report, met = measure(rounds)
    yield Section("jobs", (__doc__ or "").split("\n\n", 2)[2], report, met)


def measure(rounds: int) -> tuple[str, bool]:
    """Return the table, and whether the bounds are met.

    Raises:
        ChildError: the server did not become ready, or refused a job.
    """
    pairs: dict[str, list[tuple[float, float]]] = {name: [] for name in TEXTS}
    with TemporaryDirectory() as folder, server({"KOKORO_DATA_DIR": folder}) as (_, port):
        _first_audio_ms(port, speech.MEDIUM)
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            for number in range(rounds):
                note(f"round {number + 1} of {rounds}")
                alone = {name: _first_audio_ms(port, text) for name, text in TEXTS.items()}
                with _spoken(client):
                    for name, text in TEXTS.items():
                        pairs[name].append((_first_audio_ms(port, text), alone[name]))
    rows = [ratio(f"first audio, {name}", found, "ms", BOUND) for name, found in pairs.items()]
    report = table(rows, peer="without jobs", ours=f"with {N_JOBS} jobs")
    return report, all(row.met is not False for row in rows)


def _first_audio_ms(port: int, text: str) -> float:
    found = []
    for _ in range(ANSWERS):
        time.sleep(SETTLE_S)
        (heard,) = listen_to(OURS, port, [{"text": text, "stream": True}])
        found.append(heard.first_s)
    return 1000 * median(found)


@contextmanager
def _spoken(client: httpx.Client) -> Iterator[None]:
    """Have jobs spoken, all of them within the block."""
    jobs = []
    for _ in range(N_JOBS):
        answer = client.post("/jobs", json={"text": LONG_TEXT, "format": "flac"})
        if answer.status_code != httpx.codes.CREATED:
            raise ChildError(f"a job was refused: {answer.text}")
        jobs.append(answer.headers["location"])
    while not all(client.get(job).json()["progress"] > 0 for job in jobs):
        time.sleep(0.1)
    yield
    for job in jobs:
        client.delete(job)


if __name__ == "__main__":
    sys.exit(main())
