/* DynamicQuantizeLSTM: one product for all that x gives of the gates, of both directions; then a
 * direction step by step, each on a thread of its own. */
#include "lstm.h"
#include "convolution.h"
#include "variants.h"

#include <string.h>

enum { DIRECTIONS = 2, GATES = 4 };

static int64_t columns_of(const struct kokoro_lstm *l) { return DIRECTIONS * GATES * l->hidden; }

const char *kokoro_check_hidden(int64_t hidden) {
    if (hidden < 1 || hidden > INT32_MAX / (DIRECTIONS * GATES)) return "hidden must be 1 or more";
    /* For a state to be whole groups, and the columns of a direction whole panels. */
    return hidden % (PANEL / GATES) ? "hidden must be a multiple of 4" : NULL;
}

const char *kokoro_check_lstm(const struct kokoro_lstm *l) {
    const char *of_hidden = kokoro_check_hidden(l->hidden);
    if (of_hidden) return of_hidden;
    const struct kokoro_convolution of_x =
        kokoro_matmul(&l->input, l->rows, l->in_channels, columns_of(l));
    const struct kokoro_convolution of_state =
        kokoro_matmul(&l->recurrent, 1, l->hidden, columns_of(l));
    const char *wrong = kokoro_check_convolution(&of_x);
    return wrong ? wrong : kokoro_check_convolution(&of_state);
}

struct work {
    const struct variant *variant;
    const struct kokoro_lstm *lstm;
    const float *gates; /* [rows, columns] */
    const float *at_rest; /* the state before the first step */
    struct recurrence recurrences[DIRECTIONS];
    float *y;
};

static void direction(void *data, size_t index) {
    const struct work *w = data;
    const struct recurrence *r = w->recurrences + index;
    const int64_t rows = w->lstm->rows, hidden = r->hidden, length = DIRECTIONS * hidden;
    const int64_t at = (int64_t)index;
    const float *before = w->at_rest;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t t = at == 0 ? i : rows - 1 - i;
        float *const state = w->y + t * length + at * hidden;
        w->variant->step(r, w->gates + (t * DIRECTIONS + at) * GATES * hidden, before, state);
        before = state;
    }
}

static struct recurrence recurrence_of(const struct kokoro_lstm *l, int64_t at) {
    const int64_t columns = GATES * l->hidden, first = at * columns;
    const int64_t row_size = l->hidden; /* whole groups, see kokoro_check_hidden */
    return (struct recurrence){
        .hidden = l->hidden,
        .sums = l->recurrent.weight_sums + first,
        .scales = l->recurrent.weight_scales + first,
        .bias = l->bias + first,
        .quantization = {.row_size = row_size},
        .product =
            {
                .row_size = row_size,
                .stride = 1,
                .dilation = 1,
                .kernel_size = 1,
                .groups = row_size / GROUP,
                .taps = 1,
                .tap_step = 1,
                .panel_taps = 1,
                .run_taps = 1,
                .weight = l->recurrent.weight + first * row_size,
                .runs = l->recurrent.runs + first / PANEL * (row_size / GROUP),
                .output = {.scale = 1.0f, .columns = columns, .row_length = columns,
                           .last = columns},
            },
    };
}

static void reserve(const struct recurrence *r, struct scratch *s) {
    const int64_t columns = GATES * r->hidden;
    kokoro_reserve(s, r->quantization.row_size, 1);
    kokoro_reserve(s, columns, sizeof(int32_t));
    kokoro_reserve(s, 2 * columns, sizeof(float));
    kokoro_reserve(s, round_up(r->hidden, PANEL), sizeof(float));
}

static void take(struct recurrence *r, struct scratch *s) {
    const int64_t columns = GATES * r->hidden;
    r->product.rows = r->quantization.rows = kokoro_take(s, r->quantization.row_size, 1);
    r->product.column_terms = r->terms = kokoro_take(s, columns, sizeof(int32_t));
    r->product.scales = r->step_scales = kokoro_take(s, 2 * columns, sizeof(float));
    r->product.output.y = r->gates = r->step_scales + columns;
    r->cell = kokoro_take(s, round_up(r->hidden, PANEL), sizeof(float));
    memset(r->cell, 0, (size_t)round_up(r->hidden, PANEL) * sizeof *r->cell);
}

const char *kokoro_run_lstm(const struct runtime *runtime, const struct kokoro_lstm *l, float *y) {
    struct work w = {.variant = kokoro_variant(), .lstm = l, .y = y};
    struct scratch s = {.runtime = runtime};
    const int64_t of_x = l->rows * columns_of(l);
    kokoro_reserve(&s, of_x, sizeof(float));
    kokoro_reserve(&s, l->hidden, sizeof(float));
    for (int64_t i = 0; i < DIRECTIONS; i++) {
        w.recurrences[i] = recurrence_of(l, i);
        reserve(w.recurrences + i, &s);
    }
    if (!kokoro_allocate(&s)) return "no memory";
    float *const gates = kokoro_take(&s, of_x, sizeof(float));
    float *const at_rest = kokoro_take(&s, l->hidden, sizeof(float));
    memset(at_rest, 0, (size_t)l->hidden * sizeof *at_rest);
    for (int64_t i = 0; i < DIRECTIONS; i++) take(w.recurrences + i, &s);
    w.gates = gates;
    w.at_rest = at_rest;
    struct kokoro_convolution product =
        kokoro_matmul(&l->input, l->rows, l->in_channels, columns_of(l));
    product.x = l->x;
    const char *wrong = kokoro_run_convolution(runtime, &product, gates, NULL);
    if (!wrong) runtime->parallel(runtime->context, direction, DIRECTIONS, &w);
    kokoro_release(&s);
    return wrong;
}

const char *kokoro_recur(const struct kokoro_lstm *l, float *y) {
    const char *wrong = kokoro_check_lstm(l);
    return wrong ? wrong : kokoro_run_lstm(&kokoro_plain_runtime, l, y);
}
