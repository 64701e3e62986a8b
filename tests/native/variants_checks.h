/* Which variant the driver holds against the portable one, and what differs. */
#ifndef VARIANTS_CHECKS_H
#define VARIANTS_CHECKS_H

#include "kokoro_ops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *candidate;
static int failures;

static void fail(const char *what, int64_t rows, int64_t in, int64_t out, int64_t kernel) {
    if (failures++ < 20)
        printf("%s: %s differs at rows %lld, channels %lld to %lld, kernel %lld\n", candidate, what,
               (long long)rows, (long long)in, (long long)out, (long long)kernel);
}

static void use(const char *name) {
    if (kokoro_use_variant(name) != 0) abort();
}

/* `size` is the sum of absolute terms. A row also has rounded terms of the other row of its pair:
 * what counts is the largest of a channel. */
static void compare(const char *what, const struct kokoro_float_convolution *c, const float *y,
                    const float *found, float *size, int64_t count, int64_t terms) {
    const int64_t channels = c->out_channels;
    for (int64_t i = channels; i < count; i++)
        size[i % channels] = fmaxf(size[i % channels], size[i]);
    for (int64_t i = 0; i < count; i++)
        if (!(fabsf(y[i] - found[i]) <= 6.0f * (float)(terms + 4) * 0x1p-24f * size[i % channels])) {
            fail(what, c->rows, c->in_channels, c->out_channels, c->kernel_size);
            return;
        }
}

#endif
