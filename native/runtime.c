#include "runtime.h"

#include <stdlib.h>

enum { LINE = 64 };

static size_t whole_lines(int64_t count, size_t element_size) {
    return ((size_t)count * element_size + LINE - 1) / LINE * LINE;
}

void kokoro_reserve(struct scratch *s, int64_t count, size_t element_size) {
    s->size += whole_lines(count, element_size);
}

int kokoro_allocate(struct scratch *s) {
    s->memory = s->runtime->allocate(s->runtime->context, s->size + LINE);
    return s->memory != NULL;
}

void *kokoro_take(struct scratch *s, int64_t count, size_t element_size) {
    char *start = s->memory + (LINE - (uintptr_t)s->memory % LINE) % LINE;
    void *piece = start + s->taken;
    s->taken += whole_lines(count, element_size);
    return piece;
}

void kokoro_release(struct scratch *s) {
    if (s->memory) s->runtime->release(s->runtime->context, s->memory);
}

int64_t kokoro_parts(int64_t units, double operations, double smallest) {
    int64_t parts = operations < smallest * MOST_PARTS ? (int64_t)(operations / smallest)
                                                       : MOST_PARTS;
    if (parts > units) parts = units;
    return parts < 1 ? 1 : parts;
}

static void *plain_allocate(void *context, size_t bytes) {
    (void)context;
    return malloc(bytes);
}

static void plain_release(void *context, void *memory) {
    (void)context;
    free(memory);
}

static void one_after_the_other(void *context, void (*task)(void *, size_t), size_t count,
                                void *data) {
    (void)context;
    for (size_t i = 0; i < count; i++) task(data, i);
}

const struct runtime kokoro_plain_runtime = {
    .allocate = plain_allocate,
    .release = plain_release,
    .parallel = one_after_the_other,
};
