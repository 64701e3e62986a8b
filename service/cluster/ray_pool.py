"""A pool of speakers on all machines of a Ray cluster: actors, each with a model of its own."""

from __future__ import annotations

import logging
import socket
from collections import deque
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

import ray
from ray.exceptions import (
    ObjectLostError,
    OwnerDiedError,
    RayActorError,
    RayTaskError,
    WorkerCrashedError,
)

from service.cluster.pools import ActorOptions, Answer, Task
from service.cluster.speaker import Failure, Speaker, SpeechForm
from service.errors import StartupError
from service.heap import share_freed_memory
from service.loading import load_synthesizer
from service.logs import configure_logging
from service.settings import Settings

logger = logging.getLogger(__name__)

_TASKS_HELD = 2
"""Tasks of an actor: one is spoken while the next waits, so that no actor waits for the driver."""

_REACH_S = 5.0

_LOST = (RayActorError, WorkerCrashedError, ObjectLostError, OwnerDiedError)
"""What Ray raises if an actor, its machine, or an answer on its way is lost."""


class SpeakingActor:
    """What runs in a process of its own on some machine: it loads the model, and speaks."""

    def __init__(self, settings: dict[str, Any], form: SpeechForm, attempts: int) -> None:
        self._settings = settings
        self._form = form
        self._attempts = attempts

    def load(self) -> None:
        """Load the model; on a machine where it is not prepared yet, one of its actors does that.

        Raises:
            StartupError: something is missing or damaged; the message says what to do.
        """
        share_freed_memory()
        settings = Settings(**self._settings)
        configure_logging(settings.log_level, settings.log_format)
        synthesizer = load_synthesizer(settings, logger.info)
        synthesizer.self_test()
        self._speaker = Speaker(synthesizer, self._form, self._attempts)

    def say(self, task: Task) -> Answer:
        """Say a task."""
        return Answer(task, self._speaker.say(task.utterance))


@dataclass(eq=False)
class _Actor:
    """An actor, and what it was asked.

    Attributes:
        handle: Ray's.
        loading: what its `load` returns; None after it has.
        tasks: that it has, the first of which it is speaking.
    """

    handle: Any
    loading: Any
    tasks: dict[Any, Task] = field(default_factory=dict)


