/* Holds every variant that this processor runs against the portable one, on random and on hostile
 * shapes and values. Every tensor ends where memory ends, see variants_tensors.h.
 *
 * Integers must be equal. A float sum of n terms may differ by what rounding allows two orders of
 * adding in pairs of rows: 6 (n + 4) 2^-24 times the largest sum of absolute terms of its channel.
 *
 * Prints the variants that were held, or what differs, and returns 0 or 1. */
#define _DEFAULT_SOURCE
#include "kokoro_ops.h"
#include "residual_block.h"
#include "runtime.h"
#include "statistics.h"
#include "variants_checks.h"
#include "variants_matrices.h"
#include "variants_pairs.h"
#include "variants_tensors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shape {
    int64_t rows, in, out, kernel, dilation, stride, begin, end;
};

static void convolution(struct shape s, unsigned parts, int kind) {
    int32_t *sums = memory(s.out, sizeof *sums);
    int8_t *w = packed(s.in, s.out, s.kernel, sums), *of_candidate = NULL;
    uint8_t *runs = runs_of(w, s.in, s.out, s.kernel);
    float *x = floats(s.rows * s.in);
    fill(x, s.rows * s.in, kind);
    struct kokoro_convolution c = {
        .rows = s.rows, .in_channels = s.in, .out_channels = s.out, .kernel_size = s.kernel,
        .dilation = s.dilation, .stride = s.stride, .pad_begin = s.begin, .pad_end = s.end,
        .weight_scale = 0.01f, .epsilon = 1e-5f, .negative_slope = parts & 1 ? 0.2f : 1.0f,
        .output_scale = parts & 2 ? 0.70710678f : 1.0f,
        .x = x, .weight = w, .weight_sums = sums, .runs = runs,
        .weight_taps = s.kernel, .run_taps = s.kernel,
    };
    const int64_t rows = kokoro_convolution_rows(&c), outputs = rows * s.out;
    float *y = NULL, *found = NULL, *statistics = NULL, *bias = NULL, *residual = NULL;
    float *addend = NULL, *given = NULL, *style = NULL, *alpha = NULL;
    uint8_t *q = memory(s.rows * s.in, 1), *other = memory(s.rows * s.in, 1);
    int32_t *expected = NULL, *integers = NULL, zero_point, other_zero_point;
    float scale, other_scale;
    if (parts & 8) c.residual = residual = floats(outputs > 0 ? outputs : 1);
    if (parts & 16) c.addend = addend = floats(outputs > 0 ? outputs : 1);
    if (parts & 32) c.style = style = floats(2 * s.in);
    if (parts & 160) {
        c.statistics = given = floats(4 * s.in);
        use("portable");
        kokoro_channel_statistics(x, s.rows, s.in, given);
    }
    if (parts & 64) {
        c.alpha = alpha = floats(s.in);
        alpha[0] = 0.0f;
        if (s.in > 1) alpha[1] = 1e-40f;
    }

    use("portable");
    const char *wrong = kokoro_quantize(&c, q, &scale, &zero_point);
    if (rows < 1) {
        if (wrong == NULL) fail("the refusal", s.rows, s.in, s.out, s.kernel);
        goto end;
    }
    if (wrong) {
        printf("%s\n", wrong);
        failures++;
        goto end;
    }
    expected = memory(outputs, sizeof *expected);
    integers = memory(outputs, sizeof *integers);
    y = memory(outputs, sizeof *y);
    found = memory(outputs, sizeof *found);
    statistics = memory(4 * s.out, sizeof *statistics);
    kokoro_convolve_integers(&c, q, zero_point, expected);
    kokoro_convolve(&c, y, statistics);
    convolution_in_pairs(c, w, q, zero_point, expected);

    use(candidate);
    c.weight = of_candidate = laid_out(w, s.in, s.out, s.kernel);
    kokoro_convolve_integers(&c, q, zero_point, integers);
    if (memcmp(expected, integers, (size_t)outputs * sizeof *integers) != 0)
        fail("an integer", s.rows, s.in, s.out, s.kernel);
    kokoro_quantize(&c, other, &other_scale, &other_zero_point);
    kokoro_convolve(&c, found, statistics);
    if (kind == 0) {
        /* What AdaIN and Snake make may differ in its last bits, and a number between two
         * integers then become the other one. */
        const int most = parts & 97 ? 1 : 0;
        for (int64_t i = 0; i < s.rows * s.in; i++)
            if (abs(q[i] - other[i]) > most || abs(zero_point - other_zero_point) > most) {
                fail("a quantized activation", s.rows, s.in, s.out, s.kernel);
                break;
            }
        kokoro_convolve_integers(&c, other, other_zero_point, integers);
        for (int64_t i = 0; i < outputs; i++) {
            const double terms[] = {(double)integers[i] * other_scale * c.weight_scale,
                                    residual ? residual[i] : 0, addend ? addend[i] : 0};
            const double sum = (terms[0] + terms[1] + terms[2]) * c.output_scale;
            const double size = fabs(terms[0]) + fabs(terms[1]) + fabs(terms[2]);
            if (!(fabs(found[i] - sum) <= size * 7 * 0x1p-23)) {
                fail("a float", s.rows, s.in, s.out, s.kernel);
                break;
            }
        }
    }
    c.bias = bias = floats(s.out);
    kokoro_convolve(&c, found, NULL);
end:
    release(w), release(of_candidate), release(expected), release(sums), release(q), release(other);
    release(runs), release(integers), release(found), release(bias), release(style), release(alpha);
    release(x), release(y), release(statistics), release(residual), release(addend), release(given);
}

