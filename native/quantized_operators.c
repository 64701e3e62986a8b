/* The operators over 8-bit weights: shapes and pointers of a run, and attributes. */
#include "lstm.h"
#include "operators.h"
#include "pairs.h"
#include "statistics.h"

void kokoro_compute_quantized(const struct kernel *kernel, struct node *n) {
    struct kokoro_convolution c = kernel->convolution;
    c.x = kokoro_x(n, &c.rows, &c.in_channels);
    int64_t weight[] = {panels_of(c.out_channels), -1, groups_of(c.in_channels), PANEL, GROUP};
    int64_t per_output[] = {c.out_channels}, per_input[] = {c.in_channels};
    int64_t statistics_in[] = {STATISTICS, c.in_channels}, style[] = {1, 2 * c.in_channels};
    c.weight = kokoro_input(n, 1, "weight", 0, weight, 5);
    c.weight_taps = weight[1];
    int64_t runs[] = {weight[0], -1, weight[2]};
    c.runs = kokoro_input(n, 3, "runs", 0, runs, 3);
    c.run_taps = runs[1];
    int64_t sums[] = {kokoro_weight_sums(&c)};
    c.weight_sums = kokoro_input(n, 2, "weight_sums", 0, sums, 1);
    c.bias = kokoro_input(n, 4, "bias", 1, per_output, 1);
    c.statistics = kokoro_input(n, 5, "statistics", 1, statistics_in, 2);
    c.style = kokoro_input(n, 6, "style", 1, style, 2);
    c.alpha = kokoro_input(n, 7, "alpha", 1, per_input, 1);
    if (n->status || kokoro_refuse(n, ORT_INVALID_ARGUMENT, kokoro_check_convolution(&c))) return;
    int64_t y[] = {1, kokoro_convolution_rows(&c), c.out_channels};
    int64_t statistics[] = {STATISTICS, c.out_channels};
    c.residual = kokoro_input(n, 8, "residual", 1, y, 3);
    c.addend = kokoro_input(n, 9, "addend", 1, y, 3);
    float *to = kokoro_output(n, 0, y, 3);
    float *statistics_to = kokoro_output(n, 1, statistics, 2);
    if (n->status) return;
    kokoro_refuse(n, ORT_FAIL, kokoro_run_convolution(&n->runtime, &c, to, statistics_to));
}

/* The four inputs of a matrix, from input `first` on. */
static struct kokoro_matrix read_matrix(struct node *n, size_t first, int64_t channels,
                                        int64_t columns) {
    int64_t weight[] = {panels_of(columns), 1, groups_of(channels), PANEL, GROUP};
    int64_t per_column[] = {columns};
    struct kokoro_matrix matrix;
    matrix.weight = kokoro_input(n, first, "weight", 0, weight, 5);
    matrix.weight_sums = kokoro_input(n, first + 1, "weight_sums", 0, per_column, 1);
    matrix.runs = kokoro_input(n, first + 2, "runs", 0, weight, 3);
    matrix.weight_scales = kokoro_input(n, first + 3, "weight_scales", 0, per_column, 1);
    return matrix;
}

/* A convolution of one tap, whose scales are the columns' own and whose bias is not rounded. Its
 * columns may be several tensors side by side, each of which has a scale of the output. */
void kokoro_compute_matmul(const struct kernel *kernel, struct node *n) {
    int64_t rows, channels, per_output[] = {kernel->convolution.out_channels};
    const float *x = kokoro_x(n, &rows, &channels);
    const struct kokoro_matrix matrix = read_matrix(n, 1, channels, per_output[0]);
    struct kokoro_convolution c = kokoro_matmul(&matrix, rows, channels, per_output[0]);
    c.x = x;
    c.float_bias = kokoro_input(n, 5, "bias", 1, per_output, 1);
    int64_t count[] = {-1};
    const float *scales = kokoro_input(n, 6, "output_scales", 1, count, 1);
    if (n->status) return;
    if (scales == NULL) {
        scales = &c.output_scale;
        count[0] = 1;
    }
    const char *wrong = kokoro_check_convolution(&c);
    if (!wrong && (count[0] < 1 || count[0] > MOST_RESULTS))
        wrong = "output_scales must be 1 to 3 numbers";
    if (!wrong && count[0] > 1 && c.out_channels % (count[0] * PANEL))
        wrong = "channels must be a multiple of 16 for each of several outputs";
    if (kokoro_refuse(n, ORT_INVALID_ARGUMENT, wrong)) return;
    const int64_t y[] = {1, c.rows, c.out_channels / count[0]};
    float *to[MOST_RESULTS];
    for (int64_t i = 0; i < count[0]; i++) {
        to[i] = kokoro_output(n, (size_t)i, y, 3);
        if (!n->status && to[i] == NULL)
            kokoro_refuse(n, ORT_INVALID_ARGUMENT, "an output is missing for one of output_scales");
    }
    if (n->status) return;
    kokoro_refuse(n, ORT_FAIL, kokoro_run_products(&n->runtime, &c, count[0], to, scales));
}

