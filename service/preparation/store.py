"""The cache of prepared models: find them, or make them in a process of their own."""

from __future__ import annotations

import fcntl
import importlib.util
import json
import logging
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from service.extras import advice
from service.model.prepared import CacheKey, PreparedModel
from service.preparation.cached import PARTIAL, PREPARED, remove
from service.preparation.manifest import MANIFEST, DamagedError, File, Manifest
from service.preparation.refusal import NotPreparedError, Refusal, SourceRefusedError
from service.preparation.source import Source

logger = logging.getLogger(__name__)

COMMAND = (sys.executable, "-I", "-c")
"""Starts a process that ignores the current folder and the environment."""

PROGRAM = "import sys, json; sys.path = json.loads(sys.argv[2]); " + (
    "from service.preparation.worker import main; main(json.loads(sys.argv[1]))"
)
"""Its program, which imports from the same places as this process."""

REQUIRED = ("onnx_ir", "onnxscript")
"""Packages that only rewriting needs."""

KEPT_UNUSED_S = 7 * 24 * 3600
"""How long an unused prepared model is kept."""

TOLD_EVERY_S = 3.0
"""How often `progress` is called while something takes long. It may raise an error, so this is also
how soon a service that is stopped stops waiting."""

LONGEST_WAIT_S = 1800.0
"""For another process that prepares a model. Both models for GPUs take a slow board minutes."""

_POLL_S = 0.1


class Store:
    """The prepared models of a cache.

    Folders are written atomically, and a damaged one is made anew. Several environments may share a
    cache, with a model each. Models of another version that are unused for a week are removed.
    Concurrent processes wait for each other, and only the first makes the model.

    Attributes:
        cache_dir: the cache; it need not exist yet.
    """

    def __init__(self, cache_dir: Path) -> None:
        self.cache_dir = cache_dir
        self._folder = cache_dir / PREPARED

    def folder(self, key: CacheKey) -> Path:
        """Return the folder for the model of a key."""
        return self._folder / key.name

    @property
    def can_make(self) -> bool:
        """Tell whether the packages that rewriting needs are installed."""
        return all(importlib.util.find_spec(package) for package in REQUIRED)

    def has(self, model: PreparedModel) -> bool:
        """Tell whether a prepared model exists and is intact.

        Raises:
            SourceRefusedError: its source was refused.
        """
        if not model.folder.is_dir():
            return False
        _note_use(model.folder)
        try:
            _verify(model)
        except DamagedError:
            return False
        return True

    def make(
        self, model: PreparedModel, source: Source, threads: int, progress: Callable[[str], None]
    ) -> None:
        """Make a prepared model if it is missing or damaged.

        A source that was refused is not tried again.

        Args:
            model: to make.
            source: to make it of.
            threads: of the parity check.
            progress: called with a line where something takes long, every few seconds. An error
                that it raises ends the making.

        Raises:
            SourceRefusedError: the source cannot be prepared.
            NotPreparedError: preparing failed, a package is missing, the cache cannot be written,
                or another process that prepares a model does not end.
            ModelError: the source is missing or damaged.
        """
        if not self.has(
            model
        ):  # damage is reported under the lock, by the process that makes it anew
            self._make_missing(model, source, threads, progress)
        self._remove_unused(model.key)

    def _make_missing(
        self, model: PreparedModel, source: Source, threads: int, progress: Callable[[str], None]
    ) -> None:
        if not self.can_make:
            raise NotPreparedError(
                f"packages for preparing the model are not installed: {advice('prepare')}"
            )
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with self._lock(progress):
                if model.folder.is_dir():
                    try:
                        _verify(model)
                    except DamagedError as error:
                        progress(f"the prepared model is damaged ({error}); making it anew")
                    else:
                        return
                manifest = self._run_worker(model, source, threads, progress)
        except OSError as error:
            raise NotPreparedError(
                f"the prepared model cannot be written to {self._folder}: {error.strerror}; "
                "set cache_dir to a folder that can be written"
            ) from error
        _accept(model, manifest)
        progress(f"model prepared: {model.folder}")

    @contextmanager
    def _lock(self, progress: Callable[[str], None]) -> Iterator[None]:
        with open(self._folder / ".lock", "w") as lock:
            start_s = told_s = time.monotonic()
            while not _locks(lock):
                now_s = time.monotonic()
                if now_s - start_s > LONGEST_WAIT_S:
                    raise NotPreparedError(
                        f"another process has been preparing a model in {self._folder} for "
                        f"{LONGEST_WAIT_S / 60:.0f} minutes; end it, or set another cache_dir"
                    )
                if told_s == start_s or now_s - told_s > TOLD_EVERY_S:
                    progress("waiting for another process that prepares a model")
                    told_s = now_s
                time.sleep(_POLL_S)
            yield

    def _run_worker(
        self, model: PreparedModel, source: Source, threads: int, progress: Callable[[str], None]
    ) -> Manifest:
        for left in self._folder.glob(f"{PARTIAL}*"):  # by processes that were killed
            # A dying process may still write; the next caller removes the rest.
            shutil.rmtree(left, ignore_errors=True)
        progress("preparing the model for this machine, once; this takes up to a minute")
        with (
            tempfile.TemporaryDirectory(prefix=PARTIAL, dir=self._folder) as partial,
            tempfile.TemporaryDirectory(prefix=PARTIAL, dir=self._folder) as scratch,
        ):
            result = _run(
                {
                    "source": str(source.file(Path(scratch)).absolute()),
                    "folder": str(Path(partial).absolute()),
                    "key": asdict(model.key),
                    "operators": None if model.operators is None else str(model.operators),
                    "threads": threads,
                },
                progress,
            )
            made = Path(partial) / "made"
            made.mkdir()
            files = {}
            if result["refusal"] is None:
                for name in model.key.files:
                    os.rename(Path(partial) / name, made / name)
                    files[name] = File.of(made / name)
            refusal = None if result["refusal"] is None else Refusal(**result["refusal"])
            manifest = Manifest(model.key, files, result["parity"], refusal)
            manifest.write(made)
            if model.folder.is_dir():  # damaged
                os.rename(model.folder, Path(partial) / "damaged")
            os.rename(made, model.folder)
        return manifest

    def _remove_unused(self, key: CacheKey) -> None:
        """Remove models that a key supersedes and that are unused for long.

        Another installation, such as one with another ONNX Runtime, may share the cache and still
        use them.
        """
        for old in self._folder.glob(f"{key.family}-*"):
            if not key.supersedes(old.name):
                continue
            try:
                if time.time() - old.stat().st_mtime < KEPT_UNUSED_S:
                    continue
                remove(old)
            except FileNotFoundError:
                continue  # another process was quicker
            except OSError as error:
                logger.warning("the unused model %s cannot be removed: %s", old, error.strerror)


