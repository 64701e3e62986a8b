from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from onnxscript.rewriter import RewriteRuleSet

from service.preparation.rewriting import fourier, resampling
from service.preparation.rewriting.constants import END
from service.preparation.rewriting.dialect import DOMAIN
from tests.service.preparation.rewriting.published_graphs import (
    Array,
    Backend,
    Published,
    check_untouched,
    copied,
    operators,
    plain,
    tidied,
)

HOP, SIZE = 5, 20
WINDOW = np.hanning(SIZE + 1)[:-1].astype(np.float32)
BIAS = -0.02945026010274887
"""Of the source of the published model: what it is where a voice has no tone, before tanh."""


def source(graph: Published, tone: Array, bias: float = BIAS) -> str:
    """The published source, [1, n], from a tone [1, n, 1] that is 0 where it is silent."""
    x = graph.given_array(tone.astype(np.float32))
    biased = graph.add("Add", graph.constant([bias]), x)
    row = graph.add("Transpose", graph.add("Tanh", biased), perm=[0, 2, 1])
    flat = graph.add("Squeeze", row, graph.constant([1], np.int64))
    one = graph.add("Reshape", flat, graph.constant([1, 1, -1], np.int64))
    pads = graph.constant([0, 0, SIZE // 2, 0, 0, SIZE // 2], np.int64)
    padded = graph.add("Pad", one, pads, mode="reflect")
    return graph.add("Reshape", padded, graph.constant([1, -1], np.int64))


def transformed(
    graph: Published, signal: str, *, hop: int = HOP, window: Array = WINDOW, onesided: int = 1
) -> str:
    spectrum = graph.add(
        "STFT", signal, graph.constant(hop, np.int64), graph.constant(window),
        graph.constant(window.size, np.int64), onesided=onesided,
    )  # fmt: skip
    return graph.add("Transpose", spectrum, perm=[0, 2, 1, 3])


def part(graph: Published, spectrum: str, index: int) -> str:
    return graph.add("Gather", spectrum, graph.constant(index, np.int64), axis=3)


def polar(graph: Published, real: str, imaginary: str) -> tuple[str, str]:
    """Magnitude and phase, in the published way."""
    squares = [graph.add("Pow", each, graph.constant(2.0)) for each in (real, imaginary)]
    magnitude = graph.add("Sqrt", graph.add("Add", *squares))
    behind = graph.add("Less", real, graph.constant(0.0))
    above = graph.add("Greater", imaginary, graph.constant(0.0))
    angle = graph.add("Atan", graph.add("Div", imaginary, real))
    half_turn = graph.constant(3.1415927410125732)
    turned = graph.add(
        "Where", above, graph.add("Add", angle, half_turn), graph.add("Sub", angle, half_turn)
    )
    return magnitude, graph.add("Where", behind, turned, angle)


def rules_for(backend: Backend) -> RewriteRuleSet:
    return fourier.rules() if backend.library is None else fourier.native_rules()


def rewritten(backend: Backend, graph: Published, *outputs: str) -> tuple[list[Array], list[Array]]:
    """Return what the outputs are before and after."""
    published = graph.model(*outputs)
    before = plain(published, graph.feeds)
    model = copied(published)
    assert rules_for(backend).apply_to_model(model) == 3
    tidied(model)
    assert not {"STFT", "Gather"} & set(operators(model))
    assert ("MatMul" in operators(model)) == (backend.library is None)
    return before, backend.run(backend.lower(model), graph.feeds)


def tone_with_pauses(n_samples: int) -> Array:
    time = np.arange(n_samples)
    tone = 0.3 * np.sin(time * 0.05) + 0.1 * np.sin(time * 0.31)
    return np.where(time // 45 % 2, 0, tone)[None, :, None]


@pytest.mark.parametrize("n_samples", [11, 14, 15, 16, 20, 299, 300, 301, 304])
def test_the_spectrum_of_a_source_is_the_same(backend: Backend, n_samples: int) -> None:
    graph = Published()
    spectrum = transformed(graph, source(graph, tone_with_pauses(n_samples)))
    before, after = rewritten(backend, graph, *(part(graph, spectrum, index) for index in (0, 1)))
    n_frames = n_samples // HOP + 1
    for one, other in zip(before, after, strict=True):
        assert one.shape == other.shape == (1, SIZE // 2 + 1, n_frames)
        # A sum of 20 products of at most 1, in float32.
        np.testing.assert_allclose(other, one, rtol=0, atol=5e-6)


@pytest.mark.parametrize("n_samples", [20, 24, 25, 26, 29, 30, 31, 600, 604, 605, 606])
def test_phases_of_a_silent_source_are_the_published_ones(backend: Backend, n_samples: int) -> None:
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


def test_phases_of_pauses_are_the_published_ones(backend: Backend) -> None:
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
def test_a_real_bin_has_the_published_sign_of_its_imaginary_part(
    backend: Backend, n_samples: int
) -> None:
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


def test_a_signal_of_no_known_level_is_transformed_all_the_same(backend: Backend) -> None:
    graph = Published()
    spectrum = transformed(graph, graph.given(1, 203))
    before, after = rewritten(backend, graph, *(part(graph, spectrum, index) for index in (0, 1)))
    for one, other in zip(before, after, strict=True):
        np.testing.assert_allclose(other, one, rtol=0, atol=1e-5)


def test_a_silent_signal_of_no_known_level_is_zero_but_for_rounding(backend: Backend) -> None:
    graph = Published()
    spectrum = transformed(graph, graph.given_array(np.full((1, 100), 0.25, np.float32)))
    before, after = rewritten(backend, graph, *(part(graph, spectrum, index) for index in (0, 1)))
    for one, other in zip(before, after, strict=True):
        np.testing.assert_allclose(other, one, rtol=0, atol=5e-6)


@pytest.mark.parametrize(("hop", "size"), [(1, 2), (4, 4), (3, 6), (16, 64)])
def test_other_sizes_are_transformed_alike(backend: Backend, hop: int, size: int) -> None:
    graph = Published()
    window = np.hanning(size + 2)[1:-1].astype(np.float32)
    spectrum = transformed(graph, graph.given(1, 5 * size + 1), hop=hop, window=window)
    before, after = rewritten(backend, graph, *(part(graph, spectrum, index) for index in (0, 1)))
    for one, other in zip(before, after, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(other, one, rtol=0, atol=3e-5)


def both(graph: Published, spectrum: str) -> tuple[str, ...]:
    return tuple(part(graph, spectrum, index) for index in (0, 1))


def no_multiple(graph: Published) -> tuple[str, ...]:
    return both(graph, transformed(graph, graph.given(1, 100), hop=6))


def both_sides(graph: Published) -> tuple[str, ...]:
    return both(graph, transformed(graph, graph.given(1, 100), onesided=0))


def computed_window(graph: Published) -> tuple[str, ...]:
    spectrum = graph.add(
        "STFT", graph.given(1, 100), graph.constant(5, np.int64), graph.given(20),
        graph.constant(20, np.int64), onesided=1,
    )  # fmt: skip
    return both(graph, graph.add("Transpose", spectrum, perm=[0, 2, 1, 3]))


def other_layout(graph: Published) -> tuple[str, ...]:
    spectrum = graph.add(
        "STFT", graph.given(1, 100), graph.constant(5, np.int64), graph.constant(WINDOW),
        graph.constant(20, np.int64), onesided=1,
    )  # fmt: skip
    return both(graph, graph.add("Transpose", spectrum, perm=[0, 1, 2, 3]))


def spectrum_as_an_output(graph: Published) -> tuple[str, ...]:
    spectrum = transformed(graph, graph.given(1, 100))
    return (spectrum, *both(graph, spectrum))


def spectrum_asked_for_elsewhere(graph: Published) -> tuple[str, ...]:
    spectrum = transformed(graph, graph.given(1, 100))
    return (graph.add("Sqrt", graph.add("Mul", spectrum, spectrum)), *both(graph, spectrum))


def parts_of_another_axis(graph: Published) -> tuple[str, ...]:
    spectrum = transformed(graph, graph.given(1, 100))
    return (graph.add("Gather", spectrum, graph.constant(0, np.int64), axis=2),)


def parts_of_no_axis_named(graph: Published) -> tuple[str, ...]:
    spectrum = transformed(graph, graph.given(1, 100))
    return (graph.add("Gather", spectrum, graph.constant(0, np.int64)),)


def parts_in_another_order(graph: Published) -> tuple[str, ...]:
    spectrum = transformed(graph, graph.given(1, 100))
    return (graph.add("Gather", spectrum, graph.constant([1, 0], np.int64), axis=3),)


NEAR_MISSES = [
    no_multiple, both_sides, computed_window, other_layout, spectrum_as_an_output,
    spectrum_asked_for_elsewhere, parts_of_another_axis, parts_of_no_axis_named,
    parts_in_another_order,
]  # fmt: skip


def overlapped(graph: Published, x: str, **given: Any) -> str:
    given = {
        "strides": [5], "kernel_shape": [20], "auto_pad": "NOTSET", "dilations": [1],
        "pads": [0, 0], "group": 1,
    } | given  # fmt: skip
    weight = graph.floats(6, 1, *given["kernel_shape"])
    return graph.add("ConvTranspose", x, weight, **given)


INVERSE_NEAR_MISSES: dict[str, Callable[[Published, str], str]] = {
    "no multiple": lambda g, x: overlapped(g, x, strides=[6]),
    "padded": lambda g, x: overlapped(g, x, pads=[5, 5]),
    "longer at the end": lambda g, x: overlapped(g, x, output_padding=[1]),
    "dilated": lambda g, x: overlapped(g, x, dilations=[2]),
    "to two channels": lambda g, x: g.add("ConvTranspose", x, g.floats(6, 2, 20), strides=[5]),
    "in groups": lambda g, x: g.add("ConvTranspose", x, g.floats(6, 1, 20), strides=[5], group=6),
    "with a bias": lambda g, x: g.add(
        "ConvTranspose", x, g.floats(6, 1, 20), g.floats(1), strides=[5]
    ),
    "with computed weights": lambda g, x: g.add("ConvTranspose", x, g.given(6, 1, 20), strides=[5]),
}


@pytest.mark.parametrize("rules", [fourier.rules, fourier.native_rules])
@pytest.mark.parametrize("build", NEAR_MISSES)
def test_other_transforms_are_left_alone(
    build: Callable[[Published], tuple[str, ...]], rules: Callable[[], RewriteRuleSet]
) -> None:
    graph = Published()
    check_untouched(rules(), graph, *build(graph))


@pytest.mark.parametrize("rules", [fourier.rules, fourier.native_rules])
@pytest.mark.parametrize("what", INVERSE_NEAR_MISSES)
def test_other_inverse_transforms_are_left_alone(
    what: str, rules: Callable[[], RewriteRuleSet]
) -> None:
    graph = Published()
    x = graph.given(1, 6, 9)
    check_untouched(rules(), graph, INVERSE_NEAR_MISSES[what](graph, x))


@pytest.mark.parametrize(
    ("n_bins", "n_frames", "hop", "size"),
    [(22, 1, 5, 20), (22, 2, 5, 20), (22, 31, 5, 20), (3, 7, 4, 4), (5, 6, 1, 3)],
)
def test_overlap_and_add_gives_the_same_samples(
    backend: Backend, n_bins: int, n_frames: int, hop: int, size: int
) -> None:
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


def test_two_different_transforms_keep_their_windows_and_kernels(backend: Backend) -> None:
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


def generated(graph: Published, n_channels: int, n_frames: int) -> str:
    """What the last convolution of the generator gives, [1, n_channels, n_frames]."""
    weight = graph.floats(n_channels, 4, 3, scale=0.6)
    return graph.add(
        "Conv", graph.given(1, 4, n_frames), weight, graph.floats(n_channels),
        strides=[1], kernel_shape=[3], dilations=[1], pads=[1, 1], group=1,
    )  # fmt: skip


def cut(graph: Published, x: str, start: int, end: int, axis: int = 1, step: int = 1) -> str:
    numbers = [graph.constant([each], np.int64) for each in (start, end, axis, step)]
    return graph.add("Slice", x, *numbers)


def cartesian(graph: Published, levels: str, phases: str, axis: int = 1, first: str = "Cos") -> str:
    """The spectrum from two halves, in the published way."""
    magnitude, angle = graph.add("Exp", levels), graph.add("Sin", phases)
    parts = [
        graph.add("Mul", magnitude, graph.add(function, angle))
        for function in (first, "Sin" if first == "Cos" else "Cos")
    ]
    return graph.add("Concat", *parts, axis=axis)


@pytest.mark.parametrize(("n_bins", "n_frames"), [(1, 1), (11, 1), (11, 2), (11, 300), (40, 7)])
@pytest.mark.parametrize("first", [None, resampling.rules])
def test_the_spectrum_of_the_sound_is_one_operator(
    native: Backend, n_bins: int, n_frames: int, first: Callable[[], RewriteRuleSet] | None
) -> None:
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


def test_the_sound_is_made_in_two_operators(native: Backend) -> None:
    graph = Published()
    x = generated(graph, 22, 31)
    spectrum = cartesian(graph, cut(graph, x, 0, 11), cut(graph, x, 11, END))
    weight = graph.floats(22, 1, 20)
    published = graph.model(
        graph.add(
            "ConvTranspose", spectrum, weight, strides=[5], kernel_shape=[20], dilations=[1],
            pads=[0, 0], group=1,
        )
    )  # fmt: skip
    (before,) = plain(published, graph.feeds)
    model = copied(published)
    assert fourier.native_rules().apply_to_model(model) == 2
    lowered = native.lower(model)
    found = operators(lowered)
    assert (found["kokoro.PolarToCartesian"], found["kokoro.Conv"]) == (1, 1)
    (after,) = native.run(lowered, graph.feeds)
    assert after.shape == before.shape
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-5 * np.abs(before).max())


def halves_of(graph: Published, middle: int = 3, n_channels: int = 6) -> tuple[str, str]:
    x = generated(graph, n_channels, 6)
    return cut(graph, x, 0, middle), cut(graph, x, middle, END)


def of_two(graph: Published) -> str:
    """Both halves, but of different convolutions."""
    x, other = (generated(graph, 6, 6) for _ in range(2))
    return cartesian(graph, cut(graph, x, 0, 3), cut(graph, other, 3, END))


def of_anything(graph: Published) -> str:
    x = graph.given(1, 6, 6)
    return cartesian(graph, cut(graph, x, 0, 3), cut(graph, x, 3, END))


def of_turned(graph: Published) -> str:
    """Six frames of six channels, in which the halves are those of the time."""
    x = graph.add("Transpose", generated(graph, 6, 6), perm=[0, 2, 1])
    return cartesian(graph, cut(graph, x, 0, 3), cut(graph, x, 3, END))


def over_time(graph: Published) -> str:
    x = generated(graph, 6, 6)
    return cartesian(graph, cut(graph, x, 0, 3, 2), cut(graph, x, 3, END, 2))


def every_other(graph: Published) -> str:
    x = generated(graph, 6, 6)
    return cartesian(graph, cut(graph, x, 0, END, 1, 2), cut(graph, x, 1, END, 1, 2))


def magnitude_as_an_output(graph: Published) -> tuple[str, ...]:
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
def test_other_spectra_are_left_alone(what: str) -> None:
    graph = Published()
    outputs = POLAR_NEAR_MISSES[what](graph)
    named = (outputs,) if isinstance(outputs, str) else outputs
    check_untouched(fourier.native_rules(), graph, *named)


def test_stock_operators_make_the_spectrum_as_published() -> None:
    graph = Published()
    check_untouched(fourier.rules(), graph, cartesian(graph, *halves_of(graph)))


def convolved(graph: Published, *outputs: str) -> tuple[list[Array], list[Array]]:
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
def test_the_spectrum_of_a_source_is_the_same_as_a_convolution(n_samples: int) -> None:
    graph = Published()
    spectrum = transformed(graph, source(graph, tone_with_pauses(n_samples)))
    before, after = convolved(graph, *both(graph, spectrum))
    for one, other in zip(before, after, strict=True):
        assert one.shape == other.shape == (1, SIZE // 2 + 1, n_samples // HOP + 1)
        np.testing.assert_allclose(other, one, rtol=0, atol=5e-6)


@pytest.mark.parametrize("n_samples", [20, 24, 31, 600, 606])
def test_a_silent_source_has_the_published_phases_as_a_convolution(n_samples: int) -> None:
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
def test_other_sizes_are_convolved_alike(hop: int, size: int) -> None:
    graph = Published()
    window = np.hanning(size + 2)[1:-1].astype(np.float32)
    spectrum = transformed(graph, graph.given(1, 5 * size + 1), hop=hop, window=window)
    before, after = convolved(graph, *both(graph, spectrum))
    for one, other in zip(before, after, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(other, one, rtol=0, atol=3e-5)


@pytest.mark.parametrize("build", NEAR_MISSES)
def test_other_transforms_do_not_become_convolutions(
    build: Callable[[Published], tuple[str, ...]],
) -> None:
    graph = Published()
    check_untouched(fourier.convolving_rules(), graph, *build(graph))


def test_the_inverse_transform_stays_a_transposed_convolution() -> None:
    graph = Published()
    x = graph.given(1, 6, 9)
    check_untouched(fourier.convolving_rules(), graph, overlapped(graph, x))
