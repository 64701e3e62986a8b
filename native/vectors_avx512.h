/* Vectors of AVX512 with VNNI (Cascade Lake, Ice Lake, Zen 4 and later). */
#include <immintrin.h>
#include <stdint.h>

#define REGISTER "v"
enum {
    VECTOR = 16,
    ABREAST = 4,
    DOT_VECTORS = 1,
    DOT_LANES = 1,
    DOT_ROWS = 12,
    SUMMARY_ROWS = 12,
    FLOAT_ROWS = 8,
    ROWS_PASS = 1,
    TILE_PANELS = 2,
    ACTIVATION_OFFSET = 0
};

typedef __m512 vf;
typedef __m512i vi;
typedef uint8_t element;
typedef __m512i dot_sum;
typedef __m512i dot_weight;
typedef __m512i dot_activations;

static inline vf vf_set1(float x) { return _mm512_set1_ps(x); }
static inline vf vf_load(const float *p) { return _mm512_loadu_ps(p); }
static inline vf vf_load_part(const float *p, int64_t count) {
    return _mm512_maskz_loadu_ps((__mmask16)((1u << count) - 1), p);
}
static inline void vf_store(float *p, vf v) { _mm512_storeu_ps(p, v); }
static inline void vf_store_part(float *p, vf v, int64_t count) {
    _mm512_mask_storeu_ps(p, (__mmask16)((1u << count) - 1), v);
}
static inline vf vf_add(vf a, vf b) { return _mm512_add_ps(a, b); }
static inline vf vf_sub(vf a, vf b) { return _mm512_sub_ps(a, b); }
static inline vf vf_mul(vf a, vf b) { return _mm512_mul_ps(a, b); }
static inline vf vf_div(vf a, vf b) { return _mm512_div_ps(a, b); }
static inline vf vf_fma(vf a, vf b, vf c) { return _mm512_fmadd_ps(a, b, c); }
static inline vf vf_fused(vf a, vf b, vf c) { return vf_fma(a, b, c); }
static inline vf vf_fma_scalar(vf a, float b, vf c) {
    return _mm512_fmadd_ps(a, _mm512_set1_ps(b), c);
}
/* Of a NaN and a number these give the second. */
static inline vf vf_min(vf a, vf b) { return _mm512_min_ps(a, b); }
static inline vf vf_max(vf a, vf b) { return _mm512_max_ps(a, b); }
/* Of a NaN a NaN. */
static inline vf vf_clamp(vf a, vf low, vf high) { return vf_min(high, vf_max(low, a)); }
static inline vf vf_round(vf a) {
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
/* 2^a for whole numbers of -126 to 127. */
static inline vf vf_power_of_two(vf a) { return _mm512_scalef_ps(_mm512_set1_ps(1.0f), a); }
static inline float vf_lowest(vf a) { return _mm512_reduce_min_ps(a); }
static inline float vf_highest(vf a) { return _mm512_reduce_max_ps(a); }
static inline void vf_add_to_double(double *sums, vf v) {
    __m512d low = _mm512_cvtps_pd(_mm512_castps512_ps256(v));
    __m512d high = _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1));
    _mm512_storeu_pd(sums, _mm512_add_pd(_mm512_loadu_pd(sums), low));
    _mm512_storeu_pd(sums + 8, _mm512_add_pd(_mm512_loadu_pd(sums + 8), high));
}

static inline vi vi_set1(int32_t x) { return _mm512_set1_epi32(x); }
static inline vi vi_load(const int32_t *p) { return _mm512_loadu_si512(p); }
static inline void vi_store(int32_t *p, vi v) { _mm512_storeu_si512(p, v); }
static inline vi vi_add(vi a, vi b) { return _mm512_add_epi32(a, b); }
/* To the nearest, of two the even one. */
static inline vi vi_from_float(vf a) { return _mm512_cvtps_epi32(a); }
static inline vf vf_from_int(vi a) { return _mm512_cvtepi32_ps(a); }
static inline void vi_store_elements(element *p, vi a) {
    _mm_storeu_si128((__m128i *)p, _mm512_cvtepi32_epi8(a));
}

static inline dot_sum dot_zero(void) { return _mm512_setzero_si512(); }
static inline dot_weight dot_load(const int8_t *panel, int vector) {
    return _mm512_loadu_si512(panel + 64 * vector);
}
static inline dot_activations dot_lane(const element *p) {
    int32_t group;
    __builtin_memcpy(&group, p, sizeof group);
    return _mm512_set1_epi32(group);
}
static inline dot_activations dot_lanes(const element *p) { return dot_lane(p); }
static inline dot_sum dot(dot_sum sum, dot_activations a, dot_weight w, int lane) {
    (void)lane;
    return _mm512_dpbusd_epi32(sum, a, w);
}
static inline vi dot_result(const dot_sum *sums, int vector) { return sums[vector]; }
