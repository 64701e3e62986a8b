/* What a product in pairs of rows needs beside a plain one: the sizes of differences, their memory,
 * and what is added for them. */
#ifndef KOKORO_PAIRS_H
#define KOKORO_PAIRS_H

#include "kokoro_ops.h"
#include "runtime.h"
#include "variant.h"

/* How often differences are made of the weights: of taps, and of those, see README.md. */
int kokoro_difference_levels(const struct kokoro_convolution *);
/* How many sums of weights there are. */
int64_t kokoro_weight_sums(const struct kokoro_convolution *);

/* The taps of what a convolution needs; whether there are differences of weights at all. */
int kokoro_set_up_pairs(struct pairs *, const struct kokoro_convolution *);
/* Rows of padding beyond the last one, which the last differences are made of. */
int64_t kokoro_rows_beyond(const struct kokoro_convolution *);

/* Reserve and take the memory of what belongs to weights; columns in whole panels. */
void kokoro_reserve_pairs(const struct pairs *, struct scratch *, int64_t row_size, int64_t columns);
void kokoro_take_pairs(struct pairs *, struct scratch *, int64_t row_size, int64_t columns);
/* The sizes of the differences of so many output rows; reserve and take their memory. */
void kokoro_count_differences(struct pairs *, int64_t rows, int64_t dilation);
void kokoro_reserve_differences(const struct pairs *, struct scratch *, int64_t row_size);
void kokoro_take_differences(struct pairs *, struct scratch *, int64_t row_size);
/* Makes the differences of a panel's weights. */
void kokoro_subtract_weights(const struct pairs *, const struct kokoro_convolution *,
                             int64_t panel);
/* From the terms of the columns of a plain product. */
void kokoro_set_up_pair_terms(struct pairs *, const struct kokoro_convolution *,
                              const int32_t *terms, int activation_offset);

#endif
