import pytest
from onnx import defs
from service.preparation.refusal import RefusedError
from service.preparation.rewriting.opsets import IR_VERSION, OPSET, lower_opset
from tests.service.preparation.rewriting.graph_checks import STOCK, check_run, copied
from tests.service.preparation.rewriting.published_graphs import Published


def resized(graph, **changes):
    given = {
        "mode": "linear", "coordinate_transformation_mode": "half_pixel", "antialias": 0,
        "keep_aspect_ratio_policy": "stretch",
    } | changes  # fmt: skip
    return graph.add("Resize", graph.given(1, 2, 8), "", graph.constant([1, 1, 3]), **given)


def test_what_was_so_before_needs_no_attribute_and_gives_the_same_numbers():
    graph = Published()
    halves = graph.add_many("Split", 2, graph.given(1, 6, 4), axis=1, num_outputs=2)
    published = graph.model(resized(graph), *halves, graph.add("Cast", graph.given(3), to=1, saturate=1))
    published.graph.opset_imports["ai.onnx.ml"] = 5
    model = copied(published)
    assert lower_opset(model) == 4
    assert dict(model.graph.opset_imports) == {"": OPSET}
    assert model.ir_version == IR_VERSION
    for node in model.graph:
        assert set(node.attributes) <= set(defs.get_schema(node.op_type, OPSET).attributes)
    check_run(STOCK, published, model, graph.feeds)


@pytest.mark.parametrize("changes", [{"antialias": 1}, {"keep_aspect_ratio_policy": "not_larger"}])
def test_what_could_not_be_said_then_is_refused(changes):
    graph = Published()
    with pytest.raises(RefusedError, match=f"{next(iter(changes))} = .* is not of opset {OPSET}"):
        lower_opset(graph.model(resized(graph, **changes)))


def test_other_domains_that_are_used_stay():
    graph = Published()
    model = graph.model(graph.add("FusedMatMul", graph.given(2, 2), graph.given(2, 2), domain="com.microsoft"))
    lower_opset(model)
    assert dict(model.graph.opset_imports) == {"": OPSET, "com.microsoft": 1}
