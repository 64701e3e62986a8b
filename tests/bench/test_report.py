import pytest
from bench.report import Bound, ratio, speedup, table


@pytest.mark.parametrize(
    ("bound", "met", "missed", "text"),
    [
        (Bound(1.5), 1.5, 1.6, "≤ 1.5"),
        (Bound(1.5, strict=True), 1.4, 1.5, "< 1.5"),
        (Bound(4, least=True), 4.0, 3.9, "≥ 4"),
    ],
)
def test_bound_is_met_on_its_side(bound, met, missed, text):
    assert bound.is_met(met)
    assert not bound.is_met(missed)
    assert str(bound) == text


def test_speedup_is_the_inverse_of_the_ratio():
    pairs = [(1.0, 4.0), (2.0, 10.0), (1.0, 6.0)]
    assert speedup("x", pairs, "s").compared.startswith("**5.000 times** (4 to 6, 3 pairs)")
    assert ratio("x", pairs, "s").compared.startswith("**0.200**")


def test_table_names_both_sides():
    head = table([], peer="them", ours="us").splitlines()[0]
    assert head.startswith("| measurement | us | them |")
