/* AVX2 alone: its product of uint8 and int8 adds pairs of products in 16 bits. */
#include "vectors_avx.h"

#define IN_RUNS 1
/* Statistics join by twos: so they did when a tile had two rows, and recorded sound stays the same. */
enum { DOT_ROWS = 6, SUMMARY_ROWS = 2, RUN_VECTORS = 2 };

typedef __m256i run_sum;
typedef __m256i run_weight;
typedef __m256i run_activations;
typedef __m256i run_total;

static inline run_weight run_load(const int8_t *panel, int vector) {
    return _mm256_loadu_si256((const __m256i *)(panel + 32 * vector));
}
static inline run_activations run_group(const element *p) {
    int32_t group;
    __builtin_memcpy(&group, p, sizeof group);
    return _mm256_set1_epi32(group);
}
static inline run_sum run_nothing(void) { return _mm256_setzero_si256(); }
static inline run_sum run_product(run_activations a, run_weight w, int vector) {
    (void)vector; /* of NEON, whose weights are of two sums */
    return _mm256_maddubs_epi16(a, w);
}
static inline run_sum run_add(run_sum sum, run_activations a, run_weight w, int vector) {
    (void)vector;
    sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(a, w));
    /* Or else gcc 12 puts all additions off to the end, and products in memory until then. */
    __asm__("" : "+x"(sum));
    return sum;
}
static inline run_total run_widen(run_total total, run_sum sum) {
    return _mm256_add_epi32(total, _mm256_madd_epi16(sum, _mm256_set1_epi16(1)));
}
static inline run_total run_zero(void) { return _mm256_setzero_si256(); }
static inline run_total run_add_widened(run_total total, run_activations a, run_weight w,
                                        int vector) {
    (void)vector;
    const __m256i a16 = _mm256_cvtepu8_epi16(_mm256_castsi256_si128(a));
    const __m256i low = _mm256_madd_epi16(a16, _mm256_cvtepi8_epi16(_mm256_castsi256_si128(w)));
    const __m256i high =
        _mm256_madd_epi16(a16, _mm256_cvtepi8_epi16(_mm256_extracti128_si256(w, 1)));
    /* Columns 0 1 4 5 2 3 6 7 come out of the addition of neighbours. */
    const __m256i both = _mm256_permute4x64_epi64(_mm256_hadd_epi32(low, high), 0xd8);
    return _mm256_add_epi32(total, both);
}
static inline vi run_result(const run_total *totals, int vector) { return totals[vector]; }
