"""Many clients at once, against a server of its own: `python -m bench.load [--write]`.

Texts of 1 to 12 s, in all formats, whole and streamed. First each text is asked for alone: that
answer says what the right audio is. Then 1, 2, 4, 8 and 16 clients ask without a break, and leave
in the middle of every third answer; every complete answer is decoded and compared. Throughput is
that of 8 clients against one, in turns, without anybody leaving, with the short texts. A process of
its own asks for /health all the time while 8 clients are served.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import random
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

import httpx
import numpy as np
import soundfile

from bench.command import Section, command_line, positive, publish
from bench.processes import answer, ask, python, server
from bench.procfs import mebibytes

TEXTS = (
    "Yes, of course.",
    "The birch canoe slid on the smooth planks.",
    "It costs $5.50 at 10:30, Dr. Smith said; nobody believed him.",
    "Rice is often served in round bowls. The juice of lemons makes fine punch. The box was thrown "
    "beside the parked truck, and four hours of steady work faced us.",
)
FORMATS = ("pcm", "wav", "flac", "mp3", "opus")
CLIENTS = (1, 2, 4, 8, 16)
LONG = " ".join(TEXTS[1:])
READINGS = 4
"""Of each client."""

STEPS = 20
"""After how many shares of a soak memory is looked at."""

_MP3_MORE = 1105 + 622
"""Samples that a streamed MP3 may have more; see `service.audio.streaming`."""


@dataclass(frozen=True)
class Question:
    """What a client asks for."""

    text: str
    audio_format: str
    stream: bool
    speed: float = 1.0

    def body(self) -> dict[str, object]:
        return {
            "text": self.text,
            "format": self.audio_format,
            "stream": self.stream,
            "chunking": "early",
            "speed": self.speed,
        }


QUESTIONS = tuple(
    Question(text, form, stream)
    for text in TEXTS
    for form in FORMATS
    for stream in (False, True)
    if not (stream and form == "wav")
)
SHORT = tuple(question for question in QUESTIONS if question.text in TEXTS[:2])


@dataclass
class Outcome:
    """What came of a question: its audio, or nothing because the client left."""

    question: Question
    content: bytes = b""
    first_audio_s: float = 0.0
    left: bool = False


@dataclass
class Round:
    """What came of all questions of a number of clients."""

    n_clients: int
    seconds: float = 0.0
    outcomes: list[Outcome] = field(default_factory=list)


class Checker:
    """Knows the right audio of each text, and finds what is not it."""

    def __init__(self, right: dict[str, np.ndarray]) -> None:
        self._right = right

    def audio_s(self, outcome: Outcome) -> float:
        return float(self._right[outcome.question.text].size) / 24_000

    def problem(self, outcome: Outcome) -> str | None:
        """Return what is wrong with a complete answer."""
        right = self._right[outcome.question.text]
        form = outcome.question.audio_format
        streamed = outcome.question.stream
        if not outcome.content:
            return "empty"
        if form == "flac" and streamed:
            return None if _is_streamed_flac(outcome.content, right) else "other samples"
        samples = decode(outcome.content, form)
        more = samples.size - right.size
        if form == "mp3" and streamed:
            return None if 0 <= more <= _MP3_MORE else f"{more} samples more"
        if more:
            return f"{more} samples more"
        if form in ("pcm", "wav", "flac") and not np.array_equal(samples, right):
            return "other samples"
        return None


def decode(content: bytes, audio_format: str) -> np.ndarray:
    """Return int16 samples."""
    if audio_format == "pcm":
        return np.frombuffer(content, "<i2")
    samples, rate = soundfile.read(io.BytesIO(content), dtype="int16")
    assert rate == 24_000
    return np.asarray(samples)


def _is_streamed_flac(content: bytes, right: np.ndarray) -> bool:
    """Tell whether it has these samples and no more.

    libsndfile wants to be told the number, which a stream leaves open (bytes 22 to 25).
    """

    def read(n_samples: int) -> np.ndarray | None:
        told = content[:22] + n_samples.to_bytes(4, "big") + content[26:]
        try:
            return decode(told, "flac")
        except soundfile.SoundFileError:
            return None

    samples = read(right.size)
    return samples is not None and np.array_equal(samples, right) and read(right.size + 1) is None


async def ask_once(
    client: httpx.AsyncClient, question: Question, leaves_after: int | None
) -> Outcome:
    """Ask a question; leave after so many bytes of the answer, or before it if that is 0."""
    outcome = Outcome(question)
    start = time.perf_counter()
    body = question.body()
    if leaves_after == 0:
        try:
            await asyncio.wait_for(client.post("/synthesize", json=body), 0.3)
        except asyncio.TimeoutError:
            outcome.left = True
            return outcome
    async with client.stream("POST", "/synthesize", json=body) as response:
        response.raise_for_status()
        parts = []
        async for part in response.aiter_raw():
            if not parts:
                outcome.first_audio_s = time.perf_counter() - start
            parts.append(part)
            if leaves_after is not None and sum(map(len, parts)) >= leaves_after:
                outcome.left = True
                return outcome
    outcome.content = b"".join(parts)
    return outcome


async def ask_all(url: str, n_clients: int, questions: Sequence[Question], leavers: bool) -> Round:
    """Have clients ask questions, each the next one as soon as its last is answered."""
    result = Round(n_clients)
    waiting = list(enumerate(questions))
    chance = random.Random(n_clients)

    async def work(client: httpx.AsyncClient) -> None:
        while waiting:
            number, question = waiting.pop()
            leaves_after = None
            if leavers and number % 3 == 2:
                leaves_after = chance.choice((0, 1, 20_000))
            result.outcomes.append(await ask_once(client, question, leaves_after))

    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=url, timeout=600, limits=limits) as client:
        start = time.perf_counter()
        await asyncio.gather(*(work(client) for _ in range(n_clients)))
        result.seconds = time.perf_counter() - start
    return result


async def share(url: str, n_clients: int) -> tuple[float, int, list[float]]:
    """Stream a long text to some clients at once; look when the first of them has it all.

    Returns:
        The least audio that another has then, as a share of the whole; by how many chunks a client
        was ahead of another at most; seconds to the first audio of each.
    """
    body = {"text": LONG, "stream": True, "format": "pcm", "timestamps": "word"}
    n_events = [0] * n_clients
    audio_s = [0.0] * n_clients
    first_s = [0.0] * n_clients
    lead = 0
    at_first_end: list[float] = []
    start = time.perf_counter()

    async def listen(client: httpx.AsyncClient, number: int) -> None:
        nonlocal lead
        async with client.stream("POST", "/synthesize", json=body) as response:
            response.raise_for_status()
            async for line in response.aiter_lines():
                if line == "event: audio":
                    first_s[number] = first_s[number] or time.perf_counter() - start
                    n_events[number] += 1
                    lead = max(lead, n_events[number] - min(n_events))
                elif line.startswith("data: ") and (found := re.search(r'"end_s":([0-9.]+)', line)):
                    # The first of a line is a word's; the chunk's own comes before the words.
                    audio_s[number] = float(found.group(1))
                elif line == "event: done" and not at_first_end:
                    at_first_end.append(min(audio_s) / audio_s[number])

    async with httpx.AsyncClient(base_url=url, timeout=600) as client:
        await asyncio.gather(*(listen(client, number) for number in range(n_clients)))
    return at_first_end[0], lead, first_s


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value that a share of the others does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def probe(port: int) -> None:
    """Ask for /health until a line comes; print the 50th, 99th and last hundredth in ms."""
    import select

    seconds = []
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        print("ready", flush=True)
        while not select.select([sys.stdin], [], [], 0.02)[0]:
            start = time.perf_counter()
            client.get("/health").raise_for_status()
            seconds.append(time.perf_counter() - start)
    values = [quantile(seconds, share) * 1000 for share in (0.5, 0.99, 1)]
    print(len(seconds), *(f"{value:.2f}" for value in values), flush=True)


def measure(repeats: int) -> tuple[list[str], bool]:
    """Return the lines of the report, and whether every bound is met."""
    lines: list[str] = []
    met = True

    def tell(name: str, value: str) -> None:
        lines.append(f"| {name} | {value} | |")

    def bound(name: str, value: str, holds: bool) -> None:
        nonlocal met
        met &= holds
        lines.append(f"| {name} | {value} | {'yes' if holds else '**no**'} |")

    with server() as (process, port):
        url = f"http://127.0.0.1:{port}"
        checker = Checker(_right_audio(url))
        # Every question once: codecs loaded, threads there, arenas grown.
        asyncio.run(ask_all(url, 16, QUESTIONS, leavers=False))
        level = mebibytes("VmRSS", process.pid)
        rows = []
        for n_clients in CLIENTS:
            result = asyncio.run(ask_all(url, n_clients, QUESTIONS, leavers=True))
            complete = [outcome for outcome in result.outcomes if not outcome.left]
            problems = [
                f"{outcome.question}: {problem}"
                for outcome in complete
                if (problem := checker.problem(outcome))
            ]
            for problem in problems:
                print(problem, file=sys.stderr)
            met &= not problems
            first = [outcome.first_audio_s for outcome in complete if outcome.question.stream]
            first_whole = [o.first_audio_s for o in complete if not o.question.stream]
            rows.append(
                f"| {n_clients} | {len(complete)} | {len(result.outcomes) - len(complete)} | "
                f"{len(problems)} | {quantile(first, 0.5):.2f} / {quantile(first, 0.95):.2f} | "
                f"{quantile(first_whole, 0.5):.2f} / {quantile(first_whole, 0.95):.2f} | "
                f"{mebibytes('VmRSS', process.pid):.0f} |"
            )
            print(rows[-1], file=sys.stderr, flush=True)
        lines += [
            "| clients | complete | left midway | wrong | first audio, streamed: p50 / p95, s | "
            "whole: p50 / p95, s | resident after, MiB |",
            "|---|---|---|---|---|---|---|",
            *rows,
            "",
            "| measurement | value | met? |",
            "|---|---|---|",
        ]
        growth = mebibytes("VmRSS", process.pid) / level
        bound("resident memory after all, against before (at most 1.05)", f"{growth:.3f}",
              growth <= 1.05)  # fmt: skip
        ratios = []
        for number in range(repeats):
            order = (1, 8) if number % 2 else (8, 1)
            speed = {n: _throughput(url, n, checker) for n in order}
            ratios.append(speed[8] / speed[1])
        bound(
            "throughput of 8 clients against 1, audio per second (at least 0.95)",
            f"{median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}, {repeats} pairs)",
            median(ratios) >= 0.95,
        )
        with python("-m", "bench.load", "--probe", str(port)) as prober:
            answer(prober)
            least, lead, first_s = asyncio.run(share(url, 8))
            asyncio.run(ask_all(url, 8, SHORT, leavers=False))
            n_asked, p50, p99, worst = ask(prober).split()
        bound("8 long streams: chunks that one is ahead of another (at most 1)", str(lead),
              lead <= 1)  # fmt: skip
        tell("8 long streams: share of its audio that the last has when the first is done",
             f"{least:.3f}")  # fmt: skip
        tell("8 long streams: first audio of the first / of the last",
             f"{min(first_s):.2f} s / {max(first_s):.2f} s")  # fmt: skip
        bound(
            f"/health while 8 are served, {n_asked} times: p50 / p99 / worst (p99 below 50 ms)",
            f"{p50} / {p99} / {worst} ms",
            float(p99) < 50,
        )
    return lines, met


def readers(n_clients: int) -> tuple[list[str], bool]:
    """Ask for /health while many clients have long texts read, which is work of the interpreter."""
    text = f"{LONG} " * 20

    async def read() -> None:
        async with httpx.AsyncClient(base_url=url, timeout=600) as client:
            for number in range(READINGS):
                # None is read twice.
                fields = {"text": f"{text}{number}"}
                (await client.post("/phonemize", json=fields)).raise_for_status()

    async def read_all() -> None:
        await asyncio.gather(*(read() for _ in range(n_clients)))

    with server() as (_process, port):
        url = f"http://127.0.0.1:{port}"
        asyncio.run(read())
        with python("-m", "bench.load", "--probe", str(port)) as prober:
            answer(prober)
            start = time.perf_counter()
            asyncio.run(read_all())
            seconds = time.perf_counter() - start
            n_asked, *times = ask(prober).split()
    return [
        f"{n_clients} clients, {READINGS} texts of {len(text):,} characters each, "
        f"{n_clients * READINGS * len(text) / seconds:,.0f} characters a second. /health was asked "
        f"for {n_asked} times: p50 / p99 / worst {' / '.join(times)} ms."
    ], True


def soak(n_requests: int) -> tuple[list[str], bool]:
    """Ask many times, of varying length; compare memory with that after the first tenth."""
    # Mostly short ones, so that there can be many; now and then one of several pieces.
    long = [Question(TEXTS[2], "opus", True), Question(TEXTS[3], "wav", False)]
    hurried = [replace(question, speed=2.0) for question in (*SHORT, *long)]
    questions = [hurried[number % len(hurried)] for number in range(n_requests)]
    with server() as (process, port):
        url = f"http://127.0.0.1:{port}"
        checker = Checker(_right_audio(url, speed=2.0))
        sizes, n_wrong = [], 0
        step = n_requests // STEPS
        for start in range(0, n_requests, step):
            result = asyncio.run(ask_all(url, 4, questions[start : start + step], leavers=False))
            n_wrong += sum(checker.problem(outcome) is not None for outcome in result.outcomes)
            sizes.append(mebibytes("VmRSS", process.pid))
            print(f"{start + step} requests: {sizes[-1]:.0f} MiB", file=sys.stderr, flush=True)
    growth = max(sizes[2:]) / sizes[1]
    holds = growth < 1.05 and not n_wrong
    return [
        f"{n_requests} requests of 4 clients, {n_wrong} wrong answers. Resident after the first "
        f"tenth {sizes[1]:.0f} MiB, at the end {sizes[-1]:.0f} MiB, largest in between "
        f"{max(sizes[2:]):.0f} MiB: {growth:.3f} (below 1.05: {'yes' if holds else '**no**'})."
    ], holds


def _throughput(url: str, n_clients: int, checker: Checker) -> float:
    result = asyncio.run(ask_all(url, n_clients, SHORT, leavers=False))
    return sum(checker.audio_s(outcome) for outcome in result.outcomes) / result.seconds


def _right_audio(url: str, speed: float = 1.0) -> dict[str, np.ndarray]:
    right = {}
    with httpx.Client(base_url=url, timeout=600) as client:
        for text in TEXTS:
            response = client.post("/synthesize", json=Question(text, "pcm", False, speed).body())
            response.raise_for_status()
            samples = np.frombuffer(response.content, "<i2")
            assert samples.size == round(float(response.headers["x-duration-s"]) * 24_000)
            right[text] = samples
    return right


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 if a bound is missed, 2 if a measurement failed."""
    parser = command_line("bench.load", __doc__)
    parser.add_argument("--repeats", type=positive, default=5, help="pairs of throughput")
    parser.add_argument("--soak", type=positive, metavar="N", help="instead, ask N times")
    parser.add_argument("--readers", type=positive, metavar="N", help="instead, N clients read")
    parser.add_argument("--probe", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.soak and options.soak < STEPS:
        parser.error(f"--soak takes at least {STEPS}")
    if options.probe:
        probe(options.probe)
        return 0
    return publish(_sections(options), write=options.write)


def _sections(options: argparse.Namespace) -> Iterator[Section]:
    if options.readers:
        (name, about), (lines, met) = ("readers", readers.__doc__), readers(options.readers)
    elif options.soak:
        (name, about), (lines, met) = ("soak", soak.__doc__), soak(options.soak)
    else:
        (name, about), (lines, met) = ("load", __doc__), measure(options.repeats)
    yield Section(name, about or "", "\n".join(lines), met)
