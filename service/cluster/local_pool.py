"""A pool of speakers on this machine: threads that share one synthesizer."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice

from service.cluster.pools import Answer, Task
from service.cluster.speaker import Failure, Speaker, Speech


class LocalPool:
    """Says tasks by one speaker in several threads.

    Args:
        speaker: to use.
        n_threads: one more than the synthesizer has workers, so that no worker waits while a text
            is read or a file is encoded.
    """

    def __init__(self, speaker: Speaker, n_threads: int) -> None:
        self._speaker = speaker
        self._n_threads = n_threads

    def answers(self, tasks: Iterator[Task]) -> Generator[Answer, None, None]:
        """Yield the answer of each task, in the order in which they are ready."""
        executor = ThreadPoolExecutor(self._n_threads, thread_name_prefix="corpus")
        pending: dict[Future[Speech | Failure], Task] = {}
        try:
            while True:
                for task in islice(tasks, self._n_threads + 1 - len(pending)):
                    pending[executor.submit(self._speaker.say, task.utterance)] = task
                if not pending:
                    return
                done, _ = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    yield Answer(pending.pop(future), future.result())
        finally:
            self._speaker.stop()
            executor.shutdown(cancel_futures=True)
