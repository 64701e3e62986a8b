/* Vectors of 256 bits: what AVX2 with and without VNNI have in common. */
#ifndef KOKORO_VECTORS_AVX_H
#define KOKORO_VECTORS_AVX_H

#include <immintrin.h>
#include <stdint.h>

#define REGISTER "x"
enum { VECTOR = 8, ABREAST = 2, FLOAT_ROWS = 4, TILE_PANELS = 1, ACTIVATION_OFFSET = 0 };

typedef __m256 vf;
typedef __m256i vi;
typedef uint8_t element;

static inline vf vf_set1(float x) { return _mm256_set1_ps(x); }
static inline vf vf_load(const float *p) { return _mm256_loadu_ps(p); }
static inline __m256i first_lanes(int64_t count) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)count), lanes);
}
static inline vf vf_load_part(const float *p, int64_t count) {
    return _mm256_maskload_ps(p, first_lanes(count));
}
static inline void vf_store(float *p, vf v) { _mm256_storeu_ps(p, v); }
static inline void vf_store_part(float *p, vf v, int64_t count) {
    _mm256_maskstore_ps(p, first_lanes(count), v);
}
static inline vf vf_add(vf a, vf b) { return _mm256_add_ps(a, b); }
static inline vf vf_sub(vf a, vf b) { return _mm256_sub_ps(a, b); }
static inline vf vf_mul(vf a, vf b) { return _mm256_mul_ps(a, b); }
static inline vf vf_div(vf a, vf b) { return _mm256_div_ps(a, b); }
static inline vf vf_fma(vf a, vf b, vf c) { return _mm256_fmadd_ps(a, b, c); }
static inline vf vf_fused(vf a, vf b, vf c) { return vf_fma(a, b, c); }
static inline vf vf_fma_scalar(vf a, float b, vf c) {
    return _mm256_fmadd_ps(a, _mm256_set1_ps(b), c);
}
/* Of a NaN and a number these give the second. */
static inline vf vf_min(vf a, vf b) { return _mm256_min_ps(a, b); }
static inline vf vf_max(vf a, vf b) { return _mm256_max_ps(a, b); }
/* Of a NaN a NaN. */
static inline vf vf_clamp(vf a, vf low, vf high) { return vf_min(high, vf_max(low, a)); }
static inline vf vf_round(vf a) {
    return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
/* 2^a for whole numbers of -126 to 127: they are the exponent of a float, 127 more. */
static inline vf vf_power_of_two(vf a) {
    const __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(a), _mm256_set1_epi32(127));
    return _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23));
}
static inline float vf_lowest(vf a) {
    __m128 m = _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    m = _mm_min_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_min_ss(m, _mm_movehdup_ps(m)));
}
static inline float vf_highest(vf a) {
    __m128 m = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    m = _mm_max_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
}
static inline void vf_add_to_double(double *sums, vf v) {
    const __m256d low = _mm256_cvtps_pd(_mm256_castps256_ps128(v));
    const __m256d high = _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1));
    _mm256_storeu_pd(sums, _mm256_add_pd(_mm256_loadu_pd(sums), low));
    _mm256_storeu_pd(sums + 4, _mm256_add_pd(_mm256_loadu_pd(sums + 4), high));
}

static inline vi vi_set1(int32_t x) { return _mm256_set1_epi32(x); }
static inline vi vi_load(const int32_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
static inline void vi_store(int32_t *p, vi v) { _mm256_storeu_si256((__m256i *)p, v); }
static inline vi vi_add(vi a, vi b) { return _mm256_add_epi32(a, b); }
/* To the nearest, of two the even one. */
static inline vi vi_from_float(vf a) { return _mm256_cvtps_epi32(a); }
static inline vf vf_from_int(vi a) { return _mm256_cvtepi32_ps(a); }
static inline void vi_store_elements(element *p, vi a) {
    const __m128i half =
        _mm_packs_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    _mm_storel_epi64((__m128i *)p, _mm_packus_epi16(half, half));
}

#endif
