"""How to recognize a quantized model: by its operators and the types of its weights."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

QUANTIZED_OPERATORS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "": frozenset(
            {
                # They multiply and add integers, so their inputs are already quantized.
                "ConvInteger",
                "MatMulInteger",
                "QLinearConv",
                "QLinearMatMul",
                # They convert activations to integers, which only a quantized model needs.
                "DynamicQuantizeLinear",
                "QuantizeLinear",
            }
        ),
        "com.microsoft": frozenset(
            {
                # Integer arithmetic with fused steps, as ONNX Runtime's tools and optimizer
                # write it.
                "DynamicQuantizeLSTM",
                "DynamicQuantizeMatMul",
                "MatMulInteger16",
                "MatMulIntegerToFloat",
                "MulInteger",
                "QAttention",
                "QEmbedLayerNormalization",
                "QGemm",
                "ReduceSumInteger",
                # Element-wise operators, pooling and the like on scaled integers.
                "QLinearAdd",
                "QLinearAveragePool",
                "QLinearConcat",
                "QLinearConv",
                "QLinearGlobalAveragePool",
                "QLinearLeakyRelu",
                "QLinearMul",
                "QLinearReduceMean",
                "QLinearSigmoid",
                "QLinearSoftmax",
                "QLinearWhere",
                # The same in the memory layout of one vendor's tensor cores.
                "DequantizeWithOrder",
                "QOrderedAttention",
                "QOrderedGelu",
                "QOrderedLayerNormalization",
                "QOrderedLongformerAttention",
                "QOrderedMatMul",
                "QuantizeWithOrder",
                # Weights of two to eight bits in blocks with one scale each; the activations
                # are floats.
                "GatherBlockQuantized",
                "MatMulBnb4",
                "MatMulFpQ4",
                "MatMulNBits",
                "MatMulNBitsMlp",
                "MatMulNBitsQkv",
                "QMoE",
                # Conversions with types that ONNX's own operators did not support.
                "DequantizeBFP",
                "QuantizeBFP",
                "QuantizeLinear",
            }
        ),
        # The optimizer replaces operators above by these channels-last ones; they occur in
        # optimized model files.
        "com.ms.internal.nhwc": frozenset({"QLinearConv", "QLinearAveragePool"}),
    }
)
"""The operators, by domain, that only a quantized model has.

`DequantizeLinear` is not one of them, because it may just scale an image of bytes. It counts if it
reads stored weights (see `ModelFile.has_quantized_weights`).
"""

DEQUANTIZE = {("", "DequantizeLinear"), ("com.microsoft", "DequantizeLinear")}

NARROW_TYPES = frozenset({2, 3, 4, 5, 17, 18, 19, 20, 21, 22, 23, 25, 26, 27, 28})
"""`TensorProto.DataType` of the narrow types that store quantized weights: (u)int8, (u)int16,
(u)int4, (u)int2, and floats of 8, 6 and 4 bits."""
