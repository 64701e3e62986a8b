"""The spectrum of the sound, and its inverse transform."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from service.preparation.rewriting.constants import END
from tests.service.preparation.rewriting.fourier_graphs import cartesian, cut, generated, halves_of
from tests.service.preparation.rewriting.graph_checks import check_untouched, copied, operators, plain, tidied
from tests.service.preparation.rewriting.published_graphs import Published

from service.preparation.rewriting import fourier, resampling


@pytest.mark.parametrize(("n_bins", "n_frames"), [(1, 1), (11, 1), (11, 2), (11, 300), (40, 7)])
@pytest.mark.parametrize("first", [None, resampling.rules])
def test_the_spectrum_of_the_sound_is_one_operator(native, n_bins, n_frames, first):
    graph = Published()
    x = generated(graph, 2 * n_bins, n_frames)
    halves = cut(graph, x, 0, n_bins), cut(graph, x, n_bins, END)
    published = graph.model(cartesian(graph, *halves))
    (before,) = plain(published, graph.feeds)
    model = copied(published)
    if first is not None:
        # It turns the convolution into one of the dialect, with transposes around it.
        assert first().apply_to_model(model) == 1
    assert fourier.native_rules().apply_to_model(model) == 1
    found = operators(tidied(model))
    assert found["kokoro.PolarToCartesian"] == 1
    assert not {"Slice", "Exp", "Sin", "Cos", "Mul", "Concat"} & set(found)
    (after,) = native.run(native.lower(model), graph.feeds)
    assert after.shape == before.shape
    np.testing.assert_allclose(after, before, rtol=0, atol=4e-6 * np.abs(before).max())


def test_the_sound_is_made_in_two_operators(native):
    graph = Published()
    x = generated(graph, 22, 31)
    spectrum = cartesian(graph, cut(graph, x, 0, 11), cut(graph, x, 11, END))
    weight = graph.floats(22, 1, 20)
    published = graph.model(
        graph.add(
            "ConvTranspose", spectrum, weight, strides=[5], kernel_shape=[20], dilations=[1], pads=[0, 0], group=1
        )
    )
    (before,) = plain(published, graph.feeds)
    model = copied(published)
    assert fourier.native_rules().apply_to_model(model) == 2
    lowered = native.lower(model)
    found = operators(lowered)
    assert (found["kokoro.PolarToCartesian"], found["kokoro.Conv"]) == (1, 1)
    (after,) = native.run(lowered, graph.feeds)
    assert after.shape == before.shape
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-5 * np.abs(before).max())


def of_two(graph):
    """Both halves, but of different convolutions."""
    x, other = (generated(graph, 6, 6) for _ in range(2))
    return cartesian(graph, cut(graph, x, 0, 3), cut(graph, other, 3, END))


def of_anything(graph):
    x = graph.given(1, 6, 6)
    return cartesian(graph, cut(graph, x, 0, 3), cut(graph, x, 3, END))


def of_turned(graph):
    """Six frames of six channels, in which the halves are those of the time."""
    x = graph.add("Transpose", generated(graph, 6, 6), perm=[0, 2, 1])
    return cartesian(graph, cut(graph, x, 0, 3), cut(graph, x, 3, END))


def over_time(graph):
    x = generated(graph, 6, 6)
    return cartesian(graph, cut(graph, x, 0, 3, 2), cut(graph, x, 3, END, 2))


def every_other(graph):
    x = generated(graph, 6, 6)
    return cartesian(graph, cut(graph, x, 0, END, 1, 2), cut(graph, x, 1, END, 1, 2))


def magnitude_as_an_output(graph):
    levels, phases = halves_of(graph)
    magnitude, angle = graph.add("Exp", levels), graph.add("Sin", phases)
    parts = [graph.add("Mul", magnitude, graph.add(each, angle)) for each in ("Cos", "Sin")]
    return magnitude, graph.add("Concat", *parts, axis=1)


POLAR_NEAR_MISSES: dict[str, Callable[[Published], str | tuple[str, ...]]] = {
    "one phase for all": lambda g: cartesian(g, *halves_of(g, 3, 4)),
    "an odd channel": lambda g: cartesian(g, *halves_of(g, 1, 3)),
    "phases before magnitudes": lambda g: cartesian(g, *reversed(halves_of(g))),
    "put together over time": lambda g: cartesian(g, *halves_of(g), axis=2),
    "the imaginary part first": lambda g: cartesian(g, *halves_of(g), first="Sin"),
    "halves of two": of_two,
    "halves of what may have more": of_anything,
    "halves of the time": over_time,
    "halves of the time, turned": of_turned,
    "every other channel": every_other,
    "a magnitude that is asked for elsewhere": magnitude_as_an_output,
}


@pytest.mark.parametrize("what", POLAR_NEAR_MISSES)
def test_other_spectra_are_left_alone(what):
    graph = Published()
    outputs = POLAR_NEAR_MISSES[what](graph)
    named = (outputs,) if isinstance(outputs, str) else outputs
    check_untouched(fourier.native_rules(), graph, *named)
