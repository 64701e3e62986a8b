import numpy as np
import pytest
from tests.service.preparation.rewriting.fourier_graphs import (
    HOP,
    NEAR_MISSES,
    SIZE,
    WINDOW,
    both,
    cartesian,
    halves_of,
    overlapped,
    part,
    polar,
    rewritten,
    source,
    tone_with_pauses,
    transformed,
)
from tests.service.preparation.rewriting.graph_checks import (
    STOCK,
    backend_named,
    check_near_misses,
    check_step,
    operators,
    within,
)
from tests.service.preparation.rewriting.published_graphs import Published

from service.preparation.rewriting import fourier

RULES = [fourier.rules, fourier.native_rules, fourier.convolving_rules]


@pytest.fixture(scope="module", params=RULES, ids=["stock", "native", "convolving"])
def way(request):
    """Rules for a transform and its inverse, and the backend that runs what they make."""
    return request.param, backend_named("native") if request.param is fourier.native_rules else STOCK


def close(before, after, **tolerance):
    for one, other in zip(before, after, strict=True):
        np.testing.assert_allclose(other, one, **tolerance)


@pytest.mark.parametrize("n_samples", [11, 14, 15, 16, 20, 299, 300, 301, 304])
def test_the_spectrum_of_a_source_is_the_same(way, n_samples):
    graph = Published()
    before, after = rewritten(way, graph, *both(graph, transformed(graph, source(graph, tone_with_pauses(n_samples)))))
    assert before[0].shape == (1, SIZE // 2 + 1, n_samples // HOP + 1)
    # A sum of 20 products of at most 1, in float32.
    close(before, after, rtol=0, atol=5e-6)


@pytest.mark.parametrize("n_samples", [20, 24, 25, 26, 29, 30, 31, 600, 604, 605, 606])
def test_phases_of_a_silent_source_are_the_published_ones(way, n_samples):
    graph = Published()
    parts = both(graph, transformed(graph, source(graph, np.zeros((1, n_samples, 1)))))
    before, after = rewritten(way, graph, *parts, *polar(graph, *parts))
    # All but two bins are rounding errors, and yet the same ones.
    close(before[:2], after[:2], rtol=0, atol=0)
    # The arc tangent rounds differently at the end of a row, by one step.
    close(before[2:], after[2:], rtol=3e-7, atol=0)


def test_phases_of_pauses_are_the_published_ones(way):
    graph = Published()
    tone = tone_with_pauses(900)
    before, after = rewritten(way, graph, *polar(graph, *both(graph, transformed(graph, source(graph, tone)))))
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
def test_a_real_bin_has_the_published_sign_of_its_imaginary_part(way, n_samples):
    # It should be 0; its sign decides whether a negative real part has the phase pi or minus pi.
    graph = Published()
    parts = both(graph, transformed(graph, source(graph, graph.random.normal(0, 0.3, (1, n_samples, 1)))))
    before, after = rewritten(way, graph, *parts, *polar(graph, *parts))
    for bin_ in (0, SIZE // 2):
        negative = before[0][0, bin_] < -1e-3
        assert negative.any()
        agreement = np.sign(before[3][0, bin_, negative]) == np.sign(after[3][0, bin_, negative])
        assert agreement.mean() > 0.9


@pytest.mark.parametrize(("silent", "atol"), [(False, 1e-5), (True, 5e-6)])
def test_a_signal_of_no_known_level_is_transformed_all_the_same(way, silent, atol):
    graph = Published()
    signal = graph.given_array(np.full((1, 100), 0.25, np.float32)) if silent else graph.given(1, 203)
    before, after = rewritten(way, graph, *both(graph, transformed(graph, signal)))
    close(before, after, rtol=0, atol=atol)


@pytest.mark.parametrize(("hop", "size"), [(1, 2), (4, 4), (3, 6), (16, 64)])
def test_other_sizes_are_transformed_alike(way, hop, size):
    graph = Published()
    window = np.hanning(size + 2)[1:-1].astype(np.float32)
    spectrum = transformed(graph, graph.given(1, 5 * size + 1), hop=hop, window=window)
    before, after = rewritten(way, graph, *both(graph, spectrum))
    close(before, after, rtol=0, atol=3e-5)


INVERSE_NEAR_MISSES = {
    "no multiple": lambda g, x: overlapped(g, x, strides=[6]),
    "padded": lambda g, x: overlapped(g, x, pads=[5, 5]),
    "longer at the end": lambda g, x: overlapped(g, x, output_padding=[1]),
    "dilated": lambda g, x: overlapped(g, x, dilations=[2]),
    "to two channels": lambda g, x: g.add("ConvTranspose", x, g.floats(6, 2, 20), strides=[5]),
    "in groups": lambda g, x: g.add("ConvTranspose", x, g.floats(6, 1, 20), strides=[5], group=6),
    "with a bias": lambda g, x: g.add("ConvTranspose", x, g.floats(6, 1, 20), g.floats(1), strides=[5]),
    "with computed weights": lambda g, x: g.add("ConvTranspose", x, g.given(6, 1, 20), strides=[5]),
}


@pytest.mark.parametrize("rules", RULES)
def test_other_transforms_are_left_alone(rules):
    check_near_misses(rules(), NEAR_MISSES)
    check_near_misses(rules(), INVERSE_NEAR_MISSES, 1, 6, 9)


def test_operators_of_onnx_runtime_make_spectrum_and_sound_as_published():
    check_near_misses(fourier.rules(), {"a spectrum": lambda g: cartesian(g, *halves_of(g))})
    check_near_misses(fourier.convolving_rules(), {"a sound": overlapped}, 1, 6, 9)


def rules_for(backend):
    return fourier.rules() if backend is STOCK else fourier.native_rules()


@pytest.mark.parametrize(
    ("n_bins", "n_frames", "hop", "size"), [(22, 1, 5, 20), (22, 2, 5, 20), (22, 31, 5, 20), (3, 7, 4, 4), (5, 6, 1, 3)]
)
def test_overlap_and_add_gives_the_same_samples(backend, n_bins, n_frames, hop, size):
    graph = Published()
    sound = overlapped(graph, graph.given(1, n_bins, n_frames), n_bins, hop=hop, size=size)
    model = check_step(backend, graph, rules_for(backend), 1, sound, near=within(2e-6, relative=2e-6))
    assert "ConvTranspose" not in operators(model)


def test_two_different_transforms_keep_their_windows_and_kernels(backend):
    graph = Published()
    signal = graph.given(1, 100)
    forward = [part(graph, transformed(graph, signal, window=each), 0) for each in (WINDOW, np.ones_like(WINDOW))]
    inverse = [overlapped(graph, graph.given(1, 6, 9)) for _ in range(2)]
    check_step(backend, graph, rules_for(backend), 6, *forward, *inverse, near=within(2e-5))
