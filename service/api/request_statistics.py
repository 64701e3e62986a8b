"""Statistics of a request, for its log line, its headers and the metrics."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable

from service.speech import AudioSegment, Coverage, Plan, Utterance


class RequestStatistics:
    """Counts of one request, or of one WebSocket session.

    Attributes:
        voice: name of the voice, or names joined by `+`.
        language: code; None for phonemes.
        n_characters: of the text or the phonemes.
        n_chunks: chunks that were spoken, including those that are only a pause.
        n_windows: windows that were decoded; a chunk decoded whole counts as one.
        n_cache_hits: chunks that were in the audio cache.
        n_cache_misses: chunks that were not in the audio cache.
        audio_s: seconds of audio.
        n_limited: samples beyond full scale, which were limited.
        compute_s: compute time of the model.
        waits_s: seconds that each segment waited for its turn.
        first_audio_s: seconds from the start to the first audio; None before it.
    """

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self._is_asked = False
        self.voice: str | None = None
        self.language: str | None = None
        self.n_characters = 0
        self._n_dropped = 0
        self._coverage = Coverage()
        self.n_chunks = 0
        self.n_windows = 0
        self.n_cache_hits = 0
        self.n_cache_misses = 0
        self.audio_s = 0.0
        self.n_limited = 0
        self.compute_s = 0.0
        self.waits_s: list[float] = []
        self.first_audio_s: float | None = None

    @property
    def real_time_factor(self) -> float | None:
        """Return compute time divided by audio time; None if nothing was computed."""
        return self.compute_s / self.audio_s if self.compute_s and self.audio_s else None

    @property
    def cache(self) -> str | None:
        """Return `hit`, `miss` or `partial`; None if no chunk was looked up in the cache."""
        if self.n_cache_hits and self.n_cache_misses:
            return "partial"
        if self.n_cache_hits:
            return "hit"
        return "miss" if self.n_cache_misses else None

    @property
    def n_dropped(self) -> int:
        """Return how many characters are not said of what is read so far."""
        return self._n_dropped + self._coverage.n_dropped

    def asked(self) -> None:
        """Measure the time to the first audio from now, at the first call.

        A session may be open long before it gets a text.
        """
        if not self._is_asked:
            self._start = time.perf_counter()
            self._is_asked = True

    def planned(self, utterance: Utterance, plan: Plan) -> None:
        """Note what the plan says."""
        self.voice = "+".join(voice.name for voice, _ in plan.blend.parts)
        self.language = plan.language
        self.n_characters += len(utterance.text)
        self._n_dropped = self.n_dropped
        self._coverage = plan.coverage

    def counted(self, segments: Iterable[AudioSegment]) -> Generator[AudioSegment, None, None]:
        """Pass the segments of one plan on, and count them and their chunks."""
        chunk = -1
        for segment in segments:
            if segment.chunk != chunk:
                chunk = segment.chunk
                self.n_chunks += 1
                self.n_cache_hits += segment.cached is True
                self.n_cache_misses += segment.cached is False
            self.n_windows += segment.n_windows
            self.audio_s += segment.duration_s
            self.n_limited += segment.n_limited
            self.compute_s += segment.compute_s
            self.waits_s.append(segment.wait_s)
            yield segment

    def sent(self) -> None:
        """Note the time if this is the first audio."""
        if self.first_audio_s is None:
            self.first_audio_s = time.perf_counter() - self._start

    def fields(self) -> dict[str, object]:
        """Return the fields for the log line: those that are known, and never the text."""
        if self.voice is None:
            return {}
        fields: dict[str, object] = {
            "voice": self.voice,
            "language": self.language,
            "characters": self.n_characters,
            "chunks": self.n_chunks,
            "windows": self.n_windows,
            "audio_s": round(self.audio_s, 3),
            "compute_s": round(self.compute_s, 3),
        }
        optional = {
            "wait_s": self.waits_s[0] if self.waits_s else None,
            "first_audio_s": self.first_audio_s,
            "real_time_factor": self.real_time_factor,
        }
        fields |= {name: round(value, 3) for name, value in optional.items() if value is not None}
        fields |= {"dropped": self.n_dropped} if self.n_dropped else {}
        fields |= {"limited": self.n_limited} if self.n_limited else {}
        return fields | ({"cache": self.cache} if self.cache else {})
