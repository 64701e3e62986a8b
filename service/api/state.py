"""What the endpoints share: the settings, and the synthesizer once it is loaded."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass

from service.errors import NotReadyError
from service.loading import load_synthesizer
from service.settings import Settings
from service.speech import Synthesizer

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Ready:
    """A synthesizer that passed its self-test, and the seconds that took."""

    synthesizer: Synthesizer
    self_test_s: float


class ServiceState:
    """Loads the synthesizer once, keeps it, closes it. Safe to use from several threads."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._ready: Ready | None = None
        self._lock = threading.Lock()

    def load(self) -> None:
        """Load and test the synthesizer; takes seconds.

        Raises:
            StartupError: it cannot be had; the message says why and what to do.
            SynthesisError: the self-test failed.
        """
        start = time.perf_counter()
        synthesizer = load_synthesizer(self.settings, logger.info)
        try:
            self_test_s = synthesizer.self_test()
        except BaseException:
            synthesizer.close()
            raise
        with self._lock:
            self._ready = Ready(synthesizer, self_test_s)
        model = synthesizer.model
        # Last: who reads this line finds the service ready.
        logger.info(
            "ready in %.2f s: provider=%s onnxruntime=%s (%s) threads=%d model=%s voices=%d",
            time.perf_counter() - start,
            model.provider,
            model.runtime.version,
            model.runtime.found_by,
            model.runtime.threads,
            model.name,
            len(synthesizer.voices.voices),
        )

    def require(self) -> Ready:
        """Return the synthesizer.

        Raises:
            NotReadyError: it is not loaded yet, or closed already.
        """
        ready = self._ready
        if ready is None:
            raise NotReadyError("the model is not loaded yet, or the service is shutting down")
        return ready

    def close(self) -> None:
        """Close the synthesizer after the piece in progress. Calling again is harmless."""
        with self._lock:
            ready, self._ready = self._ready, None
        if ready is not None:
            ready.synthesizer.close()
