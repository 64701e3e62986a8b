// Stands in for NVIDIA's driver, of which only the functions that are asked are here. What it says
// is told by the environment: FAKE_INIT (code of cuInit), FAKE_VERSION, FAKE_GPUS, FAKE_CRASH.
// Handles of devices are not their numbers, and wrong arguments are answered with an error.

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { INVALID_VALUE = 1, NOT_INITIALIZED = 3, NO_DEVICE = 100, INVALID_DEVICE = 101, FIRST = 40 };

static int initialized;

static int setting(const char *name, int otherwise) {
  const char *value = getenv(name);
  return value ? atoi(value) : otherwise;
}

static int known(int device) {
  return initialized && device >= FIRST && device < FIRST + setting("FAKE_GPUS", 1);
}

int cuDriverGetVersion(int *version) {
  *version = setting("FAKE_VERSION", 12060);
  return 0;
}

int cuInit(unsigned flags) {
  if (getenv("FAKE_CRASH")) abort();
  if (flags) return INVALID_VALUE;
  int code = setting("FAKE_INIT", 0);
  initialized = !code;
  return code;
}

int cuDeviceGetCount(int *count) {
  *count = setting("FAKE_GPUS", 1);
  return initialized ? 0 : NOT_INITIALIZED;
}

int cuDeviceGet(int *device, int number) {
  *device = FIRST + number;
  return known(*device) ? 0 : INVALID_DEVICE;
}

int cuDeviceGetName(char *name, int size, int device) {
  if (!known(device) || size < 16) return INVALID_VALUE;
  memset(name, 'x', size);  // what is behind the zero is not part of the name
  strcpy(name, device == FIRST ? "Orin" : "Another GPU");
  return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  if (!known(device)) return INVALID_DEVICE;
  switch (attribute) {
    case 18: *value = device == FIRST; return 0;
    case 75: *value = device == FIRST ? 8 : 12; return 0;
    case 76: *value = device == FIRST ? 7 : 0; return 0;
    default: return INVALID_VALUE;
  }
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  *bytes = device == FIRST ? (size_t)8 << 30 : (size_t)24 << 30;  // more than 32 bits hold
  return known(device) ? 0 : INVALID_DEVICE;
}

int cuGetErrorName(int code, const char **name) {
  if (code != NO_DEVICE && code != 999) return *name = NULL, INVALID_VALUE;
  *name = code == NO_DEVICE ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_UNKNOWN";
  return 0;
}

int cuGetErrorString(int code, const char **text) {
  if (code != NO_DEVICE && code != 999) return *text = NULL, INVALID_VALUE;
  *text = code == NO_DEVICE ? "no CUDA-capable device is detected" : "unknown error";
  return 0;
}
