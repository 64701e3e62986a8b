/* A library with one operator: "test.ortffi" "Negate", y = -x of float tensors.
 *
 * Says itself what it needs of ONNX Runtime's C API, whose layout never changes: the places of the
 * functions in the vtable, and the operator's first members, which version 8 of it has.
 */
#include <stddef.h>
#include <stdint.h>

typedef void* (*Function)();

typedef struct ApiBase {
    const Function* (*get_api)(uint32_t version);
    const char* (*get_version)(void);
} ApiBase;

enum {
    CREATE_STATUS = 0,
    CREATE_DOMAIN = 26,
    DOMAIN_ADD = 27,
    ADD_DOMAIN = 28,
    TENSOR_DATA = 51,
    RANK = 61,
    SHAPE = 62,
    ELEMENT_COUNT = 64,
    TENSOR_INFO = 65,
    GET_INPUT = 90,
    GET_OUTPUT = 91,
    RELEASE_TENSOR_INFO = 99,
};

enum { FLOAT = 1, MOST_DIMENSIONS = 8 };

static const Function* api;

static void* create_kernel(const void* op, const void* given_api, const void* info) {
    static int kernel;
    return &kernel;
}
static const char* name(const void* op) { return "Negate"; }
static const char* provider(const void* op) { return NULL; }
static int type(const void* op, size_t index) { return FLOAT; }
static size_t one(const void* op) { return 1; }
static int required(const void* op, size_t index) { return 0; }
static void destroy(void* kernel) {}

static void compute(void* kernel, void* context) {
    void *x = NULL, *y = NULL, *info = NULL;
    float *from = NULL, *to = NULL;
    size_t rank = 0, count = 0;
    int64_t shape[MOST_DIMENSIONS];
    api[GET_INPUT](context, (size_t)0, &x);
    api[TENSOR_INFO](x, &info);
    api[RANK](info, &rank);
    if (rank > MOST_DIMENSIONS) rank = MOST_DIMENSIONS;
    api[SHAPE](info, shape, rank);
    api[ELEMENT_COUNT](info, &count);
    api[RELEASE_TENSOR_INFO](info);
    api[GET_OUTPUT](context, (size_t)0, shape, rank, &y);
    api[TENSOR_DATA](x, &from);
    api[TENSOR_DATA](y, &to);
    for (size_t i = 0; i < count; i++) to[i] = -from[i];
}

static struct {
    uint32_t version;
    void* (*create_kernel)(const void*, const void*, const void*);
    const char* (*name)(const void*);
    const char* (*provider)(const void*);
    int (*input_type)(const void*, size_t);
    size_t (*input_count)(const void*);
    int (*output_type)(const void*, size_t);
    size_t (*output_count)(const void*);
    void (*compute)(void*, void*);
    void (*destroy)(void*);
    int (*input_characteristic)(const void*, size_t);
    int (*output_characteristic)(const void*, size_t);
} negate = {8,   create_kernel, name,    provider, type,     one,
            type, one,          compute, destroy,  required, required};

void* RegisterCustomOps(void* options, const ApiBase* base) {
    static void* domain;
    api = base->get_api(8);
#ifdef REFUSE
    return api[CREATE_STATUS](1, "this library wants nothing to do with it");
#endif
    if (domain == NULL) {
        void* status = api[CREATE_DOMAIN]("test.ortffi", &domain);
        if (status == NULL) status = api[DOMAIN_ADD](domain, &negate);
        if (status != NULL) return status;
    }
    return api[ADD_DOMAIN](options, domain);
}
