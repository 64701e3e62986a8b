/* Where nodes are computed, as a session on the GPU tells it. */
#include "stub.h"

/* Operators of the published Kokoro models that the CUDA provider has no kernel for. */
static const char *const WITHOUT_KERNEL = "Atan,ConvInteger,DynamicQuantizeLSTM,"
                                          "DynamicQuantizeLinear,MatMulInteger,STFT";

/* A number from 0 to 1 that is the same for a name everywhere: FNV-1a, its bits mixed. */
static double fraction(const char *name) {
    uint64_t hash = 14695981039346656037u;
    for (const unsigned char *byte = (const unsigned char *)name; *byte != '\0'; byte++)
        hash = (hash ^ *byte) * 1099511628211u;
    hash ^= hash >> 33;
    hash *= 0xff51afd7ed558ccdu;
    hash ^= hash >> 33;
    return (double)(hash >> 11) / 9007199254740992.0;
}

const char *provider_of_node(int providers, const char *operator_type, const char *name) {
    const char *listed = setting("STUB_CPU_OPERATORS");
    if (providers == 0 || is_listed(operator_type, listed ? listed : WITHOUT_KERNEL) ||
        fraction(name) < share_setting("STUB_CPU_SHARE", 0))
        return "CPUExecutionProvider";
    return providers & CUDA ? "CUDAExecutionProvider" : "TensorrtExecutionProvider";
}
