/* What the operators need of whoever runs them: memory, and several threads. */
#ifndef KOKORO_RUNTIME_H
#define KOKORO_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

struct runtime {
    void *context;
    /* NULL when there is no memory; both are called from several threads at once. */
    void *(*allocate)(void *context, size_t bytes);
    void (*release)(void *context, void *memory);
    /* Calls task(data, i) for every i below count, at the same time if it can, and waits. */
    void (*parallel)(void *context, void (*task)(void *data, size_t index), size_t count,
                     void *data);
};

/* On the calling thread, with malloc. */
extern const struct runtime kokoro_plain_runtime;

/* One allocation cut into pieces aligned to a cache line: reserve every piece, allocate, then
 * take them in the same order. */
struct scratch {
    const struct runtime *runtime;
    char *memory;
    size_t size, taken;
};

void kokoro_reserve(struct scratch *, int64_t count, size_t element_size);
int kokoro_allocate(struct scratch *); /* whether there was memory */
void *kokoro_take(struct scratch *, int64_t count, size_t element_size);
void kokoro_release(struct scratch *);

/* Part `index` of `count` nearly equal ones of `whole`, cut at multiples of `unit`. */
static inline int64_t kokoro_cut(int64_t whole, int64_t unit, int64_t index, int64_t count) {
    const int64_t units = (whole + unit - 1) / unit;
    const int64_t at = units * index / count * unit;
    return at < whole ? at : whole;
}

/* How many parts to make of so many operations: 1 where handing over costs more than it gives,
 * never more than MOST_PARTS, which lets 2 as well as 12 cores share evenly. */
enum { MOST_PARTS = 48 };
int64_t kokoro_parts(int64_t units, double operations, double smallest);

#endif
