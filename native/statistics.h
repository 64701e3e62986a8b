/* Means and variances over time from the sums that parts of the rows left behind. */
#ifndef KOKORO_STATISTICS_H
#define KOKORO_STATISTICS_H

#include "runtime.h"

/* From `parts` times [2, columns in whole panels], where column c belongs to channel
 * c % channels, to [2, channels]: mean and biased variance of `rows` values each. */
void kokoro_finish_statistics(const double *sums, int64_t parts, int64_t columns, int64_t channels,
                              int64_t rows, float *statistics);

const char *kokoro_run_channel_statistics(const struct runtime *, const float *x, int64_t rows,
                                          int64_t channels, float *statistics);

#endif
