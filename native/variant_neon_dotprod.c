#include "vectors_neon_dotprod.h"
#define VARIANT neon_dotprod
#include "kernels.h"
