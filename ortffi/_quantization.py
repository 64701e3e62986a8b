"""What marks a model as a quantized one: the operators in it, and the types of its weights."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

QUANTISED_OPERATORS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "": frozenset(
            {
                # Multiply and add integers; their inputs were quantized before.
                "ConvInteger",
                "MatMulInteger",
                "QLinearConv",
                "QLinearMatMul",
                # Turn activations into integers, which only a quantized model does.
                "DynamicQuantizeLinear",
                "QuantizeLinear",
            }
        ),
        "com.microsoft": frozenset(
            {
                # Integer arithmetic with more fused into it, as ONNX Runtime's tools and its
                # optimizer write it.
                "DynamicQuantizeLSTM",
                "DynamicQuantizeMatMul",
                "MatMulInteger16",
                "MatMulIntegerToFloat",
                "MulInteger",
                "QAttention",
                "QEmbedLayerNormalization",
                "QGemm",
                "ReduceSumInteger",
                # Element-wise operators, pools and the like on integers with scales.
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
                # The same in the memory order of one vendor's tensor cores.
                "DequantizeWithOrder",
                "QOrderedAttention",
                "QOrderedGelu",
                "QOrderedLayerNormalization",
                "QOrderedLongformerAttention",
                "QOrderedMatMul",
                "QuantizeWithOrder",
                # Weights of two to eight bits, in blocks with a scale each, next to float
                # activations.
                "GatherBlockQuantized",
                "MatMulBnb4",
                "MatMulFpQ4",
                "MatMulNBits",
                "MatMulNBitsMlp",
                "MatMulNBitsQkv",
                "QMoE",
                # Change of representation, in types that ONNX's own operators did not have.
                "DequantizeBFP",
                "QuantizeBFP",
                "QuantizeLinear",
            }
        ),
        # What the optimizer makes of the operators above for channels-last kernels, in files
        # that were saved after it.
        "com.ms.internal.nhwc": frozenset({"QLinearConv", "QLinearAveragePool"}),
    }
)
"""The operators, by domain, that only a quantized model has.

`DequantizeLinear` is not among them, since by itself it may only scale an image of bytes. It
counts where it reads stored weights (see `ModelFile.has_quantised_weights`).
"""

DEQUANTIZE = {("", "DequantizeLinear"), ("com.microsoft", "DequantizeLinear")}

NARROW_TYPES = frozenset({2, 3, 4, 5, 17, 18, 19, 20, 21, 22, 23, 25, 26, 27, 28})
"""`TensorProto.DataType` of integers and floats of at most 16 bits that only quantization stores:
(u)int8, (u)int16, (u)int4, (u)int2, and the floats of 8, 6 and 4 bits."""
