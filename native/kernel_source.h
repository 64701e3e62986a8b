/* The harmonic source: phases between frames, their sines, tanh of the weighted sum. */

/* Pi as the float next to it and the float next to what is left. With whole numbers of up to 19
 * bits the first product is taken off without any rounding, the second with one of 6e-8: within
 * 1.2e-7 of sin for |x| <= 1e6. What is no number, or too large to have a sine, gives anything. */
INLINE vf sine(vf x) {
    const vf turns = vf_round(vf_mul(x, vf_set1(0.318309886f)));
    vf r = vf_fused(turns, vf_set1(-3.14159274f), x);
    r = vf_fused(turns, vf_set1(8.74227766e-8f), r);
    /* The sign is that of an even or odd number of half turns: 1 - 8 / 4 for an odd one. */
    const vf half = vf_mul(turns, vf_set1(0.5f));
    const vf odd = vf_sub(half, vf_round(half));
    const vf sign = vf_fma(vf_mul(odd, odd), vf_set1(-8.0f), vf_set1(1.0f));
    /* For |r| <= pi/2 by Lawson's iteration, 5e-9 before rounding. */
    const vf w = vf_mul(r, r);
    vf p = vf_set1(2.5999032e-6f);
    p = vf_fma(p, w, vf_set1(-1.9806546e-4f));
    p = vf_fma(p, w, vf_set1(8.3330162e-3f));
    p = vf_fma(p, w, vf_set1(-1.6666657e-1f));
    return vf_mul(vf_fma(vf_mul(p, w), r, r), sign);
}

/* Samples first..last-1 with phases between those of a frame and the one after it.
 *
 * ONNX Runtime interpolates a tensor of three dimensions in three: each term is added two times
 * in halves, the last harmonic's four times in quarters. Phases are so large that the order of
 * rounding is heard in them, so it is kept: they are equal to the last bit. */
INLINE void samples_between(const struct kokoro_harmonic_source *s, int64_t frame, int64_t first,
                            int64_t last, float *signal) {
    const int64_t harmonics = s->harmonics, end = s->frames - 1;
    const float *now = s->phase + frame * harmonics;
    const float *next = frame < end ? now + harmonics : now;
    const vf half = vf_set1(0.5f), zero = vf_set1(0.0f);
    float ramp[VECTOR];
    for (int i = 0; i < VECTOR; i++) ramp[i] = (float)i;
    for (int64_t i = first; i < last; i += VECTOR) {
        const vf sample = vf_add(vf_set1((float)i), vf_load(ramp));
        vf at = vf_div(vf_add(sample, half), vf_set1((float)s->factor));
        at = vf_min(vf_max(vf_sub(at, half), zero), vf_set1((float)end));
        /* Behind the last frame lies that one itself, half and half. */
        const vf share = frame < end ? vf_sub(at, vf_set1((float)frame)) : half;
        vf of_next = vf_mul(share, half), of_now = vf_mul(vf_sub(vf_set1(1.0f), share), half);
        vf sum = vf_set1(s->bias[0]);
        for (int64_t h = 0; h < harmonics; h++) {
            const int quarters = h == harmonics - 1;
            if (quarters) of_next = vf_mul(of_next, half), of_now = vf_mul(of_now, half);
            const vf a = vf_set1(now[h]), b = vf_set1(next[h]);
            vf phase = plus_product(vf_mul(of_next, b), of_now, a);
            phase = plus_product(plus_product(phase, of_now, a), of_next, b);
            for (int again = 0; quarters && again < 2; again++)
                phase = plus_product(plus_product(phase, of_now, a), of_next, b);
            sum = vf_fma_scalar(vf_mul(sine(phase), vf_set1(s->amplitude)), s->weight[h], sum);
        }
        const vf sound = hyperbolic_tangent(sum);
        if (last - i >= VECTOR) {
            vf_store(signal + i, sound);
        } else {
            float rest[VECTOR];
            vf_store(rest, sound);
            memcpy(signal + i, rest, (size_t)(last - i) * sizeof *rest);
        }
    }
}

/* The first half of a frame's samples lie between the frame before and itself, the others between
 * itself and the one after it. */
static void synthesize(const struct kokoro_harmonic_source *s, int64_t first_frame,
                       int64_t last_frame, float *signal) {
    for (int64_t frame = first_frame; frame < last_frame; frame++) {
        const int64_t first = frame * s->factor, last = first + s->factor;
        if (!(s->f0[frame] > s->threshold)) {
            for (int64_t i = first; i < last; i++) signal[i] = s->silence;
            continue;
        }
        const int64_t middle = first + s->factor / 2;
        samples_between(s, frame > 0 ? frame - 1 : 0, first, middle, signal);
        samples_between(s, frame, middle, last, signal);
    }
}
