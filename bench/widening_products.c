/* What native/variant_neon.c is held against in RESULTS.md: the products of 4 rows and 16 columns by
 * widening bytes to 16 bits and adding in 32, as quick as the registers allow. It is compiled, not
 * run. Weights are by channel, 16 columns each; channels come in eights. */
#include <arm_neon.h>
#include <stdint.h>

enum { ROWS = 4, COLUMNS = 16, CHANNELS = 8 };

#define ADD_CHANNEL(i)                                                                             \
    do {                                                                                           \
        const int8x16_t w = vld1q_s8(weights + COLUMNS * (i));                                     \
        const int16x8_t low = vmovl_s8(vget_low_s8(w)), high = vmovl_high_s8(w);                   \
        _Pragma("GCC unroll 4") for (int r = 0; r < ROWS; r++) {                                   \
            sums[r][0] = vmlal_laneq_s16(sums[r][0], vget_low_s16(low), a[r], i);                  \
            sums[r][1] = vmlal_high_laneq_s16(sums[r][1], low, a[r], i);                           \
            sums[r][2] = vmlal_laneq_s16(sums[r][2], vget_low_s16(high), a[r], i);                 \
            sums[r][3] = vmlal_high_laneq_s16(sums[r][3], high, a[r], i);                          \
        }                                                                                          \
    } while (0)

void multiply(const int8_t *const *rows, const int8_t *weights, int64_t channels, int32_t *out) {
    const int8_t *x[ROWS] = {rows[0], rows[1], rows[2], rows[3]};
    int32x4_t sums[ROWS][4] = {{{0}}};
    for (int64_t c = 0; c < channels; c += CHANNELS, weights += COLUMNS * CHANNELS) {
        int16x8_t a[ROWS];
        _Pragma("GCC unroll 4") for (int r = 0; r < ROWS; r++) a[r] = vmovl_s8(vld1_s8(x[r] + c));
        ADD_CHANNEL(0);
        ADD_CHANNEL(1);
        ADD_CHANNEL(2);
        ADD_CHANNEL(3);
        ADD_CHANNEL(4);
        ADD_CHANNEL(5);
        ADD_CHANNEL(6);
        ADD_CHANNEL(7);
    }
    _Pragma("GCC unroll 4") for (int r = 0; r < ROWS; r++)
        _Pragma("GCC unroll 4") for (int j = 0; j < 4; j++)
            vst1q_s32(out + COLUMNS * r + 4 * j, sums[r][j]);
}
