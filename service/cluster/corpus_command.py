"""The command `corpus`: a corpus is spoken by this machine, or by a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from service.cluster.batch import Batch
from service.cluster.corpus_progress import CorpusProgress, duration
from service.cluster.local_pool import LocalPool
from service.cluster.pools import ActorOptions, Answer, Pool, Task
from service.cluster.sound_identity import SoundIdentity
from service.cluster.speaker import Speaker, SpeechForm
from service.cluster.speech_folder import MANIFEST, SpeechFolder
from service.errors import InvalidRequestError, StartupError
from service.extras import advice
from service.loading import load_synthesizer
from service.settings import Settings

_ENDINGS = {"pcm": "raw", "opus": "ogg", "wav_mulaw": "wav", "wav_alaw": "wav"}
"""Endings of files that are not the format's name."""


@dataclass(frozen=True)
class CorpusRun:
    """What to speak, where to, and how.

    Attributes:
        corpus: the file; see `read_corpus`.
        output: the folder.
        form: of the files.
        attempts: how often to try what fails by no fault of its text.
    """

    corpus: Path
    output: Path
    form: SpeechForm
    attempts: int


def speak_corpus(
    settings: Settings,
    run: CorpusRun,
    actors: ActorOptions | None,
    tell: Callable[[str], None],
) -> bool:
    """Speak a corpus; return whether every line of it was spoken.

    Args:
        settings: of the service.
        run: see above.
        actors: of a Ray cluster; None for this machine alone.
        tell: called with a line where something takes long, and at the end.

    Raises:
        ServiceError: nothing can be spoken; the message says what to do.
        OSError: a file cannot be read or written.
    """
    if run.attempts < 1:
        raise InvalidRequestError("attempts must be at least 1")
    if actors is not None:
        actors.check()
    run.form.check()
    name = run.form.audio_format
    with SpeechFolder(run.output, _ENDINGS.get(name, name)) as folder:
        batch = Batch(run.corpus, folder, SoundIdentity(settings, run.form))
        progress = CorpusProgress(batch.n_missing, batch.n_characters, batch.n_kept)
        with _pool(settings, run, actors, batch.n_missing, tell) as pool:
            summary = batch.speak(pool, progress)
    tell(
        f"{run.output / MANIFEST}: {summary.n_lines - summary.n_bad:,} of {summary.n_lines:,} "
        f"lines, {duration(summary.audio_s)} of speech, {summary.n_spoken:,} utterances now"
    )
    if summary.n_bad:
        tell(f"{summary.n_bad:,} lines could not be spoken: see {summary.errors}")
    return summary.n_bad == 0


class _NobodyNeeded:
    """The pool of a corpus of which nothing is missing."""

    def answers(self, tasks: Iterator[Task]) -> Generator[Answer, None, None]:
        """Yield nothing."""
        yield from ()


@contextmanager
def _pool(
    settings: Settings,
    run: CorpusRun,
    actors: ActorOptions | None,
    n_missing: int,
    tell: Callable[[str], None],
) -> Iterator[Pool]:
    """Lend a pool; one that does nothing needs no model."""
    if n_missing == 0:
        yield _NobodyNeeded()
    elif actors is None:
        synthesizer = load_synthesizer(settings, tell)
        try:
            synthesizer.self_test()
            speaker = Speaker(synthesizer, run.form, run.attempts)
            yield LocalPool(speaker, len(synthesizer.workers) + 1)
        finally:
            synthesizer.close()
    else:
        try:
            from service.cluster.ray_pool import RayPool
        except ImportError as error:
            raise StartupError(f"--cluster needs the extra cluster: {advice('cluster')}") from error
        pool = RayPool(settings, run.form, run.attempts, actors)
        try:
            yield pool
        finally:
            pool.close()
