#include "node.h"

#include <stdarg.h>
#include <stdio.h>

OrtStatus *kokoro_status(const OrtApi *api, int code, const char *name, const char *format, ...) {
    char text[512], message[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(message, sizeof message, "kokoro.%s: %s", name, text);
    return ORT(api, CreateStatus)(code, message);
}

int kokoro_refuse(struct node *n, int code, const char *text) {
    if (n->status == NULL && text)
        n->status = kokoro_status(n->api, code, n->name, "%s", text);
    return n->status != NULL;
}

static void *allocate(void *context, size_t bytes) {
    const struct node *n = context;
    void *memory = NULL;
    OrtStatus *status = ORT(n->api, AllocatorAlloc)(n->allocator, bytes, &memory);
    if (status == NULL) return memory;
    ORT(n->api, ReleaseStatus)(status); /* the operator says that there is no memory */
    return NULL;
}

static void release(void *context, void *memory) {
    const struct node *n = context;
    OrtStatus *status = ORT(n->api, AllocatorFree)(n->allocator, memory);
    if (status) ORT(n->api, ReleaseStatus)(status);
}

static void parallel(void *context, void (*task)(void *, size_t), size_t count, void *data) {
    struct node *n = context;
    if (n->status) return;
    if (count == 1)
        task(data, 0);
    else
        n->status = ORT(n->api, KernelContext_ParallelFor)(n->context, task, count, 0, data);
}

void kokoro_begin(struct node *n, const OrtApi *api, const char *name, OrtKernelContext *context,
                  const OrtMemoryInfo *memory) {
    *n = (struct node){.api = api, .name = name, .context = context};
    n->runtime = (struct runtime){n, allocate, release, parallel};
    n->status = ORT(api, KernelContext_GetAllocator)(context, memory, &n->allocator);
    if (!n->status) n->status = ORT(api, KernelContext_GetInputCount)(context, &n->inputs);
    if (!n->status) n->status = ORT(api, KernelContext_GetOutputCount)(context, &n->outputs);
}

OrtStatus *kokoro_end(struct node *n) {
    if (n->allocator) ORT(n->api, ReleaseAllocator)(n->allocator);
    return n->status;
}

static int text_of_shape(char *text, size_t size, const int64_t *shape, size_t rank) {
    int length = snprintf(text, size, "[");
    for (size_t i = 0; i < rank && (size_t)length < size; i++) {
        const char *comma = i ? ", " : "";
        length += shape[i] < 0 ? snprintf(text + length, size - (size_t)length, "%sany", comma)
                               : snprintf(text + length, size - (size_t)length, "%s%lld", comma,
                                          (long long)shape[i]);
    }
    if ((size_t)length < size) length += snprintf(text + length, size - (size_t)length, "]");
    return length;
}

static void refuse_shape(struct node *n, const char *input, const int64_t *found,
                         size_t found_rank, const int64_t *wanted, size_t rank) {
    char is[128], should[128];
    text_of_shape(should, sizeof should, wanted, rank);
    if (found_rank > MOST_DIMENSIONS)
        snprintf(is, sizeof is, "%zu dimensions", found_rank);
    else
        text_of_shape(is, sizeof is, found, found_rank);
    n->status = kokoro_status(n->api, ORT_INVALID_ARGUMENT, n->name,
                              "%s should have shape %s and has %s", input, should, is);
}

/* Its rank, and its sizes if it has no more than MOST_DIMENSIONS. */
static OrtStatus *read_shape(const OrtApi *api, const OrtValue *value, int64_t *shape,
                             size_t *rank) {
    OrtTensorTypeAndShapeInfo *info = NULL;
    OrtStatus *status = ORT(api, GetTensorTypeAndShape)(value, &info);
    if (status) return status;
    status = ORT(api, GetDimensionsCount)(info, rank);
    if (!status && *rank <= MOST_DIMENSIONS)
        status = ORT(api, GetDimensions)(info, shape, *rank);
    ORT(api, ReleaseTensorTypeAndShapeInfo)(info);
    return status;
}

const void *kokoro_input(struct node *n, size_t index, const char *input, int optional,
                         int64_t *shape, size_t rank) {
    if (n->status) return NULL;
    const OrtValue *value = NULL;
    if (index < n->inputs)
        n->status = ORT(n->api, KernelContext_GetInput)(n->context, index, &value);
    if (n->status) return NULL;
    if (value == NULL) {
        if (!optional)
            n->status =
                kokoro_status(n->api, ORT_INVALID_ARGUMENT, n->name, "%s is missing", input);
        return NULL;
    }
    int64_t found[MOST_DIMENSIONS] = {0};
    size_t found_rank = 0;
    n->status = read_shape(n->api, value, found, &found_rank);
    if (n->status) return NULL;
    int fits = found_rank == rank;
    for (size_t i = 0; fits && i < rank; i++) fits = shape[i] < 0 || shape[i] == found[i];
    if (!fits) {
        refuse_shape(n, input, found, found_rank, shape, rank);
        return NULL;
    }
    for (size_t i = 0; i < rank; i++) shape[i] = found[i];
    void *data = NULL;
    n->status = ORT(n->api, GetTensorMutableData)((OrtValue *)value, &data);
    return data;
}

const float *kokoro_x(struct node *n, int64_t *rows, int64_t *channels) {
    int64_t shape[] = {1, -1, -1};
    const float *x = kokoro_input(n, 0, "x", 0, shape, 3);
    *rows = shape[1];
    *channels = shape[2];
    return x;
}

void *kokoro_output(struct node *n, size_t index, const int64_t *shape, size_t rank) {
    if (n->status || index >= n->outputs) return NULL;
    OrtValue *value = NULL;
    void *data = NULL;
    n->status = ORT(n->api, KernelContext_GetOutput)(n->context, index, shape, rank, &value);
    if (n->status == NULL && value)
        n->status = ORT(n->api, GetTensorMutableData)(value, &data);
    return data;
}
