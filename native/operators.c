/* The domain "kokoro" as ONNX Runtime sees it: attributes when a kernel is made, shapes and
 * pointers when it runs, and RegisterCustomOps. */
#include "convolution.h"
#include "harmonic_source.h"
#include "node.h"
#include "polar.h"
#include "residual_block.h"
#include "statistics.h"
#include "variant.h"

#include <limits.h>
#include <stdlib.h>

static int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

struct kernel {
    const OrtApi *api;
    OrtMemoryInfo *memory;
    const struct definition *definition;
    union {
        struct kokoro_convolution convolution;
        struct kokoro_float_convolution float_convolution;
        struct residual_block block;
        struct kokoro_harmonic_source source;
    };
};

struct attribute {
    const char *name;
    size_t offset;
    enum { INTEGER, NUMBER, INTEGERS, NUMBERS } type; /* the last two: one a convolution */
};

enum {
    BLOCK_HEAD = 5,     /* inputs of a block before those of its convolutions */
    BLOCK_OPERANDS = 5, /* inputs of each */
    MOST_INPUTS = BLOCK_HEAD + BLOCK_OPERANDS * BLOCK_CONVOLUTIONS,
    MOST_RESULTS = 3, /* of one x: queries, keys and values */
};

/* `ort` is first, so that ONNX Runtime's pointer to it is a pointer to this. */
struct definition {
    OrtCustomOp ort;
    const char *name;
    void (*compute)(const struct kernel *, struct node *);
    const struct attribute *attributes;
    size_t inputs, required_inputs, outputs;
    int input_types[MOST_INPUTS];
};

static void compute_quantized(const struct kernel *kernel, struct node *n) {
    struct kokoro_convolution c = kernel->convolution;
    int64_t x[] = {1, -1, -1};
    c.x = kokoro_input(n, 0, "x", 0, x, 3);
    c.rows = x[1];
    c.in_channels = x[2];
    int64_t weight[] = {ceil_div(c.out_channels, PANEL), c.kernel_size,
                        ceil_div(c.in_channels, GROUP), PANEL, GROUP};
    int64_t per_output[] = {c.out_channels}, per_input[] = {c.in_channels};
    int64_t statistics_in[] = {STATISTICS, c.in_channels}, style[] = {1, 2 * c.in_channels};
    c.weight = kokoro_input(n, 1, "weight", 0, weight, 5);
    c.weight_sums = kokoro_input(n, 2, "weight_sums", 0, per_output, 1);
    c.bias = kokoro_input(n, 3, "bias", 1, per_output, 1);
    c.statistics = kokoro_input(n, 4, "statistics", 1, statistics_in, 2);
    c.style = kokoro_input(n, 5, "style", 1, style, 2);
    c.alpha = kokoro_input(n, 6, "alpha", 1, per_input, 1);
    if (n->status) return;
    const char *wrong = kokoro_check_convolution(&c);
    if (wrong) {
        kokoro_refuse(n, ORT_INVALID_ARGUMENT, wrong);
        return;
    }
    int64_t y[] = {1, kokoro_convolution_rows(&c), c.out_channels};
    int64_t statistics[] = {STATISTICS, c.out_channels};
    c.residual = kokoro_input(n, 7, "residual", 1, y, 3);
    c.addend = kokoro_input(n, 8, "addend", 1, y, 3);
    float *to = kokoro_output(n, 0, y, 3);
    float *statistics_to = kokoro_output(n, 1, statistics, 2);
    if (n->status) return;
    wrong = kokoro_run_convolution(&n->runtime, &c, to, statistics_to);
    if (wrong) kokoro_refuse(n, ORT_FAIL, wrong);
}

/* A convolution of one tap, whose scales are the columns' own and whose bias is not rounded. Its
 * columns may be several tensors side by side, each of which has a scale of the output. */
