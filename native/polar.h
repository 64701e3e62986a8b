/* PolarToCartesian: the spectrum of the sound from what the generator says of it. */
#ifndef KOKORO_POLAR_H
#define KOKORO_POLAR_H

#include "runtime.h"

/* NULL, or what is wrong with the sizes. */
const char *kokoro_check_polar(int64_t rows, int64_t channels);

/* Arguments that were checked. */
void kokoro_run_polar_to_cartesian(const struct runtime *, const float *x, int64_t rows,
                                   int64_t channels, float *y);

#endif
