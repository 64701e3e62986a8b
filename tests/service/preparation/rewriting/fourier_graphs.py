"""Fourier transforms of sources in the form in which Kokoro is published."""

import numpy as np
from service.preparation.rewriting.constants import END
from tests.service.preparation.rewriting.graph_checks import copied, operators, plain, tidied

from service.preparation.rewriting import fourier

HOP, SIZE = 5, 20
WINDOW = np.hanning(SIZE + 1)[:-1].astype(np.float32)
BIAS = -0.02945026010274887
"""Of the source of the published model: what it is where a voice has no tone, before tanh."""


def source(graph, tone, bias=BIAS):
    """The published source, [1, n], from a tone [1, n, 1] that is 0 where it is silent."""
    x = graph.given_array(tone.astype(np.float32))
    biased = graph.add("Add", graph.constant([bias]), x)
    row = graph.add("Transpose", graph.add("Tanh", biased), perm=[0, 2, 1])
    flat = graph.add("Squeeze", row, graph.constant([1], np.int64))
    one = graph.add("Reshape", flat, graph.constant([1, 1, -1], np.int64))
    pads = graph.constant([0, 0, SIZE // 2, 0, 0, SIZE // 2], np.int64)
    padded = graph.add("Pad", one, pads, mode="reflect")
    return graph.add("Reshape", padded, graph.constant([1, -1], np.int64))


def transformed(graph, signal, *, hop=HOP, window=WINDOW, onesided=1):
    spectrum = graph.add(
        "STFT", signal, graph.constant(hop, np.int64), graph.constant(window),
        graph.constant(window.size, np.int64), onesided=onesided,
    )  # fmt: skip
    return graph.add("Transpose", spectrum, perm=[0, 2, 1, 3])


def part(graph, spectrum, index):
    return graph.add("Gather", spectrum, graph.constant(index, np.int64), axis=3)


def polar(graph, real, imaginary):
    """Magnitude and phase, in the published way."""
    squares = [graph.add("Pow", each, graph.constant(2.0)) for each in (real, imaginary)]
    magnitude = graph.add("Sqrt", graph.add("Add", *squares))
    behind = graph.add("Less", real, graph.constant(0.0))
    above = graph.add("Greater", imaginary, graph.constant(0.0))
    angle = graph.add("Atan", graph.add("Div", imaginary, real))
    half_turn = graph.constant(3.1415927410125732)
    turned = graph.add("Where", above, graph.add("Add", angle, half_turn), graph.add("Sub", angle, half_turn))
    return magnitude, graph.add("Where", behind, turned, angle)


def rules_for(backend):
    return fourier.rules() if backend.operators is None else fourier.native_rules()


def rewritten(backend, graph, *outputs):
    """Return what the outputs are before and after."""
    published = graph.model(*outputs)
    before = plain(published, graph.feeds)
    model = copied(published)
    assert rules_for(backend).apply_to_model(model) == 3
    tidied(model)
    assert not {"STFT", "Gather"} & set(operators(model))
    assert ("MatMul" in operators(model)) == (backend.operators is None)
    return before, backend.run(backend.lower(model), graph.feeds)


def tone_with_pauses(n_samples):
    time = np.arange(n_samples)
    tone = 0.3 * np.sin(time * 0.05) + 0.1 * np.sin(time * 0.31)
    return np.where(time // 45 % 2, 0, tone)[None, :, None]


def both(graph, spectrum):
    return tuple(part(graph, spectrum, index) for index in (0, 1))


def no_multiple(graph):
    return both(graph, transformed(graph, graph.given(1, 100), hop=6))


def both_sides(graph):
    return both(graph, transformed(graph, graph.given(1, 100), onesided=0))


def computed_window(graph):
    spectrum = graph.add(
        "STFT", graph.given(1, 100), graph.constant(5, np.int64), graph.given(20),
        graph.constant(20, np.int64), onesided=1,
    )  # fmt: skip
    return both(graph, graph.add("Transpose", spectrum, perm=[0, 2, 1, 3]))


def other_layout(graph):
    spectrum = graph.add(
        "STFT", graph.given(1, 100), graph.constant(5, np.int64), graph.constant(WINDOW),
        graph.constant(20, np.int64), onesided=1,
    )  # fmt: skip
    return both(graph, graph.add("Transpose", spectrum, perm=[0, 1, 2, 3]))


def spectrum_as_an_output(graph):
    spectrum = transformed(graph, graph.given(1, 100))
    return (spectrum, *both(graph, spectrum))


def spectrum_asked_for_elsewhere(graph):
    spectrum = transformed(graph, graph.given(1, 100))
    return (graph.add("Sqrt", graph.add("Mul", spectrum, spectrum)), *both(graph, spectrum))


def parts_of_another_axis(graph):
    spectrum = transformed(graph, graph.given(1, 100))
    return (graph.add("Gather", spectrum, graph.constant(0, np.int64), axis=2),)


def parts_of_no_axis_named(graph):
    spectrum = transformed(graph, graph.given(1, 100))
    return (graph.add("Gather", spectrum, graph.constant(0, np.int64)),)


def parts_in_another_order(graph):
    spectrum = transformed(graph, graph.given(1, 100))
    return (graph.add("Gather", spectrum, graph.constant([1, 0], np.int64), axis=3),)


NEAR_MISSES = [
    no_multiple, both_sides, computed_window, other_layout, spectrum_as_an_output,
    spectrum_asked_for_elsewhere, parts_of_another_axis, parts_of_no_axis_named,
    parts_in_another_order,
]  # fmt: skip


def overlapped(graph, x, **given):
    given = {
        "strides": [5], "kernel_shape": [20], "auto_pad": "NOTSET", "dilations": [1],
        "pads": [0, 0], "group": 1,
    } | given  # fmt: skip
    weight = graph.floats(6, 1, *given["kernel_shape"])
    return graph.add("ConvTranspose", x, weight, **given)


def generated(graph, n_channels, n_frames):
    """What the last convolution of the generator gives, [1, n_channels, n_frames]."""
    weight = graph.floats(n_channels, 4, 3, scale=0.6)
    return graph.add(
        "Conv", graph.given(1, 4, n_frames), weight, graph.floats(n_channels),
        strides=[1], kernel_shape=[3], dilations=[1], pads=[1, 1], group=1,
    )  # fmt: skip


def cut(graph, x, start, end, axis=1, step=1):
    numbers = [graph.constant([each], np.int64) for each in (start, end, axis, step)]
    return graph.add("Slice", x, *numbers)


def cartesian(graph, levels, phases, axis=1, first="Cos"):
    """The spectrum from two halves, in the published way."""
    magnitude, angle = graph.add("Exp", levels), graph.add("Sin", phases)
    parts = [
        graph.add("Mul", magnitude, graph.add(function, angle))
        for function in (first, "Sin" if first == "Cos" else "Cos")
    ]
    return graph.add("Concat", *parts, axis=axis)


def halves_of(graph, middle=3, n_channels=6):
    x = generated(graph, n_channels, 6)
    return cut(graph, x, 0, middle), cut(graph, x, middle, END)
