/* Where nodes are computed, as a session on the GPU tells it. */
#include "stub.h"

/* Operators of the published Kokoro models that the CUDA provider has no kernel for. */
static const char *const WITHOUT_KERNEL = "Atan,ConvInteger,DynamicQuantizeLSTM,"
                                          "DynamicQuantizeLinear,MatMulInteger,STFT";

const char *provider_of_node(int providers, const char *operator_type) {
    const char *listed = setting("STUB_CPU_OPERATORS");
    if (providers == 0 || is_listed(operator_type, listed ? listed : WITHOUT_KERNEL))
        return "CPUExecutionProvider";
    return providers & CUDA ? "CUDAExecutionProvider" : "TensorrtExecutionProvider";
}
