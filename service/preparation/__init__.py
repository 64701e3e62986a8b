"""Build time: the model made ready for this machine, once, and kept in a cache.

Nothing here imports the packages that rewriting needs; only the worker's process does.
"""

from service.preparation.assembly import assemble, default_cache_dir, model_path
from service.preparation.getting import Target, get, make_for_gpus
from service.preparation.refusal import NotPreparedError, SourceRefusedError
from service.preparation.source import Source

__all__ = [
    "NotPreparedError",
    "Source",
    "SourceRefusedError",
    "Target",
    "assemble",
    "default_cache_dir",
    "get",
    "make_for_gpus",
    "model_path",
]
