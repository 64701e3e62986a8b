"""What passes make of graphs, and checks that it is right."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir
import pytest
from onnx_ir.passes import common as passes

import ortffi
from service.preparation.operators import NativeOperators, NativeUnavailableError, find_native_operators
from service.preparation.rewriting import convolutions, fourier, native, normalization, resampling, snake, stock
from service.preparation.rewriting.blocks import fuse_blocks
from service.preparation.rewriting.dialect import DOMAIN
from service.preparation.rewriting.graph import constant
from service.preparation.rewriting.laying_out import lay_out
from service.preparation.rewriting.projections import merge_projections
from service.preparation.rewriting.transposes import move_transposes
from tests.service.preparation.rewriting.published_graphs import Published


def within(absolute, *, relative=0.0, rtol=0.0):
    """Return what checks that numbers differ by at most an amount, and a share of the largest or of each."""

    def near(before, after):
        np.testing.assert_allclose(after, before, rtol, absolute + relative * np.abs(before).max(initial=0))

    return near


EXACT = np.testing.assert_array_equal


def check_run(backend, published, model, feeds, near=EXACT):
    """Check that a model gives what the published one gives; return what both give."""
    before, after = plain(published, feeds), backend.run(model, feeds)
    for one, other in zip(before, after, strict=True):
        assert one.shape == other.shape
        near(one, other)
    return before, after


def check_step(backend, graph, rules, n, *outputs, near=EXACT):
    """Check that rules, or a function of a model, do something n times (None: no matter), and what comes of it."""
    published = graph.model(*outputs)
    model = copied(published)
    assert n in (getattr(rules, "apply_to_model", rules)(model), None)
    tidied(model)
    check_run(backend, published, backend.lower(model), graph.feeds, near)
    return model


def check_plain_step(graph, change, n, *outputs, near=EXACT):
    """Check that a change of a graph is done n times, and gives ONNX Runtime's operators; return the model."""
    published = graph.model(*outputs)
    model = copied(published)
    assert change(model.graph) == n
    check_run(STOCK, published, tidied(model), graph.feeds, near)
    return model


def check_fused(backend, published, feeds, fuse, n=None):
    """Check that native operators that are put in n times give the same numbers; return the model."""
    model = copied(published)
    assert n in (fuse(model.graph), None)
    model.graph.opset_imports[native.OPERATORS] = 1
    passes.TopologicalSortPass()(tidied(model))
    check_run(backend, published, model, feeds)
    return model


def built(graph, build, *shape):
    """Return what a builder makes of a graph, or of a graph and an input: a list of outputs."""
    outputs = build(graph, graph.given(*shape)) if shape else build(graph)
    return [outputs] if isinstance(outputs, str) else outputs


def untouched(rules, build, *shape):
    """Whether rules do nothing to what is built, which can be run."""
    graph = Published()
    published = graph.model(*built(graph, build, *shape))
    passes.RemoveUnusedNodesPass()(published)
    model = copied(published)
    count = getattr(rules, "apply_to_model", rules)(model)
    before, after = plain(published, graph.feeds), plain(model, graph.feeds)
    return count == 0 and operators(model) == operators(published) and all(map(np.array_equal, before, after))


def check_near_misses(rules, table, *shape):
    """Check that rules leave alone what only looks like what they recognize: a table of builders."""
    assert not [what for what, build in table.items() if not untouched(rules, build, *shape)]


def tidied(model):
    passes.RemoveUnusedNodesPass()(model)
    passes.IdentityEliminationPass()(model)
    passes.CommonSubexpressionEliminationPass()(model)
    passes.RemoveUnusedNodesPass()(model)
    return model


def copied(model):
    return ir.from_proto(ir.to_proto(model))


def operators(model):
    """How often each operator is there; those that are not ONNX's have their domain before them."""
    return Counter(
        f"{node.domain}.{node.op_type}" if node.domain else node.op_type
        for node in model.graph
        if node.op_type != "Constant"
    )


def dialect(model):
    return Counter(node.op_type for node in model.graph if node.domain == DOMAIN)


