/* DynamicQuantizeConv: the range of the activations, the activations as 8-bit integers, the product
 * of the integers; each in parallel over the rows.
 *
 * With statistics the range comes of them. Without, the first two are passes over x that both
 * compute the activation: cheaper than to write a tensor of floats and read it again.
 */
#include "convolution.h"
#include "pairs.h"
#include "quantization.h"
#include "runs.h"
#include "statistics.h"
#include "variants.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* 255 * 255 times as many products still fit an int32. */
enum { MOST_PRODUCTS = INT32_MAX / (255 * 255), MOST_PADDING = 1 << 24 };

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

struct kokoro_convolution kokoro_matmul(const struct kokoro_matrix *matrix, int64_t rows,
                                        int64_t channels, int64_t columns) {
    return (struct kokoro_convolution){
        .rows = rows,
        .in_channels = channels,
        .out_channels = columns,
        .kernel_size = 1,
        .dilation = 1,
        .stride = 1,
        .weight_taps = 1,
        .run_taps = 1,
        .negative_slope = 1.0f,
        .output_scale = 1.0f,
        .weight = matrix->weight,
        .weight_sums = matrix->weight_sums,
        .runs = matrix->runs,
        .weight_scales = matrix->weight_scales,
    };
}

int64_t kokoro_convolution_rows(const struct kokoro_convolution *c) {
    const int64_t reach = c->dilation * (c->kernel_size - 1) + 1;
    const int64_t room = c->rows + c->pad_begin + c->pad_end - reach;
    return room < 0 ? 0 : room / c->stride + 1;
}

const char *kokoro_check_convolution(const struct kokoro_convolution *c) {
    if (c->rows < 1 || c->in_channels < 1) return "x is empty";
    if (c->out_channels < 1 || c->out_channels > INT32_MAX) return "channels must be 1 or more";
    if (c->kernel_size < 1 || c->kernel_size > MOST_PRODUCTS)
        return "kernel_size must be 1 to 33025";
    if (c->in_channels > MOST_PRODUCTS / c->kernel_size)
        return "kernel_size times the channels of x must be 33025 or less, for the sums to fit "
               "32 bits";
    if (c->dilation < 1 || c->dilation > MOST_PADDING) return "dilation must be 1 to 16777216";
    if (c->stride < 1 || c->stride > MOST_PADDING) return "stride must be 1 to 16777216";
    if (c->pad_begin < 0 || c->pad_begin > MOST_PADDING || c->pad_end < 0 ||
        c->pad_end > MOST_PADDING)
        return "pad_begin and pad_end must be 0 to 16777216";
    if (c->style && c->statistics == NULL) return "style needs statistics";
    if (c->bias && c->float_bias) return "bias and float_bias exclude each other";
    if (kokoro_convolution_rows(c) < 1) return "x with its padding is shorter than the kernel";
    if (kokoro_difference_levels(c)) {
        if (c->stride != 1) return "differences of weights need a stride of 1";
    } else if (c->weight_taps < c->kernel_size || c->weight_taps % c->kernel_size) {
        return "the taps of weight must be kernel_size or more times that";
    } else if (c->run_taps != c->weight_taps) {
        return "the taps of runs must be those of weight, or of its differences too";
    }
    return kokoro_check_runs(c);
}

/* Where the product goes: its columns are cut into equal tensors side by side, whole panels each
 * where there are several, and each is multiplied by a scale of its own. */
struct results {
    int64_t count;
    float *const *y;
    const float *scales;
    float *statistics; /* of the one result; or NULL */
};

struct work {
    const struct variant *variant;
    const struct runtime *runtime;
    const struct kokoro_convolution *convolution;
    const struct results *results;
    struct activation activation, ends;
    struct quantization quantization;
    struct integer_product product;
    struct pairs pairs;
    int64_t range_parts, padded_rows, quantize_parts;
    int64_t weight_parts; /* panels whose differences are made before the rows are quantized */
    atomic_int out_of_memory;
    int64_t output_rows, row_parts, panel_parts;
    int64_t row_unit, least_rows; /* of a part: what it is a multiple of, and what it has at least */
    int64_t panels; /* of each result */
    struct range *ranges;
    double *summaries;
};