class RayPool:
    """Says tasks by the actors of a Ray cluster.

    An actor that is lost is replaced, and its tasks are given to others. A task that was being
    spoken when its actor was lost, `attempts` times, is not tried again: it may be the cause.

    Args:
        settings: of the service; `threads` 0 means the processors of an actor.
        form: how to write what is said.
        attempts: see above, and `Speaker`.
        options: of the actors.

    Raises:
        StartupError: there is no such cluster.
    """

    def __init__(
        self, settings: Settings, form: SpeechForm, attempts: int, options: ActorOptions
    ) -> None:
        threads = settings.threads or max(1, int(options.n_cpus))
        self._arguments = ({**settings.model_dump(), "threads": threads}, form, attempts)
        self._attempts = attempts
        self._options = options
        try:
            _reach(options.address)
            ray.init(address=options.address, log_to_driver=False, logging_level="warning")
        except (OSError, ValueError) as error:
            raise StartupError(
                f"there is no Ray cluster at {options.address}: start one with `ray start --head`, "
                "or leave --cluster out to speak on this machine alone"
            ) from error
        self._class = ray.remote(SpeakingActor).options(
            num_cpus=options.n_cpus, num_gpus=options.n_gpus, scheduling_strategy="SPREAD"
        )

    def close(self) -> None:
        """Leave the cluster, which ends the actors."""
        ray.shutdown()

    def answers(self, tasks: Iterator[Task]) -> Generator[Answer, None, None]:
        """Yield the answer of each task, in the order in which they are ready.

        Raises:
            StartupError: an actor cannot load the model, or none gets a place in the cluster.
        """
        again: deque[Task] = deque()
        losses: dict[str, int] = {}
        n_vain = 0  # losses in a row
        actors = [self._start() for _ in range(self._n_actors())]
        try:
            while True:
                for actor in actors:
                    self._fill(actor, again, tasks)
                if not any(actor.tasks for actor in actors):
                    # Either nothing is left, or nobody speaks yet.
                    task = again.popleft() if again else next(tasks, None)
                    if task is None:
                        return
                    again.appendleft(task)
                for actor in self._wait(actors):
                    try:
                        yield from self._taken(actor)
                        n_vain = 0
                    except _LOST as error:
                        n_vain += 1
                        if n_vain > self._attempts * len(actors):
                            raise StartupError(
                                f"{n_vain} actors were lost one after the other; see Ray's log of "
                                "the last one"
                            ) from error
                        logger.warning("an actor was lost: %s", type(error).__name__)
                        yield from self._lost(actor, again, losses)
                        actors[actors.index(actor)] = self._start()
        finally:
            for actor in actors:
                ray.kill(actor.handle)

    def _n_actors(self) -> int:
        if self._options.n_actors is not None:
            return self._options.n_actors
        there_are = ray.cluster_resources()
        rooms = [there_are.get("CPU", 0) / self._options.n_cpus if self._options.n_cpus else 1]
        if self._options.n_gpus:
            rooms.append(there_are.get("GPU", 0) / self._options.n_gpus)
        return max(1, int(min(rooms)))

    def _start(self) -> _Actor:
        handle = self._class.remote(*self._arguments)
        return _Actor(handle, handle.load.remote())

    def _fill(self, actor: _Actor, again: deque[Task], tasks: Iterator[Task]) -> None:
        while actor.loading is None and len(actor.tasks) < _TASKS_HELD:
            task = again.popleft() if again else next(tasks, None)
            if task is None:
                return
            actor.tasks[actor.handle.say.remote(task)] = task

    def _wait(self, actors: list[_Actor]) -> list[_Actor]:
        """Return the actors that have something to tell, at least one."""
        speak = any(actor.loading is None for actor in actors)
        refs = [ref for actor in actors for ref in _refs(actor)]
        timeout_s = None if speak else self._options.patience_s
        done = set(ray.wait(refs, num_returns=1, timeout=timeout_s)[0])
        if not done:
            raise StartupError(
                f"no actor got a place in the cluster within {timeout_s:g} s: each needs "
                f"{self._options.n_cpus:g} CPUs and {self._options.n_gpus:g} GPUs that are free"
            )
        return [actor for actor in actors if not done.isdisjoint(_refs(actor))]

    def _taken(self, actor: _Actor) -> Iterator[Answer]:
        """Take what an actor has ready. Raises what Ray raises for one that is lost."""
        try:
            if actor.loading is not None:
                ray.get(actor.loading)
                actor.loading = None
            for ref in list(actor.tasks):
                if not ray.wait([ref], timeout=0)[0]:
                    return
                answer: Answer = ray.get(ref)
                del actor.tasks[ref]
                yield answer
        except RayTaskError as error:
            if isinstance(error.cause, StartupError):
                raise StartupError(f"an actor cannot start: {error.cause}") from error
            raise

    def _lost(self, actor: _Actor, again: deque[Task], losses: dict[str, int]) -> Iterator[Answer]:
        """Give the tasks of a lost actor to others, except one that was lost too often."""
        tasks = list(actor.tasks.values())
        if tasks and actor.loading is None:
            spoken = tasks[0]
            losses[spoken.key] = losses.get(spoken.key, 0) + 1
            if losses[spoken.key] >= self._attempts:
                tasks.pop(0)
                message = f"its process ended {self._attempts} times while it was spoken"
                yield Answer(spoken, Failure("worker_lost", message))
        again.extendleft(reversed(tasks))
        ray.kill(actor.handle)


def _reach(address: str) -> None:
    """Connect to `HOST:PORT`, for Ray itself tries for minutes. Raises OSError or ValueError."""
    host, colon, port = address.rpartition(":")
    if colon:
        socket.create_connection((host.strip("[]"), int(port)), _REACH_S).close()


def _refs(actor: _Actor) -> list[Any]:
    return [*actor.tasks, *([] if actor.loading is None else [actor.loading])]
