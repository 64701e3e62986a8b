/* One run of one node: its tensors by shape and pointer, its memory and threads from ONNX
 * Runtime, and the first thing that went wrong. */
#ifndef KOKORO_NODE_H
#define KOKORO_NODE_H

#include "ort_api.h"
#include "runtime.h"

enum { MOST_DIMENSIONS = 5 };

struct node {
    const OrtApi *api;
    const char *name; /* of the operator, for messages */
    OrtKernelContext *context;
    OrtAllocator *allocator;
    size_t inputs, outputs;
    OrtStatus *status; /* nothing more is done once it is set */
    struct runtime runtime;
};

/* Begin with what CreateKernel made; end gives the status to return. */
void kokoro_begin(struct node *, const OrtApi *, const char *name, OrtKernelContext *,
                  const OrtMemoryInfo *);
OrtStatus *kokoro_end(struct node *);

/* A status with "kokoro.<name>: <text>". */
OrtStatus *kokoro_status(const OrtApi *, int code, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Refuses the node with a text, unless that is NULL; tells whether it is refused, now or before. */
int kokoro_refuse(struct node *, int code, const char *text);

/* The data of an input whose shape is `rank` numbers; a negative one in `shape` accepts anything
 * and is replaced by what is found. NULL with no fault for an optional input that is missing. */
const void *kokoro_input(struct node *, size_t index, const char *input, int optional,
                         int64_t *shape, size_t rank);
/* The data of the first input, x: [1, rows, channels], of any sizes. */
const float *kokoro_x(struct node *, int64_t *rows, int64_t *channels);
/* The data of an output, NULL with no fault for one that nobody reads. */
void *kokoro_output(struct node *, size_t index, const int64_t *shape, size_t rank);

#endif
