/* A stand-in for a CUDA build of ONNX Runtime, on machines without a GPU.
 *
 * Its function table is that of a CPU build, which computes; the functions here take the places of
 * some. They write down what they are told, refuse what they are told to refuse, and make what a
 * session "on the GPU" answers look or sound as it would there. stub.py names the environment
 * variables that say so. */
#ifndef STUB_H
#define STUB_H

#include <stdio.h>

/* Made of ortffi's table of the C API by stub.py. */
#include "ort_table.h"

/* The functions that the stub replaces; in order of the files that hold them. */
#define REPLACED(DO)                                                                              \
    DO(GetAvailableProviders)                                                                     \
    DO(ReleaseAvailableProviders)                                                                 \
    DO(CreateSessionOptions)                                                                      \
    DO(CloneSessionOptions)                                                                       \
    DO(ReleaseSessionOptions)                                                                     \
    DO(AddRunConfigEntry)                                                                         \
    DO(ReleaseRunOptions)                                                                         \
    DO(CreateSession)                                                                             \
    DO(CreateSessionFromArray)                                                                    \
    DO(ReleaseSession)                                                                            \
    DO(Run)                                                                                       \
    DO(CreateIoBinding)                                                                           \
    DO(ReleaseIoBinding)                                                                          \
    DO(BindInput)                                                                                 \
    DO(BindOutput)                                                                                \
    DO(BindOutputToDevice)                                                                        \
    DO(ClearBoundInputs)                                                                          \
    DO(ClearBoundOutputs)                                                                         \
    DO(RunWithBinding)                                                                            \
    DO(CreateAllocator)                                                                           \
    DO(ReleaseAllocator)                                                                          \
    DO(SessionEndProfiling)

/* Those of a provider, where the stub plays a build that has it. */
#define REPLACED_OF_CUDA(DO)                                                                      \
    DO(CreateCUDAProviderOptions)                                                                 \
    DO(UpdateCUDAProviderOptions)                                                                 \
    DO(ReleaseCUDAProviderOptions)                                                                \
    DO(SessionOptionsAppendExecutionProvider_CUDA_V2)

#define REPLACED_OF_TENSORRT(DO)                                                                  \
    DO(CreateTensorRTProviderOptions)                                                             \
    DO(UpdateTensorRTProviderOptions)                                                             \
    DO(ReleaseTensorRTProviderOptions)                                                            \
    DO(SessionOptionsAppendExecutionProvider_TensorRT_V2)

/* Each is declared by the type of its place in the table. */
#define DECLARE(name) extern __typeof__(*((OrtApi *)0)->name) stub_##name;
REPLACED(DECLARE)
REPLACED_OF_CUDA(DECLARE)
REPLACED_OF_TENSORRT(DECLARE)
#undef DECLARE

/* The functions of the library that computes. */
extern const OrtApi *real;
extern size_t real_size; /* bytes of its table; what is beyond came with a later version */

enum { FAIL = 1, INVALID_ARGUMENT = 2, NOT_IMPLEMENTED = 9 };
enum { FLOAT = 1, INT64 = 7 };

/* settings.c: environment variables. */
const char *setting(const char *name); /* NULL where it is not set */
long count_setting(const char *name, long otherwise);
bool is_listed(const char *word, const char *list); /* separated by commas; "*" lists all */
bool is_built_with(const char *provider);
_Noreturn void give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* refusals.c: a status where the function is to fail this time, else NULL. */
OrtStatus *refuse(const char *function);

/* record.c: a line for a call. `end` writes and releases it, before the call itself. */
typedef struct Line Line;

Line *begin(const char *function);
void put_number(Line *line, const char *key, long long value);
void put_string(Line *line, const char *key, const char *value);
void put_strings(Line *line, const char *key, const char *const *values, size_t count);
void put_pairs(Line *line, const char *key, const char *const *keys, const char *const *values,
               size_t count);
void end(Line *line, const OrtStatus *refused);
/* Ends the line as refused, and the process: for what a real one does wrong in silence. */
_Noreturn void misuse(Line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* objects.c: what is known of session options and sessions. */
typedef enum { CUDA = 1, TENSORRT = 2 } Provider;
typedef enum { PROVIDER_OPTIONS, SESSION_OPTIONS, SESSION } Kind;

typedef struct Setup {
    int providers; /* 0 on the CPU */
    int device;
    bool graphs; /* runs are captured as CUDA graphs */
} Setup;

int new_number(Kind kind);
void remember(Kind kind, const void *pointer, int number, Setup setup);
void add_provider(Kind kind, const void *pointer, Setup added);
int number_of(Kind kind, const void *pointer);
Setup setup_of(Kind kind, const void *pointer);
int providers_of(Kind kind, const void *pointer);
void forget(Kind kind, const void *pointer);
void put_providers(Line *line, int providers);

/* tensors.c */
#define PINNED "CudaPinned"
enum { MOST_DIMENSIONS = 8 };

typedef struct Where {
    enum { HOST, PINNED_HOST, GPU } kind;
    const char *name;
    int device;
} Where;

typedef struct Tensor {
    int64_t shape[MOST_DIMENSIONS];
    size_t rank;
    size_t count;
    size_t size; /* bytes */
    ONNXTensorElementDataType type;
    Where where;
    void *data; /* on the GPU an address that the host cannot use */
} Tensor;

OrtStatus *find_memory(const OrtMemoryInfo *info, Where *where);
/* Fill in a tensor; its type stays 0 for a value that is none, or one of strings. */
OrtStatus *look_at(const OrtValue *value, Tensor *tensor);
/* Make a tensor of the host's with the memory of one that is not; NULL where it is the host's. */
OrtStatus *see_on_host(const OrtValue *value, OrtValue **view);
OrtStatus *copy_tensor(const OrtValue *from, OrtValue *to);
OrtStatus *copy_to_gpu(const OrtValue *from, int device, OrtValue **to);

/* memory.c: memory of GPUs, and what of the host's is pinned for them. */
OrtAllocator *gpu_allocator(int device);
void *storage_of(const void *address); /* where the host finds what the GPU finds there */

/* placement.c: where a node is said to be computed, in a session with these providers. */
const char *provider_of_node(int providers, const char *operator_type);

/* profile.c */
void rewrite_profile(const char *path, int providers);

/* sound.c: make the outputs of a run sound as told. `is_given` tells which the caller allocated. */
OrtStatus *spoil(OrtValue **outputs, const bool *is_given, size_t count);

/* graphs.c: CUDA graphs. */
typedef struct Bound {
    const char *name;
    bool is_output;
    bool is_allocated; /* before the run */
    Tensor tensor;
} Bound;

typedef struct Graph Graph;

void set_graph_id(const OrtRunOptions *options, const char *text);
void forget_graph_id(const OrtRunOptions *options);
/* A status where a session with these nodes cannot be captured. */
OrtStatus *check_nodes(const OrtSession *session, int providers);
/* Decide what a run does, and put it into its line. `captured` is what to keep if it succeeds, and
 * NULL where it replays or does without; `bound` is NULL for a run without a binding. */
OrtStatus *begin_graph(Line *line, const OrtSession *session, const OrtRunOptions *options,
                       const Bound *bound, size_t count, Graph **captured);
void end_graph(Graph *captured, bool succeeded);
void forget_graphs(const OrtSession *session);

#endif
