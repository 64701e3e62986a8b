import numpy as np
import pytest

from service.preparation.rewriting import resampling
from tests.service.preparation.checks import (
    EXACT,
    attributes_of,
    check_near_misses,
    check_step,
    dialect,
    operators,
    the_node,
    within,
)
from tests.service.preparation.rewriting.published_graphs import Published

RESIZE = {
    "mode": "nearest", "nearest_mode": "floor", "coordinate_transformation_mode": "asymmetric", "antialias": 0,
    "cubic_coeff_a": -0.75, "exclude_outside": 0, "extrapolation_value": 0.0, "keep_aspect_ratio_policy": "stretch",
}  # fmt: skip
WHOLE = {"auto_pad": "NOTSET", "dilations": [1], "group": 1}


NEAR = within(2e-6, relative=2e-6)
"""What sums of float32 products give, added up in another order."""


def check(backend, graph, n, *outputs, near=NEAR):
    return check_step(backend, graph, resampling.rules(), n, *outputs, near=near)


@pytest.mark.parametrize(("n_in", "n_out", "n_frames", "stride", "pad"), [
    (1, 1, 1, 1, 0), (3, 5, 1, 10, 5), (16, 16, 2, 6, 3), (17, 7, 9, 6, 0), (4, 18, 12, 2, 1), (2, 3, 5, 5, 4),
])  # fmt: skip
def test_upsampling_gives_the_same_numbers(graph, backend, n_in, n_out, n_frames, stride, pad):
    x = graph.given(1, n_in, n_frames)
    model = check(backend, graph, 1, graph.upsampling(x, n_in, n_out, stride, pads=[pad, pad]))
    assert operators(model) == {"Transpose": 2, "kokoro.rewriting.Upsample": 1}
    assert attributes_of(the_node(model, "Upsample")) == {"stride": stride, "pad": pad}


def pooling(graph, x, n, **given):
    given = WHOLE | {"output_padding": [1], "kernel_shape": [3], "strides": [2], "group": n, "pads": [1, 1]} | given
    return graph.add("ConvTranspose", x, graph.floats(n, 1, *given["kernel_shape"]), graph.floats(n), **given)


@pytest.mark.parametrize(("n_channels", "n_frames"), [(1, 1), (2, 7), (17, 1), (16, 10), (33, 3)])
def test_pooling_gives_the_same_numbers(graph, backend, n_channels, n_frames):
    model = check(backend, graph, 1, pooling(graph, graph.given(1, n_channels, n_frames), n_channels))
    assert "ConvTranspose" not in operators(model)


