/* Conv and ConvTranspose in float: a part of the rows is activated with its surroundings, made into
 * the factors of pairs of rows, and multiplied as these; what lies beyond the ends is zero. */
#include "convolution.h"
#include "statistics.h"
#include "variants.h"

#include <stdatomic.h>
#include <string.h>

enum {
    MOST = 1 << 24,
    FACTOR_BYTES = 3 << 17 /* at a time: a part of a core's second-level cache */
};

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t kokoro_float_convolution_rows(const struct kokoro_float_convolution *c) {
    return c->rows + c->pad_begin + c->pad_end - c->kernel_size + 1;
}

int64_t kokoro_transposed_convolution_rows(const struct kokoro_float_convolution *c) {
    return (c->rows + 1) * c->stride - 2 * c->pad + c->reflect;
}

static const char *check_sizes(const struct kokoro_float_convolution *c) {
    if (c->rows < 1 || c->in_channels < 1) return "x is empty";
    if (c->out_channels < 1 || c->out_channels > MOST) return "channels must be 1 to 16777216";
    return NULL;
}

const char *kokoro_check_float_convolution(const struct kokoro_float_convolution *c) {
    if (c->kernel_size < 1 || c->kernel_size > MOST) return "kernel_size must be 1 to 16777216";
    if (c->pad_begin < 0 || c->pad_begin > MOST || c->pad_end < 0 || c->pad_end > MOST)
        return "pad_begin and pad_end must be 0 to 16777216";
    const char *wrong = check_sizes(c);
    if (wrong) return wrong;
    if (kokoro_float_convolution_rows(c) < 1)
        return "x with its padding is shorter than the kernel";
    return NULL;
}

const char *kokoro_check_transposed_convolution(const struct kokoro_float_convolution *c) {
    if (c->stride < 1 || c->stride > MOST) return "stride must be 1 to 16777216";
    if (c->pad < 0 || c->pad > MOST) return "pad must be 0 to 16777216";
    if (c->reflect != 0 && c->reflect != 1) return "reflect must be 0 or 1";
    const char *wrong = check_sizes(c);
    if (wrong) return wrong;
    const int64_t frames = kokoro_transposed_convolution_rows(c) - c->reflect;
    if (frames < 1) return "x is too short for what pad takes away";
    if (c->reflect && frames < 2) return "x is too short to be reflected";
    return NULL;
}

struct work {
    const struct variant *variant;
    const struct runtime *runtime;
    struct activation activation;
    struct float_product product;
    int64_t halo; /* rows before row t that row t of the product reads */
    int64_t product_rows, panels, row_parts, panel_parts;
    double *summaries;
    atomic_int out_of_memory;
};

static void product_part(void *data, size_t index) {
    struct work *w = data;
    const int64_t row = (int64_t)index % w->row_parts, panel = (int64_t)index / w->row_parts;
    const int64_t tile = w->variant->float_tile_rows;
    const int64_t channels = w->product.channels;
    const int64_t first = kokoro_cut(w->product_rows, tile, row, w->row_parts);
    const int64_t last = kokoro_cut(w->product_rows, tile, row + 1, w->row_parts);
    const int64_t more = (w->product.kernel_size - 1) / 2; /* pairs than those of the rows */
    const int64_t pair_size = FACTORS * channels;
    int64_t step = 2 * (FACTOR_BYTES / (pair_size * (int64_t)sizeof(float)) - more);
    step = round_up(step < 4 * tile ? 4 * tile : step, tile);
    if (step > last - first) step = last - first;

    struct scratch s = {.runtime = w->runtime};
    const int64_t size = (ceil_div(step, 2) + more) * pair_size;
    kokoro_reserve(&s, size, sizeof(float));
    if (!kokoro_allocate(&s)) {
        atomic_store(&w->out_of_memory, 1);
        return;
    }
    float *factors = kokoro_take(&s, size, sizeof(float));
    struct part part = {
        .first_panel = kokoro_cut(w->panels, w->variant->tile_panels, panel, w->panel_parts),
        .last_panel = kokoro_cut(w->panels, w->variant->tile_panels, panel + 1, w->panel_parts),
    };
    if (w->summaries) {
        part.summary = kokoro_summary(w->summaries, row, w->product.output.columns);
        kokoro_clear_summary(&part.summary, part.first_panel, part.last_panel);
    }
    struct float_product product = w->product;
    product.factors = factors;
    for (int64_t t = first; t < last; t += step) {
        part.first_row = product.row_origin = t;
        part.last_row = t + step < last ? t + step : last;
        w->variant->factor_pairs(&w->activation, t - w->halo,
                                 ceil_div(part.last_row - t, 2) + more, factors);
        w->variant->multiply_floats(&product, &part);
    }
    kokoro_release(&s);
}