static void float_convolution(struct shape s, int kind) {
    const int64_t weights = ceil_div(s.out, 16) * s.kernel * s.in * 16;
    float *x = floats(s.rows * s.in), *w = floats(weights), *bias = floats(s.out);
    fill(x, s.rows * s.in, kind);
    float *sizes[] = {absolutes(x, s.rows * s.in), absolutes(w, weights), absolutes(bias, s.out)};
    struct kokoro_float_convolution c = {
        .rows = s.rows, .in_channels = s.in, .out_channels = s.out, .kernel_size = s.kernel,
        .pad_begin = s.begin, .pad_end = s.end, .negative_slope = 0.1f,
        .x = x, .weight = w, .bias = bias,
    };
    const int64_t rows = kokoro_float_convolution_rows(&c), outputs = rows * s.out;
    if (rows > 0) {
        float *y = zeros(outputs), *found = zeros(outputs), *size = zeros(outputs);
        use("portable");
        kokoro_convolve_floats(&c, y);
        struct kokoro_float_convolution absolute = c;
        absolute.x = sizes[0], absolute.weight = sizes[1], absolute.bias = sizes[2];
        kokoro_convolve_floats(&absolute, size);
        use(candidate);
        kokoro_convolve_floats(&c, found);
        if (kind < 4) compare("Conv", &c, y, found, size, outputs, s.kernel * s.in);
        release(y), release(found), release(size);
    }
    release(x), release(w), release(bias), release(sizes[0]), release(sizes[1]), release(sizes[2]);
}

static void transposed(int64_t in_rows, int64_t in, int64_t out, int64_t stride, int64_t pad,
                       int64_t reflect, int kind) {
    const int64_t weights = ceil_div(stride * out, 16) * 2 * in * 16;
    float *x = floats(in_rows * in), *w = floats(weights), *bias = floats(out);
    fill(x, in_rows * in, kind);
    struct kokoro_float_convolution c = {
        .rows = in_rows, .in_channels = in, .out_channels = out, .stride = stride, .pad = pad,
        .reflect = reflect, .negative_slope = 0.1f, .x = x, .weight = w, .bias = bias,
    };
    const int64_t rows = kokoro_transposed_convolution_rows(&c), outputs = rows * out;
    if (rows - reflect >= 1 + reflect) {
        float *residual = floats(outputs), *y = zeros(outputs), *found = zeros(outputs);
        float *size = zeros(outputs), *statistics = zeros(4 * out), *others = zeros(4 * out);
        float *sizes[] = {absolutes(x, in_rows * in), absolutes(w, weights), absolutes(bias, out),
                          absolutes(residual, outputs)};
        c.residual = residual;
        use("portable");
        kokoro_convolve_transposed(&c, y, statistics);
        struct kokoro_float_convolution absolute = c;
        absolute.x = sizes[0], absolute.weight = sizes[1], absolute.bias = sizes[2];
        absolute.residual = sizes[3];
        kokoro_convolve_transposed(&absolute, size, NULL);
        use(candidate);
        kokoro_convolve_transposed(&c, found, others);
        if (kind < 4) {
            compare("ConvTranspose", &c, y, found, size, outputs, 2 * in);
            for (int64_t i = 0; i < 4 * out; i++) {
                const float mean = statistics[i % out], variance = statistics[out + i % out];
                if (!(fabsf(statistics[i] - others[i]) <= 1e-4f * (1 + mean * mean + variance)))
                    fail("a statistic", in_rows, in, out, stride);
            }
        }
        for (int i = 0; i < 4; i++) release(sizes[i]);
        release(residual), release(y), release(found), release(size);
        release(statistics), release(others);
    }
    release(x), release(w), release(bias);
}

