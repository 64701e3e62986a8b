/* ResidualBlock: pairs of convolutions, each pair adding its input to its result. */
#ifndef KOKORO_RESIDUAL_BLOCK_H
#define KOKORO_RESIDUAL_BLOCK_H

#include "convolution.h"

enum { BLOCK_PAIRS = 3, BLOCK_CONVOLUTIONS = 2 * BLOCK_PAIRS };

struct residual_block {
    int64_t kernel_size, channels;
    int64_t dilations[BLOCK_CONVOLUTIONS];
    float weight_scales[BLOCK_CONVOLUTIONS];
    float epsilon, output_scale;
    const float *x, *statistics, *addend; /* addend may be NULL */
    const float *given;                   /* statistics of every convolution's input, or NULL */
    float share;                          /* of the given ones in those that are used, 0 to 1 */
    int64_t rows;
    struct {
        const int8_t *weight;
        int64_t weight_taps, run_taps;
        const int32_t *weight_sums;
        const uint8_t *runs;
        const float *bias, *style, *alpha;
    } operands[BLOCK_CONVOLUTIONS];
};

/* NULL, or what is wrong with sizes, attributes and share. */
const char *kokoro_check_residual_block(const struct residual_block *);

/* Arguments that were checked: y [rows, channels] is no input, statistics [4, channels] or NULL;
 * measured, those of every convolution's input before the given ones were joined to them, or NULL.
 * NULL, or what is wrong. */
const char *kokoro_run_residual_block(const struct runtime *, const struct residual_block *,
                                      float *y, float *statistics, float *measured);

#endif
