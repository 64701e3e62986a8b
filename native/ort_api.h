/* The part of ONNX Runtime's C API that the operators use, as of API version 17 (1.17).
 *
 * The vtable only ever grows at its end and OrtCustomOp is read no further than its version says,
 * so one build serves every later ONNX Runtime. tests/native holds the slots against ortffi's
 * table. */
#ifndef KOKORO_ORT_API_H
#define KOKORO_ORT_API_H

#include <stddef.h>
#include <stdint.h>

enum { ORT_API_USED = 17, ORT_SLOTS_USED = 275 };

enum { ORT_FAIL = 1, ORT_INVALID_ARGUMENT = 2, ORT_INVALID_GRAPH = 10 };
enum { ORT_FLOAT = 1, ORT_UINT8 = 2, ORT_INT8 = 3, ORT_INT32 = 6 };
enum { ORT_REQUIRED = 0, ORT_OPTIONAL = 1 };
enum { ORT_DEVICE_ALLOCATOR = 0, ORT_ARENA_ALLOCATOR = 1, ORT_MEMORY_DEFAULT = 0 };

typedef struct OrtAllocator OrtAllocator;
typedef struct OrtCustomOpDomain OrtCustomOpDomain;
typedef struct OrtKernelContext OrtKernelContext;
typedef struct OrtKernelInfo OrtKernelInfo;
typedef struct OrtMemoryInfo OrtMemoryInfo;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtShapeInferContext OrtShapeInferContext;
typedef struct OrtStatus OrtStatus;
typedef struct OrtTensorTypeAndShapeInfo OrtTensorTypeAndShapeInfo;
typedef struct OrtValue OrtValue;
struct OrtCustomOp;

/* SLOT(index, returned, name, parameters) */
#define ORT_SLOTS(SLOT)                                                                           \
    SLOT(0, OrtStatus *, CreateStatus, (int code, const char *message))                           \
    SLOT(2, const char *, GetErrorMessage, (const OrtStatus *))                                   \
    SLOT(26, OrtStatus *, CreateCustomOpDomain, (const char *domain, OrtCustomOpDomain **))       \
    SLOT(27, OrtStatus *, CustomOpDomain_Add, (OrtCustomOpDomain *, const struct OrtCustomOp *))  \
    SLOT(28, OrtStatus *, AddCustomOpDomain, (OrtSessionOptions *, OrtCustomOpDomain *))          \
    SLOT(51, OrtStatus *, GetTensorMutableData, (OrtValue *, void **))                            \
    SLOT(61, OrtStatus *, GetDimensionsCount, (const OrtTensorTypeAndShapeInfo *, size_t *))      \
    SLOT(62, OrtStatus *, GetDimensions,                                                          \
         (const OrtTensorTypeAndShapeInfo *, int64_t *values, size_t count))                      \
    SLOT(65, OrtStatus *, GetTensorTypeAndShape,                                                  \
         (const OrtValue *, OrtTensorTypeAndShapeInfo **))                                        \
    SLOT(69, OrtStatus *, CreateCpuMemoryInfo, (int allocator, int memory, OrtMemoryInfo **))     \
    SLOT(75, OrtStatus *, AllocatorAlloc, (OrtAllocator *, size_t bytes, void **))                \
    SLOT(76, OrtStatus *, AllocatorFree, (OrtAllocator *, void *))                                \
    SLOT(85, OrtStatus *, KernelInfoGetAttribute_float,                                           \
         (const OrtKernelInfo *, const char *name, float *))                                      \
    SLOT(86, OrtStatus *, KernelInfoGetAttribute_int64,                                           \
         (const OrtKernelInfo *, const char *name, int64_t *))                                    \
    SLOT(88, OrtStatus *, KernelContext_GetInputCount, (const OrtKernelContext *, size_t *))      \
    SLOT(89, OrtStatus *, KernelContext_GetOutputCount, (const OrtKernelContext *, size_t *))     \
    SLOT(90, OrtStatus *, KernelContext_GetInput,                                                 \
         (const OrtKernelContext *, size_t index, const OrtValue **))                             \
    SLOT(91, OrtStatus *, KernelContext_GetOutput,                                                \
         (OrtKernelContext *, size_t index, const int64_t *shape, size_t rank, OrtValue **))      \
    SLOT(93, void, ReleaseStatus, (OrtStatus *))                                                  \
    SLOT(94, void, ReleaseMemoryInfo, (OrtMemoryInfo *))                                          \
    SLOT(99, void, ReleaseTensorTypeAndShapeInfo, (OrtTensorTypeAndShapeInfo *))                  \
    SLOT(101, void, ReleaseCustomOpDomain, (OrtCustomOpDomain *))                                 \
    SLOT(132, void, ReleaseAllocator, (OrtAllocator *))                                           \
    SLOT(162, OrtStatus *, KernelInfoGetAttributeArray_float,                                     \
         (const OrtKernelInfo *, const char *name, float *, size_t *count))                       \
    SLOT(163, OrtStatus *, KernelInfoGetAttributeArray_int64,                                     \
         (const OrtKernelInfo *, const char *name, int64_t *, size_t *count))                     \
    SLOT(253, OrtStatus *, KernelContext_GetAllocator,                                            \
         (const OrtKernelContext *, const OrtMemoryInfo *, OrtAllocator **))                      \
    SLOT(274, OrtStatus *, KernelContext_ParallelFor,                                             \
         (const OrtKernelContext *, void (*)(void *, size_t), size_t total, size_t batches,       \
          void *data))

