/* Tensors, wherever they lie. */
#include "stub.h"

#include <string.h>

enum { GPU_DEVICE = 1 };

OrtStatus *find_memory(const OrtMemoryInfo *info, Where *where) {
    OrtMemoryInfoDeviceType device = 0;
    real->MemoryInfoGetDeviceType(info, &device);
    OrtStatus *status = real->MemoryInfoGetName(info, &where->name);
    if (status == NULL) status = real->MemoryInfoGetId(info, &where->device);
    if (status != NULL) return status;
    where->kind = strcmp(where->name, PINNED) == 0 ? PINNED_HOST
                  : device == GPU_DEVICE           ? GPU
                                                   : HOST;
    return NULL;
}

static size_t size_of(ONNXTensorElementDataType type) {
    static const unsigned char SIZES[] = {0, 4, 1, 1, 2, 2, 4,  8, 0, 1, 2,
                                          8, 4, 8, 8, 16, 2, 1, 1, 1, 1};
    return type > 0 && (size_t)type < sizeof SIZES ? SIZES[type] : 0;
}

OrtStatus *look_at(const OrtValue *value, Tensor *tensor) {
    *tensor = (Tensor){.type = 0};
    int is_tensor = 0, has_value = 0;
    OrtTensorTypeAndShapeInfo *info = NULL;
    OrtStatus *status = value ? real->HasValue(value, &has_value) : NULL;
    if (status == NULL && has_value) status = real->IsTensor(value, &is_tensor);
    if (status != NULL || !is_tensor) return status;
    status = real->GetTensorTypeAndShape(value, &info);
    if (status != NULL) return status;
    ONNXTensorElementDataType type = 0;
    const OrtMemoryInfo *memory = NULL;
    status = real->GetTensorElementType(info, &type);
    if (status == NULL) status = real->GetDimensionsCount(info, &tensor->rank);
    if (status == NULL && tensor->rank <= MOST_DIMENSIONS && size_of(type) > 0) {
        status = real->GetDimensions(info, tensor->shape, tensor->rank);
        if (status == NULL) status = real->GetTensorShapeElementCount(info, &tensor->count);
        /* It changes nothing in the value, whatever its prototype says. */
        if (status == NULL) status = real->GetTensorMutableData((OrtValue *)value, &tensor->data);
        if (status == NULL) status = real->GetTensorMemoryInfo(value, &memory);
        if (status == NULL) status = find_memory(memory, &tensor->where);
        if (status == NULL) tensor->type = type;
        tensor->size = tensor->count * size_of(type);
    }
    real->ReleaseTensorTypeAndShapeInfo(info);
    return status;
}

static void *data_on_host(const Tensor *tensor) {
    return tensor->where.kind == GPU && tensor->size ? storage_of(tensor->data) : tensor->data;
}

OrtStatus *see_on_host(const OrtValue *value, OrtValue **view) {
    *view = NULL;
    Tensor tensor;
    OrtMemoryInfo *host = NULL;
    OrtStatus *status = look_at(value, &tensor);
    if (status != NULL || tensor.type == 0 || tensor.where.kind == HOST) return status;
    status = real->CreateCpuMemoryInfo(0, 0, &host);
    if (status != NULL) return status;
    status = real->CreateTensorWithDataAsOrtValue(host, data_on_host(&tensor), tensor.size,
                                                  tensor.shape, tensor.rank, tensor.type, view);
    real->ReleaseMemoryInfo(host);
    return status;
}

OrtStatus *copy_tensor(const OrtValue *from, OrtValue *to) {
    Tensor source, target;
    OrtStatus *status = look_at(from, &source);
    if (status == NULL) status = look_at(to, &target);
    if (status != NULL) return status;
    if (source.type == 0 || source.type != target.type || source.size != target.size)
        return real->CreateStatus(INVALID_ARGUMENT, "the stub copies tensors of one type and size");
    if (source.size > 0) memmove(data_on_host(&target), data_on_host(&source), source.size);
    return NULL;
}

OrtStatus *copy_to_gpu(const OrtValue *from, int device, OrtValue **to) {
    *to = NULL;
    Tensor tensor;
    OrtStatus *status = look_at(from, &tensor);
    if (status == NULL)
        status = real->CreateTensorAsOrtValue(gpu_allocator(device), tensor.shape, tensor.rank,
                                              tensor.type, to);
    if (status == NULL) status = copy_tensor(from, *to);
    if (status != NULL && *to != NULL) {
        real->ReleaseValue(*to);
        *to = NULL;
    }
    return status;
}
