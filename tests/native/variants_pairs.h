/* Products in pairs of rows for the driver, and the differences of weights that they take. */
#ifndef VARIANTS_PAIRS_H
#define VARIANTS_PAIRS_H

#include "kokoro_ops.h"
#include "variants_checks.h"
#include "variants_tensors.h"

#include <stdint.h>
#include <string.h>

/* Of taps: of each one with an even index less the next one, from `step` taps to `step` taps. Returns
 * how many, or -1 if one does not fit a byte. */
static int64_t subtract_taps(const int8_t *w, int64_t taps, int64_t step, int64_t size, int8_t *to) {
    if (taps < 2) return 0;
    for (int64_t k = 0; k < taps; k += 2, to += size)
        for (int64_t i = 0; i < size; i++) {
            const int v = w[k * step * size + i] - (k + 1 < taps ? w[(k + 1) * step * size + i] : 0);
            if (v < -128 || v > 127) return -1;
            to[i] = (int8_t)v;
        }
    return (taps + 1) / 2;
}

static void sum_taps(const int8_t *w, int64_t taps, int64_t groups, int64_t columns, int32_t *sums) {
    for (int64_t i = 0; i < taps * groups * 64; i++)
        if (i % 64 / 4 < columns) sums[i % 64 / 4] += w[i];
}

/* Packed weights that are followed by their differences, for the runs of both, with all sums and the
 * number of all taps; or NULL where differences do not fit. */
static int8_t *with_differences(const int8_t *w, int64_t in, int64_t out, int64_t kernel,
                                const int32_t *sums, int64_t *taps, int32_t **all_sums) {
    const int64_t groups = ceil_div(in, 4), panels = ceil_div(out, 16), size = groups * 64;
    const int64_t half = (kernel + 1) / 2, quarter = (half + 1) / 2;
    const int64_t of_odd = kernel / 2 > 1 ? (kernel / 2 + 1) / 2 : 0;
    *taps = kernel + half + 2 * quarter + of_odd;
    int8_t *made = memory(panels * *taps * size, 1);
    *all_sums = memory(5 * out, sizeof **all_sums);
    memset(*all_sums, 0, (size_t)(5 * out) * sizeof **all_sums);
    memcpy(*all_sums, sums, (size_t)out * sizeof *sums);
    for (int64_t p = 0; p < panels; p++) {
        int8_t *all = made + p * *taps * size, *to = all + kernel * size, *const differences = to;
        memcpy(all, w + p * kernel * size, (size_t)(kernel * size));
        const struct { const int8_t *w; int64_t taps, step; } of[] = {
            {all, kernel, 1}, {all, half, 2}, {all + size, kernel / 2, 2}, {differences, half, 1},
        };
        for (int64_t i = 0; i < 4; i++) {
            const int64_t count = subtract_taps(of[i].w, of[i].taps, of[i].step, size, to);
            if (count < 0) {
                release(made), release(*all_sums);
                return NULL;
            }
            sum_taps(to, count, groups, out - 16 * p, *all_sums + (1 + i) * out + 16 * p);
            to += count * size;
        }
    }
    return made;
}

/* The same integers where differences of weights are used; and where the activations go
 * up and down slowly, so that theirs fit. */
static void convolution_in_pairs(struct kokoro_convolution c, const int8_t *w, const uint8_t *q,
                                 int32_t zero_point, int32_t *expected) {
    if (c.kernel_size < 3 || c.kernel_size % 2 == 0 || c.stride != 1) return;
    int32_t *sums = NULL;
    const struct kokoro_convolution plain = c;
    int8_t *whole = with_differences(w, c.in_channels, c.out_channels, c.kernel_size,
                                     c.weight_sums, &c.run_taps, &sums);
    if (whole == NULL) return;
    const int64_t outputs = kokoro_convolution_rows(&c) * c.out_channels;
    int32_t *slow = memory(outputs, sizeof *slow), *found = memory(outputs, sizeof *found);
    uint8_t *steady = memory(c.rows * c.in_channels, 1);
    for (int64_t i = 0; i < c.rows * c.in_channels; i++) {
        const int64_t at = (i / c.in_channels * 5 + i % c.in_channels * 37) % 510;
        steady[i] = (uint8_t)(at < 255 ? at : 510 - at);
    }
    kokoro_convolve_integers(&plain, steady, zero_point, slow);
    use(candidate);
    uint8_t *runs = runs_of(whole, c.in_channels, c.out_channels, c.run_taps);
    c.weight = laid_out(w, c.in_channels, c.out_channels, c.kernel_size);
    c.weight_sums = sums;
    c.runs = runs;
    for (int i = 0; i < 2; i++) {
        const char *wrong = kokoro_convolve_integers(&c, i ? steady : q, zero_point, found);
        if (wrong || memcmp(found, i ? slow : expected, (size_t)outputs * sizeof *found) != 0)
            fail("an integer in pairs", c.rows, c.in_channels, c.out_channels, c.kernel_size);
    }
    use("portable");
    release(whole), release(sums), release(slow), release(found), release(steady), release(runs);
    release((void *)c.weight);
}

#endif
