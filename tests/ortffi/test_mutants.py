"""A damaged model file is a clear error, or a model after all; never the end of the process.

Unless it is the end of ONNX Runtime itself, whoever calls it: then the onnxruntime package dies of
the same file.
"""

import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

import ortffi
from ortffi import LogLevel
from tests.ortffi import mutants

pytestmark = pytest.mark.thorough

FEW, MANY = 150, 2000
WORKERS = 2

OUTCOMES = ("error", "result", "not run")


class Case(NamedTuple):
    """What became of a mutant.

    Attributes:
        number: makes it again.
        what: was done to a model.
        outcome: one of `OUTCOMES`, an unexpected exception, or the signal of a worker that died.
        survived_elsewhere: of a worker that died, whether the package survives the same file.
    """

    number: int
    what: str
    outcome: str
    survived_elsewhere: bool = False


class Worker:
    """A process to load models in; a new one after it has died."""

    def __init__(self, *arguments):
        self._command = [sys.executable, str(Path(__file__).with_name("mutant_worker.py")), *arguments]
        self._process = None

    def ask(self, path):
        if self._process is None:
            folders = os.pathsep.join(filter(None, sys.path))
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                env={**os.environ, "PYTHONPATH": folders, "MALLOC_CHECK_": "3"},
            )  # fmt: skip
        try:
            self._process.stdin.write(f"{path}\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:  # it died before it was asked
            line = ""
        return json.loads(line) if line else f"died of {self._end()}"

    def _end(self):
        process, self._process = self._process, None
        with suppress(BrokenPipeError):
            process.stdin.close()
        process.stdout.close()
        code = process.wait()
        return signal.Signals(-code).name if code < 0 else f"exit {code}"

    def close(self):
        if self._process is not None:
            self._end()


def sweep(numbers, folder, models, suffix=".onnx"):
    """Load and run the mutants of these numbers."""
    library = str(ortffi.init().library.path)

    def work(some):
        ours, package, cases = Worker("ortffi", library), Worker("package"), []
        for number in some:
            what, content = mutants.mutant(number, models)
            path = folder / f"{number}{suffix}"
            path.write_bytes(content)
            outcome = ours.ask(path)
            died = outcome.startswith("died")
            survived = died and not package.ask(path).startswith("died")
            if survived:  # alone, and not after others
                outcome = ours.ask(path)
                survived = outcome.startswith("died")
            cases.append(Case(number, what, outcome, survived))
        ours.close()
        package.close()
        return cases

    shares = [numbers[start::WORKERS] for start in range(WORKERS)]
    with ThreadPoolExecutor(WORKERS) as pool:
        return [case for cases in pool.map(work, shares) for case in cases]


def in_ort_format(folder):
    """Return the models as ONNX Runtime writes them in its own format, where it loads them."""
    models = []
    for index, content in enumerate(mutants.seeds()):
        path = folder / f"seed-{index}.ort"
        chosen = ortffi.SessionBuilder().with_intra_threads(1).with_optimized_model(path)
        chosen.with_config("session.save_model_format", "ORT").with_log_level(LogLevel.FATAL)
        with suppress(ortffi.OrtError):
            chosen.commit_from_memory(content).close()
            models.append(path.read_bytes())
    return models


def assert_survived(cases, most_errors=0.95):
    counts = Counter(case.outcome for case in cases)
    print(dict(counts))
    known = {*OUTCOMES, *(outcome for outcome in counts if outcome.startswith("died"))}
    strange = [case for case in cases if case.survived_elsewhere or case.outcome not in known]
    assert not strange, "\n".join(map(str, strange))
    # The damage is neither harmless nor fatal before anything is read.
    assert len(cases) / 4 < counts["error"] < len(cases) * most_errors
    assert counts["result"]


@pytest.fixture
def packages_library():
    """Where the library is not the package's, only what it survives can be told."""
    spec = importlib.util.find_spec("onnxruntime")
    folder = Path(spec.origin).parent if spec and spec.origin else None
    if folder is None or folder not in ortffi.init().library.path.parents:
        pytest.skip("compares with the onnxruntime package: let its own library be found")


@pytest.mark.usefixtures("packages_library")
@pytest.mark.parametrize("numbers", [range(FEW), pytest.param(range(FEW, FEW + MANY), marks=pytest.mark.slow)])
def test_damaged_models(tmp_path, numbers):
    assert_survived(sweep(numbers, tmp_path, mutants.seeds()))


@pytest.mark.slow
@pytest.mark.usefixtures("packages_library")
def test_many_damaged_models_in_ort_format(tmp_path):
    models = in_ort_format(tmp_path)
    assert len(models) > 20
    assert_survived(sweep(range(MANY), tmp_path, models, ".ort"), most_errors=1)


def test_a_mutant_is_made_again_from_its_number():
    models = mutants.seeds()
    assert len(models) > 30
    first = [mutants.mutant(number, models) for number in range(100)]
    assert first == [mutants.mutant(number, models) for number in range(100)]
    assert len({content for _, content in first}) > 90


def test_a_worker_that_dies_is_noticed_and_replaced(tmp_path, library):
    good = tmp_path / "good.onnx"
    good.write_bytes(mutants.seeds()[0])
    worker = Worker("ortffi", str(library.path))
    assert worker.ask(good) == "result"
    worker._process.kill()
    assert [worker.ask(good) for _ in range(2)] == ["died of SIGKILL", "result"]
    assert worker.ask(tmp_path / "missing.onnx").startswith("FileNotFoundError")
    worker.close()
