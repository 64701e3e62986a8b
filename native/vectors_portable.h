/* One number at a time, for any processor: what every other variant is held against. */
#include <math.h>
#include <stdint.h>

#define REGISTER "r"
enum {
    VECTOR = 1,
    ABREAST = 1,
    DOT_VECTORS = 16,
    DOT_LANES = 1,
    DOT_ROWS = 2,
    SUMMARY_ROWS = 2,
    FLOAT_ROWS = 2,
    ROWS_PASS = 1,
    TILE_PANELS = 1,
    ACTIVATION_OFFSET = 0
};

typedef float vf;
typedef int32_t vi;
typedef uint8_t element;
typedef int32_t dot_sum;
typedef const int8_t *dot_weight;
typedef const uint8_t *dot_activations;

static inline vf vf_set1(float x) { return x; }
static inline vf vf_load(const float *p) { return *p; }
static inline vf vf_load_part(const float *p, int64_t count) { return count > 0 ? *p : 0.0f; }
static inline void vf_store(float *p, vf v) { *p = v; }
static inline void vf_store_part(float *p, vf v, int64_t count) {
    if (count > 0) *p = v;
}
static inline vf vf_add(vf a, vf b) { return a + b; }
static inline vf vf_sub(vf a, vf b) { return a - b; }
static inline vf vf_mul(vf a, vf b) { return a * b; }
static inline vf vf_div(vf a, vf b) { return a / b; }
static inline vf vf_fma(vf a, vf b, vf c) { return a * b + c; }
/* Rounded once, which takes a function where the processor has no instruction. */
static inline vf vf_fused(vf a, vf b, vf c) { return fmaf(a, b, c); }
static inline vf vf_fma_scalar(vf a, float b, vf c) { return a * b + c; }
static inline vf vf_min(vf a, vf b) { return a < b ? a : b; }
static inline vf vf_max(vf a, vf b) { return a > b ? a : b; }
/* Of a NaN a NaN. */
static inline vf vf_clamp(vf a, vf low, vf high) { return vf_min(high, vf_max(low, a)); }
/* Next to 2^23 there is no place for a fraction; what is larger has none. */
static inline vf vf_round(vf a) {
    const float shift = copysignf(8388608.0f, a);
    return fabsf(a) < 8388608.0f ? (a + shift) - shift : a;
}
/* 2^a for whole numbers of -126 to 127. */
static inline vf vf_power_of_two(vf a) { return ldexpf(1.0f, (int)a); }
static inline float vf_lowest(vf a) { return a; }
static inline float vf_highest(vf a) { return a; }
static inline void vf_add_to_double(double *sums, vf v) { *sums += v; }

static inline vi vi_set1(int32_t x) { return x; }
static inline vi vi_load(const int32_t *p) { return *p; }
static inline void vi_store(int32_t *p, vi v) { *p = v; }
static inline vi vi_add(vi a, vi b) { return (vi)((uint32_t)a + (uint32_t)b); }
/* To the nearest, of two the even one. */
static inline vi vi_from_float(vf a) { return (int32_t)vf_round(a); }
static inline vf vf_from_int(vi a) { return (float)a; }
static inline void vi_store_elements(element *p, vi a) { *p = (element)a; }

static inline dot_sum dot_zero(void) { return 0; }
static inline dot_weight dot_load(const int8_t *panel, int vector) { return panel + 4 * vector; }
static inline dot_activations dot_lane(const element *p) { return p; }
static inline dot_activations dot_lanes(const element *p) { return p; }
static inline dot_sum dot(dot_sum sum, dot_activations a, dot_weight w, int lane) {
    (void)lane;
    return sum + a[0] * w[0] + a[1] * w[1] + a[2] * w[2] + a[3] * w[3];
}
static inline vi dot_result(const dot_sum *sums, int vector) { return sums[vector]; }
