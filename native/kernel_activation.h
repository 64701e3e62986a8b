/* Activations: AdaIN, LeakyReLU and Snake on the way to their range or to 8 bits. */

/* Vectors that are activated at a time: see `activate`. */
enum { MOST_ABREAST = 4 };

/* sin(pi r)^2 for |r| <= 1/2 as a polynomial in r^2, the coefficients by Lawson's iteration on the
 * relative error. Evaluated in float32 at 4,000,001 points it is within 1.3e-6 of sin^2, absolutely
 * and relatively: a thousandth of what 8 bits can tell apart. */
INLINE void square_sines(vf *r, int count) {
    static const float coefficients[] = {-29.5956364f, 42.6786423f, -32.4679909f, 9.86959457f};
    vf w[MOST_ABREAST], p[MOST_ABREAST];
    UNROLL for (int i = 0; i < count; i++) {
        w[i] = vf_mul(r[i], r[i]);
        p[i] = vf_set1(10.8605814f);
    }
    UNROLL for (int n = 0; n < 4; n++)
        UNROLL for (int i = 0; i < count; i++)
            p[i] = vf_fma(p[i], w[i], vf_set1(coefficients[n]));
    UNROLL for (int i = 0; i < count; i++) r[i] = vf_mul(p[i], w[i]);
}

/* Activates vectors of the channels from c on, step by step for all of them: each step waits for
 * the one before, longer than a processor looks ahead for others. */
INLINE void activate(const struct activation *a, enum activation_kind kind, vf *v, int count,
                     int64_t c) {
    if (kind == PLAIN) return;
    const float *const gain = a->gain + c, *const offset = a->offset + c;
    UNROLL for (int i = 0; i < count; i++)
        v[i] = vf_fma(v[i], vf_load(gain + i * VECTOR), vf_load(offset + i * VECTOR));
    if (kind == AFFINE_LEAKY) {
        const vf zero = vf_set1(0.0f), slope = vf_set1(a->negative_slope);
        UNROLL for (int i = 0; i < count; i++)
            v[i] = vf_fma(vf_min(v[i], zero), slope, vf_max(v[i], zero));
    }
    if (kind == AFFINE_SNAKE) {
        const float *const frequency = a->frequency + c, *const amplitude = a->amplitude + c;
        vf z[MOST_ABREAST];
        UNROLL for (int i = 0; i < count; i++) z[i] = vf_mul(v[i], vf_load(frequency + i * VECTOR));
        UNROLL for (int i = 0; i < count; i++) z[i] = vf_sub(z[i], vf_round(z[i]));
        square_sines(z, count);
        UNROLL for (int i = 0; i < count; i++)
            v[i] = vf_fma(z[i], vf_load(amplitude + i * VECTOR), v[i]);
    }
}

INLINE vf activated(const struct activation *a, enum activation_kind kind, vf v, int64_t c) {
    activate(a, kind, &v, 1, c);
    return v;
}

/* Makes `call(kind)` with the kind as a constant. */
#define FOR_KIND(kind, call)                                                                      \
    switch (kind) {                                                                               \
    case PLAIN: call(PLAIN); break;                                                               \
    case AFFINE: call(AFFINE); break;                                                             \
    case AFFINE_LEAKY: call(AFFINE_LEAKY); break;                                                 \
    case AFFINE_SNAKE: call(AFFINE_SNAKE); break;                                                 \
    }

/* A vector beyond the last channel counts as zeros, which no range is changed by: it holds 0. */
INLINE void range_of(const struct activation *a, enum activation_kind kind, int64_t first,
                     int64_t last, struct range *range) {
    const int64_t channels = a->channels, whole = channels / VECTOR * VECTOR;
    vf low = vf_set1(0.0f), high = low;
    for (int64_t t = first; t < last; t++) {
        const float *x = a->x + t * channels;
        for (int64_t c = 0; c < whole; c += VECTOR) {
            vf v = activated(a, kind, vf_load(x + c), c);
            low = vf_min(v, low); /* in this order a NaN is passed over */
            high = vf_max(v, high);
        }
        if (whole < channels) {
            vf v = activated(a, kind, vf_load_part(x + whole, channels - whole), whole);
            low = vf_min(v, low);
            high = vf_max(v, high);
        }
    }
    range->low = vf_lowest(low);
    range->high = vf_highest(high);
}

