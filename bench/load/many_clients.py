"""Growing numbers of clients at once."""

from __future__ import annotations

import asyncio
from statistics import median

from bench.load.clients import Round, run_all
from bench.load.fairness import share
from bench.load.health import probing
from bench.load.right_audio import Checker, right_audio
from bench.load.speech_requests import REQUESTS, SHORT
from bench.processes import ask, server
from bench.procfs import mebibytes
from bench.report import note, quantile, verdict

CLIENTS = (1, 2, 4, 8, 16)
N_MANY = 8
MOST_GROWTH = 1.05
LEAST_THROUGHPUT = 0.95
MOST_HEALTH_MS = 50

HEAD = [
    "| clients | complete | disconnected | wrong | first audio, streamed: p50 / p95, s | "
    "whole: p50 / p95, s | resident after, MiB |",
    "|---|---|---|---|---|---|---|",
]


def measure(repeats: int) -> tuple[list[str], bool]:
    """Return the lines of the report, and whether every bound is met.

    Args:
        repeats: pairs of the comparison of throughput.
    """
    with server() as (process, port):
        url = f"http://127.0.0.1:{port}"
        checker = Checker(right_audio(url))
        # Every request once: then codecs are loaded, threads started and arenas grown.
        run_all(url, CLIENTS[-1], REQUESTS)
        before = mebibytes("VmRSS", process.pid)
        rows, n_wrong = [], 0
        for n_clients in CLIENTS:
            result = run_all(url, n_clients, REQUESTS, leavers=True)
            problems = problems_of(result, checker)
            n_wrong += len(problems)
            resident = mebibytes("VmRSS", process.pid)
            rows.append(row_of(result, len(problems), resident))
            note(rows[-1])
        bounds, met = _bounds(url, port, checker, resident / before, repeats)
    return [*HEAD, *rows, "", *bounds], met and not n_wrong


def problems_of(result: Round, checker: Checker) -> list[str]:
    """Return what is wrong with the complete answers of a round, and print it."""
    problems = [
        f"{outcome.request}: {problem}"
        for outcome in result.outcomes
        if not outcome.left and (problem := checker.problem(outcome))
    ]
    for problem in problems:
        note(problem)
    return problems


def row_of(result: Round, n_wrong: int, resident_mib: float) -> str:
    """Return the table row of a round."""
    complete = [outcome for outcome in result.outcomes if not outcome.left]
    streamed, whole = (
        [outcome.first_audio_s for outcome in complete if outcome.request.stream is stream]
        for stream in (True, False)
    )
    return (
        f"| {result.n_clients} | {len(complete)} | {len(result.outcomes) - len(complete)} | "
        f"{n_wrong} | {quantile(streamed, 0.5):.2f} / {quantile(streamed, 0.95):.2f} | "
        f"{quantile(whole, 0.5):.2f} / {quantile(whole, 0.95):.2f} | {resident_mib:.0f} |"
    )


def _bounds(
    url: str, port: int, checker: Checker, growth: float, repeats: int
) -> tuple[list[str], bool]:
    """Return the table of bounds, and whether all are met."""
    ratios = []
    for number in range(repeats):
        order = (1, N_MANY) if number % 2 else (N_MANY, 1)
        throughput = {n: _throughput(url, n, checker) for n in order}
        ratios.append(throughput[N_MANY] / throughput[1])
    with probing(port) as prober:
        least, lead, first_s = asyncio.run(share(url, N_MANY))
        run_all(url, N_MANY, SHORT)
        n_probes, p50, p99, worst = ask(prober).split()
    rows = [
        (
            f"resident memory after all, against before (at most {MOST_GROWTH:g})",
            f"{growth:.3f}",
            growth <= MOST_GROWTH,
        ),
        (
            f"throughput of {N_MANY} clients against 1, audio per second "
            f"(at least {LEAST_THROUGHPUT:g})",
            f"{median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}, {repeats} pairs)",
            median(ratios) >= LEAST_THROUGHPUT,
        ),
        (
            f"{N_MANY} long streams: chunks by which one is ahead of another (at most 1)",
            f"{lead}",
            lead <= 1,
        ),
        (
            f"{N_MANY} long streams: share of its audio that the last has when the first is done",
            f"{least:.3f}",
            None,
        ),
        (
            f"{N_MANY} long streams: first audio of the first / of the last",
            f"{min(first_s):.2f} s / {max(first_s):.2f} s",
            None,
        ),
        (
            f"/health while {N_MANY} are served, {n_probes} times: p50 / p99 / worst "
            f"(p99 below {MOST_HEALTH_MS} ms)",
            f"{p50} / {p99} / {worst} ms",
            float(p99) < MOST_HEALTH_MS,
        ),
    ]
    lines = ["| measurement | value | met? |", "|---|---|---|"]
    for name, value, met in rows:
        lines.append(f"| {name} | {value} | {'' if met is None else verdict(met)} |")
    return lines, all(met is not False for _, _, met in rows)


def _throughput(url: str, n_clients: int, checker: Checker) -> float:
    """Return the seconds of audio per second."""
    result = run_all(url, n_clients, SHORT)
    return sum(checker.audio_s(outcome) for outcome in result.outcomes) / result.seconds
