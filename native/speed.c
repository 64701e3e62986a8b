/* How near a convolution comes to what the processor can do. */
#define _POSIX_C_SOURCE 199309L
#include "convolution.h"
#include "variants.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

/* The best of many short runs, in turns: one that nothing else on the machine got in the way of. */
enum { REPEATS = 400, ROUNDS = 2000 };

/* A convolution of the generator, with rows that a part of one has. Weights are of -3 to 3: in runs
 * of 21 groups a lane sums 21 x 2 x 3 = 126, see runs.h. */
enum { ROWS = 60, CHANNELS = 128, TAPS = 7, WIDEST = 3, GROUPS = CHANNELS / GROUP, RUN = 21 };
enum { WEIGHTS = CHANNELS * CHANNELS * TAPS };

static double now_s(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void raise_to(double *best, double operations, double seconds) {
    if (operations > *best * seconds) *best = operations / seconds;
}

const char *kokoro_measure(double *peak, double *reached) {
    struct scratch s = {.runtime = &kokoro_plain_runtime};
    kokoro_reserve(&s, WEIGHTS, 1);
    kokoro_reserve(&s, CHANNELS / PANEL * TAPS * GROUPS, 1);
    kokoro_reserve(&s, CHANNELS, sizeof(int32_t));
    kokoro_reserve(&s, ROWS * CHANNELS, sizeof(float));
    kokoro_reserve(&s, ROWS * CHANNELS, sizeof(float));
    if (!kokoro_allocate(&s)) return "no memory";
    int8_t *weight = kokoro_take(&s, WEIGHTS, 1);
    uint8_t *runs = kokoro_take(&s, CHANNELS / PANEL * TAPS * GROUPS, 1);
    int32_t *sums = kokoro_take(&s, CHANNELS, sizeof *sums);
    float *x = kokoro_take(&s, ROWS * CHANNELS, sizeof *x);
    float *y = kokoro_take(&s, ROWS * CHANNELS, sizeof *y);
    for (int i = 0; i < WEIGHTS; i++) weight[i] = (int8_t)(i * 5 % (2 * WIDEST + 1) - WIDEST);
    memset(runs, 0, CHANNELS / PANEL * TAPS * GROUPS);
    for (int i = 0; i < CHANNELS / PANEL * TAPS; i++) {
        runs[i * GROUPS] = RUN;
        runs[i * GROUPS + 1] = GROUPS - RUN;
    }
    memset(sums, 0, CHANNELS * sizeof *sums);
    for (int i = 0; i < ROWS * CHANNELS; i++) x[i] = (float)(i * 37 % 101 - 50);
    const struct kokoro_convolution c = {
        .rows = ROWS, .in_channels = CHANNELS, .out_channels = CHANNELS, .kernel_size = TAPS,
        .weight_taps = TAPS, .run_taps = TAPS, .dilation = 1, .stride = 1, .pad_begin = TAPS / 2,
        .pad_end = TAPS / 2, .weight_scale = 1.0f, .negative_slope = 1.0f, .output_scale = 1.0f,
        .x = x, .weight = weight, .weight_sums = sums, .runs = runs,
    };
    const char *wrong = NULL;
    *peak = *reached = 0;
    for (int i = 0; i < REPEATS && !wrong; i++) {
        const double start = now_s();
        const double operations = (double)kokoro_variant()->multiply_registers(ROUNDS);
        const double middle = now_s();
        wrong = kokoro_convolve(&c, y, NULL);
        raise_to(peak, operations, middle - start);
        raise_to(reached, (double)ROWS * WEIGHTS, now_s() - middle);
    }
    kokoro_release(&s);
    return wrong;
}
