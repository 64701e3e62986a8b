"""The spectrum of the sound, and its inverse transform."""

import pytest
from service.preparation.rewriting.constants import END
from tests.service.preparation.rewriting.fourier_graphs import cartesian, cut, generated, halves_of, overlapped
from tests.service.preparation.rewriting.graph_checks import check_near_misses, check_step, operators, within
from tests.service.preparation.rewriting.published_graphs import Published

from service.preparation.rewriting import fourier, resampling


def halves(graph, x, middle, **given):
    return cartesian(graph, cut(graph, x, 0, middle), cut(graph, x, middle, END), **given)


@pytest.mark.parametrize(("n_bins", "n_frames"), [(1, 1), (11, 1), (11, 2), (11, 300), (40, 7)])
@pytest.mark.parametrize("resampled", [False, True])
def test_the_spectrum_of_the_sound_is_one_operator(native, n_bins, n_frames, resampled):
    def rewrite(model):
        if resampled:
            # It turns the convolution into one of the dialect, with transposes around it.
            assert resampling.rules().apply_to_model(model) == 1
        return fourier.native_rules().apply_to_model(model)

    graph = Published()
    spectrum = halves(graph, generated(graph, 2 * n_bins, n_frames), n_bins)
    found = operators(check_step(native, graph, rewrite, 1, spectrum, near=within(0, relative=4e-6)))
    assert found["kokoro.PolarToCartesian"] == 1
    assert not {"Slice", "Exp", "Sin", "Cos", "Mul", "Concat"} & set(found)


def test_the_sound_is_made_in_two_operators(native):
    graph = Published()
    sound = overlapped(graph, halves(graph, generated(graph, 22, 31), 11), 22)
    model = check_step(native, graph, fourier.native_rules(), 2, sound, near=within(0, relative=1e-5))
    found = operators(native.lower(model))
    assert (found["kokoro.PolarToCartesian"], found["kokoro.Conv"]) == (1, 1)


def of_two(graph):
    """Both halves, but of different convolutions."""
    x, other = (generated(graph, 6, 6) for _ in range(2))
    return cartesian(graph, cut(graph, x, 0, 3), cut(graph, other, 3, END))


def of_turned(graph):
    """Six frames of six channels, in which the halves are those of the time."""
    return halves(graph, graph.add("Transpose", generated(graph, 6, 6), perm=[0, 2, 1]), 3)


def over_time(graph):
    x = generated(graph, 6, 6)
    return cartesian(graph, cut(graph, x, 0, 3, 2), cut(graph, x, 3, END, 2))


def every_other(graph):
    x = generated(graph, 6, 6)
    return cartesian(graph, cut(graph, x, 0, END, 1, 2), cut(graph, x, 1, END, 1, 2))


NEAR_MISSES = {
    "one phase for all": lambda g: cartesian(g, *halves_of(g, 3, 4)),
    "an odd channel": lambda g: cartesian(g, *halves_of(g, 1, 3)),
    "phases before magnitudes": lambda g: cartesian(g, *reversed(halves_of(g))),
    "put together over time": lambda g: cartesian(g, *halves_of(g), axis=2),
    "the imaginary part first": lambda g: cartesian(g, *halves_of(g), functions=("Sin", "Cos")),
    "halves of two": of_two,
    "halves of what may have more": lambda g: halves(g, g.given(1, 6, 6), 3),
    "halves of the time": over_time,
    "halves of the time, turned": of_turned,
    "every other channel": every_other,
    "a magnitude that is asked for elsewhere": lambda g: cartesian(g, *halves_of(g), asked=True),
}


def test_other_spectra_are_left_alone():
    check_near_misses(fourier.native_rules(), NEAR_MISSES)
