"""What speaks a corpus: a pool takes tasks and gives answers."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Protocol

from service.cluster.speaker import Failure, Speech
from service.errors import InvalidRequestError
from service.speech import Utterance


@dataclass(frozen=True)
class Task:
    """An utterance to be spoken, and its cache key."""

    key: str
    utterance: Utterance


@dataclass(frozen=True)
class Answer:
    """What became of a task."""

    task: Task
    result: Speech | Failure


@dataclass(frozen=True)
class ActorOptions:
    """The actors of a pool.

    Attributes:
        address: of the cluster, `HOST:PORT`, or `auto` for the one on this machine.
        n_actors: at most; None for as many as the cluster has room for at the start. Those for
            which there is no room start when machines join.
        n_cpus: processors of each, which are its threads too.
        n_gpus: GPUs of each.
        patience_s: seconds to wait until the first actor speaks.
    """

    address: str = "auto"
    n_actors: int | None = None
    n_cpus: float = 1
    n_gpus: float = 0
    patience_s: float = 600

    def check(self) -> None:
        """Raise InvalidRequestError for numbers that no actor can have."""
        if self.n_actors is not None and self.n_actors < 1:
            raise InvalidRequestError("actors must be at least 1")
        if self.n_cpus <= 0 or self.n_gpus < 0:
            raise InvalidRequestError("actor-cpus must be more than 0, actor-gpus 0 or more")


class Pool(Protocol):
    """Speaks tasks, several at a time."""

    def answers(self, tasks: Iterator[Task]) -> Generator[Answer, None, None]:
        """Yield the answer of each task, in the order in which they are ready.

        Tasks are taken only as they are needed.

        Raises:
            StartupError: nobody can speak; the message says what to do.
        """
        ...
