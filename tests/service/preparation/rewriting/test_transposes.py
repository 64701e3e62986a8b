from collections.abc import Callable

import numpy as np
import pytest
from service.preparation.rewriting.transposes import cancel_transposes, move_transposes
from tests.service.preparation.rewriting.graph_checks import copied, operators, plain, tidied
from tests.service.preparation.rewriting.published_graphs import Published

Build = Callable[[Published], tuple[str, ...]]


def turned(graph, x):
    return graph.add("Transpose", x, perm=[0, 2, 1])


def given(graph, *, channels_last=False):
    return graph.given(*((1, 7, 3) if channels_last else (1, 3, 7)))


def moved(build, *, expected=None):
    """Move the transposes of a graph, check that numbers are the same, and return it."""
    graph = Published()
    published = graph.model(*build(graph))
    before = plain(published, graph.feeds)
    names = [value.name for value in published.graph.outputs]
    model = copied(published)
    n_moves = move_transposes(model.graph)
    if expected is not None:
        assert n_moves == expected
    assert [value.name for value in model.graph.outputs] == names
    for one, other in zip(before, plain(copied(model), graph.feeds), strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(other, one, rtol=1e-6, atol=1e-6)
    assert move_transposes(model.graph) == 0
    return tidied(model)


def between(*values, op_type):
    """An operator of turned inputs, of one that is not, or of numbers, turned again behind it."""

    def build(graph):
        made = {
            "turned": lambda: turned(graph, given(graph, channels_last=True)),
            "straight": lambda: given(graph),
            "number": lambda: graph.constant(0.5),
            "one number": lambda: graph.constant([0.5]),
            "row": lambda: graph.constant(np.full((1, 3, 1), 0.5)),
            "of last": lambda: graph.constant(np.arange(1.0, 8.0)),
            "rank 3": lambda: graph.constant(np.full((1, 1, 1), 0.5)),
        }
        return (turned(graph, graph.add(op_type, *(made[value]() for value in values))),)

    return build


@pytest.mark.parametrize("op_type", ["Atan", "Cos", "Exp", "Sin", "Tanh", "LeakyRelu"])
def test_a_transpose_passes_what_works_on_each_element(op_type):
    model = moved(lambda graph: (graph.add("Exp", turned(graph, graph.add(op_type, turned(graph, given(graph))))),))
    assert operators(model) == {op_type: 1} | {"Exp": 2 if op_type == "Exp" else 1}


@pytest.mark.parametrize("other", ["turned", "number", "one number"])
@pytest.mark.parametrize("op_type", ["Add", "Div", "Mul", "Pow", "Sub"])
def test_a_transpose_passes_two_operands_that_are_alike(op_type, other):
    def build(graph):
        positive = graph.add("Exp", given(graph, channels_last=True))
        operands = {
            "turned": turned(graph, graph.add("Exp", given(graph, channels_last=True))),
            "number": graph.constant(0.5),
            "one number": graph.constant([0.5]),
        }
        result = graph.add(op_type, turned(graph, positive), operands[other])
        return (graph.add("Sqrt", turned(graph, graph.add("Exp", result))),)

    assert "Transpose" not in operators(moved(build))


def test_a_transpose_passes_comparisons_and_choices():
    def build(graph):
        one, other = (turned(graph, given(graph, channels_last=True)) for _ in "ab")
        greater = graph.add("Greater", one, graph.constant(0.0))
        less = graph.add("Less", one, other)
        chosen = graph.add("Where", greater, one, graph.add("Where", less, other, one))
        return (graph.add("Exp", turned(graph, chosen)),)

    assert "Transpose" not in operators(moved(build))


@pytest.mark.parametrize(
    "values", [("turned", "straight"), ("turned", "row"), ("turned", "of last"), ("turned", "rank 3")]
)
def test_operands_of_other_layouts_stay_where_they_are(values):
    model = moved(between(*values, op_type="Add"), expected=0)
    assert operators(model) == {"Transpose": 2, "Add": 1}


@pytest.mark.parametrize("perm", [(1, 0, 2), (2, 1, 0), (2, 0, 1)])
def test_other_transposes_stay_where_they_are(perm):
    def build(graph):
        x = graph.add("Transpose", given(graph), perm=list(perm))
        return (graph.add("Exp", x),)

    assert operators(moved(build, expected=0)) == {"Transpose": 1, "Exp": 1}


def test_a_transpose_that_reverses_all_axes_stays_where_it_is():
    model = moved(lambda graph: (graph.add("Exp", graph.add("Transpose", given(graph))),))
    assert operators(model) == {"Transpose": 1, "Exp": 1}


@pytest.mark.parametrize(
    ("first", "second", "cancel"),
    [
        ((0, 2, 1), (0, 2, 1), True),
        ((2, 0, 1), (1, 2, 0), False),  # the second one is split in two, neither of which fits
        ((1, 0, 2), (1, 2, 0), True),
        ((0, 2, 1), (1, 0, 2), False),
        ((1, 0, 2), (0, 2, 1), False),
        ((2, 1, 0), (2, 1, 0), True),
    ],
)
def test_only_transposes_that_undo_each_other_cancel(first, second, cancel):
    def build(graph):
        x = graph.add("Transpose", given(graph), perm=list(first))
        return (graph.add("Exp", graph.add("Transpose", x, perm=list(second))),)

    found = operators(moved(build))
    if cancel:
        assert found["Transpose"] == (1 if second == (1, 2, 0) else 0)
    else:
        assert found["Transpose"] >= 2


def test_a_rotation_of_frames_first_meets_what_comes_behind():
    def build(graph):
        rotated = graph.add("Transpose", graph.given(7, 1, 3), perm=[1, 2, 0])
        return (graph.add("Exp", turned(graph, graph.add("Sin", rotated))),)

    model = moved(build)
    assert operators(model) == {"Transpose": 1, "Sin": 1, "Exp": 1}
    (node,) = (node for node in model.graph if node.op_type == "Transpose")
    assert tuple(node.attributes["perm"].as_ints()) == (1, 0, 2)


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("axis", [1, -2])
def test_channels_are_put_together_last(axis, mixed):
    def build(graph):
        values = [turned(graph, given(graph, channels_last=True)) for _ in range(2)]
        if mixed:
            values.append(given(graph))
        return (graph.add("Exp", turned(graph, graph.add("Concat", *values, axis=axis))),)

    model = moved(build)
    (node,) = (node for node in model.graph if node.op_type == "Concat")
    assert node.attributes["axis"].as_int() == 2
    assert operators(model)["Transpose"] == (1 if mixed else 0)


@pytest.mark.parametrize("axis", [0, 2, -1, -3])
def test_other_axes_are_put_together_where_they_are(axis):
    def build(graph):
        values = [turned(graph, given(graph, channels_last=True)) for _ in range(2)]
        return (graph.add("Exp", graph.add("Concat", *values, axis=axis)),)

    assert operators(moved(build, expected=0))["Transpose"] == 2


@pytest.mark.parametrize(("axis", "expected"), [(0, 0), (1, 2), (2, 1), (-1, 1), (-2, 2), (-3, 0)])
def test_a_slice_is_taken_of_the_axis_that_it_was(axis, expected):
    def build(graph):
        bounds = [graph.constant([value], np.int64) for value in (0, 2, axis, 1)]
        part = graph.add("Slice", turned(graph, given(graph, channels_last=True)), *bounds)
        return (graph.add("Exp", turned(graph, part)),)

    model = moved(build)
    assert "Transpose" not in operators(model)
    (node,) = (node for node in model.graph if node.op_type == "Slice")
    axes = node.inputs[3]
    assert axes is not None
    maker = axes.producer()
    assert maker is not None
    assert maker.attributes["value"].as_tensor().numpy().tolist() == [expected]


def test_slices_of_several_axes_or_of_none_named_stay_where_they_are():
    def build(graph):
        x = turned(graph, given(graph, channels_last=True))
        two = [graph.constant(value, np.int64) for value in ([0, 1], [2, 3], [1, 2])]
        one = [graph.constant(value, np.int64) for value in ([0], [1])]
        return (
            graph.add("Exp", turned(graph, graph.add("Slice", x, *two))),
            graph.add("Exp", turned(graph, graph.add("Slice", x, *one))),
        )

    assert operators(moved(build, expected=0))["Transpose"] == 3


def test_outputs_of_the_graph_keep_their_layout():
    def build(graph):
        x = given(graph)
        there = turned(graph, x)
        back = turned(graph, there)
        summed = graph.add("Add", there, turned(graph, given(graph)))
        put = graph.add("Concat", there, summed, axis=1)
        part = graph.add("Slice", put, *(graph.constant([k], np.int64) for k in (0, 2, 1)))
        return there, back, summed, put, part

    moved(build)


def test_what_is_asked_for_in_both_layouts_is_there_in_both():
    def build(graph):
        x = graph.add("Sin", turned(graph, given(graph, channels_last=True)))
        return (graph.add("Exp", turned(graph, x)), graph.add("Exp", x),
                graph.add("Squeeze", x, graph.constant([0], np.int64)))  # fmt: skip

    model = moved(build)
    assert operators(model)["Sin"] == 1


def scramble(graph, random):
    """Put together a graph of both layouts by chance."""
    values = [(graph.given(1, 3, 5), 3, 5), (graph.given(1, 5, 3), 5, 3), (graph.given(1, 3, 3), 3, 3)]

    def pick(rows=None, columns=None):
        fitting = [v for v in values if rows in (None, v[1]) and columns in (None, v[2])]
        return fitting[random.integers(len(fitting))]

    for _ in range(25):
        name, rows, columns = pick()
        other, _, more_columns = pick(rows)
        match random.integers(8):
            case 0 | 1 | 2:
                values.append((turned(graph, name), columns, rows))
            case 3:
                values.append((graph.add("Tanh", name), rows, columns))
            case 4:
                same, *_ = pick(rows, columns)
                half = graph.add("Mul", graph.add("Sub", name, same), graph.constant(0.5))
                values.append((half, rows, columns))
            case 5:
                put = graph.add("Concat", name, other, axis=int(random.choice([2, -1])))
                values.append((put, rows, columns + more_columns))
            case 6:
                there, back = turned(graph, name), turned(graph, other)
                put = graph.add("Concat", there, back, axis=1)
                values.append((put, columns + more_columns, rows))
            case _:
                axis = int(random.integers(1, 3))
                bounds = [graph.constant([k], np.int64) for k in (0, 2, axis)]
                kept = (2, columns) if axis == 1 else (rows, 2)
                values.append((graph.add("Slice", name, *bounds), *kept))
    return tuple(name for name, *_ in values[-6:] if not name.startswith("input"))


@pytest.mark.parametrize("seed", range(25))
def test_moving_ends_and_changes_no_number_whatever_the_graph(seed):
    moved(lambda graph: scramble(graph, np.random.default_rng(seed)))


def cancelled(build, *, expected):
    """Cancel the transposes of a graph, check that numbers are the same, and return it."""
    graph = Published()
    published = graph.model(*build(graph))
    before = plain(published, graph.feeds)
    model = copied(published)
    assert cancel_transposes(model.graph) == expected
    for one, other in zip(before, plain(copied(model), graph.feeds), strict=True):
        np.testing.assert_array_equal(other, one)
    return tidied(model)


@pytest.mark.parametrize(
    ("first", "second", "n_pairs"),
    [((0, 2, 1), (0, 2, 1), 1), ((2, 0, 1), (1, 2, 0), 1), ((1, 0, 2), (1, 2, 0), 0), ((0, 2, 1), (1, 0, 2), 0)],
)
def test_two_transposes_that_undo_each_other_are_dropped(first, second, n_pairs):
    def build(graph):
        x = graph.add("Transpose", given(graph), perm=list(first))
        return (graph.add("Exp", graph.add("Transpose", x, perm=list(second))),)

    assert operators(cancelled(build, expected=n_pairs))["Transpose"] == 2 - 2 * n_pairs


def test_cancelling_moves_nothing():
    model = cancelled(between("turned", "number", op_type="Add"), expected=0)
    assert operators(model) == {"Transpose": 2, "Add": 1}


def test_a_transpose_that_another_needs_stays_when_a_pair_is_dropped():
    def build(graph):
        there = turned(graph, given(graph))
        return (graph.add("Exp", turned(graph, there)), graph.add("Sin", there))

    model = cancelled(build, expected=1)
    assert operators(model) == {"Transpose": 1, "Exp": 1, "Sin": 1}


def test_pairs_of_pairs_are_dropped_and_outputs_keep_their_layout():
    def build(graph):
        x = given(graph)
        for _ in range(4):
            x = turned(graph, x)
        return (graph.add("Exp", x), turned(graph, turned(graph, given(graph))))

    model = cancelled(build, expected=2)
    assert operators(model) == {"Exp": 1, "Transpose": 2}
