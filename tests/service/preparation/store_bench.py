"""A cache to prepare small models in."""

import numpy as np

from service.loading import load_model
from service.model import PreparedModel, open_runtime
from service.preparation import Source, get, getting, store
from service.preparation.operators import NativeUnavailableError
from service.settings import Settings
from tests.small_kokoro import COUNTER, write_small_kokoro

STYLE = np.zeros((1, 256), np.float32)

PROGRAM = (
    "import sys, json; sys.path = json.loads(sys.argv[2]); from tests import small_kokoro; "
    "from service.preparation.worker import main; "
    "main(json.loads(sys.argv[1]), small_kokoro.{})"
)
REAL_PROGRAM = store.PROGRAM


class Bench:
    """A source, a cache, and a rewriting to choose."""

    def __init__(self, folder, patch):
        self.cache, self.lines = folder / "cache", []
        self.source = write_small_kokoro(folder / "small.onnx")
        self.counter = folder / "counter"
        self._patch = patch
        patch.setenv(COUNTER, str(self.counter))
        patch.setattr(getting, "find_native_operators", no_operators)

    @property
    def prepared(self):
        return self.cache / "prepared"

    @property
    def n_rewritings(self):
        return len(self.counter.read_text().splitlines()) if self.counter.exists() else 0

    def folder(self):
        (name,) = self.folders()
        return self.prepared / name

    def folders(self):
        return sorted(path.name for path in self.prepared.iterdir() if path.name != ".lock")

    def rewrite_by(self, name):
        self._patch.setattr(store, "PROGRAM", PROGRAM.format(name))

    def prepare(self, name):
        self.rewrite_by(name)
        return self.get(self.lines.append).folder / "encoder.onnx"

    def get(self, progress):
        prepared = get(Source(self.source, False), "processor", open_runtime(), self.cache, progress)
        assert isinstance(prepared, PreparedModel)
        return prepared

    def load(self, name):
        self.rewrite_by(name)
        return load_model(Settings(model=self.source, cache_dir=self.cache), open_runtime(), self.lines.append)


def no_operators(kernels=None):
    raise NativeUnavailableError("this test wants none")


def warnings_of(caplog):
    return [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]


class StoppedError(Exception):
    pass


def stop_at(words, number=1):
    """Return what takes lines of progress, and raises an error at one of those that have words in them."""
    lines = []

    def progress(line):
        lines.extend([line] * (words in line))
        if len(lines) == number:
            raise StoppedError(line)

    return progress