void kokoro_compute_lstm(const struct kernel *kernel, struct node *n) {
    struct kokoro_lstm l = kernel->lstm;
    if (kokoro_refuse(n, ORT_INVALID_ARGUMENT, kokoro_check_hidden(l.hidden))) return;
    l.x = kokoro_x(n, &l.rows, &l.in_channels);
    int64_t columns[] = {8 * l.hidden}; /* four gates of two directions */
    l.input = read_matrix(n, 1, l.in_channels, columns[0]);
    l.recurrent = read_matrix(n, 5, l.hidden, columns[0]);
    l.bias = kokoro_input(n, 9, "bias", 0, columns, 1);
    if (n->status || kokoro_refuse(n, ORT_INVALID_ARGUMENT, kokoro_check_lstm(&l))) return;
    const int64_t y[] = {1, l.rows, 2 * l.hidden};
    float *to = kokoro_output(n, 0, y, 3);
    if (n->status) return;
    kokoro_refuse(n, ORT_FAIL, kokoro_run_lstm(&n->runtime, &l, to));
}

void kokoro_compute_block(const struct kernel *kernel, struct node *n) {
    struct residual_block b = kernel->block;
    int64_t x[] = {1, -1, -1};
    b.x = kokoro_input(n, 0, "x", 0, x, 3);
    b.rows = x[1];
    b.channels = x[2];
    int64_t statistics[] = {STATISTICS, b.channels}, style[] = {1, 2 * b.channels};
    int64_t per_channel[] = {b.channels};
    b.statistics = kokoro_input(n, 1, "statistics", 0, statistics, 2);
    b.addend = kokoro_input(n, 2, "addend", 1, x, 3);
    int64_t of_all[] = {BLOCK_CONVOLUTIONS * STATISTICS * b.channels}, one_number[] = {1};
    b.given = kokoro_input(n, 3, "given", 1, of_all, 1);
    const float *share = kokoro_input(n, 4, "share", 1, one_number, 1);
    for (size_t i = 0; i < BLOCK_CONVOLUTIONS; i++) {
        const size_t at = BLOCK_HEAD + BLOCK_OPERANDS * i;
        int64_t weight[] = {panels_of(b.channels), -1, groups_of(b.channels), PANEL, GROUP};
        b.operands[i].weight = kokoro_input(n, at, "weight", 0, weight, 5);
        b.operands[i].weight_taps = weight[1];
        int64_t runs[] = {weight[0], -1, weight[2]};
        b.operands[i].runs = kokoro_input(n, at + 2, "runs", 0, runs, 3);
        b.operands[i].run_taps = runs[1];
        const struct kokoro_convolution c = {.kernel_size = b.kernel_size,
                                             .weight_taps = weight[1],
                                             .run_taps = runs[1],
                                             .out_channels = b.channels};
        int64_t sums[] = {kokoro_weight_sums(&c)};
        b.operands[i].weight_sums = kokoro_input(n, at + 1, "weight_sums", 0, sums, 1);
        b.operands[i].bias = kokoro_input(n, at + 3, "bias", 0, per_channel, 1);
        b.operands[i].style = kokoro_input(n, at + 4, "style", 0, style, 2);
        b.operands[i].alpha = kokoro_input(n, at + 5, "alpha", 0, per_channel, 1);
    }
    if (n->status) return;
    if ((b.given == NULL) != (share == NULL)) {
        kokoro_refuse(n, ORT_INVALID_ARGUMENT, "given and share come together or not at all");
        return;
    }
    b.share = share ? *share : 0.0f;
    if (kokoro_refuse(n, ORT_INVALID_ARGUMENT, kokoro_check_residual_block(&b))) return;
    float *to = kokoro_output(n, 0, x, 3);
    float *statistics_to = kokoro_output(n, 1, statistics, 2);
    float *measured_to = kokoro_output(n, 2, of_all, 1);
    if (n->status) return;
    kokoro_refuse(n, ORT_FAIL,
                  kokoro_run_residual_block(&n->runtime, &b, to, statistics_to, measured_to));
}

const struct attribute kokoro_quantized_attributes[] = {
    LAYOUT,
    NAMED(convolution, "channels", out_channels, INTEGER),
    FIELD(convolution, kernel_size, INTEGER),
    FIELD(convolution, dilation, INTEGER),
    FIELD(convolution, stride, INTEGER),
    FIELD(convolution, pad_begin, INTEGER),
    FIELD(convolution, pad_end, INTEGER),
    FIELD(convolution, weight_scale, NUMBER),
    FIELD(convolution, epsilon, NUMBER),
    FIELD(convolution, negative_slope, NUMBER),
    FIELD(convolution, output_scale, NUMBER),
    {0},
};

const struct attribute kokoro_matmul_attributes[] = {
    LAYOUT,
    NAMED(convolution, "channels", out_channels, INTEGER),
    {0},
};

const struct attribute kokoro_lstm_attributes[] = {
    LAYOUT,
    FIELD(lstm, hidden, INTEGER),
    {0},
};

const struct attribute kokoro_block_attributes[] = {
    LAYOUT,
    FIELD(block, kernel_size, INTEGER),
    FIELD(block, dilations, INTEGERS),
    FIELD(block, weight_scales, NUMBERS),
    FIELD(block, epsilon, NUMBER),
    FIELD(block, output_scale, NUMBER),
    {0},
};