static void compute_matmul(const struct kernel *kernel, struct node *n) {
    struct kokoro_convolution c = {
        .out_channels = kernel->convolution.out_channels,
        .kernel_size = 1,
        .dilation = 1,
        .stride = 1,
        .negative_slope = 1.0f,
        .output_scale = 1.0f,
    };
    int64_t x[] = {1, -1, -1};
    c.x = kokoro_input(n, 0, "x", 0, x, 3);
    c.rows = x[1];
    c.in_channels = x[2];
    int64_t weight[] = {ceil_div(c.out_channels, PANEL), 1, ceil_div(c.in_channels, GROUP), PANEL,
                        GROUP};
    int64_t per_output[] = {c.out_channels};
    c.weight = kokoro_input(n, 1, "weight", 0, weight, 5);
    c.weight_sums = kokoro_input(n, 2, "weight_sums", 0, per_output, 1);
    c.weight_scales = kokoro_input(n, 3, "weight_scales", 0, per_output, 1);
    c.float_bias = kokoro_input(n, 4, "bias", 1, per_output, 1);
    int64_t count[] = {-1};
    const float *scales = kokoro_input(n, 5, "output_scales", 1, count, 1);
    if (n->status) return;
    if (scales == NULL) {
        scales = &c.output_scale;
        count[0] = 1;
    }
    const char *wrong = kokoro_check_convolution(&c);
    if (!wrong && (count[0] < 1 || count[0] > MOST_RESULTS))
        wrong = "output_scales must be 1 to 3 numbers";
    if (!wrong && count[0] > 1 && c.out_channels % (count[0] * PANEL))
        wrong = "channels must be a multiple of 16 for each of several outputs";
    if (wrong) {
        kokoro_refuse(n, ORT_INVALID_ARGUMENT, wrong);
        return;
    }
    const int64_t y[] = {1, c.rows, c.out_channels / count[0]};
    float *to[MOST_RESULTS];
    for (int64_t i = 0; i < count[0]; i++) {
        to[i] = kokoro_output(n, (size_t)i, y, 3);
        if (!n->status && to[i] == NULL)
            kokoro_refuse(n, ORT_INVALID_ARGUMENT, "an output is missing for one of output_scales");
    }
    if (n->status) return;
    wrong = kokoro_run_products(&n->runtime, &c, count[0], to, scales);
    if (wrong) kokoro_refuse(n, ORT_FAIL, wrong);
}

static void compute_float(const struct kernel *kernel, struct node *n) {
    struct kokoro_float_convolution c = kernel->float_convolution;
    int64_t x[] = {1, -1, -1};
    c.x = kokoro_input(n, 0, "x", 0, x, 3);
    c.rows = x[1];
    c.in_channels = x[2];
    int64_t weight[] = {ceil_div(c.out_channels, PANEL), c.kernel_size, c.in_channels, PANEL};
    int64_t bias[] = {c.out_channels};
    c.weight = kokoro_input(n, 1, "weight", 0, weight, 4);
    c.bias = kokoro_input(n, 2, "bias", 0, bias, 1);
    if (n->status) return;
    const char *wrong = kokoro_check_float_convolution(&c);
    if (wrong) {
        kokoro_refuse(n, ORT_INVALID_ARGUMENT, wrong);
        return;
    }
    const int64_t y[] = {1, kokoro_float_convolution_rows(&c), c.out_channels};
    float *to = kokoro_output(n, 0, y, 3);
    if (n->status) return;
    wrong = kokoro_run_float_convolution(&n->runtime, &c, to);
    if (wrong) kokoro_refuse(n, ORT_FAIL, wrong);
}