static void cut_product(struct work *w) {
    const double operations = (double)w->product_rows * (double)w->panels * PANEL *
                              (double)w->product.kernel_size * (double)w->product.channels;
    const int64_t row_tiles = ceil_div(w->product_rows, w->variant->float_tile_rows);
    const int64_t panel_tiles = ceil_div(w->panels, w->variant->tile_panels);
    const int64_t parts = kokoro_parts(row_tiles * panel_tiles, operations, 1 << 20);
    const int64_t high = ceil_div(row_tiles, 8);
    w->row_parts = parts < high ? parts : high;
    w->panel_parts = parts / w->row_parts;
    if (w->panel_parts > panel_tiles) w->panel_parts = panel_tiles;
}

/* w->product but for its bias, halo, panels and product_rows are set. */
static const char *run(struct work *w, const struct kokoro_float_convolution *c,
                       int64_t output_rows, float *statistics) {
    const int64_t channels = c->in_channels, in_panels = round_up(channels, PANEL);
    const int64_t columns = w->product.output.columns;
    cut_product(w);
    const int64_t summaries = statistics ? w->row_parts * kokoro_summary_size(columns) : 0;
    struct scratch s = {.runtime = w->runtime};
    kokoro_reserve(&s, 2 * in_panels, sizeof(float));
    kokoro_reserve(&s, w->panels * PANEL, sizeof(float));
    kokoro_reserve(&s, summaries, sizeof(double));
    if (!kokoro_allocate(&s)) return "no memory";
    float *gain = kokoro_take(&s, 2 * in_panels, sizeof(float));
    float *bias = kokoro_take(&s, w->panels * PANEL, sizeof(float));
    double *of_parts = kokoro_take(&s, summaries, sizeof(double));

    memset(gain, 0, (size_t)(2 * in_panels) * sizeof *gain);
    for (int64_t i = 0; i < channels; i++) gain[i] = 1.0f;
    memset(bias, 0, (size_t)(w->panels * PANEL) * sizeof *bias);
    for (int64_t i = 0; i < columns; i++) bias[i] = c->bias[i % c->out_channels];
    w->activation = (struct activation){
        .kind = c->negative_slope == 1.0f ? PLAIN : AFFINE_LEAKY,
        .x = c->x,
        .rows = c->rows,
        .channels = channels,
        .gain = gain,
        .offset = gain + in_panels,
        .negative_slope = c->negative_slope,
    };
    w->product.bias = bias;
    w->summaries = statistics ? of_parts : NULL;
    w->runtime->parallel(w->runtime->context, product_part,
                         (size_t)(w->row_parts * w->panel_parts), w);
    if (statistics)
        kokoro_finish_statistics(of_parts, w->row_parts, columns, c->out_channels, output_rows,
                                 statistics);
    kokoro_release(&s);
    return atomic_load(&w->out_of_memory) ? "no memory" : NULL;
}

const char *kokoro_run_float_convolution(const struct runtime *runtime,
                                         const struct kokoro_float_convolution *c, float *y) {
    struct work w = {.variant = kokoro_variant(), .runtime = runtime};
    w.product_rows = kokoro_float_convolution_rows(c);
    w.panels = ceil_div(c->out_channels, PANEL);
    w.halo = c->pad_begin;
    w.product = (struct float_product){
        .tap_step = 1,
        .kernel_size = c->kernel_size,
        .channels = c->in_channels,
        .weight = c->weight,
        .output = {.y = y,
                   .scale = 1.0f,
                   .columns = c->out_channels,
                   .row_length = c->out_channels,
                   .last = w.product_rows * c->out_channels},
    };
    return run(&w, c, w.product_rows, NULL);
}

const char *kokoro_run_transposed_convolution(const struct runtime *runtime,
                                              const struct kokoro_float_convolution *c, float *y,
                                              float *statistics) {
    struct work w = {.variant = kokoro_variant(), .runtime = runtime};
    const int64_t columns = c->stride * c->out_channels;
    const int64_t output_rows = kokoro_transposed_convolution_rows(c);
    w.product_rows = c->rows + 1;
    w.panels = ceil_div(columns, PANEL);
    w.halo = 1;
    w.product = (struct float_product){
        .first_tap = 1,
        .tap_step = -1,
        .kernel_size = 2,
        .channels = c->in_channels,
        .weight = c->weight,
        .output = {.y = y,
                   .residual = c->residual,
                   .scale = 1.0f,
                   .columns = columns,
                   .row_length = columns,
                   .shift = (c->pad - c->reflect) * c->out_channels,
                   .first = c->reflect * c->out_channels,
                   .last = output_rows * c->out_channels,
                   .reflected = c->reflect * c->out_channels},
    };
    return run(&w, c, output_rows, statistics);
}

const char *kokoro_convolve_floats(const struct kokoro_float_convolution *c, float *y) {
    const char *wrong = kokoro_check_float_convolution(c);
    return wrong ? wrong : kokoro_run_float_convolution(&kokoro_plain_runtime, c, y);
}

const char *kokoro_convolve_transposed(const struct kokoro_float_convolution *c, float *y,
                                       float *statistics) {
    const char *wrong = kokoro_check_transposed_convolution(c);
    return wrong ? wrong
                 : kokoro_run_transposed_convolution(&kokoro_plain_runtime, c, y, statistics);
}
