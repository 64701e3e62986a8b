/* Which variants this build has, which of them this processor runs, and which one is in use. */
#ifndef KOKORO_VARIANTS_H
#define KOKORO_VARIANTS_H

#include "variant.h"

/* The variant in use: the fastest that runs here unless one was chosen by name. */
const struct variant *kokoro_variant(void);

#endif
