"""The audio cache."""

from __future__ import annotations

import threading
from collections.abc import Hashable

from cachetools import LRUCache

from service.model import Inference


class AudioCache:
    """Inferences by cache key, bounded in bytes; the least recently used are evicted. Thread-safe.

    With a bound of 0 it is off.
    """

    def __init__(self, max_bytes: int) -> None:
        self._cache: LRUCache[Hashable, Inference] = LRUCache(max_bytes, getsizeof=_size)
        self._lock = threading.Lock()

    @property
    def is_on(self) -> bool:
        """Tell whether the cache is on."""
        return self._cache.maxsize > 0

    @property
    def n_bytes(self) -> int:
        """Return its size in bytes."""
        return int(self._cache.currsize)

    def get(self, key: Hashable) -> Inference | None:
        """Return the inference of a key, or None."""
        with self._lock:
            return self._cache.get(key)

    def put(self, key: Hashable, inference: Inference) -> None:
        """Keep an inference, unless it is larger than the whole cache."""
        with self._lock:
            if _size(inference) <= self._cache.maxsize:
                self._cache[key] = inference


def _size(inference: Inference) -> int:
    durations = 0 if inference.durations is None else inference.durations.nbytes
    return inference.samples.nbytes + durations
