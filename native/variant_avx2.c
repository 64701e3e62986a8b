#include "vectors_avx2.h"
#define VARIANT avx2
#include "kernels.h"
