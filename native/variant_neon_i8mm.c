#include "vectors_neon_i8mm.h"
#define VARIANT neon_i8mm
#include "kernels.h"
