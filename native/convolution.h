/* The operators over a runtime; kokoro_ops.h says what the fields of their arguments mean. */
#ifndef KOKORO_CONVOLUTION_H
#define KOKORO_CONVOLUTION_H

#include "kokoro_ops.h"
#include "runtime.h"

/* A product with a matrix [channels, columns] as a convolution of one tap; x is left to the caller. */
struct kokoro_convolution kokoro_matmul(const struct kokoro_matrix *, int64_t rows,
                                        int64_t channels, int64_t columns);

/* NULL, or what is wrong with sizes and attributes. */
const char *kokoro_check_convolution(const struct kokoro_convolution *);
const char *kokoro_check_float_convolution(const struct kokoro_float_convolution *);
const char *kokoro_check_transposed_convolution(const struct kokoro_float_convolution *);

/* Arguments that were checked. NULL, or what is wrong. */
const char *kokoro_run_convolution(const struct runtime *, const struct kokoro_convolution *,
                                   float *y, float *statistics);
/* The same with the columns cut into `count` equal tensors, which are whole panels where there are
 * several, each multiplied by its scale; without statistics. */
const char *kokoro_run_products(const struct runtime *, const struct kokoro_convolution *,
                                int64_t count, float *const *y, const float *scales);
const char *kokoro_run_float_convolution(const struct runtime *,
                                         const struct kokoro_float_convolution *, float *y);
const char *kokoro_run_transposed_convolution(const struct runtime *,
                                              const struct kokoro_float_convolution *, float *y,
                                              float *statistics);

#endif
