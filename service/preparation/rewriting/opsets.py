"""Lower a model to an older opset, which more builds have kernels for.

ONNX Runtime uses a kernel without an upper version only for exactly its version of the operator.
CUDA's kernels are updated later than the CPU's: in 1.17, which JetPack 5 can have, those of Resize,
Pad, ReduceMax and others end at opset 17. Other nodes would run on the CPU, with copies to it and
back.
"""

from __future__ import annotations

import onnx_ir as ir

from service.preparation.rewriting.refusing import refused

OPSET, IR_VERSION = 17, 8
"""The opset of ONNX 1.12, the first with LayerNormalization."""

_NEUTRAL: dict[str, dict[str, int | str | None]] = {
    "Cast": {"saturate": 1},
    "Resize": {"antialias": 0, "keep_aspect_ratio_policy": "stretch"},
    "Split": {"num_outputs": None},
}
"""Attributes that came later, with the value that they may have: what was so before. None: any,
where the operator has one input."""

_CHANGED = frozenset(("BitwiseAnd", "Col2Im", "DFT", "GridSample", "Gelu", "Mish", "ReduceMean"))
"""Operators that are new since then, or have other inputs."""


def lower_opset(model: ir.Model) -> int:
    """Lower a model to `OPSET`, and drop unused imports; return how many attributes were removed.

    Raises:
        RefusedError: a node cannot be expressed in that opset.
    """
    count = 0
    for node in model.graph:
        if node.domain not in ("", "ai.onnx"):
            continue
        if node.op_type in _CHANGED:
            raise refused(f"{node.op_type} is not of opset {OPSET}", node)
        for name, neutral in _NEUTRAL.get(node.op_type, {}).items():
            attribute = node.attributes.pop(name, None)
            if attribute is None:
                continue
            if neutral is not None and attribute.value != neutral:
                raise refused(f"{name} = {attribute.value} is not of opset {OPSET}", node)
            count += 1
    imports = model.graph.opset_imports
    # Builds refuse what they do not know, used or not.
    for domain in set(imports) - {node.domain for node in model.graph}:
        imports.pop(domain)
    imports[""] = OPSET
    model.ir_version = IR_VERSION
    return count
