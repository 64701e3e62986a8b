import numpy as np
import pytest
from service.preparation.rewriting.constants import END
from service.preparation.rewriting.synthesis_window import settle_windows
from tests.service.preparation.rewriting.graph_checks import (
    check_near_misses,
    check_plain_step,
    operators,
    plain,
    within,
)
from tests.service.preparation.rewriting.published_graphs import Published

SIZE = 20
WINDOW = (np.hanning(SIZE + 1)[:-1] ** 2).astype(np.float32)
"""As the published sum begins: nothing, then more and more of the window's squares."""

TINY = float(np.finfo(np.float32).tiny)


def divided(graph, samples, *, window=WINDOW, threshold=TINY, start=0, computed=False, multiplied=False, other=None):
    """The published way to divide samples [1, n] by a window's sum where that is large."""

    def ints(*values):
        return graph.constant(values, np.int64)

    sums = graph.given_array(window, "window") if computed else graph.constant(window)
    n = graph.add("Unsqueeze", graph.add("Gather", graph.add("Shape", samples), graph.constant(1, np.int64)), ints(0))
    part = graph.add("Slice", sums, ints(start), n, ints(0), ints(1))
    found = graph.add("NonZero", graph.add("Greater", part, graph.constant(threshold)))
    indices = graph.add("Transpose", found, perm=[1, 0])
    taken = graph.add("Gather", other or samples, indices, axis=1)
    quotient = graph.add("Mul" if multiplied else "Div", taken, graph.add("Gather", part, indices, axis=0))
    shape = graph.add("Shape", indices)
    row = graph.add("Expand", graph.constant(np.zeros((1, 1, 1)), np.int64), shape)
    columns = graph.add("Expand", indices, graph.add("Concat", ints(1), shape, axis=0))
    places = graph.add("Concat", *(graph.add("Unsqueeze", each, ints(-1)) for each in (row, columns)), axis=-1)
    flat = graph.add("Concat", ints(1), shape, axis=0)
    return graph.add("ScatterND", samples, places, graph.add("Reshape", quotient, flat))


def settled(n_samples, **given):
    """Return the samples, and what they are in the end."""
    graph = Published()
    samples = graph.given(1, n_samples)
    output = graph.add("Neg", divided(graph, samples, **given))
    # A product with the reciprocal is rounded twice.
    model = check_plain_step(graph, settle_windows, 1, output, near=within(0, rtol=2e-7))
    assert operators(model) == {"Slice": 2, "Mul": 1, "Concat": 1, "Neg": 1}
    return graph.feeds[samples], -plain(model, graph.feeds)[0]


@pytest.mark.parametrize("n_samples", [20, 21, 620, 24_020])
def test_the_first_samples_are_multiplied_by_what_they_were_divided_by(n_samples):
    samples, after = settled(n_samples)
    np.testing.assert_array_equal(after[:, SIZE:], samples[:, SIZE:])
    np.testing.assert_array_equal(after[:, :1], samples[:, :1])
    assert np.abs(after / samples - 1)[:, 1:SIZE].max() > 100


@pytest.mark.parametrize("threshold", [0.3, 0.9999])
def test_what_is_below_the_threshold_stays(threshold):
    samples, after = settled(60, threshold=threshold)
    stays = threshold >= WINDOW
    assert stays.any()
    assert not stays.all()
    np.testing.assert_array_equal(after[0, :SIZE][stays], samples[0, :SIZE][stays])


NEAR_MISSES = {
    "a computed window": lambda g, x: divided(g, x, computed=True),
    "a window that begins later": lambda g, x: divided(g, x, start=2),
    "multiplied": lambda g, x: divided(g, x, multiplied=True),
    "of other samples": lambda g, x: divided(g, x, other=g.given(1, 60)),
    "put elsewhere": lambda g, x: g.add("ScatterND", x, g.constant([[[0, 1]]], np.int64), g.constant([[0.5]])),
    "no samples put back": lambda g, x: g.add("Slice", x, *(g.constant([k], np.int64) for k in (0, END, 1))),
}


def test_other_windows_are_left_alone():
    check_near_misses(lambda model: settle_windows(model.graph), NEAR_MISSES, 1, 60)
