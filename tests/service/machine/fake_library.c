// Stands in for libcudart, libcudnn or libnvinfer: VERSION is what it tells.

#include <stddef.h>
#include <stdlib.h>

#ifdef CRASH
__attribute__((constructor)) static void crash(void) { abort(); }
#endif

int cudaRuntimeGetVersion(int *version) {
  if (!version) return 1;
  *version = VERSION;
  return VERSION ? 0 : 35;
}

size_t cudnnGetVersion(void) { return VERSION; }

int getInferLibVersion(void) { return VERSION; }
