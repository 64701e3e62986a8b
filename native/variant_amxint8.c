#include "vectors_avx512.h"
#define VARIANT amxint8
#define IN_TILES 1
#include "kernels.h"