static void range_part(void *data, size_t index) {
    const struct work *w = data;
    const int64_t i = (int64_t)index, rows = w->ends.rows;
    w->variant->range(&w->ends, kokoro_cut(rows, 1, i, w->range_parts),
                      kokoro_cut(rows, 1, i + 1, w->range_parts), w->ranges + i);
}

/* The differences of weights, then rows. */
static void quantize_part(void *data, size_t index) {
    const struct work *w = data;
    const int64_t i = (int64_t)index - w->weight_parts;
    if (i < 0) {
        kokoro_subtract_weights(&w->pairs, w->convolution, (int64_t)index);
        return;
    }
    w->variant->quantize(&w->activation, &w->quantization,
                         kokoro_cut(w->padded_rows, 1, i, w->quantize_parts),
                         kokoro_cut(w->padded_rows, 1, i + 1, w->quantize_parts));
}

/* The product whose columns go to one of the results. */
static struct integer_product product_of(const struct work *w, int64_t result) {
    struct integer_product p = w->product;
    const int64_t column = result * w->panels * PANEL;
    p.weight += column * p.panel_taps * p.groups * GROUP;
    p.runs += result * w->panels * p.run_taps * p.groups;
    p.column_terms += column;
    p.scales += column;
    if (p.bias) p.bias += column;
    p.output.y = w->results->y[result];
    p.output.scale = w->results->scales[result];
    return p;
}

/* Differences are of this part alone, so that they stay in the cache of a core. */
static void multiply_in_pairs(struct work *w, const struct integer_product *product,
                              const struct part *part) {
    struct pairs pairs = w->pairs;
    struct integer_product own = *product;
    struct part rows = *part;
    const int64_t first = part->first_row;
    own.rows = (const char *)own.rows + first * own.stride * own.row_size;
    begin_output(&own.output, first);
    own.pairs = &pairs;
    rows.first_row = 0;
    rows.last_row -= first;
    kokoro_count_differences(&pairs, rows.last_row, own.dilation);
    struct scratch s = {.runtime = w->runtime};
    kokoro_reserve_differences(&pairs, &s, own.row_size);
    if (!kokoro_allocate(&s)) {
        atomic_store(&w->out_of_memory, 1);
        return;
    }
    kokoro_take_differences(&pairs, &s, own.row_size);
    w->variant->multiply_integers(&own, &rows);
    kokoro_release(&s);
}

static void product_part(void *data, size_t index) {
    struct work *w = data;
    const int64_t row = (int64_t)index % w->row_parts, rest = (int64_t)index / w->row_parts;
    const int64_t panel = rest % w->panel_parts, result = rest / w->panel_parts;
    struct part part = {
        .first_row = kokoro_cut(w->output_rows, w->row_unit, row, w->row_parts),
        .last_row = kokoro_cut(w->output_rows, w->row_unit, row + 1, w->row_parts),
        .first_panel = kokoro_cut(w->panels, w->variant->tile_panels, panel, w->panel_parts),
        .last_panel = kokoro_cut(w->panels, w->variant->tile_panels, panel + 1, w->panel_parts),
    };
    if (w->summaries) {
        part.summary = kokoro_summary(w->summaries, row, w->product.output.columns);
        kokoro_clear_summary(&part.summary, part.first_panel, part.last_panel);
    }
    const struct integer_product product = product_of(w, result);
    if (product.pairs)
        multiply_in_pairs(w, &product, &part);
    else
        w->variant->multiply_integers(&product, &part);
}

/* Rows are cut first, because every part reads all the weights of its columns; columns where
 * there are too few rows to go round. Parts are even in number, and each result is cut into equal
 * ones, so that two threads end at the same time. */
