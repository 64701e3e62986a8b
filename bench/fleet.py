"""How long listeners wait for first audio where many replicas serve them: a simulation.

    python -m bench.fleet [--write] [--seed N]

Requests come at random (Poisson), and a router gives each to one of 10, 100 or 1,000 replicas of
two cores. Each is one of three texts, whose times are those of the section "first audio" (one
client, native): a short answer, a sentence and a paragraph; two fifths, two fifths and one fifth of
the requests. A replica has one model. As in the service, each window is a turn, and who wants
another one queues behind all others.

Routers: `blind` takes any replica, as a Service of Kubernetes does. `two choices` takes the less
busy of two, as Ray Serve does. `least busy` knows all replicas, as a single proxy in front of some
could.

Utilization is the share of time in which replicas compute. First audio is the time from the request
to the end of its first turn. A player that starts then runs dry if a later window comes after the
audio before it has been played. There is no network, no cold start and no failure. With 1,000
replicas a run is one minute long, in which blind routing at 90 % and more has not yet come to its
worst.
"""

from __future__ import annotations

import heapq
import random
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from bench.command import Section, command_line, publish

WINDOW_S = 2.4
"""Seconds of audio of the longest window."""

REPLICAS = (10, 100, 1000)
UTILIZATIONS = (0.5, 0.7, 0.8, 0.9, 0.95)
REQUESTS_PER_REPLICA = 60
MIN_REQUESTS = 20_000
WARM_UP = 0.2
"""Share of the requests that only fill the replicas."""

DRY_S = 0.05
"""Shorter gaps are not counted."""


@dataclass(frozen=True)
class Text:
    """A text that is requested.

    Attributes:
        share: of all requests.
        audio_s: its duration.
        first_s: compute time until its first audio.
        whole_s: compute time of all of it.
    """

    share: float
    audio_s: float
    first_s: float
    whole_s: float

    def turns(self) -> list[tuple[float, float]]:
        """Return the turns: seconds of computing, and of audio that they give."""
        n_later = round((self.audio_s - WINDOW_S) / WINDOW_S) if self.whole_s > self.first_s else 0
        if n_later == 0:
            return [(self.whole_s, self.audio_s)]
        first_audio_s = self.audio_s - n_later * WINDOW_S
        later_s = (self.whole_s - self.first_s) / n_later
        return [(self.first_s, first_audio_s), *[(later_s, WINDOW_S)] * n_later]


TEXTS = (Text(0.4, 1.8, 0.16, 0.16), Text(0.4, 5.6, 0.23, 0.56), Text(0.2, 33.7, 0.22, 3.25))


@dataclass
class Utterance:
    """A request that is being spoken."""

    arrived_s: float
    turns: list[tuple[float, float]]
    done: int = 0
    first_s: float = 0.0
    played_until_s: float = 0.0
    dry_s: float = 0.0

    def turn_ended(self, now_s: float) -> None:
        """Note that a turn has ended."""
        audio_s = self.turns[self.done][1]
        if self.done == 0:
            self.first_s = now_s - self.arrived_s
            self.played_until_s = now_s
        gap_s = max(0.0, now_s - self.played_until_s)
        self.dry_s = max(self.dry_s, gap_s)
        self.played_until_s += gap_s + audio_s
        self.done += 1


@dataclass
class Replica:
    """A replica: the utterance in its turn, and those that wait for theirs."""

    queue: deque[Utterance] = field(default_factory=deque)

    @property
    def n_ongoing(self) -> int:
        return len(self.queue)


Router = Callable[[random.Random, Sequence[Replica]], int]


def blind(chance: random.Random, replicas: Sequence[Replica]) -> int:
    return chance.randrange(len(replicas))


def two_choices(chance: random.Random, replicas: Sequence[Replica]) -> int:
    one, other = chance.sample(range(len(replicas)), 2)
    return one if replicas[one].n_ongoing <= replicas[other].n_ongoing else other


def least_busy(chance: random.Random, replicas: Sequence[Replica]) -> int:
    fewest = min(replica.n_ongoing for replica in replicas)
    return chance.choice([i for i, each in enumerate(replicas) if each.n_ongoing == fewest])


ROUTERS: dict[str, Router] = {
    "blind": blind, "two choices": two_choices, "least busy": least_busy,
}  # fmt: skip


