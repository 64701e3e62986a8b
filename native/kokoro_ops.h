/* The library's functions for other languages. Names of variants are ASCII; no function keeps a
 * pointer that it is given. */
#ifndef KOKORO_OPS_H
#define KOKORO_OPS_H

#include <stdint.h>

#define KOKORO_EXPORT __attribute__((visibility("default")))

/* The variants compiled into this library, fastest first; NULL beyond the last. */
KOKORO_EXPORT const char *kokoro_variant_name(int index);
/* Whether this processor, under this operating system, runs the variant of that index, if the latter
 * permits it. */
KOKORO_EXPORT int kokoro_variant_runs(int index);
/* Asks the operating system for what a variant that runs here needs: NULL, or why it refuses. */
KOKORO_EXPORT const char *kokoro_variant_refusal(int index);
KOKORO_EXPORT const char *kokoro_variant_in_use(void);
/* For tests and reports of faults, and not while anything runs: 0, or -1 for a name that is not
 * there or does not run here. */
KOKORO_EXPORT int kokoro_use_variant(const char *name);

/* The layout of packed weights that the variant in use reads, see README.md: its number, which is a
 * new one with every change, and its name. Who packs them asks, since a library may have been
 * compiled long before. */
KOKORO_EXPORT int kokoro_layout(void);
KOKORO_EXPORT const char *kokoro_layout_name(void);

/* The number of the set of operators of the domain, which is a new one whenever an operator is added
 * or takes other inputs. Libraries before the second set have no such function. */
KOKORO_EXPORT int kokoro_operator_set(void);

/* Multiply-adds of bytes in a second on one thread, by the variant in use: `peak` of its instructions
 * with nothing but registers, `reached` of a convolution of a usual size, quantization and output
 * included. Takes a tenth of a second. Returns NULL or what is wrong. */
KOKORO_EXPORT const char *kokoro_measure(double *peak, double *reached);

/* One operator with all of its inputs and attributes; NULL for what is missing. `style` needs
 * `statistics`; without it they only tell the range of x. */
struct kokoro_convolution {
    int64_t rows, in_channels, out_channels; /* x is [rows, in_channels] */
    int64_t kernel_size, dilation, stride, pad_begin, pad_end;
    int64_t weight_taps; /* kernel_size, or more times that, see README.md */
    int64_t run_taps;    /* weight_taps, or more where differences of weights are used */
    float weight_scale, epsilon, negative_slope, output_scale;
    const float *x;
    const int8_t *weight; /* in the layout of the variant in use */
    const int32_t *weight_sums; /* [out_channels], and of each part of differences */
    const uint8_t *runs; /* see runs.h */
    const float *bias, *statistics, *style, *alpha, *residual, *addend;
    const float *weight_scales; /* of the outputs, in the place of weight_scale */
    const float *float_bias;    /* of the outputs, in the place of bias: added to what was scaled */
};

struct kokoro_float_convolution {
    int64_t rows, in_channels, out_channels;
    int64_t kernel_size;        /* convolution */
    int64_t pad_begin, pad_end; /* convolution */
    int64_t stride, pad, reflect; /* transposed convolution */
    float negative_slope;
    const float *x, *weight, *bias, *residual;
};

struct kokoro_harmonic_source {
    int64_t frames, harmonics, factor; /* samples per frame */
    float amplitude, threshold, silence;
    const float *phase, *f0, *weight, *bias; /* [frames, harmonics], [frames], [harmonics], [1] */
};

/* A bidirectional LSTM. Columns are those of the forward direction, then of the backward one, each
 * with 4 times `hidden`: the input gate, the output gate, the forget gate, the cell. */
struct kokoro_lstm {
    int64_t rows, in_channels, hidden; /* x is [rows, in_channels] */
    const float *x;
    struct kokoro_matrix {
        const int8_t *weight; /* in the layout of the variant in use */
        const int32_t *weight_sums;
        const uint8_t *runs;
        const float *weight_scales;
    } input, recurrent; /* of x, and of the state before */
    const float *bias;
};

/* The operators and their stages on the calling thread. All return NULL or what is wrong, a text
 * that is never freed. Output rows: kokoro_convolution_rows and its like, at most 0 where the
 * shapes leave none. */
KOKORO_EXPORT int64_t kokoro_convolution_rows(const struct kokoro_convolution *);
KOKORO_EXPORT int64_t kokoro_float_convolution_rows(const struct kokoro_float_convolution *);
KOKORO_EXPORT int64_t kokoro_transposed_convolution_rows(const struct kokoro_float_convolution *);
/* y [output rows, out_channels]; statistics [4, out_channels] (mean, biased
 * variance, least and greatest value over time) or NULL. */
KOKORO_EXPORT const char *kokoro_convolve(const struct kokoro_convolution *, float *y,
                                          float *statistics);
KOKORO_EXPORT const char *kokoro_convolve_floats(const struct kokoro_float_convolution *,
                                                 float *y);
KOKORO_EXPORT const char *kokoro_convolve_transposed(const struct kokoro_float_convolution *,
                                                     float *y, float *statistics);
KOKORO_EXPORT const char *kokoro_channel_statistics(const float *x, int64_t rows, int64_t channels,
                                                    float *statistics);
/* signal [frames * factor]. */
KOKORO_EXPORT const char *kokoro_synthesize(const struct kokoro_harmonic_source *, float *signal);
/* x and y [rows, channels]: half of the channels are logarithms or real parts. */
KOKORO_EXPORT const char *kokoro_polar_to_cartesian(const float *x, int64_t rows,
                                                    int64_t channels, float *y);
/* y [rows, 2 hidden]: the states of the forward direction, and those of the backward one. */
KOKORO_EXPORT const char *kokoro_recur(const struct kokoro_lstm *, float *y);
/* The activations of a convolution as uint8 [rows, in_channels], their scale and zero point. */
KOKORO_EXPORT const char *kokoro_quantize(const struct kokoro_convolution *, uint8_t *q,
                                          float *scale, int32_t *zero_point);
/* The integers of a convolution of given uint8 [rows, in_channels], without its bias:
 * [output rows, out_channels]. x, scales and the optional inputs are not read. */
KOKORO_EXPORT const char *kokoro_convolve_integers(const struct kokoro_convolution *,
                                                   const uint8_t *q, int32_t zero_point,
                                                   int32_t *accumulators);

#endif
