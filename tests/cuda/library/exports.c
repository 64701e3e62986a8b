/* What the library exports, and the function table behind it. */
#include "stub.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

const OrtApi *real;
size_t real_size;

static const OrtApiBase *real_base;
static OrtApi table;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    const char *path = setting("STUB_REAL_LIBRARY");
    if (path == NULL) give_up("STUB_REAL_LIBRARY does not name the library that computes");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) give_up("%s", dlerror());
    void *function = dlsym(library, "OrtGetApiBase");
    if (function == NULL) give_up("%s", dlerror());
    real_base = ((const OrtApiBase *(*)(void))function)();
    const char *version = real_base->GetVersionString();
    unsigned minor = 0;
    if (sscanf(version, "1.%u.", &minor) != 1) give_up("%s calls itself '%s'", path, version);
    real = real_base->GetApi(minor);
    if (real == NULL) give_up("%s has no API version %u", path, minor);
    real_size = ort_api_slots(minor) * sizeof(void *);
    memcpy(&table, real, real_size);
#define REPLACE(name)                                                                             \
    if (offsetof(OrtApi, name) < real_size) table.name = stub_##name;
    REPLACED(REPLACE)
    if (is_built_with("CUDAExecutionProvider")) {
        REPLACED_OF_CUDA(REPLACE)
    }
    if (is_built_with("TensorrtExecutionProvider")) {
        REPLACED_OF_TENSORRT(REPLACE)
    }
#undef REPLACE
}

static const OrtApi *get_api(uint32_t version) {
    return real_base->GetApi(version) == NULL ? NULL : &table;
}

static const char *get_version_string(void) { return real_base->GetVersionString(); }

EXPORTED const OrtApiBase *OrtGetApiBase(void);

const OrtApiBase *OrtGetApiBase(void) {
    static const OrtApiBase base = {get_api, get_version_string};
    pthread_once(&once, load);
    return &base;
}