static void channel_statistics(int64_t rows, int64_t channels) {
    float *x = floats(rows * channels);
    float *statistics = zeros(4 * channels), *others = zeros(4 * channels);
    use("portable");
    kokoro_channel_statistics(x, rows, channels, statistics);
    use(candidate);
    kokoro_channel_statistics(x, rows, channels, others);
    for (int64_t i = 0; i < 4 * channels; i++)
        if (!(fabsf(statistics[i] - others[i]) <= 1e-5f)) fail("a statistic", rows, channels, 0, 0);
    release(x), release(statistics), release(others);
}

/* The block against the six convolutions that it is made of, with the statistics of each joined to
 * others' where `share` is not negative. */
static void residual_block(int64_t rows, int64_t channels, int64_t kernel, int with_addend,
                           float share, int kind) {
    const int64_t count = rows * channels, size = 4 * channels;
    float *x = floats(count), *of_x = zeros(size);
    fill(x, count, kind);
    float *addend = with_addend ? floats(count) : NULL;
    float *y = zeros(count), *statistics = zeros(size), *joined = zeros(size);
    float *measured = zeros(BLOCK_CONVOLUTIONS * size), *given = NULL;
    if (share >= 0) {
        float *any = floats(BLOCK_CONVOLUTIONS * size);
        given = absolutes(any, BLOCK_CONVOLUTIONS * size); /* no variance is negative */
        release(any);
    }
    use(candidate);
    kokoro_channel_statistics(x, rows, channels, of_x);
    struct residual_block block = {
        .kernel_size = kernel, .channels = channels, .epsilon = 1e-5f, .output_scale = 0.5f,
        .x = x, .statistics = of_x, .addend = addend, .rows = rows, .given = given,
        .share = share >= 0 ? share : 0,
    };
    enum { OPERANDS = 6 };
    void *kept[OPERANDS * BLOCK_CONVOLUTIONS];
    for (int i = 0; i < BLOCK_CONVOLUTIONS; i++) {
        int32_t *sums = memory(channels, sizeof *sums);
        int8_t *centered = packed(channels, channels, kernel, sums);
        uint8_t *runs = runs_of(centered, channels, channels, kernel);
        int8_t *weight = laid_out(centered, channels, channels, kernel);
        release(centered);
        float *bias = floats(channels), *style = floats(2 * channels), *alpha = floats(channels);
        void *const made[OPERANDS] = {sums, weight, runs, bias, style, alpha};
        memcpy(kept + OPERANDS * i, made, sizeof made);
        block.operands[i].weight = weight;
        block.operands[i].weight_taps = block.operands[i].run_taps = kernel;
        block.operands[i].weight_sums = sums;
        block.operands[i].runs = runs;
        block.operands[i].bias = bias;
        block.operands[i].style = style;
        block.operands[i].alpha = alpha;
        block.dilations[i] = 1 + (int64_t)random_below(5);
        block.weight_scales[i] = 1e-4f;
    }
    const char *wrong = kokoro_check_residual_block(&block);
    if (!wrong)
        wrong = kokoro_run_residual_block(&kokoro_plain_runtime, &block, y, statistics, measured);
    if (wrong) {
        printf("%s\n", wrong);
        failures++;
    }
    float *expected[BLOCK_CONVOLUTIONS], *of[BLOCK_CONVOLUTIONS];
    for (int i = 0; i < BLOCK_CONVOLUTIONS; i++) {
        const int last = i == BLOCK_CONVOLUTIONS - 1;
        const int64_t pad = block.dilations[i] * (kernel - 1) / 2;
        expected[i] = zeros(count);
        of[i] = zeros(size);
        const float *taken = i ? of[i - 1] : of_x;
        if (memcmp(measured + i * size, taken, (size_t)size * sizeof *taken) != 0)
            fail("a measured statistic", rows, channels, channels, kernel);
        if (given) {
            kokoro_join_statistics(taken, given + i * size, share, channels, joined);
            taken = joined;
        }
        const struct kokoro_convolution c = {
            .rows = rows, .in_channels = channels, .out_channels = channels,
            .kernel_size = kernel, .dilation = block.dilations[i], .stride = 1, .pad_begin = pad,
            .pad_end = pad, .weight_scale = block.weight_scales[i], .epsilon = block.epsilon,
            .negative_slope = 1.0f, .output_scale = last ? block.output_scale : 1.0f,
            .x = i ? expected[i - 1] : x, .statistics = taken,
            .weight = block.operands[i].weight, .weight_sums = block.operands[i].weight_sums,
            .runs = block.operands[i].runs, .weight_taps = kernel, .run_taps = kernel,
            .bias = block.operands[i].bias, .style = block.operands[i].style,
            .alpha = block.operands[i].alpha,
            .residual = i % 2 == 0 ? NULL : i > 1 ? expected[i - 2] : x,
            .addend = last ? addend : NULL,
        };
        kokoro_convolve(&c, expected[i], of[i]);
    }
    const int last = BLOCK_CONVOLUTIONS - 1;
    if (memcmp(y, expected[last], (size_t)count * sizeof *y) != 0 ||
        memcmp(statistics, of[last], (size_t)size * sizeof *y) != 0)
        fail("ResidualBlock", rows, channels, channels, kernel);
    for (int i = 0; i < BLOCK_CONVOLUTIONS; i++) release(expected[i]), release(of[i]);
    for (int i = 0; i < OPERANDS * BLOCK_CONVOLUTIONS; i++) release(kept[i]);
    release(x), release(of_x), release(addend), release(y), release(statistics);
    release(joined), release(measured), release(given);
}

