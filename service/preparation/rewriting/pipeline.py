"""Rewrite a published Kokoro graph for speed; needs the packages of the extra `prepare`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import onnx_ir as ir
from onnx_ir.passes import common as passes

from service.model.durations import TENSOR_NAME
from service.model.prepared import DECODER, ENCODER, GraphFiles
from service.preparation.layout import Layout
from service.preparation.rewriting import (
    angles,
    convolutions,
    floats,
    fourier,
    harmonics,
    native,
    normalization,
    resampling,
    snake,
    stock,
)
from service.preparation.rewriting.blocks import fuse_blocks
from service.preparation.rewriting.carrying import (
    carry_statistics,
    give_spectrum,
    give_statistics,
    tell_spectrum,
)
from service.preparation.rewriting.dialect import DOMAIN
from service.preparation.rewriting.floats import (
    dequantize_embeddings,
    dequantize_lstms,
    dequantize_products,
    project_floats,
)
from service.preparation.rewriting.halves import halve, round_to_halves
from service.preparation.rewriting.heads import scale_products, settle_heads
from service.preparation.rewriting.laying_out import lay_out
from service.preparation.rewriting.lengths import share_lengths
from service.preparation.rewriting.lstms import fuse_lstms
from service.preparation.rewriting.masked_decoder import mask_frames
from service.preparation.rewriting.matrices import fuse_products
from service.preparation.rewriting.opsets import lower_opset
from service.preparation.rewriting.padded_encoder import pad_frames
from service.preparation.rewriting.parts import split
from service.preparation.rewriting.projections import merge_projections
from service.preparation.rewriting.refusing import not_recognized, refused
from service.preparation.rewriting.synthesis_window import settle_windows
from service.preparation.rewriting.transposes import cancel_transposes, move_transposes

Variant = Literal["native", "stock", "float32", "float16", "rounded"]

_SMALL_BYTES = 1024
"""Tensors below this stay in the model file."""

_LINE_BYTES = 64
"""Size of a cache line, and of the widest vectors."""

_RECOGNIZED = {
    "convolutions": ("quantized convolutions", 80),
    "normalization": ("layers of AdaIN", 100),
    "snake": ("Snake activations", 40),
}
"""What a known Kokoro generator must have, and how often."""


@dataclass(frozen=True)
class Report:
    """What the rewriting did.

    Attributes:
        found: how many places each pass rewrote.
        n_nodes_before: nodes of the source.
        n_nodes: nodes of the result.
    """

    found: dict[str, int]
    n_nodes_before: int
    n_nodes: int


def rewrite(
    source: Path,
    folder: Path,
    variant: Variant,
    progress: Callable[[str], None],
    layout: int = 0,
) -> Report:
    """Write a faster model with the same results as its source.

    The files are those of `ENCODER` and `DECODER`.

    Args:
        source: a published model.
        folder: an existing folder, to write to.
        variant: `native` needs the operators of native/, `stock` nothing; `float32` and `float16`
            are for GPUs; `rounded` is `float16` in float32, for parity checks.
        progress: called with a line where something takes long.
        layout: number of the `Layout` of the weights, for `native`; 0 for other variants.

    Returns:
        A report.

    Raises:
        RefusedError: the graph is not of the known kind; nothing usable is written.
    """
    progress("reading the model")
    model = ir.load(source)
    n_before = len(model.graph)
    progress("recognizing its parts")
    found: Counter[str] = Counter()
    recognized = [("convolutions", convolutions.rules()), ("normalization", normalization.rules())]
    if variant in ("native", "stock"):
        recognized.append(("snake", snake.rules()))
    for name, rules in recognized:
        found[name] = rules.apply_to_model(model)
        what, least = _RECOGNIZED[name]
        if found[name] < least:
            raise not_recognized(what, found[name], least, rules, model)
    progress(f"putting in {variant} operators")
    passes.RemoveUnusedNodesPass()(model)
    parts = dict(zip((ENCODER, DECODER), split(model), strict=True))
    if variant in ("native", "stock"):
        tell_spectrum(parts[ENCODER].graph)
    if variant == "stock":
        give_spectrum(parts[DECODER].graph)
    if variant != "native":
        found["carrying"] = give_statistics(parts[DECODER].graph)
    for files, one in parts.items():
        if variant == "native" or variant == "stock":
            _rewrite_for_cpu(one, variant, found)
        else:
            pad = pad_frames if files is ENCODER else mask_frames
            _rewrite_for_gpu(one, variant, found, pad)
    if variant == "native":
        found["carrying"] = carry_statistics(parts[DECODER].graph)
        found["layout"] = sum(lay_out(one.graph, Layout(layout)) for one in parts.values())
    progress("writing the prepared model")
    for files, one in parts.items():
        _write(one, folder, files)
    return Report(dict(found), n_before, sum(len(one.graph) for one in parts.values()))


def _rewrite_for_cpu(model: ir.Model, variant: str, found: Counter[str]) -> None:
    graph = model.graph
    found["resampling"] += resampling.rules().apply_to_model(model)
    transforms = fourier.native_rules() if variant == "native" else fourier.rules()
    found["fourier"] += transforms.apply_to_model(model)
    found["harmonics"] += harmonics.rules().apply_to_model(model)
    found["heads"] += settle_heads(graph)
    found["projections"] += merge_projections(graph)
    if variant == "native":
        found["harmonics"] += harmonics.native_rules().apply_to_model(model)
    _tidy(model)
    found["transposes"] += move_transposes(graph)
    _tidy(model)
    if variant == "native":
        found["native"] += native.fuse(graph)
        passes.RemoveUnusedNodesPass()(model)
        found["blocks"] += fuse_blocks(graph)
        found["products"] += fuse_products(graph)
        found["heads"] += scale_products(graph)
        found["lstms"] += fuse_lstms(graph)
        graph.opset_imports[native.OPERATORS] = 1
    _forget_shapes(graph)
    found["lengths"] += share_lengths(graph)
    found["stock"] += stock.given_rules().apply_to_model(model)
    found["stock"] += stock.rules().apply_to_model(model)


def _rewrite_for_gpu(
    model: ir.Model, variant: str, found: Counter[str], pad: Callable[[ir.Graph], int]
) -> None:
    graph = model.graph
    found["fourier"] += fourier.convolving_rules().apply_to_model(model)
    found["harmonics"] += harmonics.rules().apply_to_model(model)
    found["heads"] += settle_heads(graph)
    found["windows"] += settle_windows(graph)
    found["projections"] += merge_projections(graph, project_floats)
    found["floats"] += floats.rules().apply_to_model(model)
    found["products"] += dequantize_products(graph)
    found["embeddings"] += dequantize_embeddings(graph)
    found["lstms"] += dequantize_lstms(graph)
    found["angles"] += angles.rules().apply_to_model(model)
    _tidy(model)
    found["transposes"] += cancel_transposes(graph)
    _tidy(model)
    passes.TopologicalSortPass()(model)
    found["frames"] += pad(graph)
    found["transposes"] += cancel_transposes(graph)
    _tidy(model)
    _forget_shapes(graph)
    passes.LiftConstantsToInitializersPass(size_limit=0)(model)
    passes.TopologicalSortPass()(model)
    if variant == "float16":
        found["halves"] += halve(graph)
    elif variant == "rounded":
        found["halves"] += round_to_halves(graph)
    found["opset"] += lower_opset(model)


def _write(model: ir.Model, folder: Path, files: GraphFiles) -> None:
    graph = model.graph
    _tidy(model)
    for node in graph:
        if node.domain == DOMAIN:
            raise refused(f"there is no operator for {node.op_type}", node)
    graph.opset_imports.pop(DOMAIN, None)
    _add_durations(graph)
    passes.LiftConstantsToInitializersPass(size_limit=0)(model)
    passes.TopologicalSortPass()(model)
    passes.ClearMetadataAndDocStringPass()(model)
    _align_weights(graph)
    ir.save(
        model,
        folder / files.graph,
        external_data=files.weights,
        size_threshold_bytes=_SMALL_BYTES,
    )


def _tidy(model: ir.Model) -> None:
    passes.RemoveUnusedNodesPass()(model)
    passes.IdentityEliminationPass()(model)
    passes.CommonSubexpressionEliminationPass()(model)
    passes.RemoveUnusedNodesPass()(model)


def _add_durations(graph: ir.Graph) -> None:
    """Make the durations an output, if they are computed and not yet an output."""
    for node in graph:
        for value in node.outputs:
            if value.name == TENSOR_NAME and not value.is_graph_output():
                value.type = ir.TensorType(ir.DataType.FLOAT)
                graph.outputs.append(value)
                return


def _forget_shapes(graph: ir.Graph) -> None:
    """Drop the source's shapes and types of intermediate values: many have changed."""
    for node in graph:
        for value in node.outputs:
            if not value.is_graph_output():
                value.shape = value.type = None


def _align_weights(graph: ir.Graph) -> None:
    """Put weights that fill whole cache lines first, so that each of them starts on a line."""

    def is_odd(value: ir.Value) -> bool:
        return value.const_value is not None and value.const_value.nbytes % _LINE_BYTES != 0

    values = sorted(graph.initializers.values(), key=is_odd)
    graph.initializers.clear()
    for value in values:
        graph.register_initializer(value)
