/* HarmonicSource: the sines of a pitch and its multiples, which excite the generator. */
#ifndef KOKORO_HARMONIC_SOURCE_H
#define KOKORO_HARMONIC_SOURCE_H

#include "kokoro_ops.h"
#include "runtime.h"

/* NULL, or what is wrong with sizes and attributes. */
const char *kokoro_check_harmonic_source(const struct kokoro_harmonic_source *);

/* Arguments that were checked. */
void kokoro_run_harmonic_source(const struct runtime *, const struct kokoro_harmonic_source *,
                                float *signal);

#endif