static void cut_product(struct work *w, const struct kokoro_convolution *c) {
    const double operations = (double)w->output_rows * (double)w->panels * PANEL *
                              (double)w->product.taps * (double)c->in_channels;
    const int64_t row_tiles = ceil_div(w->output_rows, w->variant->tile_rows);
    const int64_t panel_tiles = ceil_div(w->panels, w->variant->tile_panels);
    int64_t parts = kokoro_parts(row_tiles * panel_tiles, operations, 1 << 22);
    /* Each subtracts rows for itself, and multiplies more at the start of a strand; or else finishes
     * its last tiles when it multiplies no more. */
    if ((w->product.pairs || !w->variant->in_pairs) && parts > MOST_PARTS / 2) parts = MOST_PARTS / 2;
    const int64_t high = ceil_div(w->output_rows, w->least_rows);
    w->row_parts = parts < high ? parts : high;
    if (w->row_parts > 2) w->row_parts -= w->row_parts % 2;
    w->panel_parts = parts / w->row_parts;
    if (w->panel_parts > panel_tiles) w->panel_parts = panel_tiles;
    while (panel_tiles % w->panel_parts) w->panel_parts--;
}

static void set_up_product(struct work *w, const struct kokoro_convolution *c) {
    const int64_t columns = c->out_channels / w->results->count;
    w->product.kernel_size = c->kernel_size;
    w->product.tap_step = 1;
    w->product.taps = w->product.panel_taps = c->weight_taps;
    w->product.run_taps = c->run_taps;
    w->product.dilation = c->dilation;
    w->product.stride = c->stride;
    w->product.groups = ceil_div(c->in_channels, GROUP);
    w->product.weight = c->weight;
    w->product.runs = c->runs;
    w->output_rows = kokoro_convolution_rows(c);
    w->padded_rows = c->rows + c->pad_begin + c->pad_end;
    w->panels = ceil_div(columns, PANEL);
    w->product.output.columns = w->product.output.row_length = columns;
    w->product.output.last = w->output_rows * columns;
    w->quantization.pad_begin = c->pad_begin;
    w->quantization.row_size = w->product.row_size = round_up(c->in_channels, w->variant->row_bytes);
    w->row_unit = w->variant->tile_rows;
    w->least_rows = 4 * w->row_unit;
    const int64_t unit = 2 * w->row_unit * c->dilation; /* a tile of pairs of each strand */
    if (w->variant->in_pairs && w->output_rows >= unit && kokoro_set_up_pairs(&w->pairs, c)) {
        w->product.pairs = &w->pairs;
        w->weight_parts = w->panels;
        w->row_unit = unit;
        w->least_rows = 4 * unit;
        w->padded_rows += kokoro_rows_beyond(c);
    }
    cut_product(w, c);
}

/* Those behind the padded ones may hold anything. */
static int64_t read_rows(const struct work *w) {
    return w->padded_rows + w->variant->rows_beyond * w->product.stride;
}

/* The published graph rounds the bias down to a multiple of the product's scale. */
static int32_t integer_bias(float bias, float scale) {
    const float units = bias / scale;
    if (units >= 2147483648.0f) return INT32_MAX;
    if (!(units >= -2147483648.0f)) return INT32_MIN;
    const int32_t whole = (int32_t)units;
    return whole - ((float)whole > units);
}

/* sum (q - zq) w = sum q w - zq sum w: the second term, and the bias, belong to a column. */
static void set_up_column_terms(struct work *w, const struct kokoro_convolution *c,
                                int32_t *terms) {
    const uint32_t zero = (uint32_t)(w->quantization.zero_point - w->variant->activation_offset);
    const int64_t columns = round_up(c->out_channels, PANEL);
    memset(terms, 0, (size_t)columns * sizeof *terms);
    for (int64_t i = 0; i < c->out_channels; i++) {
        const int32_t bias = c->bias ? integer_bias(c->bias[i], w->product.scales[i]) : 0;
        terms[i] = (int32_t)((uint32_t)bias - zero * (uint32_t)c->weight_sums[i]);
    }
    w->product.column_terms = terms;
    if (w->product.pairs)
        kokoro_set_up_pair_terms(&w->pairs, c, terms, w->variant->activation_offset);
}

