/* Vectors of 128 bits of arm64. Activations are stored as int8, 128 less than their uint8, because
 * its dot products are of two int8. */
#ifndef KOKORO_VECTORS_NEON_H
#define KOKORO_VECTORS_NEON_H

#include <arm_neon.h>
#include <stdint.h>

#define REGISTER "w"
enum { VECTOR = 4, ABREAST = 4, FLOAT_ROWS = 4, TILE_PANELS = 1, ACTIVATION_OFFSET = 128 };

typedef float32x4_t vf;
typedef int32x4_t vi;
typedef int8_t element;
static inline vf vf_set1(float x) { return vdupq_n_f32(x); }
static inline vf vf_load(const float *p) { return vld1q_f32(p); }
static inline vf vf_load_part(const float *p, int64_t count) {
    float lanes[4] = {0};
    for (int64_t i = 0; i < count; i++) lanes[i] = p[i];
    return vld1q_f32(lanes);
}
static inline void vf_store(float *p, vf v) { vst1q_f32(p, v); }
static inline void vf_store_part(float *p, vf v, int64_t count) {
    float lanes[4];
    vst1q_f32(lanes, v);
    for (int64_t i = 0; i < count; i++) p[i] = lanes[i];
}
static inline vf vf_add(vf a, vf b) { return vaddq_f32(a, b); }
static inline vf vf_sub(vf a, vf b) { return vsubq_f32(a, b); }
static inline vf vf_mul(vf a, vf b) { return vmulq_f32(a, b); }
static inline vf vf_div(vf a, vf b) { return vdivq_f32(a, b); }
static inline vf vf_fma(vf a, vf b, vf c) { return vfmaq_f32(c, a, b); }
static inline vf vf_fused(vf a, vf b, vf c) { return vf_fma(a, b, c); }
static inline vf vf_fma_scalar(vf a, float b, vf c) { return vfmaq_n_f32(c, a, b); }
/* Of a NaN and a number these give the number. */
static inline vf vf_min(vf a, vf b) { return vminnmq_f32(a, b); }
static inline vf vf_max(vf a, vf b) { return vmaxnmq_f32(a, b); }
/* Of a NaN a NaN. */
static inline vf vf_clamp(vf a, vf low, vf high) { return vminq_f32(vmaxq_f32(a, low), high); }
static inline vf vf_round(vf a) { return vrndnq_f32(a); }
/* 2^a for whole numbers of -126 to 127: they are the exponent of a float, 127 more. */
static inline vf vf_power_of_two(vf a) {
    const int32x4_t exponent = vaddq_s32(vcvtnq_s32_f32(a), vdupq_n_s32(127));
    return vreinterpretq_f32_s32(vshlq_n_s32(exponent, 23));
}
static inline float vf_lowest(vf a) { return vminnmvq_f32(a); }
static inline float vf_highest(vf a) { return vmaxnmvq_f32(a); }
static inline void vf_add_to_double(double *sums, vf v) {
    vst1q_f64(sums, vaddq_f64(vld1q_f64(sums), vcvt_f64_f32(vget_low_f32(v))));
    vst1q_f64(sums + 2, vaddq_f64(vld1q_f64(sums + 2), vcvt_high_f64_f32(v)));
}

static inline vi vi_set1(int32_t x) { return vdupq_n_s32(x); }
static inline vi vi_load(const int32_t *p) { return vld1q_s32(p); }
static inline void vi_store(int32_t *p, vi v) { vst1q_s32(p, v); }
static inline vi vi_add(vi a, vi b) { return vaddq_s32(a, b); }
/* To the nearest, of two the even one. */
static inline vi vi_from_float(vf a) { return vcvtnq_s32_f32(a); }
static inline vf vf_from_int(vi a) { return vcvtq_f32_s32(a); }
static inline void vi_store_elements(element *p, vi a) {
    const int16x4_t half = vmovn_s32(a);
    const int8x8_t bytes = vmovn_s16(vcombine_s16(half, half));
    const int32_t four = vget_lane_s32(vreinterpret_s32_s8(bytes), 0);
    __builtin_memcpy(p, &four, sizeof four);
}

#endif
