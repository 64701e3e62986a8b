/* arm64 with the dot product instructions (Cortex-A76, Jetson Orin and later). */
#include "vectors_neon.h"

enum { DOT_ROWS = 6, SUMMARY_ROWS = 6, DOT_VECTORS = 4, DOT_LANES = 4, ROWS_PASS = 0 };

typedef int32x4_t dot_sum;
typedef int8x16_t dot_weight;
typedef int8x16_t dot_activations;

static inline dot_sum dot_zero(void) { return vdupq_n_s32(0); }

static inline dot_weight dot_load(const int8_t *panel, int vector) {
    return vld1q_s8(panel + 16 * vector);
}
static inline dot_activations dot_lane(const element *p) {
    int32_t group;
    __builtin_memcpy(&group, p, sizeof group);
    return vreinterpretq_s8_s32(vdupq_n_s32(group));
}
static inline dot_activations dot_lanes(const element *p) { return vld1q_s8(p); }
static inline dot_sum dot(dot_sum sum, dot_activations a, dot_weight w, int lane) {
    switch (lane) {
    case 0: return vdotq_laneq_s32(sum, w, a, 0);
    case 1: return vdotq_laneq_s32(sum, w, a, 1);
    case 2: return vdotq_laneq_s32(sum, w, a, 2);
    default: return vdotq_laneq_s32(sum, w, a, 3);
    }
}
static inline vi dot_result(const dot_sum *sums, int vector) { return sums[vector]; }
