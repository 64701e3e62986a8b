import math
import re

import pytest
from bench.decoding import DECODINGS, sides_with_windows
from bench.first_audio import SOON_S, table_of_windows
from bench.kinds import kinds, minute
from bench.processes import ChildError
from bench.sides import OURS, Side
from bench.streams import Heard

from bench import first_audio


def heard(first_s, gap_s=0.0, reserve_s=0.5):
    return Heard(first_s, first_s + 1, 5.0, gap_s, gap_s, reserve_s)


def found(*answers, n_clients=1, decoding="windows"):
    """Return one kind that is as asked for among others that are well."""
    return {
        ("windows", "well", 1): [heard(0.1)],
        (decoding, "kind", n_clients): list(answers),
        ("windows", "well", 4): [heard(0.1)],
    }


@pytest.mark.parametrize(
    ("found", "met"),
    [
        (found(heard(0.35)), True),
        (found(heard(0.351)), False),
        # The median counts, the worst does not.
        (found(heard(0.3), heard(0.3), heard(9.0)), True),
        (found(heard(0.3), heard(0.36), heard(0.36)), False),
        (found(heard(1.4), n_clients=4), True),
        (found(heard(1.41), n_clients=4), False),
        # The worst gap counts, for one client.
        (found(heard(0.1), heard(0.1), heard(0.1, gap_s=0.001)), False),
        (found(heard(0.1, gap_s=3.0), n_clients=4), True),
        # Whole decoding stands beside it without a bound.
        (found(heard(9.0, gap_s=3.0), decoding="whole"), True),
    ],
)
def test_windows_start_soon_at_the_median_and_leave_nobody_dry_who_is_alone(found, met):
    report, found_met = table_of_windows(found)
    assert found_met is met
    assert ("**no**" in report) is not met


def test_a_row_tells_quantiles_gaps_and_the_least_reserve():
    answers = [heard(0.1, reserve_s=math.inf), heard(0.2, 0.25, 0.0), heard(0.3, reserve_s=0.75)]
    report, _ = table_of_windows(found(*answers, n_clients=4, decoding="whole"))
    assert "| kind | 4 | whole | 0.200 / 0.300 | 5.0 | 1 of 3 | 0.250 | 0.00 |  |" in report
    report, _ = table_of_windows(found(heard(0.1, reserve_s=math.inf)))
    assert "| kind | 1 | windows | 0.100 / 0.100 | 5.0 | 0 of 1 | 0.000 | all at once | yes |" in report


def test_four_clients_may_take_four_times_as_long():
    assert tuple(SOON_S) == first_audio.CLIENTS == (1, 4)
    assert tuple(SOON_S.values()) == pytest.approx((0.35, 1.4))


def test_kinds_are_what_they_are_called_and_four_clients_share_them():
    found = kinds()
    for bodies in found.values():
        texts = [str(body["text"]) for body in bodies]
        assert len(texts) % max(first_audio.CLIENTS) == 0
        assert len(set(texts)) == len(texts)
    assert all(len(str(body["text"]).split()) == 2 for body in found["two words"])
    assert all(600 <= len(str(body["text"])) < 680 for body in found["paragraph"])
    assert all(re.search(r"\d", str(body["text"])) for body in found["numbers"])
    assert len({body["voice"] for body in found["other languages"]}) == 8
    for body in found["without punctuation"]:
        assert re.fullmatch(r"[a-z' ]{950,1080}", str(body["text"]))
    assert minute() == found["without punctuation"][0]["text"]


def test_sides_that_have_windows_are_told_from_those_that_cannot(capsys):
    mine = Side("mine", settings={"voice": "af_bella"})
    able = sides_with_windows([*OURS.values(), mine])
    assert [side.label for side in able] == ["service", "native", "mine"]
    assert capsys.readouterr().err == "published has no windows\nstock has no windows\n"
    assert DECODINGS == ("windows", "whole")


def test_nothing_is_measured_in_windows_where_no_side_has_them():
    with pytest.raises(ChildError, match="no side has windows"):
        sides_with_windows([OURS["published"], OURS["stock"]])
