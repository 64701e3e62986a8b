/* The kernels of one variant, over the vector functions of the header included before this one.
 *
 * VECTOR       float or int32 lanes of a vector
 * ABREAST      vectors that are activated and quantized at a time
 * DOT_VECTORS  accumulators of a panel of 16 columns
 * DOT_LANES    groups of 4 channels that one load of activations serves
 * SUMMARY_ROWS rows of integer products whose statistics are summed in float, before double
 * REGISTER     what the compiler calls the registers of activations and sums
 * IN_TILES     whether integers are multiplied in tiles, see kernel_tiles.h
 * element      a quantized activation of one byte, ACTIVATION_OFFSET less than its uint8
 */
#include "kokoro_ops.h"
#include "quantization.h"
#include "runs.h"
#include "variant.h"

#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#if defined(__clang__)
/* It says so of a loop of one round, of which nothing is left to unroll. */
#pragma clang diagnostic ignored "-Wpass-failed"
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

enum { VECTORS = PANEL / VECTOR, MOST_ROWS = 16, MOST_PANELS = 2 };

/* Rows are reached by threes, from a pointer to the first: one pointer a row is more than a
 * processor has registers for. The compiler, which would make them, is kept from knowing that the
 * pointers belong together. */
enum { MOST_BASES = (MOST_ROWS + 2) / 3 };
#define HIDE(pointer) __asm__("" : "+r"(pointer))
#define ROW(bases, step, r) (bases[(r) / 3] + (r) % 3 * (step))

/* Sets x to the activations of a tile that begins at row t, at the tap in a place of the kernel. */
INLINE void begin_tap(const element **x, const struct integer_product *p, int64_t t, int64_t place,
                      int rows) {
    UNROLL for (int i = 0; i * 3 < rows; i++) {
        x[i] = (const element *)p->rows +
               ((t + 3 * i) * p->stride + place * p->dilation) * p->row_size;
        HIDE(x[i]);
    }
}

/* Puts x behind some groups of channels. */
INLINE void pass_groups(const element **x, int rows, int groups) {
    UNROLL for (int i = 0; i * 3 < rows; i++) x[i] += groups * GROUP;
}

/* Where the kernel's next tap is: after the last the first again. */
#define NEXT_PLACE(product, place) ((place) + 1 < (product)->kernel_size ? (place) + 1 : 0)

/* sum + a b as ONNX Runtime's own kernels round it where they are compiled for this processor, for
 * those of ours that give the same bits: once on arm64, twice elsewhere. */
INLINE vf plus_product(vf sum, vf a, vf b) {
#if defined(__aarch64__)
    return vf_fused(a, b, sum);
#else
    return vf_add(sum, vf_mul(a, b));
#endif
}

#include "kernel_activation.h"
#include "kernel_output.h"
#if IN_RUNS
enum { READS_RUNS = 1 };
#include "kernel_sums_in_runs.h"
#else
enum { READS_RUNS = 0 };
#if BY_PAIR
#include "kernel_sums_by_pair.h"
#else
#include "kernel_sums_by_row.h"
#endif
#endif
#include "kernel_product.h"
#include "kernel_float_product.h"
#if IN_TILES
#include "kernel_tiles.h"
#else
#include "kernel_peak.h"
#include "kernel_strands.h"
#include "kernel_pairs.h"
#endif
#include "kernel_sigmoids.h"
#include "kernel_recurrence.h"
#include "kernel_source.h"
#include "kernel_polar.h"

/* Few rows in float, then double: sums of squares of long tensors lose nothing. */
static void summarize(const float *x, int64_t channels, int64_t first, int64_t last,
                      const struct summary *summary) {
    enum { ROWS = 16 };
    for (int64_t t = first; t < last; t += ROWS) {
        const int64_t end = t + ROWS < last ? t + ROWS : last;
        for (int64_t c = 0; c < channels; c += VECTOR) {
            const int64_t left = channels - c;
            struct column_values all = no_values();
            for (int64_t r = t; r < end; r++) {
                const float *from = x + r * channels + c;
                const vf v = left >= VECTOR ? vf_load(from) : vf_load_part(from, left);
                add_values(&all, v);
            }
            join_summary(summary, c, &all);
        }
    }
}

#define STRING_OF(name) #name
#define NAME_OF(name) STRING_OF(name)
#define JOIN_NAMES(a, b) a##b
#define TABLE_OF(name) JOIN_NAMES(kokoro_variant_, name)

const struct variant TABLE_OF(VARIANT) = {
    .name = NAME_OF(VARIANT),
    .layout = (enum layout)WEIGHT_LAYOUT,
    .activation_offset = ACTIVATION_OFFSET,
    .reads_runs = READS_RUNS,
#if IN_TILES
    .row_bytes = TILE_BYTES,
    .rows_beyond = TILE_ROWS - 1,
    .tile_rows = HIGH * TILE_ROWS,
#else
    .in_pairs = 1,
    .row_bytes = GROUP,
    .tile_rows = DOT_ROWS,
#endif
    .tile_panels = TILE_PANELS,
    .float_tile_rows = FLOAT_ROWS,
    .range = range,
    .quantize = quantize,
    .factor_pairs = factor_pairs,
    .store_bytes = store_bytes,
    .load_bytes = load_bytes,
    .multiply_integers = multiply_integers,
    .multiply_floats = multiply_floats,
    .multiply_registers = multiply_registers,
    .step = step,
    .summarize = summarize,
    .synthesize = synthesize,
    .to_cartesian = to_cartesian,
};
