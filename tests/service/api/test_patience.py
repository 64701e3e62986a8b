"""Sending to who may be slow, or gone."""

import asyncio

import pytest
from service.api.patience import StalledError, send_patiently


def test_a_loss_that_comes_while_something_is_sent_is_known_before_the_next():
    async def scenario():
        told = []

        async def send():
            # As a transport does: it finds the loss now, and calls back later.
            asyncio.get_running_loop().call_soon(told.append, "lost")
            told.append("sent")

        await send_patiently(send(), 60)
        return list(told)

    assert asyncio.run(scenario()) == ["sent", "lost"]


def test_who_reads_nothing_for_too_long_is_given_up():
    async def scenario():
        await send_patiently(asyncio.sleep(3600), 0.01)

    with pytest.raises(StalledError):
        asyncio.run(scenario())
