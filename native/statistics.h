/* Statistics of channels over time: mean, biased variance, least and greatest value. */
#ifndef KOKORO_STATISTICS_H
#define KOKORO_STATISTICS_H

#include "runtime.h"
#include "variant.h"

enum { STATISTICS = 4 }; /* rows of the tensor */

/* One summary after the other, a part of the rows each: what that takes in doubles, where the one
 * of a part lies, and how it begins. */
int64_t kokoro_summary_size(int64_t columns);
struct summary kokoro_summary(double *memory, int64_t part, int64_t columns);
void kokoro_clear_summary(const struct summary *, int64_t first_panel, int64_t last_panel);

/* From the summaries of all parts, where column c belongs to channel c % channels, to the
 * [STATISTICS, channels] of `rows` values each. */
void kokoro_finish_statistics(double *memory, int64_t parts, int64_t columns, int64_t channels,
                              int64_t rows, float *statistics);

/* Those of two stretches of rows together; `share`, 0 to 1, of both is the given one's. At 0 only
 * the measured ones count, bit for bit; beyond that the range is of both, whatever the share.
 * `joined` is neither. */
void kokoro_join_statistics(const float *measured, const float *given, float share,
                            int64_t channels, float *joined);

const char *kokoro_run_channel_statistics(const struct runtime *, const float *x, int64_t rows,
                                          int64_t channels, float *statistics);

#endif