/* The scales of the products, and what is added to them: zeros beyond the last column. */
static void set_up_scales(struct work *w, const struct kokoro_convolution *c, float *vectors) {
    const int64_t all = round_up(c->out_channels, PANEL);
    float *scales = vectors, *bias = vectors + all;
    memset(vectors, 0, (size_t)(2 * all) * sizeof *vectors);
    for (int64_t i = 0; i < c->out_channels; i++) {
        const float scale = c->weight_scales ? c->weight_scales[i] : c->weight_scale;
        scales[i] = w->quantization.scale * scale;
        bias[i] = c->float_bias ? c->float_bias[i] : 0.0f;
    }
    w->product.scales = scales;
    w->product.bias = c->float_bias ? bias : NULL;
}

static const char *run(const struct runtime *runtime, const struct kokoro_convolution *c,
                       const struct results *results) {
    struct work w = {
        .variant = kokoro_variant(),
        .runtime = runtime,
        .convolution = c,
        .results = results,
    };
    float *const statistics = results->statistics;
    set_up_product(&w, c);
    const double elements = (double)c->rows * (double)c->in_channels;
    w.quantize_parts = kokoro_parts(w.padded_rows, elements, 1 << 14);
    w.range_parts = kokoro_knows_ends(c) ? 1 : w.quantize_parts;
    const int64_t vectors = 4 * round_up(c->in_channels, PANEL);
    const int64_t row_elements = read_rows(&w) * w.quantization.row_size;
    const int64_t summaries = statistics ? w.row_parts * kokoro_summary_size(c->out_channels) : 0;
    const int64_t columns = round_up(c->out_channels, PANEL);

    struct scratch s = {.runtime = runtime};
    kokoro_reserve(&s, vectors, sizeof(float));
    kokoro_reserve(&s, w.range_parts, sizeof(struct range));
    kokoro_reserve(&s, row_elements, 1);
    if (w.product.pairs) kokoro_reserve_pairs(&w.pairs, &s, w.product.row_size, columns);
    kokoro_reserve(&s, columns, sizeof(int32_t));
    kokoro_reserve(&s, 2 * columns, sizeof(float));
    kokoro_reserve(&s, summaries, sizeof(double));
    if (!kokoro_allocate(&s)) return "no memory";
    float *channel_vectors = kokoro_take(&s, vectors, sizeof(float));
    w.ranges = kokoro_take(&s, w.range_parts, sizeof(struct range));
    w.quantization.rows = kokoro_take(&s, row_elements, 1);
    if (w.product.pairs) kokoro_take_pairs(&w.pairs, &s, w.product.row_size, columns);
    int32_t *terms = kokoro_take(&s, columns, sizeof(int32_t));
    float *scales = kokoro_take(&s, 2 * columns, sizeof(float));
    double *of_parts = kokoro_take(&s, summaries, sizeof(double));

    w.activation.x = c->x;
    w.activation.rows = c->rows;
    w.activation.channels = c->in_channels;
    kokoro_set_up_activation(&w.activation, c, channel_vectors);
    w.ends = kokoro_ends_of(&w.activation, c);
    runtime->parallel(runtime->context, range_part, (size_t)w.range_parts, &w);
    kokoro_settle_range(&w.quantization, w.ranges, w.range_parts);

    runtime->parallel(runtime->context, quantize_part,
                      (size_t)(w.weight_parts + w.quantize_parts), &w);

    w.product.rows = w.quantization.rows;
    set_up_scales(&w, c, scales);
    set_up_column_terms(&w, c, terms);
    w.product.output.residual = c->residual;
    w.product.output.addend = c->addend;
    w.summaries = statistics ? of_parts : NULL;
    const int64_t parts = w.row_parts * w.panel_parts * results->count;
    runtime->parallel(runtime->context, product_part, (size_t)parts, &w);
    if (statistics)
        kokoro_finish_statistics(of_parts, w.row_parts, c->out_channels, c->out_channels,
                                 w.output_rows, statistics);
    kokoro_release(&s);
    return atomic_load(&w.out_of_memory) ? "no memory" : NULL;
}

