/* Conv and ConvTranspose: shapes and pointers of a run, and attributes. */
#include "operators.h"
#include "statistics.h"

void kokoro_compute_float(const struct kernel *kernel, struct node *n) {
    struct kokoro_float_convolution c = kernel->float_convolution;
    c.x = kokoro_x(n, &c.rows, &c.in_channels);
    int64_t weight[] = {panels_of(c.out_channels), c.kernel_size, c.in_channels, PANEL};
    int64_t bias[] = {c.out_channels};
    c.weight = kokoro_input(n, 1, "weight", 0, weight, 4);
    c.bias = kokoro_input(n, 2, "bias", 0, bias, 1);
    if (n->status || kokoro_refuse(n, ORT_INVALID_ARGUMENT, kokoro_check_float_convolution(&c)))
        return;
    const int64_t y[] = {1, kokoro_float_convolution_rows(&c), c.out_channels};
    float *to = kokoro_output(n, 0, y, 3);
    if (n->status) return;
    kokoro_refuse(n, ORT_FAIL, kokoro_run_float_convolution(&n->runtime, &c, to));
}

void kokoro_compute_transposed(const struct kernel *kernel, struct node *n) {
    struct kokoro_float_convolution c = kernel->float_convolution;
    c.x = kokoro_x(n, &c.rows, &c.in_channels);
    if (n->status ||
        kokoro_refuse(n, ORT_INVALID_ARGUMENT, kokoro_check_transposed_convolution(&c)))
        return;
    int64_t weight[] = {panels_of(c.stride * c.out_channels), 2, c.in_channels, PANEL};
    int64_t bias[] = {c.out_channels};
    c.weight = kokoro_input(n, 1, "weight", 0, weight, 4);
    c.bias = kokoro_input(n, 2, "bias", 0, bias, 1);
    int64_t y[] = {1, kokoro_transposed_convolution_rows(&c), c.out_channels};
    const int64_t statistics[] = {STATISTICS, c.out_channels};
    c.residual = kokoro_input(n, 3, "residual", 1, y, 3);
    float *to = kokoro_output(n, 0, y, 3);
    float *statistics_to = kokoro_output(n, 1, statistics, 2);
    if (n->status) return;
    kokoro_refuse(n, ORT_FAIL,
                  kokoro_run_transposed_convolution(&n->runtime, &c, to, statistics_to));
}

const struct attribute kokoro_float_attributes[] = {
    NAMED(float_convolution, "channels", out_channels, INTEGER),
    FIELD(float_convolution, kernel_size, INTEGER),
    FIELD(float_convolution, pad_begin, INTEGER),
    FIELD(float_convolution, pad_end, INTEGER),
    FIELD(float_convolution, negative_slope, NUMBER),
    {0},
};

const struct attribute kokoro_transposed_attributes[] = {
    NAMED(float_convolution, "channels", out_channels, INTEGER),
    FIELD(float_convolution, stride, INTEGER),
    FIELD(float_convolution, pad, INTEGER),
    FIELD(float_convolution, reflect, INTEGER),
    FIELD(float_convolution, negative_slope, NUMBER),
    {0},
};
