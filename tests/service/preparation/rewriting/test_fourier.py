from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.service.preparation.rewriting.fourier_graphs import (
    HOP,
    NEAR_MISSES,
    SIZE,
    WINDOW,
    overlapped,
    part,
    polar,
    rewritten,
    rules_for,
    source,
    tone_with_pauses,
    transformed,
)
from tests.service.preparation.rewriting.graph_checks import check_untouched, copied, operators, plain, tidied
from tests.service.preparation.rewriting.published_graphs import Published

from service.preparation.rewriting import fourier


@pytest.mark.parametrize("n_samples", [11, 14, 15, 16, 20, 299, 300, 301, 304])
def test_the_spectrum_of_a_source_is_the_same(backend, n_samples):
    graph = Published()
    spectrum = transformed(graph, source(graph, tone_with_pauses(n_samples)))
    before, after = rewritten(backend, graph, *(part(graph, spectrum, index) for index in (0, 1)))
    n_frames = n_samples // HOP + 1
    for one, other in zip(before, after, strict=True):
        assert one.shape == other.shape == (1, SIZE // 2 + 1, n_frames)
        # A sum of 20 products of at most 1, in float32.
        np.testing.assert_allclose(other, one, rtol=0, atol=5e-6)


@pytest.mark.parametrize("n_samples", [20, 24, 25, 26, 29, 30, 31, 600, 604, 605, 606])
def test_phases_of_a_silent_source_are_the_published_ones(backend, n_samples):
    graph = Published()
    spectrum = transformed(graph, source(graph, np.zeros((1, n_samples, 1))))
    parts = [part(graph, spectrum, index) for index in (0, 1)]
    before, after = rewritten(backend, graph, *parts, *polar(graph, *parts))
    for one, other in zip(before[:2], after[:2], strict=True):
        # All but two bins are rounding errors, and yet the same ones.
        np.testing.assert_array_equal(other, one)
    for one, other in zip(before[2:], after[2:], strict=True):
        # The arc tangent rounds differently at the end of a row, by one step.
        np.testing.assert_allclose(other, one, rtol=3e-7, atol=0)


def test_phases_of_pauses_are_the_published_ones(backend):
    graph = Published()
    tone = tone_with_pauses(900)
    spectrum = transformed(graph, source(graph, tone))
    parts = [part(graph, spectrum, index) for index in (0, 1)]
    before, after = rewritten(backend, graph, *polar(graph, *parts))
    padded = np.pad(tone[0, :, 0], SIZE // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, SIZE)[::HOP]
    silent = ~frames.any(axis=1)
    assert silent.sum() > 40
    np.testing.assert_allclose(after[1][0][:, silent], before[1][0][:, silent], rtol=3e-7)
    # Elsewhere the phase of each bin that is no rounding error is the same, but for whole turns.
    (magnitude, phase), (_, other) = before, after
    turns = np.abs(np.exp(1j * phase) - np.exp(1j * other))
    assert turns[magnitude > 1e-3].max() < 5e-3


@pytest.mark.parametrize("n_samples", [100, 103])
def test_a_real_bin_has_the_published_sign_of_its_imaginary_part(backend, n_samples):
    # It should be 0; its sign decides whether a negative real part has the phase pi or minus pi.
    graph = Published()
    spectrum = transformed(graph, source(graph, graph.random.normal(0, 0.3, (1, n_samples, 1))))
    parts = [part(graph, spectrum, index) for index in (0, 1)]
    before, after = rewritten(backend, graph, *parts, *polar(graph, *parts))
    for bin_ in (0, SIZE // 2):
        negative = before[0][0, bin_] < -1e-3
        assert negative.any()
        agreement = np.sign(before[3][0, bin_, negative]) == np.sign(after[3][0, bin_, negative])
        assert agreement.mean() > 0.9


def test_a_signal_of_no_known_level_is_transformed_all_the_same(backend):
    graph = Published()
    spectrum = transformed(graph, graph.given(1, 203))
    before, after = rewritten(backend, graph, *(part(graph, spectrum, index) for index in (0, 1)))
    for one, other in zip(before, after, strict=True):
        np.testing.assert_allclose(other, one, rtol=0, atol=1e-5)


def test_a_silent_signal_of_no_known_level_is_zero_but_for_rounding(backend):
    graph = Published()
    spectrum = transformed(graph, graph.given_array(np.full((1, 100), 0.25, np.float32)))
    before, after = rewritten(backend, graph, *(part(graph, spectrum, index) for index in (0, 1)))
    for one, other in zip(before, after, strict=True):
        np.testing.assert_allclose(other, one, rtol=0, atol=5e-6)


@pytest.mark.parametrize(("hop", "size"), [(1, 2), (4, 4), (3, 6), (16, 64)])
def test_other_sizes_are_transformed_alike(backend, hop, size):
    graph = Published()
    window = np.hanning(size + 2)[1:-1].astype(np.float32)
    spectrum = transformed(graph, graph.given(1, 5 * size + 1), hop=hop, window=window)
    before, after = rewritten(backend, graph, *(part(graph, spectrum, index) for index in (0, 1)))
    for one, other in zip(before, after, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(other, one, rtol=0, atol=3e-5)


INVERSE_NEAR_MISSES: dict[str, Callable[[Published, str], str]] = {
    "no multiple": lambda g, x: overlapped(g, x, strides=[6]),
    "padded": lambda g, x: overlapped(g, x, pads=[5, 5]),
    "longer at the end": lambda g, x: overlapped(g, x, output_padding=[1]),
    "dilated": lambda g, x: overlapped(g, x, dilations=[2]),
    "to two channels": lambda g, x: g.add("ConvTranspose", x, g.floats(6, 2, 20), strides=[5]),
    "in groups": lambda g, x: g.add("ConvTranspose", x, g.floats(6, 1, 20), strides=[5], group=6),
    "with a bias": lambda g, x: g.add("ConvTranspose", x, g.floats(6, 1, 20), g.floats(1), strides=[5]),
    "with computed weights": lambda g, x: g.add("ConvTranspose", x, g.given(6, 1, 20), strides=[5]),
}


@pytest.mark.parametrize("rules", [fourier.rules, fourier.native_rules])
@pytest.mark.parametrize("build", NEAR_MISSES)
def test_other_transforms_are_left_alone(build, rules):
    graph = Published()
    check_untouched(rules(), graph, *build(graph))


@pytest.mark.parametrize("rules", [fourier.rules, fourier.native_rules])
@pytest.mark.parametrize("what", INVERSE_NEAR_MISSES)
def test_other_inverse_transforms_are_left_alone(what, rules):
    graph = Published()
    x = graph.given(1, 6, 9)
    check_untouched(rules(), graph, INVERSE_NEAR_MISSES[what](graph, x))


@pytest.mark.parametrize(
    ("n_bins", "n_frames", "hop", "size"), [(22, 1, 5, 20), (22, 2, 5, 20), (22, 31, 5, 20), (3, 7, 4, 4), (5, 6, 1, 3)]
)
def test_overlap_and_add_gives_the_same_samples(backend, n_bins, n_frames, hop, size):
    graph = Published()
    x = graph.given(1, n_bins, n_frames)
    weight = graph.floats(n_bins, 1, size)
    published = graph.model(
        graph.add(
            "ConvTranspose", x, weight, strides=[hop], kernel_shape=[size], auto_pad="NOTSET",
            dilations=[1], pads=[0, 0], group=1,
        )
    )  # fmt: skip
    (before,) = plain(published, graph.feeds)
    model = copied(published)
    assert rules_for(backend).apply_to_model(model) == 1
    assert "ConvTranspose" not in operators(tidied(model))
    (after,) = backend.run(backend.lower(model), graph.feeds)
    assert after.shape == before.shape == (1, 1, (n_frames - 1) * hop + size)
    np.testing.assert_allclose(after, before, rtol=0, atol=2e-6 * (1 + np.abs(before).max()))


def test_two_different_transforms_keep_their_windows_and_kernels(backend):
    graph = Published()
    windows = (WINDOW, np.ones(SIZE, np.float32))
    signal = graph.given(1, 100)
    forward = [part(graph, transformed(graph, signal, window=window), 0) for window in windows]
    inverse = [overlapped(graph, graph.given(1, 6, 9)) for _ in range(2)]
    published = graph.model(*forward, *inverse)
    before = plain(published, graph.feeds)
    model = copied(published)
    assert rules_for(backend).apply_to_model(model) == 6
    after = backend.run(backend.lower(tidied(model)), graph.feeds)
    for one, other in zip(before, after, strict=True):
        np.testing.assert_allclose(other, one, rtol=0, atol=2e-5)
