"""Models opened without a cache."""

from service.loading import load_synthesizer
from service.model import PreparedModel, SplitModel, open_runtime
from service.model import open as open_model
from service.model.prepared import CacheKey
from service.preparation import Source
from service.settings import Settings
from tests.small_kokoro import write_small_kokoro


def open_file(path, runtime=None):
    file = Source(path, False).file_as_it_is("as it is", lambda line: None)
    return open_model(file, runtime or open_runtime())


def open_folder(folder, runtime=None, variant="float32", operators=None):
    """Open what was rewritten into a folder, on the processor."""
    prepared = PreparedModel(folder.name, folder, CacheKey("", 0, variant, "any"), "for a test", operators)
    model = open_model(prepared, runtime or open_runtime())
    assert isinstance(model, SplitModel)
    return model


def open_small(folder, **settings):
    """Open a synthesizer with a model that hums at once, for tests of all but the sound."""
    path = write_small_kokoro(folder / "small.onnx")
    return load_synthesizer(Settings(model=path, prepare=False, **settings), lambda line: None)
