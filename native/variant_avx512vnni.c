#include "vectors_avx512.h"
#define VARIANT avx512vnni
#include "kernels.h"
