"""How soon a screen reader hears something, and how soon it hears nothing more.

    python -m bench.screen_reader [--repeats N] [--write]

One server and one output module of speech-dispatcher, to which the benchmark speaks as
speech-dispatcher does. `SPEAK` to samples is the time from the last line of a text to the first
message with audio. Words are new each time, `button` and letters are cached; a sentence is one of
ten words. `STOP` is sent while a paragraph is being sent, and then a new word is spoken at once;
speech-dispatcher itself ends the sound, and the module waits 10 ms before it answers.
"""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bench.command import Section, command_line, publish
from bench.processes import ChildError, server
from bench.report import note, quantile, verdict

REPEATS = 40
PARAGRAPH = (
    "The birch canoe slid on the smooth planks, and nobody knew how long that would go on. " * 8
)
SENTENCE = "Number {} is a sentence of ten words for the ear."
_BOUNDS_MS = {"cached": (10, 20), "new word": (60, 120)}
"""For the median and for 95 of 100."""

_WORDS = """
window table garden river kitchen button letter number music picture winter summer morning evening
doctor teacher student paper pencil bottle orange purple yellow circle corner travel ticket station
airport engine hammer ladder market bridge forest desert valley island harbor castle palace museum
library office factory hospital school theatre cinema stadium
"""


class Module:
    """A module process; `times` when each message came."""

    def __init__(self, port: int) -> None:
        command = [sys.executable, "-m", "service", "speech-dispatcher"]
        self._process = subprocess.Popen(
            [*command, "--server", f"http://127.0.0.1:{port}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._events: queue.SimpleQueue[tuple[int, float] | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        self.send("INIT")
        self.until(299)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line[3:4] == b" ":
                self._events.put((int(line[:3]), time.perf_counter()))
        self._events.put(None)

    def send(self, *lines: str) -> float:
        """Send lines; return when."""
        assert self._process.stdin is not None
        self._process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self._process.stdin.flush()
        return time.perf_counter()

    def until(self, *codes: int) -> float:
        """Return when a message with one of the codes came.

        Raises:
            ChildError: the module ended.
        """
        while (event := self._events.get()) is not None:
            if event[0] in codes:
                return event[1]
        raise ChildError("the output module ended")

    def first_ms(self, text: str, kind: str = "SPEAK") -> float:
        """Have a text spoken; return the time to its first samples."""
        self.send(kind)
        self.until(202)
        start = self.send(text, ".")
        return 1000 * (self.until(705) - start)

    def close(self) -> None:
        """End the module."""
        self.send("QUIT")
        self.until(210)
        self._process.wait()


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 for a missed bound, 2 for a failure."""
    parser = command_line("bench.screen_reader", __doc__, "times of each kind")
    options = parser.parse_args(arguments)
    return publish(_sections(options.repeats or REPEATS), write=options.write)


def _sections(repeats: int) -> Iterator[Section]:
    report, met = measure(repeats)
    yield Section("screen readers", (__doc__ or "").split("\n\n", 2)[2], report, met)


@contextmanager
def _module() -> Iterator[Module]:
    with server({}) as (_, port):
        module = Module(port)
        yield module
        module.close()


def measure(repeats: int) -> tuple[str, bool]:
    """Return the table, and whether the bounds are met."""
    found: dict[str, list[float]] = {
        name: [] for name in ("cached", "new word", "sentence", "STOP")
    }
    found["word after STOP"] = []
    words = _WORDS.split()
    with _module() as module:
        for text, kind in (("<speak>button</speak>", "SPEAK"), ("a", "CHAR")):
            module.first_ms(text, kind)
            module.until(702)
        for number in range(repeats):
            note(f"{number + 1} of {repeats}")
            cached = ("a", "CHAR") if number % 2 else ("<speak>button</speak>", "SPEAK")
            found["cached"].append(module.first_ms(*cached))
            module.until(702)
            word = f"{words[number % len(words)]} {words[-1 - number % len(words)]}"
            found["new word"].append(module.first_ms(f"<speak>{word}</speak>"))
            module.until(702)
            found["sentence"].append(module.first_ms(f"<speak>{SENTENCE.format(number)}</speak>"))
            module.until(702)
            module.first_ms(f"<speak>{PARAGRAPH}</speak>")
            start = module.send("STOP")
            found["STOP"].append(1000 * (module.until(703) - start))
            found["word after STOP"].append(module.first_ms(f"<speak>after {word}</speak>"))
            module.until(702)
    rows = ["| from ... to ... | median | 95 % | bounds | met? |", "|---|---|---|---|---|"]
    all_met = True
    for name, times in found.items():
        half, most = quantile(times, 0.5), quantile(times, 0.95)
        bounds = _BOUNDS_MS.get(name)
        met = bounds is None or (half <= bounds[0] and most <= bounds[1])
        all_met &= met
        told = ("", "") if bounds is None else (f"≤ {bounds[0]}, ≤ {bounds[1]} ms", verdict(met))
        what = "`STOP` to its answer" if name == "STOP" else f"`SPEAK` to samples, {name}"
        rows.append(f"| {what} | {half:.1f} ms | {most:.1f} ms | {told[0]} | {told[1]} |")
    return "\n".join(rows), all_met


if __name__ == "__main__":
    sys.exit(main())
