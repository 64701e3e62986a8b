/* What a convolution makes of x on the way to 8 bits, and the range, scale and zero point of that. */
#ifndef KOKORO_QUANTIZATION_H
#define KOKORO_QUANTIZATION_H

#include "kokoro_ops.h"
#include "variant.h"

/* AdaIN and Snake per channel. x, rows and channels are the caller's; `vectors` has room for four
 * of in_channels in whole panels. */
void kokoro_set_up_activation(struct activation *, const struct kokoro_convolution *,
                              float *vectors);

/* Whether the statistics tell the range of the activations. */
int kokoro_knows_ends(const struct kokoro_convolution *);

/* What to take the range of: the least and greatest of each channel, or all of x. */
struct activation kokoro_ends_of(const struct activation *, const struct kokoro_convolution *);

/* Scale and zero point for what lies in all the ranges. */
void kokoro_settle_range(struct quantization *, const struct range *, int64_t count);

#endif
