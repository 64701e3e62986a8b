"""Many requests in a row."""

from __future__ import annotations

from dataclasses import replace

from bench.load.clients import run_all
from bench.load.right_audio import Checker, right_audio
from bench.load.speech_requests import SHORT, TEXTS, SpeechRequest
from bench.processes import server
from bench.procfs import mebibytes
from bench.report import note, verdict

N_CLIENTS = 4
STEPS = 20
"""How many times memory is measured during a soak."""

MOST_GROWTH = 1.05


def soak(n_requests: int) -> tuple[list[str], bool]:
    """Send many requests of different lengths; compare memory with that after the first tenth."""
    # Most requests are short, so that there can be many; some texts take several chunks.
    long = [SpeechRequest(TEXTS[2], "opus", True), SpeechRequest(TEXTS[3], "wav", False)]
    fast = [replace(request, speed=2.0) for request in (*SHORT, *long)]
    requests = [fast[number % len(fast)] for number in range(n_requests)]
    with server() as (process, port):
        url = f"http://127.0.0.1:{port}"
        checker = Checker(right_audio(url, speed=2.0))
        sizes, n_wrong = [], 0
        step = n_requests // STEPS
        for start in range(0, n_requests, step):
            result = run_all(url, N_CLIENTS, requests[start : start + step])
            n_wrong += sum(checker.problem(outcome) is not None for outcome in result.outcomes)
            sizes.append(mebibytes("VmRSS", process.pid))
            note(f"{start + step} requests: {sizes[-1]:.0f} MiB")
    growth = max(sizes[2:]) / sizes[1]
    met = growth < MOST_GROWTH and not n_wrong
    return [
        f"{n_requests} requests of {N_CLIENTS} clients, {n_wrong} wrong answers. Resident memory "
        f"after the first tenth {sizes[1]:.0f} MiB, at the end {sizes[-1]:.0f} MiB, largest in "
        f"between {max(sizes[2:]):.0f} MiB: {growth:.3f} (below {MOST_GROWTH:g}: {verdict(met)})."
    ], met
