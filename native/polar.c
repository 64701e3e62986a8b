#include "polar.h"

#include "kokoro_ops.h"
#include "variants.h"

const char *kokoro_check_polar(int64_t rows, int64_t channels) {
    if (rows < 1 || channels < 1) return "x is empty";
    if (channels % 2 != 0) return "x must have a phase for each magnitude";
    return NULL;
}

struct work {
    const struct variant *variant;
    const float *x;
    int64_t rows, bins, parts;
    float *y;
};

static void convert_part(void *data, size_t index) {
    const struct work *w = data;
    const int64_t part = (int64_t)index;
    w->variant->to_cartesian(w->x, w->bins, kokoro_cut(w->rows, 1, part, w->parts),
                             kokoro_cut(w->rows, 1, part + 1, w->parts), w->y);
}

void kokoro_run_polar_to_cartesian(const struct runtime *runtime, const float *x, int64_t rows,
                                   int64_t channels, float *y) {
    struct work w = {
        .variant = kokoro_variant(),
        .x = x,
        .rows = rows,
        .bins = channels / 2,
        .parts = kokoro_parts(rows, (double)rows * (double)channels, 1 << 13),
        .y = y,
    };
    runtime->parallel(runtime->context, convert_part, (size_t)w.parts, &w);
}

const char *kokoro_polar_to_cartesian(const float *x, int64_t rows, int64_t channels, float *y) {
    const char *wrong = kokoro_check_polar(rows, channels);
    if (!wrong) kokoro_run_polar_to_cartesian(&kokoro_plain_runtime, x, rows, channels, y);
    return wrong;
}
