"""Fourier transforms by ONNX Runtime's own operators."""

import numpy as np
import pytest
from service.preparation.rewriting.dialect import DOMAIN
from tests.service.preparation.rewriting.fourier_graphs import (
    HOP,
    NEAR_MISSES,
    SIZE,
    both,
    cartesian,
    halves_of,
    overlapped,
    polar,
    source,
    tone_with_pauses,
    transformed,
)
from tests.service.preparation.rewriting.graph_checks import check_untouched, copied, operators, plain, tidied
from tests.service.preparation.rewriting.published_graphs import Published

from service.preparation.rewriting import fourier


def test_stock_operators_make_the_spectrum_as_published():
    graph = Published()
    check_untouched(fourier.rules(), graph, cartesian(graph, *halves_of(graph)))


def convolved(graph, *outputs):
    """Return what the outputs are before, and after STFT became a convolution."""
    published = graph.model(*outputs)
    before = plain(published, graph.feeds)
    model = copied(published)
    assert fourier.convolving_rules().apply_to_model(model) == 3
    found = operators(tidied(model))
    assert not {"STFT", "Gather", "MatMul", "Parts"} & set(found)
    assert (found["Conv"], found["Split"]) == (1, 1)
    model.graph.opset_imports.pop(DOMAIN, None)
    return before, plain(model, graph.feeds)


@pytest.mark.parametrize("n_samples", [11, 14, 15, 20, 299, 300, 304])
def test_the_spectrum_of_a_source_is_the_same_as_a_convolution(n_samples):
    graph = Published()
    spectrum = transformed(graph, source(graph, tone_with_pauses(n_samples)))
    before, after = convolved(graph, *both(graph, spectrum))
    for one, other in zip(before, after, strict=True):
        assert one.shape == other.shape == (1, SIZE // 2 + 1, n_samples // HOP + 1)
        np.testing.assert_allclose(other, one, rtol=0, atol=5e-6)


@pytest.mark.parametrize("n_samples", [20, 24, 31, 600, 606])
def test_a_silent_source_has_the_published_phases_as_a_convolution(n_samples):
    graph = Published()
    spectrum = transformed(graph, source(graph, np.zeros((1, n_samples, 1))))
    parts = both(graph, spectrum)
    before, after = convolved(graph, *parts, *polar(graph, *parts))
    for one, other in zip(before[:2], after[:2], strict=True):
        # All but two bins are rounding errors, and yet the same ones.
        np.testing.assert_array_equal(other, one)
    for one, other in zip(before[2:], after[2:], strict=True):
        np.testing.assert_allclose(other, one, rtol=3e-7, atol=0)


@pytest.mark.parametrize(("hop", "size"), [(1, 2), (4, 4), (3, 6), (16, 64)])
def test_other_sizes_are_convolved_alike(hop, size):
    graph = Published()
    window = np.hanning(size + 2)[1:-1].astype(np.float32)
    spectrum = transformed(graph, graph.given(1, 5 * size + 1), hop=hop, window=window)
    before, after = convolved(graph, *both(graph, spectrum))
    for one, other in zip(before, after, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(other, one, rtol=0, atol=3e-5)


@pytest.mark.parametrize("build", NEAR_MISSES)
def test_other_transforms_do_not_become_convolutions(build):
    graph = Published()
    check_untouched(fourier.convolving_rules(), graph, *build(graph))


def test_the_inverse_transform_stays_a_transposed_convolution():
    graph = Published()
    x = graph.given(1, 6, 9)
    check_untouched(fourier.convolving_rules(), graph, overlapped(graph, x))
