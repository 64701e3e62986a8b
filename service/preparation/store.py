"""Prepared models in the cache: found, or made once by a process of their own."""

from __future__ import annotations

import fcntl
import importlib.util
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from service.model.prepared import CacheKey, PreparedModel
from service.preparation.manifest import MANIFEST, DamagedError, File, Manifest
from service.preparation.refusal import NotPreparedError, Refusal, SourceRefusedError
from service.preparation.source import Source

logger = logging.getLogger(__name__)

COMMAND = (sys.executable, "-I", "-c")
"""How a process is started that knows nothing of this one's folder or variables."""

PROGRAM = "import sys, json; sys.path = json.loads(sys.argv[2]); " + (
    "from service.preparation.worker import main; main(json.loads(sys.argv[1]))"
)
"""What it runs: it imports what this process would import, from the same places."""

REQUIRED = ("onnx_ir", "onnxscript")
"""Packages that rewriting needs and serving does not."""

KEPT_UNUSED_S = 30 * 24 * 3600
"""For which a prepared model stays that no start of a service has asked for."""

_PARTIAL = ".partial-"


class Store:
    """The prepared models of a cache.

    A folder is complete under its name or not there at all, and one that was changed since is made
    anew. Several environments may share the cache: each finds its own, and what has had no use for
    a month goes. Processes that need the same one at once wait for each other, and only the first
    makes it.

    Attributes:
        cache_dir: the cache; need not be there yet.
    """

    def __init__(self, cache_dir: Path) -> None:
        self.cache_dir = cache_dir
        self._folder = cache_dir / "prepared"

    def folder(self, key: CacheKey) -> Path:
        """Return where the model of a key is, if it is there."""
        return self._folder / key.name

    def has(self, model: PreparedModel) -> bool:
        """Tell whether a prepared model is in its folder, as it was written.

        Raises:
            SourceRefusedError: there will be none.
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
        """Have a prepared model in its folder: make it where it is missing or damaged.

        A source that was refused is not tried again.

        Args:
            model: as it shall be.
            source: what it is made of.
            threads: of the parity check.
            progress: called with a line where something takes long.

        Raises:
            SourceRefusedError: the source cannot be prepared.
            NotPreparedError: preparing failed, a package is missing, or the cache cannot be
                written.
            ModelError: the source cannot be had.
        """
        if not self.has(model):  # damage is said under the lock, by who makes it anew
            self._make_missing(model, source, threads, progress)
        self._remove_unused(model.key)

    def _make_missing(
        self, model: PreparedModel, source: Source, threads: int, progress: Callable[[str], None]
    ) -> None:
        if any(importlib.util.find_spec(package) is None for package in REQUIRED):
            raise NotPreparedError(
                "preparing the model needs packages that are not installed: "
                "pip install 'kokoro-service[prepare]'"
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
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                progress("waiting for another process that prepares a model")
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _run_worker(
        self, model: PreparedModel, source: Source, threads: int, progress: Callable[[str], None]
    ) -> Manifest:
        for left in self._folder.glob(f"{_PARTIAL}*"):  # by processes that were killed
            # One that is just dying may still write; the next to come here removes the rest.
            shutil.rmtree(left, ignore_errors=True)
        progress("preparing the model for this machine, once; it takes a minute or less")
        with (
            tempfile.TemporaryDirectory(prefix=_PARTIAL, dir=self._folder) as partial,
            tempfile.TemporaryDirectory(prefix=_PARTIAL, dir=self._folder) as scratch,
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
        """Remove what a key supersedes and nobody has used for long.

        Another version of ONNX Runtime, or an installation without a compiler, may share the cache
        and use today what this one has no use for.
        """
        for old in self._folder.glob(f"{key.family}-*"):
            if not key.supersedes(old.name):
                continue
            try:
                if time.time() - old.stat().st_mtime < KEPT_UNUSED_S:
                    continue
                # At once; who is just opening it notices, and what is left goes next time.
                going = old.with_name(f"{_PARTIAL}{old.name}")
                os.rename(old, going)
                shutil.rmtree(going)
            except FileNotFoundError:
                continue  # another process was quicker
            except OSError as error:
                logger.warning(
                    "%s, which nobody uses any more, cannot be removed: %s", old, error.strerror
                )


def _note_use(folder: Path) -> None:
    try:
        os.utime(folder)
    except OSError as error:  # of who may only read, and removes nothing either
        logger.debug("the use of %s cannot be noted: %s", folder, error.strerror)


def _verify(model: PreparedModel) -> None:
    _accept(model, Manifest.verify(model.folder, model.key))


def _accept(model: PreparedModel, manifest: Manifest) -> None:
    if manifest.refusal is not None:
        raise SourceRefusedError(
            f"the model cannot be prepared: {manifest.refusal} (noted in {model.folder / MANIFEST})"
        )


def _run(request: dict[str, Any], progress: Callable[[str], None]) -> dict[str, Any]:
    """Have the process do it; it is killed if this one stops waiting for it."""
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
                for line in process.stdout or ():
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
        logger.debug("the preparing process said:\n%s", text)
        reason = last.get("failure") or _ending(process.returncode, text)
        raise NotPreparedError(f"preparing the model failed: {reason}")
    return last


def _ending(status: int, complaints: str) -> str:
    if status < 0:
        return f"its process was ended by signal {-status}"
    lines = [line.strip() for line in complaints.splitlines() if line.strip()]
    return lines[-1] if lines else f"its process ended with status {status}"
