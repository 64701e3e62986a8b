#include "vectors_portable.h"
#define VARIANT portable
#include "kernels.h"
