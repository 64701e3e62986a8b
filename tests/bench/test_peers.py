import pytest
from bench.peers import SPEEDUPS


@pytest.mark.parametrize(
    ("kernels", "bound"),
    [("avx512vnni", "≥ 4.6"), ("avx2", "≥ 2.2"), ("stock", "≥ 2"), ("portable", "None"), (None, "None")],
)
def test_a_side_must_be_as_quick_as_its_operators_can_be(kernels, bound):
    assert str(SPEEDUPS.get(kernels)) == bound
