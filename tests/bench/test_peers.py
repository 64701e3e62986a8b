import pytest

from bench.peers import speedup_bound
from bench.sides import parse_side


@pytest.mark.parametrize(
    ("side", "bound"),
    [
        ("native", "≥ 4"),
        ("service", "≥ 4"),
        ("mine:threads=1", "≥ 4"),
        ("stock", "≥ 2"),
        ("published", "None"),
    ],
)
def test_a_side_must_be_as_quick_as_its_operators_can_be(side, bound):
    assert str(speedup_bound(parse_side(side))) == bound
