/* arm64 without dot products (Cortex-A53, A57 and A72: Jetson Nano and TX2, Raspberry Pi 3 and 4). Its
 * product of bytes adds in 16 bits. A sum holds two columns, and of each the four channels apart, so
 * it is half of the lane that runs.h speaks of. */
#include "vectors_neon.h"

#define IN_RUNS 1
enum { DOT_ROWS = 2, SUMMARY_ROWS = 2, RUN_VECTORS = 8 };

typedef int16x8_t run_sum;
typedef int8x16_t run_weight; /* of two sums, the even one in the lower half */
typedef int8x16_t run_activations;
typedef int32x4_t run_total; /* of two columns, and of two channels each */

static inline run_weight run_load(const int8_t *panel, int vector) {
    return vld1q_s8(panel + 16 * (vector / 2));
}
static inline run_activations run_group(const element *p) {
    int32_t group;
    __builtin_memcpy(&group, p, sizeof group);
    return vreinterpretq_s8_s32(vdupq_n_s32(group));
}
static inline run_sum run_nothing(void) { return vdupq_n_s16(0); }
static inline run_sum run_product(run_activations a, run_weight w, int vector) {
    return vector % 2 ? vmull_high_s8(a, w) : vmull_s8(vget_low_s8(a), vget_low_s8(w));
}
static inline run_sum run_add(run_sum sum, run_activations a, run_weight w, int vector) {
    sum = vector % 2 ? vmlal_high_s8(sum, a, w)
                     : vmlal_s8(sum, vget_low_s8(a), vget_low_s8(w));
    /* Or else gcc 12 loads all weights first, and has no registers for the sums. */
    __asm__("" : "+w"(sum));
    return sum;
}
static inline run_total run_widen(run_total total, run_sum sum) { return vpadalq_s16(total, sum); }
static inline run_total run_zero(void) { return vdupq_n_s32(0); }
/* A product alone fits 16 bits whatever it is of. */
static inline run_total run_add_widened(run_total total, run_activations a, run_weight w,
                                        int vector) {
    return run_widen(total, run_product(a, w, vector));
}
static inline vi run_result(const run_total *totals, int vector) {
    return vpaddq_s32(totals[2 * vector], totals[2 * vector + 1]);
}