static void range(const struct activation *a, int64_t first, int64_t last, struct range *out) {
#define CALL(kind) range_of(a, kind, first, last, out)
    FOR_KIND(a->kind, CALL)
#undef CALL
}

/* Rounding comes last: the bounds are whole numbers, so clamping first gives the same integer and
 * keeps what is infinite or not a number away from the conversion. What was computed has its last
 * bits from here, and is multiplied; x itself is divided, as DynamicQuantizeLinear does it. */
struct to_bytes {
    vf scale, lowest, highest;
    vi zero_point;
};

INLINE void quantize_vectors(const struct activation *a, enum activation_kind kind,
                             const struct to_bytes *q, vf *v, int count, int64_t c, element *to) {
    activate(a, kind, v, count, c);
    UNROLL for (int i = 0; i < count; i++)
        v[i] = kind == PLAIN ? vf_div(v[i], q->scale) : vf_mul(v[i], q->scale);
    UNROLL for (int i = 0; i < count; i++) v[i] = vf_min(vf_max(v[i], q->lowest), q->highest);
    vi bytes[MOST_ABREAST];
    UNROLL for (int i = 0; i < count; i++) bytes[i] = vi_add(vi_from_float(v[i]), q->zero_point);
    UNROLL for (int i = 0; i < count; i++) vi_store_elements(to + i * VECTOR, bytes[i]);
}

/* How far ahead of the conversion x is asked for, so that it comes in time from the third-level
 * cache: processors that foresee it by themselves stop at the end of a page. */
enum { PREFETCHED_ROWS = 4 };

INLINE void quantize_as(const struct activation *a, enum activation_kind kind,
                        const struct quantization *q, int64_t first, int64_t last) {
    const int64_t channels = a->channels, whole = channels / VECTOR * VECTOR;
    const int32_t stored_zero = q->zero_point - ACTIVATION_OFFSET;
    const struct to_bytes to_bytes = {
        .scale = vf_set1(kind == PLAIN ? q->scale : 1.0f / q->scale),
        .lowest = vf_set1((float)-q->zero_point),
        .highest = vf_set1((float)(255 - q->zero_point)),
        .zero_point = vi_set1(stored_zero),
    };
    for (int64_t p = first; p < last; p++) {
        element *row = (element *)q->rows + p * q->row_size;
        const int64_t t = p - q->pad_begin;
        if (t < 0 || t >= a->rows) {
            memset(row, stored_zero, (size_t)channels);
        } else {
            const float *x = a->x + t * channels;
            int64_t c = 0;
            for (; c + ABREAST * VECTOR <= whole; c += ABREAST * VECTOR) {
                vf v[MOST_ABREAST];
                UNROLL for (int i = 0; i < ABREAST; i++) {
                    __builtin_prefetch(x + PREFETCHED_ROWS * channels + c + i * VECTOR);
                    v[i] = vf_load(x + c + i * VECTOR);
                }
                quantize_vectors(a, kind, &to_bytes, v, ABREAST, c, row + c);
            }
            for (; c < whole; c += VECTOR) {
                vf v = vf_load(x + c);
                quantize_vectors(a, kind, &to_bytes, &v, 1, c, row + c);
            }
            if (whole < channels) {
                const int64_t left = channels - whole;
                element rest[PANEL];
                vf v = vf_load_part(x + whole, left);
                quantize_vectors(a, kind, &to_bytes, &v, 1, whole, rest);
                memcpy(row + whole, rest, (size_t)left);
            }
        }
        memset(row + channels, 0, (size_t)(q->row_size - channels));
    }
}

static void quantize(const struct activation *a, const struct quantization *q, int64_t first,
                     int64_t last) {
#define CALL(kind) quantize_as(a, kind, q, first, last)
    FOR_KIND(a->kind, CALL)
#undef CALL
}

static void store_bytes(const uint8_t *from, int64_t count, void *to) {
    element *out = to;
    for (int64_t i = 0; i < count; i++) out[i] = (element)(from[i] - ACTIVATION_OFFSET);
}

static void load_bytes(const void *from, int64_t count, uint8_t *to) {
    const element *in = from;
    for (int64_t i = 0; i < count; i++) to[i] = (uint8_t)(in[i] + ACTIVATION_OFFSET);
}