/* Phases are interpolated by the same roundings; a sine is within 2e-7 on either side. */
static void harmonic_source(int64_t frames, int64_t harmonics, int64_t factor, int kind) {
    float *phase = floats(frames * harmonics), *f0 = floats(frames), *weight = floats(harmonics);
    float *bias = floats(1), *signal = zeros(frames * factor), *found = zeros(frames * factor);
    for (int64_t i = 0; i < frames * harmonics; i++) phase[i] *= 1e6f;
    fill(phase, frames * harmonics, kind);
    const struct kokoro_harmonic_source s = {
        .frames = frames, .harmonics = harmonics, .factor = factor, .amplitude = 0.1f,
        .threshold = 0.0f, .silence = 0.5f, .phase = phase, .f0 = f0, .weight = weight,
        .bias = bias,
    };
    use("portable");
    kokoro_synthesize(&s, signal);
    use(candidate);
    kokoro_synthesize(&s, found);
    for (int64_t i = 0; kind < 4 && i < frames * factor; i++)
        if (!(fabsf(signal[i] - found[i]) <= 1e-6f * (1.0f + 0.1f * (float)harmonics))) {
            fail("HarmonicSource", frames, harmonics, factor, 0);
            break;
        }
    release(phase), release(f0), release(weight), release(bias), release(signal), release(found);
}

/* Each part is within 3e-7 of the magnitude on either side; the sine of what is too large to have
 * one is anything, and so is what comes of it. */
static void polar(int64_t rows, int64_t bins, int kind) {
    const int64_t count = rows * 2 * bins;
    float *x = floats(count), *y = zeros(count), *found = zeros(count);
    for (int64_t i = 0; i < count; i++) x[i] *= i / bins % 2 ? 1e4f : 20.0f;
    fill(x, count, kind);
    use("portable");
    kokoro_polar_to_cartesian(x, rows, 2 * bins, y);
    use(candidate);
    kokoro_polar_to_cartesian(x, rows, 2 * bins, found);
    for (int64_t i = 0; i < count; i++) {
        const int64_t bin = i / (2 * bins) * 2 * bins + i % bins;
        const float level = x[bin], phase = x[bin + bins];
        if (isfinite(phase) && fabsf(phase) > 1e6f) continue;
        if (y[i] == found[i] || (isnan(y[i]) && isnan(found[i]))) continue;
        if (fabsf(y[i] - found[i]) <= 6e-7f * expf(level) + 1e-44f) continue;
        fail("PolarToCartesian", rows, 2 * bins, 2 * bins, 0);
        break;
    }
    release(x), release(y), release(found);
}