static void compute_transposed(const struct kernel *kernel, struct node *n) {
    struct kokoro_float_convolution c = kernel->float_convolution;
    int64_t x[] = {1, -1, -1};
    c.x = kokoro_input(n, 0, "x", 0, x, 3);
    c.rows = x[1];
    c.in_channels = x[2];
    if (n->status) return;
    const char *wrong = kokoro_check_transposed_convolution(&c);
    if (wrong) {
        kokoro_refuse(n, ORT_INVALID_ARGUMENT, wrong);
        return;
    }
    int64_t weight[] = {ceil_div(c.stride * c.out_channels, PANEL), 2, c.in_channels, PANEL};
    int64_t bias[] = {c.out_channels};
    c.weight = kokoro_input(n, 1, "weight", 0, weight, 4);
    c.bias = kokoro_input(n, 2, "bias", 0, bias, 1);
    int64_t y[] = {1, kokoro_transposed_convolution_rows(&c), c.out_channels};
    const int64_t statistics[] = {STATISTICS, c.out_channels};
    c.residual = kokoro_input(n, 3, "residual", 1, y, 3);
    float *to = kokoro_output(n, 0, y, 3);
    float *statistics_to = kokoro_output(n, 1, statistics, 2);
    if (n->status) return;
    wrong = kokoro_run_transposed_convolution(&n->runtime, &c, to, statistics_to);
    if (wrong) kokoro_refuse(n, ORT_FAIL, wrong);
}

static void compute_block(const struct kernel *kernel, struct node *n) {
    struct residual_block b = kernel->block;
    int64_t x[] = {1, -1, -1};
    b.x = kokoro_input(n, 0, "x", 0, x, 3);
    b.rows = x[1];
    b.channels = x[2];
    int64_t statistics[] = {STATISTICS, b.channels}, style[] = {1, 2 * b.channels};
    int64_t weight[] = {ceil_div(b.channels, PANEL), b.kernel_size, ceil_div(b.channels, GROUP),
                        PANEL, GROUP};
    int64_t per_channel[] = {b.channels};
    b.statistics = kokoro_input(n, 1, "statistics", 0, statistics, 2);
    b.addend = kokoro_input(n, 2, "addend", 1, x, 3);
    int64_t of_all[] = {BLOCK_CONVOLUTIONS * STATISTICS * b.channels}, one_number[] = {1};
    b.given = kokoro_input(n, 3, "given", 1, of_all, 1);
    const float *share = kokoro_input(n, 4, "share", 1, one_number, 1);
    for (size_t i = 0; i < BLOCK_CONVOLUTIONS; i++) {
        const size_t at = BLOCK_HEAD + BLOCK_OPERANDS * i;
        b.operands[i].weight = kokoro_input(n, at, "weight", 0, weight, 5);
        b.operands[i].weight_sums = kokoro_input(n, at + 1, "weight_sums", 0, per_channel, 1);
        b.operands[i].bias = kokoro_input(n, at + 2, "bias", 0, per_channel, 1);
        b.operands[i].style = kokoro_input(n, at + 3, "style", 0, style, 2);
        b.operands[i].alpha = kokoro_input(n, at + 4, "alpha", 0, per_channel, 1);
    }
    if (n->status) return;
    if ((b.given == NULL) != (share == NULL)) {
        kokoro_refuse(n, ORT_INVALID_ARGUMENT, "given and share come together or not at all");
        return;
    }
    b.share = share ? *share : 0.0f;
    const char *wrong = kokoro_check_residual_block(&b);
    if (wrong) {
        kokoro_refuse(n, ORT_INVALID_ARGUMENT, wrong);
        return;
    }
    float *to = kokoro_output(n, 0, x, 3);
    float *statistics_to = kokoro_output(n, 1, statistics, 2);
    float *measured_to = kokoro_output(n, 2, of_all, 1);
    if (n->status) return;
    wrong = kokoro_run_residual_block(&n->runtime, &b, to, statistics_to, measured_to);
    if (wrong) kokoro_refuse(n, ORT_FAIL, wrong);
}

