/* AVX2 alone. Its product of uint8 and int8 saturates, so activations are stored as int16, weights
 * widened when they are loaded, and a sum keeps two halves of each column until the end. */
#include "vectors_avx.h"

enum { DOT_VECTORS = 4, DOT_LANES = 1, DOT_ROWS = 2, ROWS_PASS = 1 };

typedef int16_t element;
typedef __m256i dot_sum;
typedef __m256i dot_weight;
typedef __m256i dot_activations;

static inline void vi_store_elements(element *p, vi a) {
    _mm_storeu_si128((__m128i *)p, vi_narrow(a));
}

static inline dot_sum dot_zero(void) { return _mm256_setzero_si256(); }
static inline dot_weight dot_load(const int8_t *panel, int vector) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(panel + 16 * vector)));
}
static inline dot_activations dot_lane(const element *p) {
    int64_t group;
    __builtin_memcpy(&group, p, sizeof group);
    return _mm256_set1_epi64x(group);
}
static inline dot_activations dot_lanes(const element *p) { return dot_lane(p); }
static inline dot_sum dot(dot_sum sum, dot_activations a, dot_weight w, int lane) {
    (void)lane;
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, w));
}
/* Columns 0 1 4 5 2 3 6 7 come out of the addition of neighbours. */
static inline vi dot_result(const dot_sum *sums, int vector) {
    const __m256i both = _mm256_hadd_epi32(sums[2 * vector], sums[2 * vector + 1]);
    return _mm256_permute4x64_epi64(both, 0xd8);
}
