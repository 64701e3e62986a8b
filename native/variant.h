/* The kernels: what one instruction set must offer, and the shapes of work it is given.
 *
 * A variant is a table of functions over a part of the rows; every variant is the same source
 * (kernels.h) compiled over another set of vector functions. All tensors are channels last.
 */
#ifndef KOKORO_VARIANT_H
#define KOKORO_VARIANT_H

#include <stdint.h>

enum { PANEL = 16 }; /* columns of a packed weight that lie together */
enum { GROUP = 4 };  /* input channels that one integer dot product takes */

/* The layouts of packed weights, see README.md. A change of one takes a number that none had. */
enum layout { CENTERED = 4, CENTERED_PAIRS = 5 };

static inline int64_t round_up(int64_t value, int64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

enum activation_kind { PLAIN, AFFINE, AFFINE_LEAKY, AFFINE_SNAKE };

/* v = gain * x + offset, then LeakyReLU or Snake. Vectors are padded with zeros to whole panels. */
struct activation {
    enum activation_kind kind;
    const float *x; /* [rows, channels] */
    int64_t rows, channels;
    const float *gain, *offset;         /* per channel; not read when PLAIN */
    const float *frequency, *amplitude; /* Snake: alpha / pi and 1 / alpha */
    float negative_slope;
};

struct range {
    float low, high;
};

/* Rows of 8-bit activations with padding in time: row p holds x row p - pad_begin. */
struct quantization {
    float scale;
    int32_t zero_point;
    int64_t pad_begin;
    int64_t row_size;  /* elements from one row to the next */
    void *rows;        /* elements of one byte, as the variant stores them */
};

/* Where a tile of the product goes. Element (row, column) has the linear index
 * row * row_length + column - shift in y, residual and addend; those outside first..last-1 are
 * dropped. `reflected` elements before `first` are copies of those `reflected` after it, so that
 * index i is written again at i - 2 * reflected. */
struct output {
    float *y;
    const float *residual, *addend; /* like y, or NULL */
    int32_t *accumulators;          /* in the place of y: the integers themselves */
    float scale;
    int64_t columns, row_length, shift, first, last, reflected;
};

/* Row 0 begins so many elements later. */
static inline void move_output(struct output *o, int64_t elements) {
    o->shift -= elements;
    if (o->accumulators) o->accumulators += elements;
}

/* Row 0 becomes what was a later row. */
static inline void begin_output(struct output *o, int64_t row) {
    move_output(o, row * o->row_length);
}

/* What rows have in common per column, in whole panels; a NaN is no least and no greatest. */
struct summary {
    double *sums, *squares;
    float *least, *greatest;
};

/* Rows first_row.. and panels first_panel.. of a product. What it gives joins the summary, unless
 * that is all NULL. */
struct part {
    int64_t first_row, last_row, first_panel, last_panel;
    struct summary summary;
};

/* Differences of rows of activations, and of differences, see kernel_pairs.h. */
struct differences {
    void *rows;      /* bytes like those of the product */
    uint8_t *beyond; /* of each row: whether a difference does not fit its byte */
    int64_t count;   /* of the rows */
    int64_t first_tap, taps; /* of the differences of weights that they are multiplied with, or 0 */
    int32_t *column_terms;   /* what is added then, in whole panels */
};

/* A product in pairs of rows: `of_rows` are the differences of neighbours in a strand; the others
 * are those of every second row of the strand, beginning with its first and with its second row,
 * and of `of_rows`. */
enum { OF_EVEN, OF_ODD, OF_BOTH, HALVES };
struct pairs {
    struct differences of_rows, of_halves[HALVES];
    int64_t blocks;      /* of 2 dilations of the rows, whole ones alone */
    int64_t weight_taps; /* of all differences of weights, which are packed like weights */
    int8_t *weight;
};

struct integer_product {
    const void *rows;
    int64_t row_size, stride, dilation, kernel_size, groups;
    int64_t taps;                /* that are taken: those beyond the kernel_size begin again */
    int64_t tap_step;            /* from one of them to the next, in the weights */
    int64_t panel_taps;          /* of a panel's weights, taken or not */
    int64_t run_taps;            /* of a panel's runs, likewise */
    const int8_t *weight;        /* [panels, panel_taps, groups, PANEL, GROUP], or pairs of groups */
    const uint8_t *runs;         /* [panels, run_taps, groups], see runs.h */
    const int32_t *column_terms; /* what is added to every row, in whole panels */
    const float *scales;         /* of the columns, in whole panels */
    const float *bias;           /* added to what was scaled, in whole panels; or NULL */
    struct output output;
    const struct pairs *pairs;   /* of rows 0 to the last of the part; or NULL: none */
};

/* A product of floats in pairs of rows, see kernel_float_product.h. */
enum { FACTORS = 3 };
struct float_product {
    const float *factors; /* [pairs, FACTORS, channels] */
    int64_t row_origin;   /* row of the output whose first taps meet the first pair: even */
    int64_t first_tap, tap_step; /* order in which taps of `weight` meet rows of the input: 1 or -1 */
    int64_t kernel_size, channels;
    const float *weight; /* [panels, kernel_size, channels, PANEL] */
    const float *bias;   /* in whole panels */
    struct output output;
};

/* One direction of a recurrent layer, from the gates that x gives to the state of each step. Gates lie
 * side by side: those of the input, the output, the one that forgets, the cell; `hidden` each. */
struct recurrence {
    int64_t hidden;
    const int32_t *sums; /* of the columns of the weights, for zero points */
    const float *scales; /* of the weights, per column */
    const float *bias;   /* added to the gates at last */
    float *gates, *cell; /* of this step, and what is carried to the next one */
    struct quantization quantization; /* of the state before, one row */
    struct integer_product product;   /* of it, into `gates`; its terms and scales are memory too */
    int32_t *terms;
    float *step_scales;
};

struct kokoro_harmonic_source;

struct variant {
    const char *name;
    enum layout layout;    /* of the weights that it reads */
    int activation_offset; /* what is subtracted from a uint8 activation before it is stored */
    int reads_runs;        /* see runs.h */
    int tile_rows, tile_panels, float_tile_rows;
    int in_pairs;    /* whether it multiplies in pairs of rows */
    int row_bytes;   /* what those of a row of activations are a multiple of */
    int rows_beyond; /* rows of a product that are computed beyond the last one, and dropped */
    void (*range)(const struct activation *, int64_t first, int64_t last, struct range *);
    void (*quantize)(const struct activation *, const struct quantization *, int64_t first,
                     int64_t last);
    void (*store_bytes)(const uint8_t *from, int64_t count, void *to);
    void (*load_bytes)(const void *from, int64_t count, uint8_t *to);
    void (*multiply_integers)(const struct integer_product *, const struct part *);
    /* Makes the factors of pairs of rows, from row `first` on. */
    void (*factor_pairs)(const struct activation *, int64_t first, int64_t pairs, float *factors);
    void (*multiply_floats)(const struct float_product *, const struct part *);
    /* As many products of bytes as fit so many rounds, and nothing else; their number. */
    int64_t (*multiply_registers)(int64_t rounds);
    /* The state after one step, from the one before it and what x gives of the gates. */
    void (*step)(const struct recurrence *, const float *gates_of_x, const float *before,
                 float *state);
    void (*summarize)(const float *x, int64_t channels, int64_t first, int64_t last,
                      const struct summary *);
    void (*synthesize)(const struct kokoro_harmonic_source *, int64_t first_frame,
                       int64_t last_frame, float *signal);
    void (*to_cartesian)(const float *x, int64_t bins, int64_t first, int64_t last, float *y);
};

#endif
