"""Who calls, by API key, and what each key has used of its limits."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from datetime import datetime, time, timedelta, timezone

from service.api.api_keys import ApiKey, ApiKeys
from service.errors import KeyLimitError, UnauthorizedError
from service.speech import Utterance
from service.text import UserLexicon

_calling: ContextVar[ApiKey | None] = ContextVar("calling", default=None)
"""The key of the request or session that the running task works for."""


def _utc_now() -> datetime:
    return datetime.now(timezone.utc)


class Callers:
    """The keys in force, their lexicons and what they have used. Used on the event loop only.

    Doors need not know whose request they serve: the key goes with the task, and with the tasks
    that this one starts. What keys have used is forgotten when the process ends.

    Args:
        keys: that are accepted; None if no key is needed.
        lexicons: of keys, by name.
        now: tells the time, in UTC.
    """

    def __init__(
        self,
        keys: ApiKeys | None,
        lexicons: Mapping[str, UserLexicon] | None = None,
        now: Callable[[], datetime] = _utc_now,
    ) -> None:
        self._now = now
        self._n_requests: Counter[str] = Counter()
        self._n_characters: Counter[str] = Counter()
        self._day = now().date()
        self._in_force = (keys, lexicons or {})

    def replace(self, keys: ApiKeys | None, lexicons: Mapping[str, UserLexicon]) -> None:
        """Put other keys and lexicons in force.

        What a name has used stays. The requests of a key that is gone come to their end, and its
        sessions say nothing more. May be called in any thread.
        """
        self._in_force = (keys, lexicons)  # at once

    @property
    def keys(self) -> ApiKeys | None:
        """Return the keys that are accepted; None if no key is needed."""
        return self._in_force[0]

    @contextmanager
    def request(self, key: ApiKey) -> Iterator[Callable[[], None]]:
        """Serve a request or a session of a key in the block.

        Yields:
            A function that frees its place at once, before the block ends.

        Raises:
            KeyLimitError: the key has as many as it may have.
        """
        name, limit = key.name, key.limits.requests
        if name is not None and limit is not None and self._n_requests[name] >= limit:
            raise KeyLimitError(
                f"the key {name} may have {limit} requests and sessions at once, and has them"
            )
        holds = name is not None

        def free() -> None:
            nonlocal holds
            if holds and name is not None:
                self._n_requests[name] -= 1
            holds = False

        if name is not None:
            self._n_requests[name] += 1
        token = _calling.set(key)
        try:
            yield free
        finally:
            _calling.reset(token)
            free()

    def charge(self, n_characters: int) -> Callable[[], None]:
        """Count characters that are to be spoken for the caller.

        Returns:
            A function that takes them back, for what is refused after all.

        Raises:
            KeyLimitError: they are more than are left of this day; none is counted then.
            UnauthorizedError: the key is not in force any more.
        """
        key = self._current()
        if key is None or key.name is None:
            return lambda: None
        now = self._now()
        if now.date() != self._day:
            self._day = now.date()
            self._n_characters.clear()
        used, limit = self._n_characters[key.name], key.limits.characters_per_day
        if limit is not None and used + n_characters > limit:
            raise KeyLimitError(
                f"the key {key.name} has {max(0, limit - used)} of {limit} characters left for "
                f"this day of UTC, and these are {n_characters}",
                _seconds_left(now),
            )
        self._n_characters[key.name] = used + n_characters
        name, day, counted = key.name, self._day, n_characters

        def take_back() -> None:
            nonlocal counted
            if day == self._day:  # those of another day are forgotten
                self._n_characters[name] -= counted
            counted = 0

        return take_back

    def note(self, n_characters: int) -> None:
        """Count characters that were spoken besides those that were charged: numbers in words."""
        key = _calling.get()
        if key is not None and key.name is not None:
            self._n_characters[key.name] += n_characters

    def adapt(self, utterance: Utterance) -> Utterance:
        """Return an utterance with the caller's lexicon laid under its own.

        Raises:
            UnauthorizedError: the key is not in force any more.
        """
        key = self._current()
        _, lexicons = self._in_force
        lexicon = None if key is None or key.name is None else lexicons.get(key.name)
        if lexicon is None:
            return utterance
        own = utterance.lexicon
        return replace(utterance, lexicon=lexicon if own is None else own.over(lexicon))

    def owner(self) -> str | None:
        """Return what stands for the caller: the name of its key, or the digest of one without.

        None if no key is needed.

        Raises:
            UnauthorizedError: the key is not in force any more.
        """
        key = self._current()
        return None if key is None else key.name or key.digest.hex()

    def lexicon_of(self, owner: str | None) -> UserLexicon | None:
        """Return the lexicon of a key by what `owner` returned; None if it has none."""
        return None if owner is None else self._in_force[1].get(owner)

    def _current(self) -> ApiKey | None:
        """Return the caller's key as it is in force now; None if it has none."""
        key = _calling.get()
        if key is None:
            return None
        known = None if self.keys is None else self.keys.get(key.digest)
        if known is None:
            raise UnauthorizedError("the API key is no longer known")
        return known


def _seconds_left(now: datetime) -> int:
    """Return the whole seconds until the next day, 1 to 86,400."""
    midnight = datetime.combine(now.date() + timedelta(days=1), time(), now.tzinfo)
    return math.ceil((midnight - now).total_seconds())
