#include "pairs.h"

#include <string.h>

/* Of a kernel of `taps` taps: those of the differences between each one with an even index and the
 * next. A kernel of one has none. */
static int64_t difference_taps(int64_t taps) { return taps > 1 ? (taps + 1) / 2 : 0; }

int kokoro_difference_levels(const struct kokoro_convolution *c) {
    const int64_t size = c->kernel_size, half = difference_taps(size);
    if (size < 3 || size % 2 == 0 || c->weight_taps != size) return 0;
    if (c->run_taps == size + half) return 1;
    const int64_t quarters = 2 * difference_taps(half) + difference_taps(size / 2);
    return c->run_taps == size + half + quarters ? 2 : 0;
}

int64_t kokoro_weight_sums(const struct kokoro_convolution *c) {
    static const int rows[] = {1, 2, 2 + HALVES};
    return rows[kokoro_difference_levels(c)] * c->out_channels;
}

int64_t kokoro_rows_beyond(const struct kokoro_convolution *c) { return 3 * c->dilation; }

int kokoro_set_up_pairs(struct pairs *pairs, const struct kokoro_convolution *c) {
    const int64_t half = difference_taps(c->kernel_size);
    const int levels = kokoro_difference_levels(c);
    pairs->weight_taps = c->run_taps - c->kernel_size;
    pairs->of_rows.taps = levels ? half : 0;
    int64_t tap = half;
    for (int i = 0; levels > 1 && i < HALVES; i++) {
        struct differences *of = pairs->of_halves + i;
        of->first_tap = tap;
        of->taps = difference_taps(i == OF_ODD ? c->kernel_size / 2 : half);
        tap += of->taps;
    }
    return levels > 0;
}

enum { DIFFERENCES = 1 + HALVES };

/* All differences of a product, in the order of their weights. */
static struct differences *differences_of(struct pairs *pairs, int index) {
    return index ? pairs->of_halves + index - 1 : &pairs->of_rows;
}

void kokoro_reserve_pairs(const struct pairs *pairs, struct scratch *s, int64_t row_size,
                          int64_t columns) {
    kokoro_reserve(s, pairs->weight_taps * row_size * columns, 1);
    kokoro_reserve(s, DIFFERENCES * columns, sizeof(int32_t));
}

void kokoro_take_pairs(struct pairs *pairs, struct scratch *s, int64_t row_size, int64_t columns) {
    pairs->weight = kokoro_take(s, pairs->weight_taps * row_size * columns, 1);
    int32_t *terms = kokoro_take(s, DIFFERENCES * columns, sizeof(int32_t));
    for (int i = 0; i < DIFFERENCES; i++)
        differences_of(pairs, i)->column_terms = terms + i * columns;
}

void kokoro_count_differences(struct pairs *pairs, int64_t rows, int64_t dilation) {
    const int64_t half = pairs->of_rows.taps;
    pairs->blocks = rows / (2 * dilation);
    pairs->of_rows.count = (pairs->blocks + half) * dilation;
    for (int i = 0; i < HALVES; i++) {
        struct differences *of = pairs->of_halves + i;
        const int64_t blocks = pairs->blocks / 2 + (half + 1) / 2 - (i != OF_EVEN);
        of->count = of->taps ? blocks * dilation : 0;
    }
}

void kokoro_reserve_differences(const struct pairs *pairs, struct scratch *s, int64_t row_size) {
    struct pairs all = *pairs;
    for (int i = 0; i < DIFFERENCES; i++) {
        kokoro_reserve(s, differences_of(&all, i)->count * row_size, 1);
        kokoro_reserve(s, differences_of(&all, i)->count, 1);
    }
}

void kokoro_take_differences(struct pairs *pairs, struct scratch *s, int64_t row_size) {
    for (int i = 0; i < DIFFERENCES; i++) {
        struct differences *of = differences_of(pairs, i);
        of->rows = kokoro_take(s, of->count * row_size, 1);
        of->beyond = kokoro_take(s, of->count, 1);
    }
}

/* Of each tap with an even index less the next one, if there is one; `step` is from one to the next. */
static void subtract_taps(const int8_t *w, int64_t taps, int64_t step, int64_t size, int8_t *to) {
    for (int64_t k = 0; k < taps; k += 2, w += 2 * step, to += size) {
        if (k + 1 == taps) {
            memcpy(to, w, (size_t)size);
            break;
        }
        for (int64_t i = 0; i < size; i++) to[i] = (int8_t)(w[i] - w[step + i]);
    }
}

void kokoro_subtract_weights(const struct pairs *pairs, const struct kokoro_convolution *c,
                             int64_t panel) {
    const int64_t size = round_up(c->in_channels, GROUP) * PANEL;
    const int8_t *w = c->weight + panel * c->weight_taps * size;
    int8_t *all = pairs->weight + panel * pairs->weight_taps * size;
    subtract_taps(w, c->kernel_size, size, size, all);
    const struct differences *of = pairs->of_halves;
    if (of[OF_EVEN].taps == 0) return;
    const int64_t half = pairs->of_rows.taps;
    subtract_taps(w, half, 2 * size, size, all + of[OF_EVEN].first_tap * size);
    if (of[OF_ODD].taps)
        subtract_taps(w + size, c->kernel_size / 2, 2 * size, size,
                      all + of[OF_ODD].first_tap * size);
    subtract_taps(all, half, size, size, all + of[OF_BOTH].first_tap * size);
}

/* A difference of 0 is 128 where a byte has no sign. The first differences belong to rows of the
 * output, which have the terms of a plain product too. */
void kokoro_set_up_pair_terms(struct pairs *pairs, const struct kokoro_convolution *c,
                              const int32_t *terms, int activation_offset) {
    const uint32_t no_difference = (uint32_t)(128 - activation_offset);
    const int64_t columns = round_up(c->out_channels, PANEL);
    for (int n = 0; n < DIFFERENCES; n++) {
        const struct differences *of = differences_of(pairs, n);
        if (of->taps == 0) continue;
        const int32_t *sums = c->weight_sums + (1 + n) * c->out_channels;
        memset(of->column_terms, 0, (size_t)columns * sizeof *terms);
        for (int64_t i = 0; i < c->out_channels; i++) {
            const uint32_t own = n == 0 ? (uint32_t)terms[i] : 0;
            of->column_terms[i] = (int32_t)(own - no_difference * (uint32_t)sums[i]);
        }
    }
}
