/* AVX2 with the dot products of AVX-VNNI (Alder Lake, Sierra Forest, Zen 5 and later). */
#include "vectors_avx.h"

enum { DOT_VECTORS = 2, DOT_LANES = 1, DOT_ROWS = 6, SUMMARY_ROWS = 6, ROWS_PASS = 1 };

typedef __m256i dot_sum;
typedef __m256i dot_weight;
typedef __m256i dot_activations;

static inline dot_sum dot_zero(void) { return _mm256_setzero_si256(); }
static inline dot_weight dot_load(const int8_t *panel, int vector) {
    return _mm256_loadu_si256((const __m256i *)(panel + 32 * vector));
}
static inline dot_activations dot_lane(const element *p) {
    int32_t group;
    __builtin_memcpy(&group, p, sizeof group);
    return _mm256_set1_epi32(group);
}
static inline dot_activations dot_lanes(const element *p) { return dot_lane(p); }
static inline dot_sum dot(dot_sum sum, dot_activations a, dot_weight w, int lane) {
    (void)lane;
    return _mm256_dpbusd_avx_epi32(sum, a, w);
}
static inline vi dot_result(const dot_sum *sums, int vector) { return sums[vector]; }
