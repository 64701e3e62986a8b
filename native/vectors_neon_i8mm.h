/* arm64 with the 8-bit matrix product, which does twice the work of a dot product (Neoverse V1 and
 * N2, Jetson Thor and later). */
#include "vectors_neon.h"

#include <stddef.h>

#define BY_PAIR 1
enum { DOT_ROWS = 6, SUMMARY_ROWS = 6, DOT_VECTORS = 8 };

typedef int32x4_t dot_sum;
typedef int8x16_t dot_weight;
typedef int8x16_t dot_activations;

static inline dot_sum dot_zero(void) { return vdupq_n_s32(0); }

static inline int8x8_t eight(const element *p, int all) {
    if (all) return vld1_s8(p);
    int32_t four;
    __builtin_memcpy(&four, p, sizeof four);
    return vreinterpret_s8_s32(vset_lane_s32(four, vdup_n_s32(0), 0));
}

/* Eight channels, or four and zeros, of two rows or of one. */
static inline dot_activations pair_rows(const element *first, const element *second, int all) {
    return vcombine_s8(eight(first, all), second ? eight(second, all) : vdup_n_s8(0));
}
/* Two columns of eight channels. */
static inline dot_weight pair_load(const int8_t *pair) { return vld1q_s8(pair); }
/* Four columns of four channels, to two columns of eight each, twice: zeros are the other four. */
static inline void pair_with_zeros(const int8_t *group, dot_weight *first, dot_weight *second) {
    const int32x4_t four = vreinterpretq_s32_s8(vld1q_s8(group)), zeros = vdupq_n_s32(0);
    *first = vreinterpretq_s8_s32(vzip1q_s32(four, zeros));
    *second = vreinterpretq_s8_s32(vzip2q_s32(four, zeros));
}
static inline dot_sum pair_dot(dot_sum sum, dot_activations a, dot_weight w) {
    return vmmlaq_s32(sum, a, w);
}
/* Keeps the compiler from loading what follows before a sum is made: all weights of a pair of groups
 * and all sums are more than there are registers. */
#define LOAD_AFTER(sum, pointer) __asm__("" : "+w"(sum), "+r"(pointer))
static inline vi pair_result(dot_sum first, dot_sum second, int row) {
    const int64x2_t a = vreinterpretq_s64_s32(first), b = vreinterpretq_s64_s32(second);
    return vreinterpretq_s32_s64(row ? vzip2q_s64(a, b) : vzip1q_s64(a, b));
}
