/* The domain "kokoro" as ONNX Runtime sees it: attributes when a kernel is made, its computation when
 * it runs, and RegisterCustomOps. */
#include "operators.h"

#include <limits.h>
#include <stdlib.h>

static const struct attribute no_attributes[] = {{0}};

static OrtStatus *read_attribute(const OrtApi *api, const OrtKernelInfo *info, const char *name,
                                 const struct attribute *attribute, struct kernel *kernel) {
    static const char *const kinds[] = {"an int", "a float", "6 ints", "6 floats"};
    void *to = (char *)kernel + attribute->offset;
    size_t count = BLOCK_CONVOLUTIONS;
    OrtStatus *status = NULL;
    switch (attribute->type) {
    case INTEGER: status = ORT(api, KernelInfoGetAttribute_int64)(info, attribute->name, to); break;
    case NUMBER: status = ORT(api, KernelInfoGetAttribute_float)(info, attribute->name, to); break;
    case INTEGERS:
        status = ORT(api, KernelInfoGetAttributeArray_int64)(info, attribute->name, to, &count);
        break;
    case NUMBERS:
        status = ORT(api, KernelInfoGetAttributeArray_float)(info, attribute->name, to, &count);
        break;
    }
    if (status == NULL && count == BLOCK_CONVOLUTIONS) return NULL;
    OrtStatus *refusal = kokoro_status(
        api, ORT_INVALID_GRAPH, name, "attribute %s, %s, is missing or of another type: %s",
        attribute->name, kinds[attribute->type],
        status ? ORT(api, GetErrorMessage)(status) : "there are fewer");
    if (status == NULL) return refusal;
    ORT(api, ReleaseStatus)(status);
    return refusal;
}

/* Refuses weights that the variant in use would take for others; NULL where there are none. */
static OrtStatus *check_layout(const struct kernel *kernel) {
    const struct definition *definition = kernel->definition;
    if (!definition->packs_integers || kernel->layout == kokoro_layout()) return NULL;
    return kokoro_status(kernel->api, ORT_INVALID_GRAPH, definition->name,
                         "the weights are packed in layout %lld, and %s reads layout %d (%s); "
                         "prepare the model again",
                         (long long)kernel->layout, kokoro_variant_in_use(), kokoro_layout(),
                         kokoro_layout_name());
}

static OrtStatus *create(const OrtCustomOp *op, const OrtApi *api, const OrtKernelInfo *info,
                         void **out) {
    const struct definition *definition = (const struct definition *)op;
    struct kernel *kernel = calloc(1, sizeof *kernel);
    if (kernel == NULL) return kokoro_status(api, ORT_FAIL, definition->name, "no memory");
    kernel->api = api;
    kernel->definition = definition;
    OrtStatus *status = NULL;
    for (const struct attribute *a = definition->attributes; a->name && !status; a++)
        status = read_attribute(api, info, definition->name, a, kernel);
    if (!status) status = check_layout(kernel);
    if (!status)
        status = ORT(api, CreateCpuMemoryInfo)(ORT_ARENA_ALLOCATOR, ORT_MEMORY_DEFAULT,
                                               &kernel->memory);
    if (status) {
        free(kernel);
        return status;
    }
    *out = kernel;
    return NULL;
}

static OrtStatus *compute(void *made, OrtKernelContext *context) {
    const struct kernel *kernel = made;
    struct node n;
    kokoro_begin(&n, kernel->api, kernel->definition->name, context, kernel->memory);
    if (!n.status) n.status = check_layout(kernel); /* another variant may be in use by now */
    if (!n.status) kernel->definition->compute(kernel, &n);
    return kokoro_end(&n);
}

static void destroy(void *made) {
    struct kernel *kernel = made;
    if (kernel == NULL) return;
    ORT(kernel->api, ReleaseMemoryInfo)(kernel->memory);
    free(kernel);
}

#define DEFINITION_OF(op) ((const struct definition *)(op))

