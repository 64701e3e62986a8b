/* A spectrum from its magnitudes and phases, as the generator gives them: logarithms of the ones,
 * and numbers whose sines are the others. Polynomials are by Lawson's iteration, each coefficient
 * rounded to float32 before the next was sought; their errors are those before rounding. */

/* Within 1e-7 of e^x, relatively; beyond what float32 holds infinite, or 0. A NaN stays one. */
INLINE vf exponential(vf x) {
    x = vf_clamp(x, vf_set1(-104.0f), vf_set1(89.0f));
    /* A NaN becomes a number here, for it is converted to an integer, and comes back with r. */
    const vf n = vf_max(vf_round(vf_mul(x, vf_set1(1.44269502f))), vf_set1(-151.0f));
    vf r = vf_fused(n, vf_set1(-0.693147182f), x);
    r = vf_fused(n, vf_set1(1.90465421e-9f), r);
    /* For |r| <= ln(2) / 2, 3e-9. */
    vf p = vf_set1(1.38214522e-3f);
    p = vf_fma(p, r, vf_set1(8.36866163e-3f));
    p = vf_fma(p, r, vf_set1(4.16682549e-2f));
    p = vf_fma(p, r, vf_set1(0.166665211f));
    p = vf_fma(p, r, vf_set1(0.49999994f));
    p = vf_add(vf_fma(vf_mul(p, r), r, r), vf_set1(1.0f));
    /* In two steps: the power of the least or largest number is none itself. */
    const vf half = vf_round(vf_mul(n, vf_set1(0.5f)));
    p = vf_mul(p, vf_power_of_two(half));
    return vf_mul(p, vf_power_of_two(vf_sub(n, half)));
}

/* For |x| <= 1, 1.1e-9. */
INLINE vf cosine_of_small(vf x) {
    const vf w = vf_mul(x, x);
    vf p = vf_set1(2.40564186e-5f);
    p = vf_fma(p, w, vf_set1(-1.38818857e-3f));
    p = vf_fma(p, w, vf_set1(4.16664071e-2f));
    p = vf_fma(p, w, vf_set1(-0.49999997f));
    return vf_fma(p, w, vf_set1(1.0f));
}

/* For |x| <= 1, 4e-10, relatively. */
INLINE vf sine_of_small(vf x) {
    const vf w = vf_mul(x, x);
    vf p = vf_set1(2.7262713e-6f);
    p = vf_fma(p, w, vf_set1(-1.98423848e-4f));
    p = vf_fma(p, w, vf_set1(8.33335426e-3f));
    p = vf_fma(p, w, vf_set1(-0.166666672f));
    return vf_fma(vf_mul(p, w), x, x);
}

/* Rows of `bins` logarithms and `bins` phases to rows of real and imaginary parts. */
static void to_cartesian(const float *x, int64_t bins, int64_t first, int64_t last, float *y) {
    for (int64_t t = first; t < last; t++) {
        const float *log_magnitudes = x + t * 2 * bins, *phases = log_magnitudes + bins;
        float *real = y + t * 2 * bins, *imaginary = real + bins;
        for (int64_t c = 0; c < bins; c += VECTOR) {
            const int64_t left = bins - c;
            const int whole = left >= VECTOR;
            const vf level = whole ? vf_load(log_magnitudes + c)
                                   : vf_load_part(log_magnitudes + c, left);
            const vf angle = sine(whole ? vf_load(phases + c) : vf_load_part(phases + c, left));
            const vf magnitude = exponential(level);
            const vf a = vf_mul(magnitude, cosine_of_small(angle));
            const vf b = vf_mul(magnitude, sine_of_small(angle));
            if (whole) {
                vf_store(real + c, a);
                vf_store(imaginary + c, b);
            } else {
                vf_store_part(real + c, a, left);
                vf_store_part(imaginary + c, b, left);
            }
        }
    }
}
