import numpy as np
import pytest

from service.preparation.rewriting.transposes import cancel_transposes, move_transposes
from tests.service.preparation.checks import STOCK, built, check_run, copied, operators, the_node, tidied, within
from tests.service.preparation.rewriting.published_graphs import Published


def turned(graph, x, perm=(0, 2, 1)):
    return graph.add("Transpose", x, perm=list(perm))


def turn_of(graph):
    """Channels first, of an input that is channels last."""
    return turned(graph, graph.given(1, 7, 3))


def ints(graph, *values):
    return [graph.constant(value if isinstance(value, list) else [value], np.int64) for value in values]


def moved(build, expected=None):
    """Move the transposes of a graph, check that numbers are the same, and return it."""
    graph = Published()
    published = graph.model(*built(graph, build))
    model = copied(published)
    assert expected in (move_transposes(model.graph), None)
    assert [value.name for value in model.graph.outputs] == [value.name for value in published.graph.outputs]
    check_run(STOCK, published, model, graph.feeds, within(1e-6, rtol=1e-6))
    assert move_transposes(model.graph) == 0
    return tidied(model)


@pytest.mark.parametrize("op_type", ["Atan", "Cos", "Exp", "Sin", "Tanh", "LeakyRelu"])
def test_a_transpose_passes_what_works_on_each_element(op_type):
    model = moved(lambda g: g.add("Exp", turned(g, g.add(op_type, turned(g, g.given(1, 3, 7))))))
    assert operators(model) == {op_type: 1} | {"Exp": 2 if op_type == "Exp" else 1}


OPERANDS = {
    "turned": lambda g: turned(g, g.add("Exp", g.given(1, 7, 3))), "straight": lambda g: g.given(1, 3, 7),
    "number": lambda g: g.constant(0.5), "one number": lambda g: g.constant([0.5]),
    "row": lambda g: g.constant(np.full((1, 3, 1), 0.5)), "of last": lambda g: g.constant(np.arange(1.0, 8.0)),
    "rank 3": lambda g: g.constant(np.full((1, 1, 1), 0.5)),
}  # fmt: skip


@pytest.mark.parametrize("other", ["turned", "number", "one number"])
@pytest.mark.parametrize("op_type", ["Add", "Div", "Mul", "Pow", "Sub"])
def test_a_transpose_passes_two_operands_that_are_alike(op_type, other):
    def build(graph):
        result = graph.add(op_type, OPERANDS["turned"](graph), OPERANDS[other](graph))
        return graph.add("Sqrt", turned(graph, graph.add("Exp", result)))

    assert "Transpose" not in operators(moved(build))


def test_a_transpose_passes_comparisons_and_choices():
    def build(graph):
        one, other = (turn_of(graph) for _ in "ab")
        greater = graph.add("Greater", one, graph.constant(0.0))
        chosen = graph.add("Where", greater, one, graph.add("Where", graph.add("Less", one, other), other, one))
        return graph.add("Exp", turned(graph, chosen))

    assert "Transpose" not in operators(moved(build))


@pytest.mark.parametrize("other", ["straight", "row", "of last", "rank 3"])
def test_operands_of_other_layouts_stay_where_they_are(other):
    model = moved(lambda g: turned(g, g.add("Add", turn_of(g), OPERANDS[other](g))), expected=0)
    assert operators(model) == {"Transpose": 2, "Add": 1}


@pytest.mark.parametrize("given", [{"perm": [1, 0, 2]}, {"perm": [2, 1, 0]}, {"perm": [2, 0, 1]}, {}], ids=str)
def test_other_transposes_stay_where_they_are(given):
    # Without an order they reverse all axes.
    model = moved(lambda g: g.add("Exp", g.add("Transpose", g.given(1, 3, 7), **given)), expected=0)
    assert operators(model) == {"Transpose": 1, "Exp": 1}


def twice(first, second):
    return lambda g: g.add("Exp", turned(g, turned(g, g.given(1, 3, 7), first), second))


@pytest.mark.parametrize(("first", "second", "n_left"), [
    ((0, 2, 1), (0, 2, 1), 0), ((1, 0, 2), (1, 2, 0), 1), ((2, 1, 0), (2, 1, 0), 0),
    ((0, 2, 1), (1, 0, 2), 2), ((1, 0, 2), (0, 2, 1), 2),
    ((2, 0, 1), (1, 2, 0), 3),  # the second one is split in two, neither of which fits
])  # fmt: skip
def test_only_transposes_that_undo_each_other_cancel(first, second, n_left):
    assert operators(moved(twice(first, second)))["Transpose"] == n_left


