/* The operators without weights of convolutions: statistics, the source and the spectrum. */
#include "harmonic_source.h"
#include "operators.h"
#include "polar.h"
#include "statistics.h"

void kokoro_compute_statistics(const struct kernel *kernel, struct node *n) {
    (void)kernel;
    int64_t rows, channels;
    const float *x = kokoro_x(n, &rows, &channels);
    if (n->status) return;
    if (rows < 1 || channels < 1) {
        kokoro_refuse(n, ORT_INVALID_ARGUMENT, "x is empty");
        return;
    }
    const int64_t shape[] = {STATISTICS, channels};
    float *statistics = kokoro_output(n, 0, shape, 2);
    if (n->status) return;
    kokoro_refuse(n, ORT_FAIL,
                  kokoro_run_channel_statistics(&n->runtime, x, rows, channels, statistics));
}

void kokoro_compute_source(const struct kernel *kernel, struct node *n) {
    struct kokoro_harmonic_source s = kernel->source;
    int64_t phase[] = {1, -1, -1}, one_number[] = {1};
    s.phase = kokoro_input(n, 0, "phase", 0, phase, 3);
    s.frames = phase[1];
    s.harmonics = phase[2];
    int64_t f0[] = {1, s.frames}, per_harmonic[] = {s.harmonics};
    s.f0 = kokoro_input(n, 1, "f0", 0, f0, 2);
    s.weight = kokoro_input(n, 2, "weight", 0, per_harmonic, 1);
    s.bias = kokoro_input(n, 3, "bias", 0, one_number, 1);
    if (n->status || kokoro_refuse(n, ORT_INVALID_ARGUMENT, kokoro_check_harmonic_source(&s)))
        return;
    const int64_t shape[] = {1, s.frames * s.factor};
    float *signal = kokoro_output(n, 0, shape, 2);
    if (n->status) return;
    kokoro_run_harmonic_source(&n->runtime, &s, signal);
}

void kokoro_compute_polar(const struct kernel *kernel, struct node *n) {
    (void)kernel;
    int64_t x[] = {1, -1, -1};
    const float *from = kokoro_input(n, 0, "x", 0, x, 3);
    if (n->status || kokoro_refuse(n, ORT_INVALID_ARGUMENT, kokoro_check_polar(x[1], x[2]))) return;
    float *to = kokoro_output(n, 0, x, 3);
    if (n->status) return;
    kokoro_run_polar_to_cartesian(&n->runtime, from, x[1], x[2], to);
}

const struct attribute kokoro_source_attributes[] = {
    FIELD(source, factor, INTEGER),
    FIELD(source, amplitude, NUMBER),
    FIELD(source, threshold, NUMBER),
    FIELD(source, silence, NUMBER),
    {0},
};
