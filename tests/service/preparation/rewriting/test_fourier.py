"""Fourier transforms in the form in which Kokoro is published."""

import numpy as np
import pytest

from service.preparation.rewriting import fourier, resampling
from service.preparation.rewriting.constants import END
from tests.service.preparation.checks import STOCK, backend_named, check_near_misses, check_step, operators, within

HOP, SIZE = 5, 20
WINDOW = np.hanning(SIZE + 1)[:-1].astype(np.float32)
BIAS = -0.02945026010274887
"""Of the source of the published model: what it is where a voice has no tone, before tanh."""


def source(graph, tone, bias=BIAS):
    """The published source, [1, n], from a tone [1, n, 1] that is 0 where it is silent."""
    biased = graph.add("Add", graph.constant([bias]), graph.given_array(tone.astype(np.float32)))
    row = graph.add("Transpose", graph.add("Tanh", biased), perm=[0, 2, 1])
    flat = graph.add("Squeeze", row, graph.constant([1], np.int64))
    one = graph.add("Reshape", flat, graph.constant([1, 1, -1], np.int64))
    padded = graph.add("Pad", one, graph.constant([0, 0, SIZE // 2, 0, 0, SIZE // 2], np.int64), mode="reflect")
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
    """Return what outputs are before and after a transform is rewritten by rules and run by a backend."""
    rules, backend = way
    given = []
    found = operators(check_step(backend, graph, rules(), 3, *outputs, near=lambda *pair: given.append(pair)))
    assert not {"STFT", "Gather"} & set(found)
    assert ("MatMul" in found) == (rules is fourier.rules)
    if rules is fourier.convolving_rules:
        assert (found["Conv"], found["Split"], found["kokoro.rewriting.Parts"]) == (1, 1, 0)
    return tuple(zip(*given, strict=True))


def tone_with_pauses(n_samples):
    time = np.arange(n_samples)
    return np.where(time // 45 % 2, 0, 0.3 * np.sin(time * 0.05) + 0.1 * np.sin(time * 0.31))[None, :, None]


def of_signal(take=both, **given):
    """Return what builds parts of the spectrum of 100 samples."""
    return lambda graph: take(graph, transformed(graph, graph.given(1, 100), **given))


NEAR_MISSES = {
    "no multiple": of_signal(hop=6), "both sides": of_signal(onesided=0),
    "computed window": lambda g: both(g, transformed(g, g.given(1, 100), window=g.given(SIZE))),
    "other layout": of_signal(perm=(0, 1, 2, 3)), "spectrum as an output": of_signal(lambda g, x: (x, *both(g, x))),
    "spectrum asked for elsewhere": of_signal(lambda g, x: (g.add("Sqrt", g.add("Mul", x, x)), *both(g, x))),
    "parts of another axis": of_signal(lambda g, x: part(g, x, 0, axis=2)),
    "parts of no axis named": of_signal(lambda g, x: g.add("Gather", x, g.constant(0, np.int64))),
    "parts in another order": of_signal(lambda g, x: part(g, x, [1, 0])),
}  # fmt: skip


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


RULES = [fourier.rules, fourier.native_rules, fourier.convolving_rules]


@pytest.fixture(scope="module", params=RULES, ids=["stock", "native", "convolving"])
def way(request):
    """Rules for a transform and its inverse, and the backend that runs what they make."""
    return request.param, backend_named("native") if request.param is fourier.native_rules else STOCK


def close(before, after, **tolerance):
    for one, other in zip(before, after, strict=True):
        np.testing.assert_allclose(other, one, **tolerance)


@pytest.mark.parametrize("n_samples", [11, 14, 15, 16, 20, 299, 300, 301, 304])
def test_the_spectrum_of_a_source_is_the_same(graph, way, n_samples):
    before, after = rewritten(way, graph, *both(graph, transformed(graph, source(graph, tone_with_pauses(n_samples)))))
    assert before[0].shape == (1, SIZE // 2 + 1, n_samples // HOP + 1)
    # A sum of 20 products of at most 1, in float32.
    close(before, after, rtol=0, atol=5e-6)


@pytest.mark.parametrize("n_samples", [20, 24, 25, 26, 29, 30, 31, 600, 604, 605, 606])
def test_phases_of_a_silent_source_are_the_published_ones(graph, way, n_samples):
    parts = both(graph, transformed(graph, source(graph, np.zeros((1, n_samples, 1)))))
    before, after = rewritten(way, graph, *parts, *polar(graph, *parts))
    # All but two bins are rounding errors, and yet the same ones.
    close(before[:2], after[:2], rtol=0, atol=0)
    # The arc tangent rounds differently at the end of a row, by one step.
    close(before[2:], after[2:], rtol=3e-7, atol=0)


def test_phases_of_pauses_are_the_published_ones(graph, way):
    tone = tone_with_pauses(900)
    before, after = rewritten(way, graph, *polar(graph, *both(graph, transformed(graph, source(graph, tone)))))
    padded = np.pad(tone[0, :, 0], SIZE // 2, mode="reflect")
    silent = ~np.lib.stride_tricks.sliding_window_view(padded, SIZE)[::HOP].any(axis=1)
    assert silent.sum() > 40
    np.testing.assert_allclose(after[1][0][:, silent], before[1][0][:, silent], rtol=3e-7)
    # Elsewhere the phase of each bin that is no rounding error is the same, but for whole turns.
    (magnitude, phase), (_, other) = before, after
    turns = np.abs(np.exp(1j * phase) - np.exp(1j * other))
    assert turns[magnitude > 1e-3].max() < 5e-3


@pytest.mark.parametrize("n_samples", [100, 103])
def test_a_real_bin_has_the_published_sign_of_its_imaginary_part(graph, way, n_samples):
    # It should be 0; its sign decides whether a negative real part has the phase pi or minus pi.
    parts = both(graph, transformed(graph, source(graph, graph.random.normal(0, 0.3, (1, n_samples, 1)))))
    before, after = rewritten(way, graph, *parts, *polar(graph, *parts))
    for bin_ in (0, SIZE // 2):
        negative = before[0][0, bin_] < -1e-3
        assert negative.any()
        agreement = np.sign(before[3][0, bin_, negative]) == np.sign(after[3][0, bin_, negative])
        assert agreement.mean() > 0.9


@pytest.mark.parametrize(("silent", "atol"), [(False, 1e-5), (True, 5e-6)])
def test_a_signal_of_no_known_level_is_transformed_all_the_same(graph, way, silent, atol):
    signal = graph.given_array(np.full((1, 100), 0.25, np.float32)) if silent else graph.given(1, 203)
    before, after = rewritten(way, graph, *both(graph, transformed(graph, signal)))
    close(before, after, rtol=0, atol=atol)


@pytest.mark.parametrize(("hop", "size"), [(1, 2), (4, 4), (3, 6), (16, 64)])
def test_other_sizes_are_transformed_alike(graph, way, hop, size):
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


def rules_for(backend):
    return fourier.rules() if backend is STOCK else fourier.native_rules()


@pytest.mark.parametrize(
    ("n_bins", "n_frames", "hop", "size"), [(22, 1, 5, 20), (22, 2, 5, 20), (22, 31, 5, 20), (3, 7, 4, 4), (5, 6, 1, 3)]
)
def test_overlap_and_add_gives_the_same_samples(graph, backend, n_bins, n_frames, hop, size):
    sound = overlapped(graph, graph.given(1, n_bins, n_frames), n_bins, hop=hop, size=size)
    model = check_step(backend, graph, rules_for(backend), 1, sound, near=within(2e-6, relative=2e-6))
    assert "ConvTranspose" not in operators(model)


def test_two_different_transforms_keep_their_windows_and_kernels(graph, backend):
    signal = graph.given(1, 100)
    forward = [part(graph, transformed(graph, signal, window=each), 0) for each in (WINDOW, np.ones_like(WINDOW))]
    inverse = [overlapped(graph, graph.given(1, 6, 9)) for _ in range(2)]
    check_step(backend, graph, rules_for(backend), 6, *forward, *inverse, near=within(2e-5))


# The spectrum of the sound, and its inverse transform.
def halves(graph, x, middle, **given):
    return cartesian(graph, cut(graph, x, 0, middle), cut(graph, x, middle, END), **given)


@pytest.mark.parametrize(("n_bins", "n_frames"), [(1, 1), (11, 1), (11, 2), (11, 300), (40, 7)])
@pytest.mark.parametrize("resampled", [False, True])
def test_the_spectrum_of_the_sound_is_one_operator(graph, native, n_bins, n_frames, resampled):
    def rewrite(model):
        if resampled:
            # It turns the convolution into one of the dialect, with transposes around it.
            assert resampling.rules().apply_to_model(model) == 1
        return fourier.native_rules().apply_to_model(model)

    spectrum = halves(graph, generated(graph, 2 * n_bins, n_frames), n_bins)
    found = operators(check_step(native, graph, rewrite, 1, spectrum, near=within(0, relative=4e-6)))
    assert found["kokoro.PolarToCartesian"] == 1
    assert not {"Slice", "Exp", "Sin", "Cos", "Mul", "Concat"} & set(found)


def test_the_sound_is_made_in_two_operators(graph, native):
    sound = overlapped(graph, halves(graph, generated(graph, 22, 31), 11), 22)
    model = check_step(native, graph, fourier.native_rules(), 2, sound, near=within(0, relative=1e-5))
    found = operators(native.lower(model))
    assert (found["kokoro.PolarToCartesian"], found["kokoro.Conv"]) == (1, 1)


def halves_between(*bounds):
    """Return what builds a spectrum of two cuts, as many as bounds, of six frames of six channels."""

    def build(graph):
        x = generated(graph, 6, 6)
        return cartesian(graph, *(cut(graph, x, *each) for each in bounds))

    return build


POLAR_NEAR_MISSES = {
    "one phase for all": lambda g: cartesian(g, *halves_of(g, 3, 4)),
    "an odd channel": lambda g: cartesian(g, *halves_of(g, 1, 3)),
    "phases before magnitudes": lambda g: cartesian(g, *reversed(halves_of(g))),
    "put together over time": lambda g: cartesian(g, *halves_of(g), axis=2),
    "the imaginary part first": lambda g: cartesian(g, *halves_of(g), functions=("Sin", "Cos")),
    "halves of two": lambda g: cartesian(g, halves_of(g)[0], halves_of(g)[1]),
    "halves of what may have more": lambda g: halves(g, g.given(1, 6, 6), 3),
    "halves of the time": halves_between((0, 3, 2), (3, END, 2)),
    "halves of the time, turned": lambda g: halves(g, g.add("Transpose", generated(g, 6, 6), perm=[0, 2, 1]), 3),
    "every other channel": halves_between((0, END, 1, 2), (1, END, 1, 2)),
    "a magnitude that is asked for elsewhere": lambda g: cartesian(g, *halves_of(g), asked=True),
}  # fmt: skip


def test_other_spectra_are_left_alone():
    check_near_misses(fourier.native_rules(), POLAR_NEAR_MISSES)
    # ONNX Runtime's operators make spectrum and sound as published.
    check_near_misses(fourier.rules(), {"a spectrum": lambda g: cartesian(g, *halves_of(g))})
    check_near_misses(fourier.convolving_rules(), {"a sound": overlapped}, 1, 6, 9)
