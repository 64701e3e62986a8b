"""Build time: prepare the model for this machine once, and keep it in a cache.

Only the worker's process imports the packages that rewriting needs.
"""

from service.preparation.assembly import assemble, default_cache_dir, model_path
from service.preparation.cached import Cached, cached, remove
from service.preparation.getting import Target, get, make_for_gpus
from service.preparation.manifest import digest
from service.preparation.refusal import NotPreparedError, SourceRefusedError
from service.preparation.source import Source

__all__ = [
    "Cached",
    "NotPreparedError",
    "Source",
    "SourceRefusedError",
    "Target",
    "assemble",
    "cached",
    "default_cache_dir",
    "digest",
    "get",
    "make_for_gpus",
    "model_path",
    "remove",
]