static const char *name_of(const OrtCustomOp *op) { return DEFINITION_OF(op)->name; }
static const char *provider_of(const OrtCustomOp *op) {
    (void)op;
    return NULL; /* the CPU */
}
static size_t input_count(const OrtCustomOp *op) { return DEFINITION_OF(op)->inputs; }
static int input_type(const OrtCustomOp *op, size_t i) { return DEFINITION_OF(op)->input_types[i]; }
static int input_characteristic(const OrtCustomOp *op, size_t i) {
    return i < DEFINITION_OF(op)->required_inputs ? ORT_REQUIRED : ORT_OPTIONAL;
}
static int input_memory(const OrtCustomOp *op, size_t i) {
    (void)op, (void)i;
    return ORT_MEMORY_DEFAULT;
}
static size_t output_count(const OrtCustomOp *op) { return DEFINITION_OF(op)->outputs; }
static int output_type(const OrtCustomOp *op, size_t i) {
    (void)op, (void)i;
    return ORT_FLOAT;
}
static int output_characteristic(const OrtCustomOp *op, size_t i) {
    (void)op;
    return i == 0 ? ORT_REQUIRED : ORT_OPTIONAL;
}
static int one(const OrtCustomOp *op) {
    (void)op;
    return 1;
}
static int last_version(const OrtCustomOp *op) {
    (void)op;
    return INT_MAX;
}

#define CALLBACKS                                                                                 \
    .ort = {                                                                                      \
        .version = ORT_API_USED,                                                                  \
        .GetName = name_of,                                                                       \
        .GetExecutionProviderType = provider_of,                                                  \
        .GetInputType = input_type,                                                               \
        .GetInputTypeCount = input_count,                                                         \
        .GetOutputType = output_type,                                                             \
        .GetOutputTypeCount = output_count,                                                       \
        .KernelDestroy = destroy,                                                                 \
        .GetInputCharacteristic = input_characteristic,                                           \
        .GetOutputCharacteristic = output_characteristic,                                         \
        .GetInputMemoryType = input_memory,                                                       \
        .GetVariadicInputMinArity = one,                                                          \
        .GetVariadicInputHomogeneity = one,                                                       \
        .GetVariadicOutputMinArity = one,                                                         \
        .GetVariadicOutputHomogeneity = one,                                                      \
        .CreateKernelV2 = create,                                                                 \
        .KernelComputeV2 = compute,                                                               \
        .GetStartVersion = one,                                                                   \
        .GetEndVersion = last_version,                                                            \
    }

#define OPERAND_TYPES ORT_INT8, ORT_INT32, ORT_UINT8, ORT_FLOAT, ORT_FLOAT, ORT_FLOAT