typedef struct OrtApi {
    void (*slots[ORT_SLOTS_USED])(void);
} OrtApi;

#define ORT_TYPE_OF(index, returned, name, parameters) typedef returned(*Ort##name) parameters;
ORT_SLOTS(ORT_TYPE_OF)
#undef ORT_TYPE_OF

#define ORT_INDEX_OF(index, returned, name, parameters) SLOT_##name = index,
enum { ORT_SLOTS(ORT_INDEX_OF) };
#undef ORT_INDEX_OF

/* ORT(api, GetDimensions)(info, values, count) */
#define ORT(api, name) ((Ort##name)(api)->slots[SLOT_##name])

typedef struct OrtApiBase {
    const OrtApi *(*get_api)(uint32_t version);
    const char *(*get_version_string)(void);
} OrtApiBase;

/* Start and end of the operator's versions belong to what version 17 reads; the last four came
 * with 18 and are never read at 17. */
typedef struct OrtCustomOp {
    uint32_t version;
    void *(*CreateKernel)(const struct OrtCustomOp *, const OrtApi *, const OrtKernelInfo *);
    const char *(*GetName)(const struct OrtCustomOp *);
    const char *(*GetExecutionProviderType)(const struct OrtCustomOp *);
    int (*GetInputType)(const struct OrtCustomOp *, size_t index);
    size_t (*GetInputTypeCount)(const struct OrtCustomOp *);
    int (*GetOutputType)(const struct OrtCustomOp *, size_t index);
    size_t (*GetOutputTypeCount)(const struct OrtCustomOp *);
    void (*KernelCompute)(void *kernel, OrtKernelContext *);
    void (*KernelDestroy)(void *kernel);
    int (*GetInputCharacteristic)(const struct OrtCustomOp *, size_t index);
    int (*GetOutputCharacteristic)(const struct OrtCustomOp *, size_t index);
    int (*GetInputMemoryType)(const struct OrtCustomOp *, size_t index);
    int (*GetVariadicInputMinArity)(const struct OrtCustomOp *);
    int (*GetVariadicInputHomogeneity)(const struct OrtCustomOp *);
    int (*GetVariadicOutputMinArity)(const struct OrtCustomOp *);
    int (*GetVariadicOutputHomogeneity)(const struct OrtCustomOp *);
    OrtStatus *(*CreateKernelV2)(const struct OrtCustomOp *, const OrtApi *, const OrtKernelInfo *,
                                 void **kernel);
    OrtStatus *(*KernelComputeV2)(void *kernel, OrtKernelContext *);
    OrtStatus *(*InferOutputShapeFn)(const struct OrtCustomOp *, OrtShapeInferContext *);
    int (*GetStartVersion)(const struct OrtCustomOp *);
    int (*GetEndVersion)(const struct OrtCustomOp *);
    size_t (*GetMayInplace)(int **inputs, int **outputs);
    void (*ReleaseMayInplace)(int *inputs, int *outputs);
    size_t (*GetAliasMap)(int **inputs, int **outputs);
    void (*ReleaseAliasMap)(int *inputs, int *outputs);
} OrtCustomOp;

#endif
