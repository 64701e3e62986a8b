/* ResidualBlock works in place: what a pair adds to lies in y, and its second convolution writes
 * each sum where it has just read one of its terms. Beside x and y that takes one tensor more. */
#include "residual_block.h"
#include "statistics.h"

#include <string.h>

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
        .epsilon = block->epsilon,
        .negative_slope = 1.0f,
        .output_scale = 1.0f,
        .weight = block->operands[index].weight,
        .weight_taps = block->operands[index].weight_taps,
        .run_taps = block->operands[index].run_taps,
        .weight_sums = block->operands[index].weight_sums,
        .runs = block->operands[index].runs,
        .bias = block->operands[index].bias,
        .style = block->operands[index].style,
        .alpha = block->operands[index].alpha,
    };
}

const char *kokoro_check_residual_block(const struct residual_block *block) {
    if (block->kernel_size % 2 == 0) return "kernel_size must be odd, for rows to stay as many";
    if (!(block->share >= 0.0f && block->share <= 1.0f)) return "share must be 0 to 1";
    for (int i = 0; i < BLOCK_CONVOLUTIONS; i++) {
        struct kokoro_convolution c = convolution_of(block, i);
        c.statistics = block->statistics;
        const char *wrong = kokoro_check_convolution(&c);
        if (wrong) return wrong;
    }
    return NULL;
}

/* What the AdaIN of a convolution takes for the statistics of its input. */
static const float *statistics_for(const struct residual_block *block, int index,
                                   const float *measured, float *joined) {
    if (block->given == NULL) return measured;
    kokoro_join_statistics(measured, block->given + index * STATISTICS * block->channels,
                           block->share, block->channels, joined);
    return joined;
}

const char *kokoro_run_residual_block(const struct runtime *runtime,
                                      const struct residual_block *block, float *y,
                                      float *statistics, float *measured) {
    const int64_t elements = block->rows * block->channels;
    const int64_t statistics_size = STATISTICS * block->channels;
    struct scratch s = {.runtime = runtime};
    kokoro_reserve(&s, elements, sizeof(float));
    kokoro_reserve(&s, BLOCK_CONVOLUTIONS * statistics_size, sizeof(float));
    kokoro_reserve(&s, statistics_size, sizeof(float));
    if (!kokoro_allocate(&s)) return "no memory";
    float *between = kokoro_take(&s, elements, sizeof(float));
    float *own = kokoro_take(&s, BLOCK_CONVOLUTIONS * statistics_size, sizeof(float));
    float *joined = kokoro_take(&s, statistics_size, sizeof(float));
    memcpy(own, block->statistics, (size_t)statistics_size * sizeof *own);

    const float *sum = block->x;
    const char *wrong = NULL;
    for (int i = 0; i < BLOCK_CONVOLUTIONS && !wrong; i += 2) {
        const int last = i + 2 == BLOCK_CONVOLUTIONS;
        float *of_first = own + i * statistics_size, *of_second = of_first + statistics_size;
        struct kokoro_convolution first = convolution_of(block, i);
        first.x = sum;
        first.statistics = statistics_for(block, i, of_first, joined);
        wrong = kokoro_run_convolution(runtime, &first, between, of_second);
        if (wrong) break;
        struct kokoro_convolution second = convolution_of(block, i + 1);
        second.x = between;
        second.statistics = statistics_for(block, i + 1, of_second, joined);
        second.residual = sum;
        second.addend = last ? block->addend : NULL;
        second.output_scale = last ? block->output_scale : 1.0f;
        wrong = kokoro_run_convolution(runtime, &second, y,
                                       last ? statistics : of_second + statistics_size);
        sum = y;
    }
    if (measured && !wrong)
        memcpy(measured, own, (size_t)(BLOCK_CONVOLUTIONS * statistics_size) * sizeof *own);
    kokoro_release(&s);
    return wrong;
}