def recognize(model):
    """Do what comes before operators are put in, with what is known of the form of a graph."""
    for module in (convolutions, normalization, snake, resampling, fourier):
        module.rules().apply_to_model(model)
    merge_projections(model.graph)
    tidied(model)
    move_transposes(model.graph)
    return tidied(model)


def the_node(model, op_type):
    (node,) = (node for node in model.graph if node.op_type == op_type)
    return node


def attributes_of(node):
    return {name: attribute.value for name, attribute in node.attributes.items()}


@dataclass(frozen=True)
class Backend:
    """What turns the dialect into operators that can be run, and runs them."""

    name: str
    operators: NativeOperators | None = None

    def lower(self, model):
        """Return a copy with transposes cancelled, operators put in and the dialect taken out; weights stay packed."""
        model = copied(model)
        move_transposes(model.graph)
        tidied(model)
        if self.operators is not None:
            native.fuse(model.graph)
            model.graph.opset_imports[native.OPERATORS] = 1
            passes.RemoveUnusedNodesPass()(model)
            fuse_blocks(model.graph)
        stock.given_rules().apply_to_model(model)
        stock.rules().apply_to_model(model)
        tidied(model)
        assert not dialect(model)
        model.graph.opset_imports.pop(DOMAIN, None)
        passes.TopologicalSortPass()(model)
        return model

    def run(self, model, feeds):
        builder = ortffi.SessionBuilder().with_cpu().with_intra_threads(1)
        builder = builder.with_optimization_level(ortffi.GraphOptimizationLevel.DISABLE_ALL)
        if self.operators is not None:
            builder = builder.with_custom_ops(self.operators.path)
            model = copied(model)
            lay_out(model.graph, self.operators.layout)
        check_exact(model)
        model = copied(model)
        for node in model.graph:
            for value in node.outputs:
                if not value.is_graph_output():
                    value.shape = value.type = None
        with builder.commit_from_memory(ir.to_proto(model).SerializeToString()) as session:
            return session.run(dict(feeds), copy=True)


_WEIGHTS = {"ConvInteger": (1,), "MatMulInteger": (1,), "MatMulIntegerToFloat": (1,), "DynamicQuantizeLSTM": (1, 2)}
"""Which inputs of ONNX Runtime's operators are multiplied by unsigned activations."""


def check_exact(model):
    """Check that no processor cuts off a sum of products in a graph, whatever it is given."""
    for node in model.graph:
        if node.domain == native.OPERATORS:
            continue  # ours do not, and one has the name of an operator of ONNX Runtime
        for place in _WEIGHTS.get(node.op_type, ()):
            value = node.inputs[place]
            if value.dtype == ir.DataType.UINT8:
                continue  # of two unsigned bytes every processor makes 32 bits
            weight = constant(value)
            if weight is None:
                assert value.producer().op_type == "DynamicQuantizeLinear", f"{value.name} may be too wide"
            elif weight.dtype == np.int8:
                most = most_of_two(weight)
                assert most <= 128, f"two weights of {value.name} of {node.op_type} make {most}"


def most_of_two(weight):
    """Return what two neighbours, in the axis that is summed, add up to at most in one sign."""
    wide = np.abs(weight.astype(np.int16)) if weight.shape[-2] == 1 else weight.astype(np.int16)
    one, other = wide[..., :-1, :], wide[..., 1:, :]
    if one.size == 0:
        return int(wide.max(initial=0))
    rising = one.clip(min=0) + other.clip(min=0)
    falling = one.clip(max=0) + other.clip(max=0)
    return int(max(rising.max(), -falling.min()))


def plain(model, feeds):
    return STOCK.run(model, feeds)


STOCK = Backend("stock")


def backend_named(name):
    """Return a backend; skips where this machine cannot run its operators."""
    if name == STOCK.name:
        return STOCK
    try:
        return Backend(name, find_native_operators())
    except NativeUnavailableError as error:
        pytest.skip(f"native operators cannot be used: {error}")


def same_integers(step):
    """Return what checks that sums of integers are the same: they are less than half a step apart."""

    def near(before, after):
        assert np.abs(before - after).max() < step / 2

    return near


def step_of(x, weight_scale=0.0021):
    """By how much one more in the accumulator of a convolution changes its result."""
    return float(max(x.max(), 0) - min(x.min(), 0)) / 255 * weight_scale
