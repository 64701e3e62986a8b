#include "statistics.h"

#include "kokoro_ops.h"
#include "variants.h"

#include <math.h>
#include <string.h>

int64_t kokoro_summary_size(int64_t columns) { return 3 * round_up(columns, PANEL); }

struct summary kokoro_summary(double *memory, int64_t part, int64_t columns) {
    const int64_t all = round_up(columns, PANEL);
    double *sums = memory + part * kokoro_summary_size(columns);
    float *least = (float *)(sums + 2 * all);
    return (struct summary){sums, sums + all, least, least + all};
}

void kokoro_clear_summary(const struct summary *s, int64_t first_panel, int64_t last_panel) {
    for (int64_t c = first_panel * PANEL; c < last_panel * PANEL; c++) {
        s->sums[c] = s->squares[c] = 0;
        s->least[c] = INFINITY;
        s->greatest[c] = -INFINITY;
    }
}

/* Column by column, side by side: the parts are many, and nobody else works meanwhile. */
static void join(const struct summary *all, const struct summary *other, int64_t columns) {
    double *restrict sums = all->sums, *restrict squares = all->squares;
    float *restrict least = all->least, *restrict greatest = all->greatest;
    for (int64_t c = 0; c < columns; c++) sums[c] += other->sums[c];
    for (int64_t c = 0; c < columns; c++) squares[c] += other->squares[c];
    for (int64_t c = 0; c < columns; c++)
        least[c] = other->least[c] < least[c] ? other->least[c] : least[c];
    for (int64_t c = 0; c < columns; c++)
        greatest[c] = other->greatest[c] > greatest[c] ? other->greatest[c] : greatest[c];
}

void kokoro_finish_statistics(double *memory, int64_t parts, int64_t columns, int64_t channels,
                              int64_t rows, float *statistics) {
    const struct summary all = kokoro_summary(memory, 0, columns);
    for (int64_t part = 1; part < parts; part++) {
        const struct summary other = kokoro_summary(memory, part, columns);
        join(&all, &other, columns);
    }
    for (int64_t c = 0; c < channels; c++) {
        double sum = 0, squares = 0;
        float least = INFINITY, greatest = -INFINITY;
        for (int64_t column = c; column < columns; column += channels) {
            sum += all.sums[column];
            squares += all.squares[column];
            if (all.least[column] < least) least = all.least[column];
            if (all.greatest[column] > greatest) greatest = all.greatest[column];
        }
        const double mean = sum / (double)rows;
        const double variance = squares / (double)rows - mean * mean;
        statistics[c] = (float)mean;
        statistics[channels + c] = variance < 0 ? 0.0f : (float)variance;
        statistics[2 * channels + c] = least;
        statistics[3 * channels + c] = greatest;
    }
}

void kokoro_join_statistics(const float *measured, const float *given, float share,
                            int64_t channels, float *joined) {
    if (!(share > 0.0f)) {
        memcpy(joined, measured, (size_t)(STATISTICS * channels) * sizeof *joined);
        return;
    }
    const float rest = 1.0f - share;
    for (int64_t c = 0; c < channels; c++) {
        const int64_t v = channels + c, least = v + channels, greatest = least + channels;
        const float apart = given[c] - measured[c];
        joined[c] = rest * measured[c] + share * given[c];
        joined[v] = rest * measured[v] + share * given[v] + share * rest * apart * apart;
        joined[least] = fminf(measured[least], given[least]);
        joined[greatest] = fmaxf(measured[greatest], given[greatest]);
    }
}

struct work {
    const struct variant *variant;
    const float *x;
    int64_t rows, channels, parts;
    double *summaries;
};

static void summarize_part(void *data, size_t index) {
    const struct work *w = data;
    const int64_t part = (int64_t)index;
    const struct summary summary = kokoro_summary(w->summaries, part, w->channels);
    kokoro_clear_summary(&summary, 0, round_up(w->channels, PANEL) / PANEL);
    w->variant->summarize(w->x, w->channels, kokoro_cut(w->rows, 1, part, w->parts),
                          kokoro_cut(w->rows, 1, part + 1, w->parts), &summary);
}

const char *kokoro_run_channel_statistics(const struct runtime *runtime, const float *x,
                                          int64_t rows, int64_t channels, float *statistics) {
    struct work w = {.variant = kokoro_variant(), .x = x, .rows = rows, .channels = channels};
    const int64_t per_part = kokoro_summary_size(channels);
    w.parts = kokoro_parts(rows, (double)rows * (double)channels, 1 << 15);
    struct scratch s = {.runtime = runtime};
    kokoro_reserve(&s, w.parts * per_part, sizeof *w.summaries);
    if (!kokoro_allocate(&s)) return "no memory";
    w.summaries = kokoro_take(&s, w.parts * per_part, sizeof *w.summaries);
    runtime->parallel(runtime->context, summarize_part, (size_t)w.parts, &w);
    kokoro_finish_statistics(w.summaries, w.parts, channels, channels, rows, statistics);
    kokoro_release(&s);
    return NULL;
}

const char *kokoro_channel_statistics(const float *x, int64_t rows, int64_t channels,
                                      float *statistics) {
    if (rows < 1 || channels < 1) return "x is empty";
    return kokoro_run_channel_statistics(&kokoro_plain_runtime, x, rows, channels, statistics);
}