static void compute_statistics(const struct kernel *kernel, struct node *n) {
    (void)kernel;
    int64_t x[] = {1, -1, -1};
    const float *from = kokoro_input(n, 0, "x", 0, x, 3);
    if (n->status) return;
    if (x[1] < 1 || x[2] < 1) {
        kokoro_refuse(n, ORT_INVALID_ARGUMENT, "x is empty");
        return;
    }
    const int64_t shape[] = {STATISTICS, x[2]};
    float *statistics = kokoro_output(n, 0, shape, 2);
    if (n->status) return;
    const char *wrong =
        kokoro_run_channel_statistics(&n->runtime, from, x[1], x[2], statistics);
    if (wrong) kokoro_refuse(n, ORT_FAIL, wrong);
}

static void compute_source(const struct kernel *kernel, struct node *n) {
    struct kokoro_harmonic_source s = kernel->source;
    int64_t phase[] = {1, -1, -1}, one_number[] = {1};
    s.phase = kokoro_input(n, 0, "phase", 0, phase, 3);
    s.frames = phase[1];
    s.harmonics = phase[2];
    int64_t f0[] = {1, s.frames}, per_harmonic[] = {s.harmonics};
    s.f0 = kokoro_input(n, 1, "f0", 0, f0, 2);
    s.weight = kokoro_input(n, 2, "weight", 0, per_harmonic, 1);
    s.bias = kokoro_input(n, 3, "bias", 0, one_number, 1);
    if (n->status) return;
    const char *wrong = kokoro_check_harmonic_source(&s);
    if (wrong) {
        kokoro_refuse(n, ORT_INVALID_ARGUMENT, wrong);
        return;
    }
    const int64_t shape[] = {1, s.frames * s.factor};
    float *signal = kokoro_output(n, 0, shape, 2);
    if (n->status) return;
    kokoro_run_harmonic_source(&n->runtime, &s, signal);
}

static void compute_polar(const struct kernel *kernel, struct node *n) {
    (void)kernel;
    int64_t x[] = {1, -1, -1};
    const float *from = kokoro_input(n, 0, "x", 0, x, 3);
    if (n->status) return;
    const char *wrong = kokoro_check_polar(x[1], x[2]);
    if (wrong) {
        kokoro_refuse(n, ORT_INVALID_ARGUMENT, wrong);
        return;
    }
    float *to = kokoro_output(n, 0, x, 3);
    if (n->status) return;
    kokoro_run_polar_to_cartesian(&n->runtime, from, x[1], x[2], to);
}

#define FIELD(member, field, type) {#field, offsetof(struct kernel, member.field), type}
#define NAMED(member, name, field, type) {name, offsetof(struct kernel, member.field), type}

static const struct attribute quantized_attributes[] = {
    NAMED(convolution, "channels", out_channels, INTEGER),
    FIELD(convolution, kernel_size, INTEGER),
    FIELD(convolution, dilation, INTEGER),
    FIELD(convolution, stride, INTEGER),
    FIELD(convolution, pad_begin, INTEGER),
    FIELD(convolution, pad_end, INTEGER),
    FIELD(convolution, weight_scale, NUMBER),
    FIELD(convolution, weight_zero_point, INTEGER),
    FIELD(convolution, epsilon, NUMBER),
    FIELD(convolution, negative_slope, NUMBER),
    FIELD(convolution, output_scale, NUMBER),
    {0},
};

static const struct attribute matmul_attributes[] = {
    NAMED(convolution, "channels", out_channels, INTEGER),
    {0},
};

static const struct attribute float_attributes[] = {
    NAMED(float_convolution, "channels", out_channels, INTEGER),
    FIELD(float_convolution, kernel_size, INTEGER),
    FIELD(float_convolution, pad_begin, INTEGER),
    FIELD(float_convolution, pad_end, INTEGER),
    FIELD(float_convolution, negative_slope, NUMBER),
    {0},
};

static const struct attribute transposed_attributes[] = {
    NAMED(float_convolution, "channels", out_channels, INTEGER),
    FIELD(float_convolution, stride, INTEGER),
    FIELD(float_convolution, pad, INTEGER),
    FIELD(float_convolution, reflect, INTEGER),
    FIELD(float_convolution, negative_slope, NUMBER),
    {0},
};

