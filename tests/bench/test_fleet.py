"""The simulation of a fleet does what queues are known to do."""

from statistics import mean

import pytest
from bench.fleet import TEXTS, Text, blind, poisson, rate, simulate, two_choices

from bench import fleet


def test_the_turns_of_a_text_are_all_of_it():
    for text in TEXTS:
        turns = text.turns()
        assert sum(compute_s for compute_s, _ in turns) == pytest.approx(text.whole_s)
        assert sum(audio_s for _, audio_s in turns) == pytest.approx(text.audio_s)
        assert turns[0][0] == text.first_s


def test_those_who_ask_at_once_take_turns():
    text = Text(1, 4.8, 1.0, 2.0)
    spoken = simulate(iter([(0.0, text)] * 3), 1, blind, 0)
    assert [one.first_s for one in spoken] == [1, 2, 3]
    # The first one's second window comes after the first windows of the others.
    assert [one.dry_s for one in spoken] == pytest.approx([0.6, 0.6, 0.6])


def test_one_replica_waits_as_theory_says(monkeypatch):
    # One server, random arrivals, service of constant length: the mean wait is known.
    monkeypatch.setattr(fleet, "TEXTS", (Text(1, 1.8, 0.5, 0.5),))
    utilization = 0.8
    spoken = simulate(poisson(200_000, rate(utilization, 1), 1), 1, blind, 1)
    expected_s = 0.5 + utilization * 0.5 / (2 * (1 - utilization))
    assert mean(one.first_s for one in spoken) == pytest.approx(expected_s, rel=0.05)


def test_who_knows_of_two_replicas_waits_less_than_who_knows_of_none():
    waits = [
        fleet.quantile([one.first_s for one in simulate(poisson(5_000, rate(0.8, 20), 1), 20, route, 1)], 0.99)
        for route in (blind, two_choices)
    ]
    assert waits[1] < waits[0] / 2
