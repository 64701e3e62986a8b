#include "quantization.h"
#include "convolution.h"
#include "variants.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* AdaIN and Snake per channel, zeros beyond the last. */
void kokoro_set_up_activation(struct activation *a, const struct kokoro_convolution *c,
                              float *vectors) {
    const int64_t channels = c->in_channels, all = round_up(channels, PANEL);
    float *gain = vectors, *offset = gain + all, *frequency = offset + all,
          *amplitude = frequency + all;
    memset(vectors, 0, (size_t)(4 * all) * sizeof *vectors);
    for (int64_t i = 0; i < channels; i++) {
        gain[i] = 1.0f;
        if (c->style) {
            gain[i] = (1.0f + c->style[i]) / sqrtf(c->statistics[channels + i] + c->epsilon);
            offset[i] = c->style[channels + i] - c->statistics[i] * gain[i];
        }
        /* sin(alpha v)^2 / alpha goes to 0 with alpha, where 1 / alpha is no number any more. */
        if (c->alpha && !(fabsf(c->alpha[i]) < FLT_MIN)) {
            frequency[i] = (float)(c->alpha[i] / 3.14159265358979323846);
            amplitude[i] = 1.0f / c->alpha[i];
        }
    }
    a->gain = gain;
    a->offset = offset;
    a->frequency = frequency;
    a->amplitude = amplitude;
    a->negative_slope = c->negative_slope;
    a->kind = c->alpha                     ? AFFINE_SNAKE
              : c->negative_slope != 1.0f ? AFFINE_LEAKY
              : c->style                  ? AFFINE
                                          : PLAIN;
}

/* Whether the statistics tell the range of the activations. AdaIN goes one way in each channel;
 * LeakyReLU of no negative slope never falls where its argument rises, nor does Snake, whose
 * derivative is 1 + sin(2 alpha v). Rounding bends Snake by a last place or two, which is clamped
 * when it is quantized. */
int kokoro_knows_ends(const struct kokoro_convolution *c) {
    return c->statistics && c->negative_slope >= 0.0f;
}

/* What to take the range of: the least and greatest of each channel, or all of x. */
struct activation kokoro_ends_of(const struct activation *a, const struct kokoro_convolution *c) {
    struct activation ends = *a;
    if (kokoro_knows_ends(c)) {
        ends.x = c->statistics + 2 * c->in_channels;
        ends.rows = 2;
    }
    return ends;
}

/* As DynamicQuantizeLinear. What is not finite gives a scale that is not, and zero point 0. */
void kokoro_settle_range(struct quantization *q, const struct range *ranges, int64_t count) {
    float low = 0.0f, high = 0.0f;
    for (int64_t i = 0; i < count; i++) {
        if (ranges[i].low < low) low = ranges[i].low;
        if (ranges[i].high > high) high = ranges[i].high;
    }
    const float scale = (high - low) / 255.0f;
    q->scale = scale == 0.0f ? 1.0f : scale;
    const float zero_point = rintf(-low / q->scale);
    q->zero_point = zero_point >= 0.0f ? (zero_point <= 255.0f ? (int32_t)zero_point : 255) : 0;
}

const char *kokoro_quantize(const struct kokoro_convolution *c, uint8_t *q, float *scale,
                            int32_t *zero_point) {
    const struct variant *variant = kokoro_variant();
    const char *wrong = kokoro_check_convolution(c);
    if (wrong) return wrong;
    struct activation a = {.x = c->x, .rows = c->rows, .channels = c->in_channels};
    struct quantization z = {.row_size = round_up(c->in_channels, GROUP)};
    struct range range;
    struct scratch s = {.runtime = &kokoro_plain_runtime};
    const int64_t vectors = 4 * round_up(c->in_channels, PANEL), elements = c->rows * z.row_size;
    kokoro_reserve(&s, vectors, sizeof(float));
    kokoro_reserve(&s, elements, 1);
    if (!kokoro_allocate(&s)) return "no memory";
    kokoro_set_up_activation(&a, c, kokoro_take(&s, vectors, sizeof(float)));
    const struct activation ends = kokoro_ends_of(&a, c);
    z.rows = kokoro_take(&s, elements, 1);
    variant->range(&ends, 0, ends.rows, &range);
    kokoro_settle_range(&z, &range, 1);
    variant->quantize(&a, &z, 0, c->rows);
    for (int64_t t = 0; t < c->rows; t++)
        variant->load_bytes((const char *)z.rows + t * z.row_size,
                            c->in_channels, q + t * c->in_channels);
    *scale = z.scale;
    *zero_point = z.zero_point;
    kokoro_release(&s);
    return NULL;
}
