/* The providers that the stub pretends to have, and their options. */
#include "stub.h"

#include <stdlib.h>
#include <string.h>

typedef struct Options {
    char **keys;
    char **values;
    size_t count;
} Options;

struct OrtCUDAProviderOptionsV2 {
    Options options;
};

struct OrtTensorRTProviderOptionsV2 {
    Options options;
};

/* Those that GetCUDAProviderOptionsAsString of onnxruntime-gpu 1.31.1 names, and after them others
 * that it takes and does not name. */
static const char *const CUDA_OPTIONS =
    "external_data_loader_reading_threads,sdpa_kernel,use_tf32,fuse_conv_bias,prefer_nhwc,"
    "use_ep_level_unified_stream,device_id,tunable_op_max_tuning_duration_ms,"
    "has_user_compute_stream,cudnn_conv_algo_search,cudnn_conv1d_pad_to_nc1d,gpu_mem_limit,"
    "arena_extend_strategy,do_copy_in_default_stream,user_compute_stream,"
    "cudnn_conv_use_max_workspace,tunable_op_enable,enable_cudnn,tunable_op_tuning_enable,"
    "enable_cuda_graph,enable_skip_layer_norm_strict_mode,gpu_external_alloc,"
    "gpu_external_empty_cache,gpu_external_free";

static bool cuda_has(const char *key) { return is_listed(key, CUDA_OPTIONS); }

static bool tensorrt_has(const char *key) {
    return strncmp(key, "trt_", 4) == 0 ||
           is_listed(key, "device_id,has_user_compute_stream,user_compute_stream");
}

static void clear(Options *options) {
    for (size_t i = 0; i < options->count; i++) {
        free(options->keys[i]);
        free(options->values[i]);
    }
    free(options->keys);
    free(options->values);
    *options = (Options){NULL, NULL, 0};
}

static const char *value_of(const Options *options, const char *key) {
    for (size_t i = options->count; i-- > 0;)
        if (strcmp(options->keys[i], key) == 0) return options->values[i];
    return NULL;
}

static OrtStatus *create(const char *function, size_t size, void **out) {
    Line *line = begin(function);
    int number = new_number(PROVIDER_OPTIONS);
    put_number(line, "provider_options", number);
    OrtStatus *refused = refuse(function);
    end(line, refused);
    if (refused != NULL) return refused;
    *out = calloc(1, size);
    if (*out == NULL) give_up("no memory");
    remember(PROVIDER_OPTIONS, *out, number, (Setup){0});
    return NULL;
}

/* Sets everything anew, as ONNX Runtime does: what is not given gets its default back. */
static OrtStatus *update(const char *function, Options *options, bool (*has)(const char *),
                         const char *const *keys, const char *const *values, size_t count) {
    Line *line = begin(function);
    put_number(line, "provider_options", number_of(PROVIDER_OPTIONS, options));
    put_pairs(line, "options", keys, values, count);
    OrtStatus *refused = refuse(function);
    for (size_t i = 0; i < count && refused == NULL; i++) {
        char text[400];
        if (has(keys[i])) continue;
        snprintf(text, sizeof text, "provider_options_utils.h:182 Parse Unknown provider option: "
                                    "\"%s\".\n", keys[i]);
        refused = real->CreateStatus(FAIL, text);
    }
    end(line, refused);
    if (refused != NULL) return refused;
    clear(options);
    options->keys = calloc(count + 1, sizeof *options->keys);
    options->values = calloc(count + 1, sizeof *options->values);
    if (options->keys == NULL || options->values == NULL) give_up("no memory");
    for (; options->count < count; options->count++) {
        options->keys[options->count] = strdup(keys[options->count]);
        options->values[options->count] = strdup(values[options->count]);
    }
    return NULL;
}

static void release(const char *function, Options *options) {
    if (options == NULL) return;
    Line *line = begin(function);
    put_number(line, "provider_options", number_of(PROVIDER_OPTIONS, options));
    end(line, NULL);
    forget(PROVIDER_OPTIONS, options);
    clear(options);
    free(options);
}

static Setup setup_by(const Options *options, Provider provider) {
    const char *device = value_of(options, "device_id");
    const char *graphs = value_of(options, "enable_cuda_graph");
    return (Setup){(int)provider, device ? atoi(device) : 0,
                   graphs != NULL && is_listed(graphs, "1,true,True")};
}

static OrtStatus *append(const char *function, OrtSessionOptions *session_options,
                         const Options *options, Provider provider) {
    Line *line = begin(function);
    put_number(line, "session_options", number_of(SESSION_OPTIONS, session_options));
    put_number(line, "provider_options", number_of(PROVIDER_OPTIONS, options));
    OrtStatus *refused = refuse(function);
    end(line, refused);
    if (refused == NULL)
        add_provider(SESSION_OPTIONS, session_options, setup_by(options, provider));
    return refused;
}

/* The functions of a provider, which differ by their names only. */
#define FUNCTIONS(NAME, PROVIDER, HAS)                                                            \
    OrtStatus *stub_Create##NAME##ProviderOptions(Ort##NAME##ProviderOptionsV2 **out) {           \
        return create("Create" #NAME "ProviderOptions", sizeof **out, (void **)out);              \
    }                                                                                             \
    OrtStatus *stub_Update##NAME##ProviderOptions(Ort##NAME##ProviderOptionsV2 *own,              \
                                                  const char *const *keys,                        \
                                                  const char *const *values, size_t count) {      \
        return update("Update" #NAME "ProviderOptions", &own->options, HAS, keys, values, count); \
    }                                                                                             \
    void stub_Release##NAME##ProviderOptions(Ort##NAME##ProviderOptionsV2 *own) {                 \
        release("Release" #NAME "ProviderOptions", own ? &own->options : NULL);                   \
    }                                                                                             \
    OrtStatus *stub_SessionOptionsAppendExecutionProvider_##NAME##_V2(                            \
        OrtSessionOptions *options, const Ort##NAME##ProviderOptionsV2 *own) {                    \
        return append("SessionOptionsAppendExecutionProvider_" #NAME "_V2", options,              \
                      &own->options, PROVIDER);                                                   \
    }

FUNCTIONS(CUDA, CUDA, cuda_has)
FUNCTIONS(TensorRT, TENSORRT, tensorrt_has)

/* The pretended ones come first, as in ONNX Runtime's order of preference. */
OrtStatus *stub_GetAvailableProviders(char ***out, int *count) {
    static const char *const PRETENDED[] = {"TensorrtExecutionProvider", "CUDAExecutionProvider"};
    enum { PRETENDED_COUNT = sizeof PRETENDED / sizeof *PRETENDED };
    Line *line = begin("GetAvailableProviders");
    OrtStatus *refused = refuse("GetAvailableProviders");
    end(line, refused);
    if (refused != NULL) return refused;
    char **own = NULL;
    int own_count = 0;
    OrtStatus *status = real->GetAvailableProviders(&own, &own_count);
    if (status != NULL) return status;
    char **names = calloc((size_t)own_count + PRETENDED_COUNT, sizeof *names);
    if (names == NULL) give_up("no memory");
    *count = 0;
    for (size_t i = 0; i < PRETENDED_COUNT; i++)
        if (is_built_with(PRETENDED[i])) names[(*count)++] = strdup(PRETENDED[i]);
    for (int i = 0; i < own_count; i++) names[(*count)++] = strdup(own[i]);
    *out = names;
    return real->ReleaseAvailableProviders(own, own_count);
}

OrtStatus *stub_ReleaseAvailableProviders(char **names, int count) {
    for (int i = 0; i < count; i++) free(names[i]);
    free(names);
    return NULL;
}
