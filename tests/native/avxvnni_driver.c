/* The driver with the AVX-VNNI kernels in the place of those of AVX512: their one instruction that
 * AVX512-VNNI spells otherwise is replaced by its twin, so a processor with only the latter runs
 * everything else of them. */
#include "variants_driver.c"

#define _mm256_dpbusd_avx_epi32 _mm256_dpbusd_epi32
#include "vectors_avxvnni.h"
#define VARIANT avx512vnni
#include "kernels.h"