const char *kokoro_run_convolution(const struct runtime *runtime,
                                   const struct kokoro_convolution *c, float *y,
                                   float *statistics) {
    const struct results results = {1, &y, &c->output_scale, statistics};
    return run(runtime, c, &results);
}

const char *kokoro_run_products(const struct runtime *runtime, const struct kokoro_convolution *c,
                                int64_t count, float *const *y, const float *scales) {
    const struct results results = {count, y, scales, NULL};
    return run(runtime, c, &results);
}

const char *kokoro_convolve(const struct kokoro_convolution *c, float *y, float *statistics) {
    const char *wrong = kokoro_check_convolution(c);
    return wrong ? wrong : kokoro_run_convolution(&kokoro_plain_runtime, c, y, statistics);
}

const char *kokoro_convolve_integers(const struct kokoro_convolution *c, const uint8_t *q,
                                     int32_t zero_point, int32_t *accumulators) {
    float *const no_floats = NULL; /* the integers themselves are wanted */
    const struct results results = {1, &no_floats, &c->output_scale, NULL};
    struct kokoro_convolution plain = *c;
    struct work w = {
        .variant = kokoro_variant(),
        .runtime = &kokoro_plain_runtime,
        .convolution = &plain,
        .results = &results,
    };
    plain.bias = plain.statistics = plain.style = plain.weight_scales = plain.float_bias = NULL;
    const char *wrong = kokoro_check_convolution(&plain);
    if (wrong) return wrong;
    if (zero_point < 0 || zero_point > 255) return "zero_point must be 0 to 255";
    set_up_product(&w, &plain);
    w.quantization.zero_point = zero_point;
    const int64_t elements = read_rows(&w) * w.product.row_size;
    const int64_t columns = w.panels * PANEL;
    struct scratch s = {.runtime = w.runtime};
    kokoro_reserve(&s, elements, 1);
    kokoro_reserve(&s, w.product.row_size, 1);
    if (w.product.pairs) kokoro_reserve_pairs(&w.pairs, &s, w.product.row_size, columns);
    kokoro_reserve(&s, columns, sizeof(int32_t));
    kokoro_reserve(&s, 2 * columns, sizeof(float));
    if (!kokoro_allocate(&s)) return "no memory";
    char *rows = kokoro_take(&s, elements, 1);
    uint8_t *padding = kokoro_take(&s, w.product.row_size, 1);
    if (w.product.pairs) kokoro_take_pairs(&w.pairs, &s, w.product.row_size, columns);
    int32_t *terms = kokoro_take(&s, columns, sizeof(int32_t));
    set_up_scales(&w, &plain, kokoro_take(&s, 2 * columns, sizeof(float)));
    memset(rows, 0, (size_t)elements);
    memset(padding, zero_point, (size_t)w.product.row_size);
    for (int64_t p = 0; p < w.padded_rows; p++) {
        const int64_t t = p - c->pad_begin;
        const uint8_t *from = t < 0 || t >= c->rows ? padding : q + t * c->in_channels;
        w.variant->store_bytes(from, c->in_channels, rows + p * w.product.row_size);
    }
    set_up_column_terms(&w, &plain, terms);
    w.product.rows = rows;
    for (int64_t i = 0; i < w.weight_parts; i++) quantize_part(&w, (size_t)i);
    w.product.output.accumulators = accumulators;
    for (int64_t i = 0; i < w.row_parts * w.panel_parts; i++) product_part(&w, (size_t)i);
    kokoro_release(&s);
    return atomic_load(&w.out_of_memory) ? "no memory" : NULL;
}
