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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.errors import ModelError
from service.model.manifest import (
    MANIFEST,
    DamagedError,
    File,
    Manifest,
    Recipe,
)

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


class NotPreparedError(ModelError):
    """There is no prepared model; the message says why and what to do."""


class RefusedError(NotPreparedError):
    """The source cannot be prepared, now or later."""


@dataclass(frozen=True)
class Workshop:
    """What preparing needs to know beside the recipe.

    Attributes:
        operators: library of our own operators, for the variant `native`.
        threads: to prove the result with.
        get_source: returns the source's file, given a folder where it may write it, which is
            removed afterwards.
    """

    operators: Path | None
    threads: int
    get_source: Callable[[Path], Path]


class PreparedModels:
    """The prepared models of a cache.

    A folder is whole under its name or not there at all, and one that was changed since is made
    anew. Several environments may share the cache: each finds its own, and what has had no use for
    a month goes. Processes that need the same one at once wait for each other, and only the first
    makes it.

    Args:
        cache_dir: the cache; need not be there yet.
    """

    def __init__(self, cache_dir: Path) -> None:
        self._folder = cache_dir / "prepared"

    def folder(self, recipe: Recipe) -> Path:
        """Return where the model of a recipe is, if it is there."""
        return self._folder / recipe.key

    def find(self, recipe: Recipe) -> Path | None:
        """Return the folder of a prepared model, None where it is missing or damaged.

        Raises:
            RefusedError: there will be none.
        """
        folder = self.folder(recipe)
        if not folder.is_dir():
            return None
        _note_use(folder)
        try:
            return _usable(folder, Manifest.verify(folder, recipe))
        except DamagedError:
            return None

    def get(self, recipe: Recipe, workshop: Workshop, progress: Callable[[str], None]) -> Path:
        """Return the folder of a prepared model, which is made where it is missing or damaged.

        A source that was refused is not tried again.

        Raises:
            RefusedError: the source cannot be prepared.
            NotPreparedError: preparing failed, a package is missing, or the cache cannot be
                written.
            ModelError: the source cannot be had.
        """
        folder = self._get(recipe, workshop, progress)
        self._remove_unused(recipe)
        return folder

    def _get(self, recipe: Recipe, workshop: Workshop, progress: Callable[[str], None]) -> Path:
        found = self.find(recipe)  # damage is said under the lock, by who makes it anew
        if found is not None:
            return found
        folder = self.folder(recipe)
        if any(importlib.util.find_spec(package) is None for package in REQUIRED):
            raise NotPreparedError(
                "preparing the model needs packages that are not installed: "
                "pip install 'kokoro-service[prepare]'"
            )
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with self._lock(progress):
                if folder.is_dir():
                    try:
                        return _usable(folder, Manifest.verify(folder, recipe))
                    except DamagedError as error:
                        progress(f"the prepared model is damaged ({error}); making it anew")
                return _usable(folder, self._make(recipe, workshop, progress))
        except OSError as error:
            raise NotPreparedError(
                f"the prepared model cannot be written to {self._folder}: {error.strerror}; "
                "set cache_dir to a folder that can be written"
            ) from error

    @contextmanager
    def _lock(self, progress: Callable[[str], None]) -> Iterator[None]:
        with open(self._folder / ".lock", "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                progress("waiting for another process that prepares a model")
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _make(
        self, recipe: Recipe, workshop: Workshop, progress: Callable[[str], None]
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
                    "source": str(workshop.get_source(Path(scratch)).absolute()),
                    "folder": str(Path(partial).absolute()),
                    "variant": recipe.variant,
                    "operators": None if workshop.operators is None else str(workshop.operators),
                    "signed_weights": recipe.products == "exact",
                    "threads": workshop.threads,
                },
                progress,
            )
            made = Path(partial) / "whole"
            made.mkdir()
            files = {}
            if result["refusal"] is None:
                for name in recipe.files:
                    os.rename(Path(partial) / name, made / name)
                    files[name] = File.of(made / name)
            manifest = Manifest(recipe, files, result["proof"], result["refusal"])
            manifest.write(made)
            folder = self.folder(recipe)
            if folder.is_dir():  # damaged
                os.rename(folder, Path(partial) / "damaged")
            os.rename(made, folder)
        if manifest.refusal is None:
            progress(f"model prepared: {folder}")
        return manifest

    def _remove_unused(self, recipe: Recipe) -> None:
        """Remove what a recipe supersedes and nobody has used for long.

        Another version of ONNX Runtime, or an installation without a compiler, may share the cache
        and use today what this one has no use for.
        """
        for old in self._folder.glob(f"{recipe.family}-*"):
            if not recipe.supersedes(old.name):
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


def _usable(folder: Path, manifest: Manifest) -> Path:
    if manifest.refusal is not None:
        raise RefusedError(
            f"the model cannot be prepared: {manifest.refusal} (noted in {folder / MANIFEST})"
        )
    return folder


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
