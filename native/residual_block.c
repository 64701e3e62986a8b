/* ResidualBlock works in place: what a pair adds to lies in y, and its second convolution writes
 * each sum where it has just read one of its terms. Beside x and y that takes one tensor more. */
#include "residual_block.h"
#include "statistics.h"

#include <stddef.h>

static struct kokoro_convolution convolution_of(const struct residual_block *block, int index) {
    const int64_t reach = block->dilations[index] * (block->kernel_size - 1);
    return (struct kokoro_convolution){
        .rows = block->rows,
        .in_channels = block->channels,
        .out_channels = block->channels,
        .kernel_size = block->kernel_size,
        .dilation = block->dilations[index],
        .stride = 1,
        .pad_begin = reach / 2,
        .pad_end = reach / 2,
        .weight_scale = block->weight_scales[index],
        .weight_zero_point = block->weight_zero_points[index],
        .epsilon = block->epsilon,
        .negative_slope = 1.0f,
        .output_scale = 1.0f,
        .weight = block->operands[index].weight,
        .weight_sums = block->operands[index].weight_sums,
        .bias = block->operands[index].bias,
        .style = block->operands[index].style,
        .alpha = block->operands[index].alpha,
    };
}

const char *kokoro_check_residual_block(const struct residual_block *block) {
    if (block->kernel_size % 2 == 0) return "kernel_size must be odd, for rows to stay as many";
    for (int i = 0; i < BLOCK_CONVOLUTIONS; i++) {
        struct kokoro_convolution c = convolution_of(block, i);
        c.statistics = block->statistics;
        const char *wrong = kokoro_check_convolution(&c);
        if (wrong) return wrong;
    }
    return NULL;
}

const char *kokoro_run_residual_block(const struct runtime *runtime,
                                      const struct residual_block *block, float *y,
                                      float *statistics) {
    const int64_t elements = block->rows * block->channels;
    const int64_t statistics_size = STATISTICS * block->channels;
    struct scratch s = {.runtime = runtime};
    kokoro_reserve(&s, elements, sizeof(float));
    kokoro_reserve(&s, statistics_size, sizeof(float));
    kokoro_reserve(&s, statistics_size, sizeof(float));
    if (!kokoro_allocate(&s)) return "no memory";
    float *between = kokoro_take(&s, elements, sizeof(float));
    float *statistics_between = kokoro_take(&s, statistics_size, sizeof(float));
    float *statistics_of_sum = kokoro_take(&s, statistics_size, sizeof(float));

    const float *sum = block->x, *of_sum = block->statistics;
    const char *wrong = NULL;
    for (int i = 0; i < BLOCK_CONVOLUTIONS && !wrong; i += 2) {
        const int last = i + 2 == BLOCK_CONVOLUTIONS;
        struct kokoro_convolution first = convolution_of(block, i);
        first.x = sum;
        first.statistics = of_sum;
        wrong = kokoro_run_convolution(runtime, &first, between, statistics_between);
        if (wrong) break;
        struct kokoro_convolution second = convolution_of(block, i + 1);
        second.x = between;
        second.statistics = statistics_between;
        second.residual = sum;
        second.addend = last ? block->addend : NULL;
        second.output_scale = last ? block->output_scale : 1.0f;
        wrong = kokoro_run_convolution(runtime, &second, y, last ? statistics : statistics_of_sum);
        sum = y;
        of_sum = statistics_of_sum;
    }
    kokoro_release(&s);
    return wrong;
}
