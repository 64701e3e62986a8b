#include "vectors_avxvnni.h"
#define VARIANT avxvnni
#include "kernels.h"
