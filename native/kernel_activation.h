/* Activations: AdaIN, LeakyReLU and Snake on the way to their range, to 8 bits, or to a copy. */

/* sin(pi r)^2 for |r| <= 1/2 as a polynomial in r^2, the coefficients by Lawson's iteration on the
 * relative error. Evaluated in float32 at 4,000,001 points it is within 1.3e-6 of sin^2, absolutely
 * and relatively: a thousandth of what 8 bits can tell apart. */
INLINE vf square_of_sine(vf r) {
    const vf w = vf_mul(r, r);
    vf p = vf_set1(10.8605814f);
    p = vf_fma(p, w, vf_set1(-29.5956364f));
    p = vf_fma(p, w, vf_set1(42.6786423f));
    p = vf_fma(p, w, vf_set1(-32.4679909f));
    p = vf_fma(p, w, vf_set1(9.86959457f));
    return vf_mul(p, w);
}

INLINE vf activated(const struct activation *a, enum activation_kind kind, vf v, int64_t c) {
    if (kind == PLAIN) return v;
    v = vf_fma(v, vf_load(a->gain + c), vf_load(a->offset + c));
    if (kind == AFFINE_LEAKY) {
        vf zero = vf_set1(0.0f);
        return vf_fma(vf_min(v, zero), vf_set1(a->negative_slope), vf_max(v, zero));
    }
    if (kind == AFFINE_SNAKE) {
        vf z = vf_mul(v, vf_load(a->frequency + c));
        vf s = square_of_sine(vf_sub(z, vf_round(z)));
        return vf_fma(s, vf_load(a->amplitude + c), v);
    }
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
INLINE vi quantized(vf v, enum activation_kind kind, vf scale, vf lowest, vf highest,
                    vi zero_point) {
    vf ratio = kind == PLAIN ? vf_div(v, scale) : vf_mul(v, scale);
    ratio = vf_min(vf_max(ratio, lowest), highest);
    return vi_add(vi_from_float(ratio), zero_point);
}

/* How far ahead of the conversion x is asked for, so that it comes in time from the third-level
 * cache: processors that foresee it by themselves stop at the end of a page. */
enum { PREFETCHED_ROWS = 4 };

INLINE void quantize_as(const struct activation *a, enum activation_kind kind,
                        const struct quantization *q, int64_t first, int64_t last) {
    const int64_t channels = a->channels, whole = channels / VECTOR * VECTOR;
    const int64_t groups_end = round_up(channels, GROUP);
    const int32_t stored_zero = q->zero_point - ACTIVATION_OFFSET;
    const vf scale = vf_set1(kind == PLAIN ? q->scale : 1.0f / q->scale);
    const vf lowest = vf_set1((float)-q->zero_point);
    const vf highest = vf_set1((float)(255 - q->zero_point));
    const vi zero_point = vi_set1(stored_zero);
    for (int64_t p = first; p < last; p++) {
        element *row = (element *)q->rows + p * q->row_size;
        const int64_t t = p - q->pad_begin;
        if (t < 0 || t >= a->rows) {
            memset(row, stored_zero, (size_t)channels);
        } else {
            const float *x = a->x + t * channels;
            for (int64_t c = 0; c < whole; c += VECTOR) {
                __builtin_prefetch(x + PREFETCHED_ROWS * channels + c);
                vf v = activated(a, kind, vf_load(x + c), c);
                vi_store_elements(row + c, quantized(v, kind, scale, lowest, highest, zero_point));
            }
            if (whole < channels) {
                const int64_t left = channels - whole;
                element rest[PANEL];
                vf v = activated(a, kind, vf_load_part(x + whole, left), whole);
                vi_store_elements(rest, quantized(v, kind, scale, lowest, highest, zero_point));
                memcpy(row + whole, rest, (size_t)left);
            }
        }
        memset(row + channels, 0, (size_t)(groups_end - channels));
    }
}

static void quantize(const struct activation *a, const struct quantization *q, int64_t first,
                     int64_t last) {
#define CALL(kind) quantize_as(a, kind, q, first, last)
    FOR_KIND(a->kind, CALL)
#undef CALL
}

/* Rows outside the tensor become zeros. */
static void activate(const struct activation *a, int64_t first, int64_t last, float *out) {
    const int64_t channels = a->channels, whole = channels / VECTOR * VECTOR;
    for (int64_t t = first; t < last; t++, out += channels) {
        if (t < 0 || t >= a->rows) {
            memset(out, 0, (size_t)channels * sizeof *out);
            continue;
        }
        const float *x = a->x + t * channels;
        for (int64_t c = 0; c < whole; c += VECTOR)
            vf_store(out + c, a->kind == PLAIN
                                  ? vf_load(x + c)
                                  : activated(a, AFFINE_LEAKY, vf_load(x + c), c));
        if (whole < channels) {
            const int64_t left = channels - whole;
            const vf v = vf_load_part(x + whole, left);
            vf_store_part(out + whole, a->kind == PLAIN ? v : activated(a, AFFINE_LEAKY, v, whole),
                          left);
        }
    }
}

static void store_bytes(const uint8_t *from, int64_t count, void *to) {
    element *out = to;
    for (int64_t i = 0; i < count; i++) out[i] = (element)(from[i] - ACTIVATION_OFFSET);
}

static void load_bytes(const void *from, int64_t count, uint8_t *to) {
    const element *in = from;
    for (int64_t i = 0; i < count; i++) to[i] = (uint8_t)(in[i] + ACTIVATION_OFFSET);
}
