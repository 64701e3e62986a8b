/* The operators over matrices: nothing but integers and single roundings, so that every variant gives
 * the same bits. */
#ifndef VARIANTS_MATRICES_H
#define VARIANTS_MATRICES_H

#include "variants_checks.h"
#include "variants_tensors.h"

static void matmul(int64_t rows, int64_t in, int64_t out, int biased, int kind) {
    float *x = floats(rows * in), *scales = floats(out), *bias = biased ? floats(out) : NULL;
    fill(x, rows * in, kind);
    int32_t *sums = memory(out, sizeof *sums);
    int8_t *w = packed(in, out, 1, sums);
    uint8_t *runs = runs_of(w, in, out, 1);
    float *y = zeros(rows * out), *found = zeros(rows * out);
    struct kokoro_convolution c = {
        .rows = rows, .in_channels = in, .out_channels = out, .kernel_size = 1, .weight_taps = 1, .run_taps = 1, .dilation = 1,
        .stride = 1, .negative_slope = 1.0f, .output_scale = 1.0f, .x = x, .weight = w,
        .weight_sums = sums, .runs = runs, .weight_scales = scales, .float_bias = bias,
    };
    use("portable");
    kokoro_convolve(&c, y, NULL);
    use(candidate);
    int8_t *of_candidate = laid_out(w, in, out, 1);
    c.weight = of_candidate;
    kokoro_convolve(&c, found, NULL);
    if (kind < 4 && memcmp(y, found, (size_t)(rows * out) * sizeof *y) != 0)
        fail("DynamicQuantizeMatMul", rows, in, out, 1);
    release(x), release(scales), release(bias), release(sums), release(w), release(runs);
    release(of_candidate), release(y), release(found);
}

enum { LSTM_COLUMNS = 8 }; /* for each unit: four gates of two directions */

static struct kokoro_matrix matrix_of(int64_t in, int64_t columns) {
    int32_t *sums = memory(columns, sizeof *sums);
    const int8_t *w = packed(in, columns, 1, sums);
    float *scales = floats(columns);
    for (int64_t i = 0; i < columns; i++) scales[i] = fabsf(scales[i]) / (float)(20 * in);
    return (struct kokoro_matrix){w, sums, runs_of(w, in, columns, 1), scales};
}

static void release_matrix(const struct kokoro_matrix *m) {
    release((void *)m->weight), release((void *)m->weight_sums);
    release((void *)m->runs), release((void *)m->weight_scales);
}

static void lstm(int64_t rows, int64_t in, int64_t hidden, int kind) {
    const int64_t columns = LSTM_COLUMNS * hidden, count = 2 * rows * hidden;
    float *x = floats(rows * in), *bias = floats(columns);
    float *y = zeros(count), *found = zeros(count);
    fill(x, rows * in, kind);
    struct kokoro_lstm l = {
        .rows = rows, .in_channels = in, .hidden = hidden, .x = x, .bias = bias,
        .input = matrix_of(in, columns), .recurrent = matrix_of(hidden, columns),
    };
    const struct kokoro_matrix input = l.input, recurrent = l.recurrent;
    use("portable");
    kokoro_recur(&l, y);
    use(candidate);
    int8_t *of_input = laid_out(input.weight, in, columns, 1);
    int8_t *of_recurrent = laid_out(recurrent.weight, hidden, columns, 1);
    l.input.weight = of_input;
    l.recurrent.weight = of_recurrent;
    const char *wrong = kokoro_recur(&l, found);
    if (wrong || (kind < 4 && memcmp(y, found, (size_t)count * sizeof *y) != 0))
        fail("DynamicQuantizeLSTM", rows, in, hidden, 1);
    release_matrix(&input), release_matrix(&recurrent), release(of_input), release(of_recurrent);
    release(x), release(bias), release(y), release(found);
}

#endif
