"""What each key has used of its limits, at a time that a test sets."""

import asyncio
from contextlib import ExitStack
from datetime import datetime, timedelta, timezone

import pytest
from service.api.api_keys import ApiKey, ApiKeys, KeyLimits
from service.api.callers import Callers
from service.errors import KeyLimitError, UnauthorizedError

from service.speech import Utterance
from service.text import UserLexicon

NOON = datetime(2026, 3, 14, 12, tzinfo=timezone.utc)
ROBOT = ApiKey.of("key of the robot", "robot", KeyLimits(2, 100))
GUEST = ApiKey.of("key of the guest", "guest")
NAMELESS = ApiKey.of("key of nobody")


class Clock:
    def __init__(self):
        self.now = NOON

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def callers(clock):
    return Callers(ApiKeys([ROBOT, GUEST, NAMELESS]), now=clock)


def test_a_key_has_so_many_places_and_each_is_freed_once(callers):
    with callers.request(ROBOT), ExitStack() as stack:
        free = stack.enter_context(callers.request(ROBOT))
        for _ in range(2):
            with pytest.raises(KeyLimitError, match="robot may have 2"), callers.request(ROBOT):
                pass
        free()
        free()
        stack.enter_context(callers.request(ROBOT))
        with pytest.raises(KeyLimitError), callers.request(ROBOT):
            pass
    with callers.request(ROBOT), callers.request(ROBOT):
        pass


def test_what_a_text_has_more_in_words_counts_for_the_next(callers):
    with callers.request(ROBOT):
        callers.charge(60)
        callers.note(500)  # it is spoken already
        with pytest.raises(KeyLimitError, match="has 0 of 100 characters left"):
            callers.charge(1)
    with callers.request(GUEST):
        callers.charge(1)
    callers.note(500)  # of nobody's


def test_keys_without_limits_have_none(callers):
    for key in (GUEST, NAMELESS):
        with ExitStack() as stack:
            for _ in range(100):
                stack.enter_context(callers.request(key))
            callers.charge(1_000_000)


def test_a_day_has_so_many_characters_and_the_next_day_as_many(callers, clock):
    with callers.request(ROBOT):
        callers.charge(60)
        with pytest.raises(KeyLimitError, match="40 of 100 characters left") as refused:
            callers.charge(41)
        assert refused.value.retry_after_s == 12 * 3600
        callers.charge(40)  # what was refused was not counted
        clock.now = NOON + timedelta(hours=11, minutes=59, seconds=59, milliseconds=500)
        with pytest.raises(KeyLimitError) as refused:
            callers.charge(1)
        assert refused.value.retry_after_s == 1
        clock.now = NOON + timedelta(hours=12)
        callers.charge(100)
        with pytest.raises(KeyLimitError) as refused:
            callers.charge(1)
        assert refused.value.retry_after_s == 86_400


def test_what_is_taken_back_is_not_counted(callers, clock):
    with callers.request(ROBOT):
        take_back = callers.charge(60)
        with pytest.raises(KeyLimitError):  # meanwhile it is counted
            callers.charge(50)
        take_back()
        take_back()
        yesterday = callers.charge(100)
        clock.now = NOON + timedelta(days=1)
        callers.charge(40)
        yesterday()
        with pytest.raises(KeyLimitError, match="60 of 100 characters left"):
            callers.charge(61)


def test_who_has_no_key_is_not_counted(callers):
    callers.charge(1_000_000)()
    assert callers.adapt(Utterance("a")) == Utterance("a")
    assert Callers(None).keys is None


def test_the_key_goes_with_the_tasks_of_its_request(callers):
    async def work(key, n_characters):
        with callers.request(key):
            await asyncio.gather(*(spend() for _ in range(n_characters)))

    async def spend():
        await asyncio.sleep(0)
        callers.charge(1)

    async def scenario():
        await asyncio.gather(work(ROBOT, 60), work(GUEST, 60), work(ROBOT, 40))
        with pytest.raises(KeyLimitError, match="0 of 100"):
            await work(ROBOT, 1)

    asyncio.run(scenario())


def test_what_was_used_stays_when_keys_are_replaced(callers):
    with callers.request(ROBOT):
        callers.charge(90)
        wider = ApiKey(b"another digest", "robot", KeyLimits(1, 120))
        callers.replace(ApiKeys([ROBOT, wider]), {})
        with callers.request(GUEST), pytest.raises(UnauthorizedError, match="no longer known"):
            callers.charge(1)
        with pytest.raises(KeyLimitError), callers.request(wider):
            pass
    with callers.request(wider):
        callers.charge(30)
        with pytest.raises(KeyLimitError, match="0 of 120"):
            callers.charge(1)


def test_a_key_has_its_lexicon_below_that_of_the_request(callers):
    lexicon = UserLexicon.of_words({"Grzegorz": "Greg"})
    callers.replace(callers.keys, {"robot": lexicon})
    own = Utterance("Grzegorz", lexicon=UserLexicon.of_words({"Grzegorz": "Gregory"}))
    with callers.request(ROBOT):
        assert callers.adapt(Utterance("Grzegorz")).lexicon is lexicon
        both = callers.adapt(own).lexicon
        assert both is not None
        assert list(both.respellings) == ["Gregory", "Greg"]
    with callers.request(GUEST):
        assert callers.adapt(own) is own
