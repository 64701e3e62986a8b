import pytest

from bench.peers import speedup_bound


@pytest.mark.parametrize(
    ("identity", "bound"),
    [
        ("native, model 6e742170d309, rewriting 6, avx512vnni operators d9f2, ONNX", "≥ 4.6"),
        ("native, model 6e742170d309, rewriting 6, avx2 operators d9f29a023279, ONNX", "≥ 2.2"),
        ("native, model 6e742170d309, rewriting 6, portable operators d9f2, ONNX", "None"),
        ("stock, model 6e742170d309, rewriting 6, ONNX Runtime 1.31.1", "≥ 2"),
        ("None, model 6e742170d309, ONNX Runtime 1.31.1", "None"),
        ("onnxruntime 1.31.1", "None"),
    ],
)
def test_a_side_must_be_as_quick_as_its_operators_can_be(identity, bound):
    assert str(speedup_bound(identity)) == bound
