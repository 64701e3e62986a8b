#include "harmonic_source.h"

#include "variants.h"

enum { MOST_SAMPLES_PER_FRAME = 1 << 16 };

const char *kokoro_check_harmonic_source(const struct kokoro_harmonic_source *s) {
    if (s->frames < 1 || s->harmonics < 1) return "phase is empty";
    if (s->factor < 1 || s->factor > MOST_SAMPLES_PER_FRAME) return "factor must be 1 to 65536";
    return NULL;
}

struct work {
    const struct variant *variant;
    const struct kokoro_harmonic_source *source;
    int64_t parts;
    float *signal;
};

static void synthesize_part(void *data, size_t index) {
    const struct work *w = data;
    const int64_t part = (int64_t)index, frames = w->source->frames;
    w->variant->synthesize(w->source, kokoro_cut(frames, 1, part, w->parts),
                           kokoro_cut(frames, 1, part + 1, w->parts), w->signal);
}

void kokoro_run_harmonic_source(const struct runtime *runtime,
                                const struct kokoro_harmonic_source *s, float *signal) {
    const double sines = (double)s->frames * (double)s->factor * (double)s->harmonics;
    struct work w = {
        .variant = kokoro_variant(),
        .source = s,
        .parts = kokoro_parts(s->frames, sines, 1 << 14),
        .signal = signal,
    };
    runtime->parallel(runtime->context, synthesize_part, (size_t)w.parts, &w);
}

const char *kokoro_synthesize(const struct kokoro_harmonic_source *s, float *signal) {
    const char *wrong = kokoro_check_harmonic_source(s);
    if (!wrong) kokoro_run_harmonic_source(&kokoro_plain_runtime, s, signal);
    return wrong;
}
