"""Fourier transforms of sources in the form in which Kokoro is published."""

import numpy as np
from service.preparation.rewriting.constants import END
from tests.service.preparation.rewriting.graph_checks import check_step, operators

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


def transformed(graph, signal, *, hop=HOP, window=WINDOW, onesided=1, perm=(0, 2, 1, 3)):
    """The spectrum of a signal, by a window that is an array or a computed value."""
    computed = isinstance(window, str)
    spectrum = graph.add(
        "STFT", signal, graph.constant(hop, np.int64), window if computed else graph.constant(window),
        graph.constant(SIZE if computed else window.size, np.int64), onesided=onesided,
    )  # fmt: skip
    return graph.add("Transpose", spectrum, perm=perm)


def part(graph, spectrum, index, **axis):
    return graph.add("Gather", spectrum, graph.constant(index, np.int64), **axis or {"axis": 3})


def both(graph, spectrum):
    return tuple(part(graph, spectrum, index) for index in (0, 1))


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


def rewritten(way, graph, *outputs):
    """Return what the outputs are before and after a transform of the source is rewritten.

    Args:
        way: rules, and the backend that runs what they make.
    """
    rules, backend = way
    given = []
    model = check_step(backend, graph, rules(), 3, *outputs, near=lambda *pair: given.append(pair))
    found = operators(model)
    assert not {"STFT", "Gather"} & set(found)
    assert ("MatMul" in found) == (rules is fourier.rules)
    if rules is fourier.convolving_rules:
        assert (found["Conv"], found["Split"], found["kokoro.rewriting.Parts"]) == (1, 1, 0)
    return tuple(zip(*given, strict=True))


def tone_with_pauses(n_samples):
    time = np.arange(n_samples)
    tone = 0.3 * np.sin(time * 0.05) + 0.1 * np.sin(time * 0.31)
    return np.where(time // 45 % 2, 0, tone)[None, :, None]


def of_signal(take=both, **given):
    """Return what builds parts of the spectrum of 100 samples."""
    return lambda graph: take(graph, transformed(graph, graph.given(1, 100), **given))


def computed_window(graph):
    return both(graph, transformed(graph, graph.given(1, 100), window=graph.given(SIZE)))


NEAR_MISSES = {
    "no multiple": of_signal(hop=6),
    "both sides": of_signal(onesided=0),
    "computed window": computed_window,
    "other layout": of_signal(perm=(0, 1, 2, 3)),
    "spectrum as an output": of_signal(lambda g, x: (x, *both(g, x))),
    "spectrum asked for elsewhere": of_signal(lambda g, x: (g.add("Sqrt", g.add("Mul", x, x)), *both(g, x))),
    "parts of another axis": of_signal(lambda g, x: part(g, x, 0, axis=2)),
    "parts of no axis named": of_signal(lambda g, x: g.add("Gather", x, g.constant(0, np.int64))),
    "parts in another order": of_signal(lambda g, x: part(g, x, [1, 0])),
}


def overlapped(graph, x, n_bins=6, *, hop=5, size=20, **given):
    given = {
        "strides": [hop], "kernel_shape": [size], "auto_pad": "NOTSET", "dilations": [1], "pads": [0, 0], "group": 1
    } | given  # fmt: skip
    return graph.add("ConvTranspose", x, graph.floats(n_bins, 1, size), **given)


def generated(graph, n_channels, n_frames):
    """What the last convolution of the generator gives, [1, n_channels, n_frames]."""
    weight = graph.floats(n_channels, 4, 3, scale=0.6)
    return graph.add(
        "Conv", graph.given(1, 4, n_frames), weight, graph.floats(n_channels),
        strides=[1], kernel_shape=[3], dilations=[1], pads=[1, 1], group=1,
    )  # fmt: skip


def cut(graph, x, start, end, axis=1, step=1):
    return graph.add("Slice", x, *(graph.constant([each], np.int64) for each in (start, end, axis, step)))


def cartesian(graph, levels, phases, axis=1, functions=("Cos", "Sin"), *, asked=False):
    """The spectrum from two halves, in the published way; and the magnitude, where it is asked for."""
    magnitude, angle = graph.add("Exp", levels), graph.add("Sin", phases)
    parts = [graph.add("Mul", magnitude, graph.add(function, angle)) for function in functions]
    spectrum = graph.add("Concat", *parts, axis=axis)
    return (magnitude, spectrum) if asked else spectrum


def halves_of(graph, middle=3, n_channels=6):
    x = generated(graph, n_channels, 6)
    return cut(graph, x, 0, middle), cut(graph, x, middle, END)
