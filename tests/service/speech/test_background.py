"""Background work gives way to requests, and loses nothing."""

import threading

import numpy as np
import pytest
from service.errors import CancelledError

from service.speech import Cancellation, Delivery, Utterance

TEXT = "The birch canoe slid on the smooth planks. Glue the sheet to the dark blue background."


class Counted(Cancellation):
    """Counts how often it had to give way."""

    def __init__(self):
        super().__init__(is_background=True)
        self.n_times = 0

    def give_way(self):
        self.n_times += 1
        super().give_way()


def joined(segments):
    return np.concatenate([segment.samples for segment in segments])


@pytest.mark.parametrize("decoding", [pytest.param("whole", marks=pytest.mark.thorough), "windows"])
def test_work_that_gave_way_sounds_as_if_it_had_not(synthesizer, decoding):
    def plan():
        delivery = Delivery(streamed=True, decoding=decoding, chunking="even")
        utterance = Utterance(TEXT, speed=2.0)
        return list(synthesizer.stream(synthesizer.plan(utterance, delivery), cancellation))

    with Counted() as cancellation:
        undisturbed = joined(plan())
        assert cancellation.n_times == 0
        said = []
        work = threading.Thread(target=lambda: said.extend(plan()))
        work.start()
        while work.is_alive() and cancellation.n_times < 2:
            list(synthesizer.stream(synthesizer.planner.plan_phonemes("həlˈO")))
        work.join()
        assert cancellation.n_times
        np.testing.assert_array_equal(joined(said), undisturbed)


def test_cancelled_work_ends(synthesizer):
    with Cancellation(is_background=True) as cancellation:
        plan = synthesizer.plan(Utterance(TEXT), Delivery(streamed=True, decoding="windows"))
        segments = synthesizer.stream(plan, cancellation)
        next(segments)
        cancellation.cancel(CancelledError("nobody wants it"))
        with pytest.raises(CancelledError):
            list(segments)