static const struct attribute block_attributes[] = {
    FIELD(block, kernel_size, INTEGER),
    FIELD(block, dilations, INTEGERS),
    FIELD(block, weight_scales, NUMBERS),
    FIELD(block, weight_zero_points, INTEGERS),
    FIELD(block, epsilon, NUMBER),
    FIELD(block, output_scale, NUMBER),
    {0},
};

static const struct attribute source_attributes[] = {
    FIELD(source, factor, INTEGER),
    FIELD(source, amplitude, NUMBER),
    FIELD(source, threshold, NUMBER),
    FIELD(source, silence, NUMBER),
    {0},
};

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

#define OPERAND_TYPES ORT_INT8, ORT_INT32, ORT_FLOAT, ORT_FLOAT, ORT_FLOAT

static const struct definition definitions[] = {
    {
        CALLBACKS,
        .name = "DynamicQuantizeConv",
        .compute = compute_quantized,
        .attributes = quantized_attributes,
        .inputs = 9,
        .required_inputs = 3,
        .outputs = 2,
        .input_types = {ORT_FLOAT, ORT_INT8, ORT_INT32, ORT_FLOAT, ORT_FLOAT, ORT_FLOAT, ORT_FLOAT,
                        ORT_FLOAT, ORT_FLOAT},
    },
    {
        CALLBACKS,
        .name = "DynamicQuantizeMatMul",
        .compute = compute_matmul,
        .attributes = matmul_attributes,
        .inputs = 6,
        .required_inputs = 4,
        .outputs = MOST_RESULTS,
        .input_types = {ORT_FLOAT, ORT_INT8, ORT_INT32, ORT_FLOAT, ORT_FLOAT, ORT_FLOAT},
    },
    {
        CALLBACKS,
        .name = "Conv",
        .compute = compute_float,
        .attributes = float_attributes,
        .inputs = 3,
        .required_inputs = 3,
        .outputs = 1,
        .input_types = {ORT_FLOAT, ORT_FLOAT, ORT_FLOAT},
    },
    {
        CALLBACKS,
        .name = "ConvTranspose",
        .compute = compute_transposed,
        .attributes = transposed_attributes,
        .inputs = 4,
        .required_inputs = 3,
        .outputs = 2,
        .input_types = {ORT_FLOAT, ORT_FLOAT, ORT_FLOAT, ORT_FLOAT},
    },
    {
        CALLBACKS,
        .name = "ResidualBlock",
        .compute = compute_block,
        .attributes = block_attributes,
        .inputs = MOST_INPUTS,
        .required_inputs = 2,
        .outputs = 3,
        .input_types = {ORT_FLOAT, ORT_FLOAT, ORT_FLOAT, ORT_FLOAT, ORT_FLOAT, OPERAND_TYPES,
                        OPERAND_TYPES, OPERAND_TYPES, OPERAND_TYPES, OPERAND_TYPES, OPERAND_TYPES},
    },
    {
        CALLBACKS,
        .name = "ChannelStatistics",
        .compute = compute_statistics,
        .attributes = no_attributes,
        .inputs = 1,
        .required_inputs = 1,
        .outputs = 1,
        .input_types = {ORT_FLOAT},
    },
    {
        CALLBACKS,
        .name = "HarmonicSource",
        .compute = compute_source,
        .attributes = source_attributes,
        .inputs = 4,
        .required_inputs = 4,
        .outputs = 1,
        .input_types = {ORT_FLOAT, ORT_FLOAT, ORT_FLOAT, ORT_FLOAT},
    },
    {
        CALLBACKS,
        .name = "PolarToCartesian",
        .compute = compute_polar,
        .attributes = no_attributes,
        .inputs = 1,
        .required_inputs = 1,
        .outputs = 1,
        .input_types = {ORT_FLOAT},
    },
};

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