static void hold(int rounds) {
    const struct shape shapes[] = {
        {1, 1, 1, 1, 1, 1, 0, 0},      {1, 1, 1, 3, 1, 1, 1, 1},       {1, 5, 17, 11, 5, 1, 25, 25},
        {2, 22, 33, 7, 3, 1, 9, 9},    {13, 4, 16, 1, 1, 1, 0, 0},     {12, 16, 32, 3, 1, 1, 1, 1},
        {11, 15, 31, 3, 1, 1, 1, 1},   {25, 17, 48, 2, 2, 1, 0, 5},    {61, 22, 40, 12, 1, 6, 3, 3},
        {40, 64, 64, 11, 5, 1, 25, 25}, {30, 3, 5, 4, 1, 1, 40, 0},    {30, 3, 5, 4, 1, 3, 0, 40},
        {3, 8, 16, 9, 1, 1, 0, 0},     {100, 70, 130, 3, 1, 2, 1, 1},  {7, 514, 18, 3, 1, 1, 1, 1},
        {230, 9, 33, 11, 1, 1, 5, 5},  {330, 6, 20, 7, 3, 1, 9, 9},    {130, 12, 18, 3, 1, 1, 1, 1},
    };
    const int count = sizeof shapes / sizeof *shapes;
    const float shares[] = {-1.0f, 0.0f, 0.3f, 1.0f}; /* the first: nothing is given */
    for (int i = 0; i < count; i++)
        for (int kind = 0; kind < HOSTILE; kind++) {
            convolution(shapes[i], random_below(256), kind);
            convolution(shapes[i], kind ? 0 : 127, kind);
            if (shapes[i].dilation == 1 && shapes[i].stride == 1)
                float_convolution(shapes[i], kind);
        }
    for (int i = 0; i < rounds; i++) {
        const struct shape s = {1 + random_below(70), 1 + random_below(40), 1 + random_below(50),
                                1 + random_below(12), 1 + random_below(5),  1 + random_below(6),
                                random_below(30),     random_below(30)};
        convolution(s, random_below(256), random_below(2) ? 0 : (int)random_below(HOSTILE));
        float_convolution(s, random_below(2) ? 0 : (int)random_below(HOSTILE));
        transposed(1 + random_below(30), 1 + random_below(40), 1 + random_below(40),
                   1 + random_below(10), random_below(8), random_below(2),
                   random_below(2) ? 0 : (int)random_below(HOSTILE));
        channel_statistics(1 + random_below(100), 1 + random_below(60));
        matmul(1 + random_below(60), 1 + random_below(70), 1 + random_below(70), random_below(2),
               random_below(2) ? 0 : (int)random_below(HOSTILE));
        lstm(1 + random_below(20), 1 + random_below(40), 4 * (1 + random_below(12)),
             random_below(2) ? 0 : (int)random_below(HOSTILE));
        residual_block(1 + random_below(40), 1 + random_below(40), 1 + 2 * random_below(6),
                       random_below(2), shares[i % 4], random_below(2) ? 0 : (int)random_below(4));
        harmonic_source(1 + random_below(6), 1 + random_below(10), 1 + random_below(70),
                        random_below(2) ? 0 : (int)random_below(HOSTILE));
        polar(1 + random_below(40), 1 + random_below(40),
              random_below(2) ? 0 : (int)random_below(HOSTILE));
    }
}

int main(int count, char **arguments) {
    const int rounds = count > 1 ? atoi(arguments[1]) : 100;
    for (int i = 0; kokoro_variant_name(i); i++) {
        if (!kokoro_variant_runs(i) || kokoro_variant_refusal(i)) continue;
        candidate = kokoro_variant_name(i);
        hold(rounds);
        printf("%s\n", candidate);
    }
    return failures != 0;
}
