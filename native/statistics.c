#include "statistics.h"

#include "kokoro_ops.h"
#include "variants.h"

#include <string.h>

void kokoro_finish_statistics(const double *sums, int64_t parts, int64_t columns, int64_t channels,
                              int64_t rows, float *statistics) {
    const int64_t all = round_up(columns, PANEL);
    for (int64_t c = 0; c < channels; c++) {
        double sum = 0, squares = 0;
        for (int64_t part = 0; part < parts; part++) {
            const double *from = sums + part * 2 * all;
            for (int64_t column = c; column < columns; column += channels) {
                sum += from[column];
                squares += from[all + column];
            }
        }
        const double mean = sum / (double)rows;
        const double variance = squares / (double)rows - mean * mean;
        statistics[c] = (float)mean;
        statistics[channels + c] = variance < 0 ? 0.0f : (float)variance;
    }
}

struct work {
    const struct variant *variant;
    const float *x;
    int64_t rows, channels, parts;
    double *sums;
};

static void sum_part(void *data, size_t index) {
    const struct work *w = data;
    const int64_t part = (int64_t)index, all = round_up(w->channels, PANEL);
    double *sums = w->sums + part * 2 * all;
    memset(sums, 0, (size_t)(2 * all) * sizeof *sums);
    w->variant->sum(w->x, w->channels, kokoro_cut(w->rows, 1, part, w->parts),
                    kokoro_cut(w->rows, 1, part + 1, w->parts), sums);
}

const char *kokoro_run_channel_statistics(const struct runtime *runtime, const float *x,
                                          int64_t rows, int64_t channels, float *statistics) {
    struct work w = {.variant = kokoro_variant(), .x = x, .rows = rows, .channels = channels};
    const int64_t per_part = 2 * round_up(channels, PANEL);
    w.parts = kokoro_parts(rows, (double)rows * (double)channels, 1 << 15);
    struct scratch s = {.runtime = runtime};
    kokoro_reserve(&s, w.parts * per_part, sizeof *w.sums);
    if (!kokoro_allocate(&s)) return "no memory";
    w.sums = kokoro_take(&s, w.parts * per_part, sizeof *w.sums);
    runtime->parallel(runtime->context, sum_part, (size_t)w.parts, &w);
    kokoro_finish_statistics(w.sums, w.parts, channels, channels, rows, statistics);
    kokoro_release(&s);
    return NULL;
}

const char *kokoro_channel_statistics(const float *x, int64_t rows, int64_t channels,
                                      float *statistics) {
    if (rows < 1 || channels < 1) return "x is empty";
    return kokoro_run_channel_statistics(&kokoro_plain_runtime, x, rows, channels, statistics);
}