def convolving(graph, x, n_in, n_out, size, **given):
    given = WHOLE | {"kernel_shape": [size], "strides": [1], "pads": [size // 2, size // 2]} | given
    return graph.add("Conv", x, graph.floats(n_out, n_in // given["group"], size), graph.floats(n_out), **given)


@pytest.mark.parametrize(
    ("n_in", "n_out", "n_frames", "size"), [(1, 1, 1, 1), (16, 22, 40, 7), (5, 3, 1, 7), (3, 17, 2, 3), (4, 16, 9, 1)]
)
def test_the_float_convolution_gives_the_same_numbers(graph, backend, n_in, n_out, n_frames, size):
    model = check(backend, graph, 1, convolving(graph, graph.given(1, n_in, n_frames), n_in, n_out, size))
    assert operators(model) == {"Transpose": 2, "kokoro.rewriting.Conv": 1}
    assert attributes_of(the_node(model, "Conv")) == {"pad": size // 2}


def test_each_frame_twice_and_a_reflected_one_are_exact(backend):
    for name, build, shapes in (
        ("Repeat", lambda g, x: resized(g, x, 1, 1, 2), [(1, 1), (5, 1), (16, 8), (3, 11)]),
        ("Reflect", lambda g, x: padded(g, x, 0, 0, 1, 0, 0, 0), [(1, 2), (5, 3), (16, 8)]),
    ):
        for shape in shapes:
            graph = Published()
            model = check(backend, graph, 1, build(graph, graph.given(1, *shape)), near=EXACT)
            assert dialect(model) == {name: 1}


def test_attributes_that_are_left_out_have_their_defaults(graph, backend):
    x = graph.given(1, 4, 6)
    convolved = graph.add("Conv", x, graph.floats(3, 4, 1), graph.floats(3))
    check(backend, graph, 2, convolved, graph.add("ConvTranspose", x, graph.floats(4, 3, 2), graph.floats(3)))


def test_weights_may_be_shared(graph, backend):
    up, down = (graph.floats(6, 4, 6), graph.floats(4)), (graph.floats(5, 6, 3), graph.floats(5))
    each = (graph.floats(6, 1, 3), graph.floats(6))
    outputs = []
    for x in (graph.given(1, 6, 9) for _ in range(2)):
        pooled = graph.add("ConvTranspose", x, *each, strides=[2], pads=[1, 1], output_padding=[1], group=6)
        outputs += [graph.add("ConvTranspose", x, *up, strides=[3]), graph.add("Conv", x, *down, pads=[1, 1]), pooled]
    check(backend, graph, 6, *outputs)


def resized(graph, x, *scales, **changes):
    return graph.add("Resize", x, "", graph.constant(scales), **RESIZE | changes)


def padded(graph, x, *amounts, mode="reflect"):
    return graph.add("Pad", x, graph.constant(amounts, np.int64), mode=mode)


def transposed(graph, x, shape, **given):
    return graph.add("ConvTranspose", x, graph.floats(*shape), graph.floats(shape[1] * given.get("group", 1)), **given)


NEAR_MISSES = {
    "upsampling in groups": lambda g, x: transposed(g, x, (6, 1, 4), strides=[2], group=2),
    "upsampling of another kernel": lambda g, x: g.upsampling(x, 6, 4, 3, kernel_shape=[7]),
    "upsampling padded unevenly": lambda g, x: g.upsampling(x, 6, 4, 3, pads=[1, 2]),
    "upsampling padded by a stride": lambda g, x: g.upsampling(x, 6, 4, 2, pads=[2, 2]),
    "upsampling padded at the end": lambda g, x: g.upsampling(x, 6, 4, 3, output_padding=[1]),
    "upsampling dilated": lambda g, x: g.upsampling(x, 6, 4, 3, dilations=[2]),
    "upsampling to a length": lambda g, x: transposed(g, x, (6, 4, 4), strides=[2], output_shape=[17]),
    "pooling with another stride": lambda g, x: pooling(g, x, 6, strides=[3]),
    "pooling of five taps": lambda g, x: pooling(g, x, 6, kernel_shape=[5]),
    "pooling not padded at the end": lambda g, x: pooling(g, x, 6, output_padding=[0]),
    "pooling padded otherwise": lambda g, x: pooling(g, x, 6, pads=[0, 1]),
    "pooling dilated": lambda g, x: pooling(g, x, 6, dilations=[2]),
    "pooling in pairs": lambda g, x: transposed(g, x, (6, 1, 3), strides=[2], pads=[1, 1], output_padding=[1], group=3),
    "convolution with an even kernel": lambda g, x: convolving(g, x, 6, 4, 4),
    "convolution in groups": lambda g, x: convolving(g, x, 6, 4, 3, group=2),
    "convolution with a stride": lambda g, x: convolving(g, x, 6, 4, 3, strides=[2]),
    "convolution dilated": lambda g, x: convolving(g, x, 6, 4, 3, dilations=[2]),
    "convolution not padded": lambda g, x: convolving(g, x, 6, 4, 3, pads=[0, 0]),
    "convolution padded unevenly": lambda g, x: convolving(g, x, 6, 4, 3, pads=[2, 0]),
    "convolution padded by rule": lambda g, x: g.add("Conv", x, g.floats(4, 6, 1), g.floats(4), auto_pad="SAME_LOWER"),
    "convolution without bias": lambda g, x: g.add("Conv", x, g.floats(4, 6, 1)),
    "convolution with computed weights": lambda g, x: g.add("Conv", x, g.given(3, 6, 1), g.floats(3)),
    "three times": lambda g, x: resized(g, x, 1, 1, 3),
    "channels twice": lambda g, x: resized(g, x, 1, 2, 1),
    "between frames": lambda g, x: resized(g, x, 1, 1, 2, mode="linear"),
    "nearest from the middle": lambda g, x: resized(g, x, 1, 1, 2, coordinate_transformation_mode="half_pixel"),
    "nearest rounded up": lambda g, x: resized(g, x, 1, 1, 2, nearest_mode="ceil"),
    "nearest by default": lambda g, x: g.add("Resize", x, "", g.constant([1, 1, 2])),
    "two reflected frames": lambda g, x: padded(g, x, 0, 0, 2, 0, 0, 0),
    "reflected at the end": lambda g, x: padded(g, x, 0, 0, 0, 0, 0, 1),
    "reflected channels": lambda g, x: padded(g, x, 0, 1, 0, 0, 0, 0),
    "repeated at the edge": lambda g, x: padded(g, x, 0, 0, 1, 0, 0, 0, mode="edge"),
    "zeros": lambda g, x: padded(g, x, 0, 0, 1, 0, 0, 0, mode="constant"),
}


def test_other_resampling_is_left_alone():
    check_near_misses(resampling.rules(), NEAR_MISSES, 1, 6, 8)
