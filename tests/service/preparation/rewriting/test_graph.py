import numpy as np

from service.preparation.rewriting.graph import constant, initializer, maker, nodes_of, scalar, users
from tests.service.preparation.checks import the_node


def test_constants_are_read_and_computed_values_are_none(graph):
    one, many = graph.constant([[2.5]]), graph.constant([1, 2], np.int64)
    model = graph.model(graph.add("Reshape", graph.add("Mul", graph.given(2, 1), one), many))
    multiply, reshape = the_node(model, "Mul"), the_node(model, "Reshape")
    assert constant(reshape.inputs[1]).tolist() == [1, 2]
    assert scalar(multiply.inputs[1]) == 2.5
    assert scalar(reshape.inputs[1]) is None
    for value in (None, multiply.inputs[0], multiply.outputs[0]):
        assert constant(value) is None
        assert scalar(value) is None


def test_neighbours_are_found(graph):
    x = graph.add("Sin", graph.given(3))
    model = graph.model(graph.add("Cos", x), graph.add("Exp", x), graph.add("Mul", x, x))
    sine = the_node(model, "Sin")
    assert maker(sine.outputs[0], "Sin") is sine
    assert maker(sine.outputs[0], "Cos") is None
    assert maker(sine.inputs[0], "Sin") is None
    assert maker(None, "Sin") is None
    assert sorted(node.op_type for node in users(sine.outputs[0])) == ["Cos", "Exp", "Mul", "Mul"]
    assert users(the_node(model, "Exp").outputs[0]) == []
    assert list(nodes_of(model.graph, "Cos")) == [the_node(model, "Cos")]


def test_an_array_that_is_there_is_taken_and_another_gets_a_name_of_its_own(graph):
    model = graph.model(graph.add("Reshape", graph.given(2, 1), graph.constant([1, 2], np.int64)))
    (reshape,) = model.graph
    array = np.array([1, 2], np.int64)
    assert initializer(model.graph, array, "any") is reshape.inputs[1]
    others = [
        initializer(model.graph, other, "any")
        for other in (array.astype(np.int32), array[None], array + 1, np.array([1.0, 2.0]))
    ]
    assert [value.name for value in others] == ["any", "any_1", "any_2", "any_3"]
    assert initializer(model.graph, array + 1, "more") is others[2]
    assert model.graph.initializers["any_2"].const_value.numpy().tolist() == [2, 3]


def test_one_number_is_no_list_of_one_and_an_array_is_stored_row_by_row_whatever_its_order(graph):
    model = graph.model(graph.add("Exp", graph.given(3)))
    number = initializer(model.graph, np.array(5, np.int64), "number")
    row = initializer(model.graph, np.array([5], np.int64), "number")
    assert (number.const_value.shape, row.const_value.shape) == ((), (1,))
    assert number.const_value.numpy().shape == ()
    assert initializer(model.graph, np.array(5, np.int64), "number") is number
    assert initializer(model.graph, np.array([5], np.int64), "number") is row
    array = np.arange(6, dtype=np.float32).reshape(2, 3).T
    held = constant(initializer(model.graph, array, "turned"))
    assert held.flags.c_contiguous
    np.testing.assert_array_equal(held, array)