def test_a_rotation_of_frames_first_meets_what_comes_behind():
    def build(graph):
        return graph.add("Exp", turned(graph, graph.add("Sin", turned(graph, graph.given(7, 1, 3), (1, 2, 0)))))

    model = moved(build)
    assert operators(model) == {"Transpose": 1, "Sin": 1, "Exp": 1}
    assert tuple(the_node(model, "Transpose").attributes["perm"].as_ints()) == (1, 0, 2)


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("axis", [1, -2])
def test_channels_are_put_together_last(axis, mixed):
    def build(graph):
        values = [turn_of(graph), turn_of(graph)] + [graph.given(1, 3, 7)] * mixed
        return graph.add("Exp", turned(graph, graph.add("Concat", *values, axis=axis)))

    model = moved(build)
    assert the_node(model, "Concat").attributes["axis"].as_int() == 2
    assert operators(model)["Transpose"] == mixed


@pytest.mark.parametrize("axis", [0, 2, -1, -3])
def test_other_axes_are_put_together_where_they_are(axis):
    model = moved(lambda g: g.add("Exp", g.add("Concat", turn_of(g), turn_of(g), axis=axis)), expected=0)
    assert operators(model)["Transpose"] == 2


@pytest.mark.parametrize(("axis", "expected"), [(0, 0), (1, 2), (2, 1), (-1, 1), (-2, 2), (-3, 0)])
def test_a_slice_is_taken_of_the_axis_that_it_was(axis, expected):
    model = moved(lambda g: g.add("Exp", turned(g, g.add("Slice", turn_of(g), *ints(g, 0, 2, axis, 1)))))
    assert "Transpose" not in operators(model)
    axes = the_node(model, "Slice").inputs[3].producer().attributes["value"].as_tensor()
    assert axes.numpy().tolist() == [expected]


def test_slices_of_several_axes_or_of_none_named_stay_where_they_are():
    def build(graph):
        x = turn_of(graph)
        slices = [graph.add("Slice", x, *ints(graph, *bounds)) for bounds in (([0, 1], [2, 3], [1, 2]), (0, 1))]
        return [graph.add("Exp", turned(graph, each)) for each in slices]

    assert operators(moved(build, expected=0))["Transpose"] == 3


def test_what_is_asked_for_in_both_layouts_is_there_in_both():
    def build(graph):
        x = graph.add("Sin", turn_of(graph))
        return graph.add("Exp", turned(graph, x)), graph.add("Exp", x), graph.add("Squeeze", x, *ints(graph, 0))

    assert operators(moved(build))["Sin"] == 1


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
                put = graph.add("Concat", turned(graph, name), turned(graph, other), axis=1)
                values.append((put, columns + more_columns, rows))
            case _:
                axis = int(random.integers(1, 3))
                kept = (2, columns) if axis == 1 else (rows, 2)
                values.append((graph.add("Slice", name, *ints(graph, 0, 2, axis)), *kept))
    return [name for name, *_ in values[-6:] if not name.startswith("input")]


@pytest.mark.parametrize("seed", range(25))
def test_moving_ends_and_changes_no_number_whatever_the_graph(seed):
    moved(lambda graph: scramble(graph, np.random.default_rng(seed)))


def there_and_back(graph):
    there = turned(graph, graph.given(1, 3, 7))
    return graph.add("Exp", turned(graph, there)), graph.add("Sin", there)


def four_times(graph):
    x = graph.given(1, 3, 7)
    for _ in range(4):
        x = turned(graph, x)
    return graph.add("Exp", x), turned(graph, turned(graph, graph.given(1, 3, 7)))


@pytest.mark.parametrize(("build", "n_pairs", "left"), [
    (twice((0, 2, 1), (0, 2, 1)), 1, {"Exp": 1}),
    (twice((2, 0, 1), (1, 2, 0)), 1, {"Exp": 1}),
    (twice((1, 0, 2), (1, 2, 0)), 0, {"Exp": 1, "Transpose": 2}),
    (twice((0, 2, 1), (1, 0, 2)), 0, {"Exp": 1, "Transpose": 2}),
    # Nothing is moved.
    (lambda g: turned(g, g.add("Add", turn_of(g), g.constant(0.5))), 0, {"Transpose": 2, "Add": 1}),
    # One that another needs stays.
    (there_and_back, 1, {"Transpose": 1, "Exp": 1, "Sin": 1}),
    # Pairs of pairs go, and outputs keep their layout.
    (four_times, 2, {"Exp": 1, "Transpose": 2}),
])  # fmt: skip
def test_two_transposes_that_undo_each_other_are_dropped_and_nothing_is_moved(graph, build, n_pairs, left):
    published = graph.model(*built(graph, build))
    model = copied(published)
    assert cancel_transposes(model.graph) == n_pairs
    check_run(STOCK, published, model, graph.feeds)
    assert operators(tidied(model)) == left
