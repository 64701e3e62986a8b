"""Time to first audio over Wyoming, against the stream of HTTP.

    python -m bench.wyoming [--repeats N] [--write]

Three clients, one after the other in changing order, have the same server say one sentence of about
16 s. The first requests it with `POST /synthesize` as a stream of raw samples. The second sends
Wyoming's `synthesize`, by the package that Home Assistant uses. The third sends
`synthesize-start`, the sentence in parts of four characters as a language model writes them, but
all at once, and `synthesize-stop`. First audio is the time from before the connection is opened to
the first bytes of audio, and to the first `audio-chunk`. A row compares a client of Wyoming with
HTTP, by the median ratio of neighboring requests. In parts the sentence is cut at its first comma,
so its first chunk is shorter.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator, Sequence

from wyoming.client import AsyncClient
from wyoming.event import Eventable
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop

from bench import streams
from bench.command import Section, command_line, publish
from bench.processes import ChildError, free_port, server
from bench.report import Bound, Row, note, ratio, table
from bench.timing import alternate

SENTENCE = (
    "When the last ferry of the evening had left the harbour and the lamps along the quay were "
    "lit, the old keeper of the lighthouse climbed the hundred and twelve steps once more to see "
    "whether the storm that everybody had spoken of was really coming."
)
PARTS = [SENTENCE[start : start + 4] for start in range(0, len(SENTENCE), 4)]
REPEATS = 21
BOUND = Bound(1.3)

_TIMEOUT_S = 60.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 for a missed bound, 2 for a failure."""
    parser = command_line("bench.wyoming", __doc__, "pairs of requests")
    options = parser.parse_args(arguments)
    return publish(_sections(options.repeats or REPEATS), write=options.write)


def _sections(repeats: int) -> Iterator[Section]:
    report, met = measure(repeats)
    yield Section("wyoming", (__doc__ or "").split("\n\n", 2)[2], report, met)


def measure(repeats: int) -> tuple[str, bool]:
    """Return the table, and whether the bounds are met.

    Raises:
        ChildError: the server did not become ready, or answered with an error.
    """
    uri = f"tcp://127.0.0.1:{free_port()}"
    with server({"KOKORO_WYOMING": uri}) as (_, port):
        whole: list[Eventable] = [Synthesize(SENTENCE)]
        in_parts = [SynthesizeStart(), *map(SynthesizeChunk, PARTS), SynthesizeStop()]
        rows = [
            _compare("synthesize", uri, port, whole, repeats),
            _compare("synthesize-start", uri, port, in_parts, repeats),
        ]
    return table(rows, peer="HTTP", ours="Wyoming"), all(row.met for row in rows)


def _compare(name: str, uri: str, port: int, events: Sequence[Eventable], repeats: int) -> Row:
    note(name)
    pairs = alternate(
        lambda: asyncio.run(asyncio.wait_for(_listen(uri, events), _TIMEOUT_S)),
        lambda: _listen_to_http(port),
        repeats,
        warm_ups=2,
    )
    return ratio(f"first audio, {name}", [(1e3 * a, 1e3 * b) for a, b in pairs], "ms", BOUND)


def _listen_to_http(port: int) -> float:
    time.sleep(streams.SETTLE_S)
    (heard,) = streams.listen(streams.OURS, port, [SENTENCE], stream=True)
    return heard.first_s


async def _listen(uri: str, events: Sequence[Eventable]) -> float:
    """Return when the first chunk came; leave when the last has come."""
    await asyncio.sleep(streams.SETTLE_S)
    start, first_s = time.perf_counter(), None
    async with AsyncClient.from_uri(uri) as client:
        for event in events:
            await client.write_event(event.event())
        while (heard := await client.read_event()) is not None:
            if heard.type == "error":
                raise ChildError(f"the server answered {heard.data}")
            if heard.type == "audio-chunk" and first_s is None:
                first_s = time.perf_counter() - start
            if heard.type == "audio-stop":
                break
    if first_s is None:
        raise ChildError("the server sent no audio")
    return first_s


if __name__ == "__main__":
    sys.exit(main())