static const struct definition definitions[] = {
    {
        CALLBACKS,
        .name = "DynamicQuantizeConv",
        .compute = kokoro_compute_quantized,
        .attributes = kokoro_quantized_attributes,
        .packs_integers = 1,
        .inputs = 10,
        .required_inputs = 4,
        .outputs = 2,
        .input_types = {ORT_FLOAT, ORT_INT8, ORT_INT32, ORT_UINT8, ORT_FLOAT, ORT_FLOAT, ORT_FLOAT,
                        ORT_FLOAT, ORT_FLOAT, ORT_FLOAT},
    },
    {
        CALLBACKS,
        .name = "DynamicQuantizeMatMul",
        .compute = kokoro_compute_matmul,
        .attributes = kokoro_matmul_attributes,
        .packs_integers = 1,
        .inputs = 7,
        .required_inputs = 5,
        .outputs = MOST_RESULTS,
        .input_types = {ORT_FLOAT, ORT_INT8, ORT_INT32, ORT_UINT8, ORT_FLOAT, ORT_FLOAT, ORT_FLOAT},
    },
    {
        CALLBACKS,
        .name = "DynamicQuantizeLSTM",
        .compute = kokoro_compute_lstm,
        .attributes = kokoro_lstm_attributes,
        .packs_integers = 1,
        .inputs = 10,
        .required_inputs = 10,
        .outputs = 1,
        .input_types = {ORT_FLOAT, ORT_INT8, ORT_INT32, ORT_UINT8, ORT_FLOAT, ORT_INT8, ORT_INT32,
                        ORT_UINT8, ORT_FLOAT, ORT_FLOAT},
    },
    {
        CALLBACKS,
        .name = "Conv",
        .compute = kokoro_compute_float,
        .attributes = kokoro_float_attributes,
        .inputs = 3,
        .required_inputs = 3,
        .outputs = 1,
        .input_types = {ORT_FLOAT, ORT_FLOAT, ORT_FLOAT},
    },
    {
        CALLBACKS,
        .name = "ConvTranspose",
        .compute = kokoro_compute_transposed,
        .attributes = kokoro_transposed_attributes,
        .inputs = 4,
        .required_inputs = 3,
        .outputs = 2,
        .input_types = {ORT_FLOAT, ORT_FLOAT, ORT_FLOAT, ORT_FLOAT},
    },
    {
        CALLBACKS,
        .name = "ResidualBlock",
        .compute = kokoro_compute_block,
        .attributes = kokoro_block_attributes,
        .packs_integers = 1,
        .inputs = MOST_INPUTS,
        .required_inputs = 2,
        .outputs = 3,
        .input_types = {ORT_FLOAT, ORT_FLOAT, ORT_FLOAT, ORT_FLOAT, ORT_FLOAT, OPERAND_TYPES,
                        OPERAND_TYPES, OPERAND_TYPES, OPERAND_TYPES, OPERAND_TYPES, OPERAND_TYPES},
    },
    {
        CALLBACKS,
        .name = "ChannelStatistics",
        .compute = kokoro_compute_statistics,
        .attributes = no_attributes,
        .inputs = 1,
        .required_inputs = 1,
        .outputs = 1,
        .input_types = {ORT_FLOAT},
    },
    {
        CALLBACKS,
        .name = "HarmonicSource",
        .compute = kokoro_compute_source,
        .attributes = kokoro_source_attributes,
        .inputs = 4,
        .required_inputs = 4,
        .outputs = 1,
        .input_types = {ORT_FLOAT, ORT_FLOAT, ORT_FLOAT, ORT_FLOAT},
    },
    {
        CALLBACKS,
        .name = "PolarToCartesian",
        .compute = kokoro_compute_polar,
        .attributes = no_attributes,
        .inputs = 1,
        .required_inputs = 1,
        .outputs = 1,
        .input_types = {ORT_FLOAT},
    },
};

enum { OPERATOR_SET = 2 };

int kokoro_operator_set(void) { return OPERATOR_SET; }

/* A domain serves until its sessions are gone, which nobody tells the library: every call makes
 * one, of some hundred bytes, and leaves it. A shared one would pass from one ONNX Runtime to
 * another where a process has two. */
KOKORO_EXPORT OrtStatus *RegisterCustomOps(OrtSessionOptions *options, const OrtApiBase *base);

OrtStatus *RegisterCustomOps(OrtSessionOptions *options, const OrtApiBase *base) {
    const OrtApi *api = base->get_api(ORT_API_USED);
    if (api == NULL)
        return kokoro_status(base->get_api(1), ORT_FAIL, "*",
                             "needs ONNX Runtime 1.%d or later, this is %s", ORT_API_USED,
                             base->get_version_string());
    OrtCustomOpDomain *domain = NULL;
    OrtStatus *status = ORT(api, CreateCustomOpDomain)("kokoro", &domain);
    if (status) return status;
    for (size_t i = 0; i < sizeof definitions / sizeof *definitions && !status; i++)
        status = ORT(api, CustomOpDomain_Add)(domain, &definitions[i].ort);
    if (!status) status = ORT(api, AddCustomOpDomain)(options, domain);
    if (status) ORT(api, ReleaseCustomOpDomain)(domain);
    return status;
}