def _locks(file: IO[str]) -> bool:
    """Lock a file if nobody else has; tell whether it is locked."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _note_use(folder: Path) -> None:
    try:
        os.utime(folder)
    except OSError as error:  # the cache is read-only, so nothing is removed either
        logger.debug("the time of the last use of %s cannot be set: %s", folder, error.strerror)


def _verify(model: PreparedModel) -> None:
    _accept(model, Manifest.verify(model.folder, model.key))


def _accept(model: PreparedModel, manifest: Manifest) -> None:
    if manifest.refusal is not None:
        raise SourceRefusedError(
            f"the model cannot be prepared: {manifest.refusal} (noted in {model.folder / MANIFEST})"
        )


def _run(request: dict[str, Any], progress: Callable[[str], None]) -> dict[str, Any]:
    """Run the worker; it is killed if this process stops waiting."""
    command = [*COMMAND, PROGRAM, json.dumps(request), json.dumps(sys.path)]
    last: dict[str, Any] = {}
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as complaints:
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,  # it ends when this does
            stdout=subprocess.PIPE,
            stderr=complaints,
            encoding="utf-8",
        ) as process:
            try:
                for line in _lines(process, progress):
                    last = json.loads(line)
                    if "progress" in last:
                        progress(last["progress"])
                process.wait()
            except BaseException:
                process.kill()
                raise
        complaints.seek(0)
        text = complaints.read()
    if process.returncode != 0 or "refusal" not in last:
        logger.debug("output of the preparing process:\n%s", text)
        reason = last.get("failure") or _ending(process.returncode, text)
        raise NotPreparedError(f"preparing the model failed: {reason}")
    return last


def _lines(process: subprocess.Popen[str], progress: Callable[[str], None]) -> Iterator[str]:
    """Yield what the worker prints until it ends; tell now and then that it is at work."""
    printed: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        for line in process.stdout or ():
            printed.put(line)
        printed.put(None)

    threading.Thread(target=read, daemon=True).start()
    while True:
        try:
            line = printed.get(timeout=TOLD_EVERY_S)
        except queue.Empty:
            progress("still preparing the model")
            continue
        if line is None:
            return
        yield line


def _ending(status: int, complaints: str) -> str:
    if status < 0:
        return f"its process was killed by signal {-status}"
    lines = [line.strip() for line in complaints.splitlines() if line.strip()]
    return lines[-1] if lines else f"its process exited with status {status}"
