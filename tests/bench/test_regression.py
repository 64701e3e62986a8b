import pytest

from bench.regression import Ratio, compare, read_recorded, record


def ratio(value, name="speed"):
    return Ratio(name, value, (value, value), "2026-01-01")


@pytest.mark.parametrize(("measured", "holds", "told"), [
    ([ratio(4.0)], True, "4.00"), ([ratio(3.61)], True, "3.61"), ([ratio(3.59)], False, "**fell**"),
    ([ratio(4.0), ratio(1.0, "new")], True, "never"), ([], False, "**missing**"),
])  # fmt: skip
def test_a_ratio_may_fall_by_a_tenth(capsys, measured, holds, told):
    assert compare(measured, {"speed": ratio(4.0)}) is holds
    assert told in capsys.readouterr().out


def test_record_keeps_what_other_machines_have(tmp_path):
    path = tmp_path / "recorded.json"
    assert read_recorded(path) == {}
    record(path, "one", [ratio(4.0)])
    record(path, "other", [ratio(2.0)])
    record(path, "one", [ratio(5.0)])
    assert read_recorded(path) == {"one": {"speed": ratio(5.0)}, "other": {"speed": ratio(2.0)}}