def simulate(
    arrivals: Iterator[tuple[float, Text]], n_replicas: int, route: Router, seed: int
) -> list[Utterance]:
    """Return all utterances, in the order of their arrival, when the last one is spoken."""
    chance = random.Random(seed)
    replicas = [Replica() for _ in range(n_replicas)]
    ends: list[tuple[float, int]] = []  # of the turn in progress of each busy replica
    utterances: list[Utterance] = []
    coming = next(arrivals, None)
    while coming is not None or ends:
        if coming is not None and (not ends or coming[0] <= ends[0][0]):
            now_s, text = coming
            utterance = Utterance(now_s, text.turns())
            utterances.append(utterance)
            chosen = route(chance, replicas)
            replicas[chosen].queue.append(utterance)
            if replicas[chosen].n_ongoing == 1:
                heapq.heappush(ends, (now_s + utterance.turns[0][0], chosen))
            coming = next(arrivals, None)
            continue
        now_s, number = heapq.heappop(ends)
        queue = replicas[number].queue
        utterance = queue.popleft()
        utterance.turn_ended(now_s)
        if utterance.done < len(utterance.turns):
            queue.append(utterance)
        if queue:
            following = queue[0]
            heapq.heappush(ends, (now_s + following.turns[following.done][0], number))
    return utterances


def poisson(n_requests: int, per_s: float, seed: int) -> Iterator[tuple[float, Text]]:
    """Yield requests that come at random, so many in a second on average."""
    chance = random.Random(seed)
    texts = chance.choices(TEXTS, [text.share for text in TEXTS], k=n_requests)
    times = accumulate(chance.expovariate(per_s) for _ in texts)
    yield from zip(times, texts, strict=True)


def rate(utilization: float, n_replicas: int) -> float:
    """Return how many requests in a second keep so many replicas so busy."""
    return utilization * n_replicas / sum(text.share * text.whole_s for text in TEXTS)


def quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def rows(seed: int) -> Iterator[str]:
    yield (
        "| replicas | utilization | router | requests a second | first audio: p50 / p95 / p99, s "
        "| ran dry |"
    )
    yield "|---|---|---|---|---|---|"
    for n_replicas in REPLICAS:
        n_requests = max(MIN_REQUESTS, REQUESTS_PER_REPLICA * n_replicas)
        for utilization in UTILIZATIONS:
            per_s = rate(utilization, n_replicas)
            for name, route in ROUTERS.items():
                if name == "least busy" and n_replicas > 100:
                    continue  # nothing knows so many replicas at each moment
                arrivals = poisson(n_requests, per_s, seed)
                spoken = simulate(arrivals, n_replicas, route, seed)[int(WARM_UP * n_requests) :]
                waits = [each.first_s for each in spoken]
                told = " / ".join(f"{quantile(waits, share):.2f}" for share in (0.5, 0.95, 0.99))
                dry = sum(each.dry_s > DRY_S for each in spoken) / len(spoken)
                load = f"{n_replicas:,} | {utilization:.0%} | {name} | {per_s:,.0f}"
                yield f"| {load} | {told} | {dry:.1%} |"


def of_four_clients() -> str:
    """Return what four clients that ask at once get of one replica, to compare with RESULTS.md."""
    told = []
    for name, text in zip(("short", "sentence", "paragraph"), TEXTS, strict=True):
        spoken = simulate(iter([(0.0, text)] * 4), 1, blind, 0)
        told.append(f"{name} {quantile([each.first_s for each in spoken], 0.5):.2f} s")
    return ", ".join(told)


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status."""
    parser = command_line("bench.fleet", __doc__)
    parser.add_argument("--seed", type=int, default=1, help="of everything random; default: 1")
    options = parser.parse_args(arguments)
    return publish(map(_section, [options.seed]), write=options.write)


def _section(seed: int) -> Section:
    about = (__doc__ or "").partition("\n\n")[2].partition("\n\n")[2]
    table = "\n".join(rows(seed))
    check = (
        "Four clients at once at one replica, median of first audio: simulated "
        f"{of_four_clients()}; measured 0.46 s, 0.71 s and 0.71 s."
    )
    return Section("fleet", about, f"{table}\n\n{check}")


if __name__ == "__main__":
    sys.exit(main())
