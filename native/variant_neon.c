#include "vectors_neon_base.h"
#define VARIANT neon
#include "kernels.h"
