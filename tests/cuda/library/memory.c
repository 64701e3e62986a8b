/* The memory of a GPU. What lies there is in memory of the host; the address by which everybody
 * else knows it is one that nothing can be read from or written to, so that a host that tries is
 * ended by SIGSEGV, as it is with a real one. Pinned memory is the host's, and the GPU reaches it
 * by the same addresses. No address is ever given out twice. */
#include "stub.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };
enum { DEVICE_ALLOCATOR = 0, DEFAULT_MEMORY = 0 };

static const size_t SPACE = (size_t)1 << 38; /* of addresses, not of memory */

typedef struct Block {
    char *address;
    char *storage; /* of pinned memory the same */
    size_t size;
    struct Block *next;
} Block;

/* What the C API says of it to callers with version 17; later ones have more. */
struct OrtAllocator {
    uint32_t version;
    void *(*allocate)(OrtAllocator *own, size_t size);
    void (*release)(OrtAllocator *own, void *pointer);
    const OrtMemoryInfo *(*describe)(const OrtAllocator *own);
};

typedef struct Allocator {
    OrtAllocator functions;
    OrtMemoryInfo *info;
} Allocator;

static Block *blocks;
static char *space, *next_address;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void reserve(void) {
    space = mmap(NULL, SPACE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) give_up("no addresses for the memory of a GPU");
    next_address = space;
}

static void *add_block(size_t size, bool is_pinned) {
    pthread_once(&once, reserve);
    size_t whole = (size / PAGE + 1) * PAGE; /* an empty one has an address too */
    Block *block = malloc(sizeof *block);
    char *storage = is_pinned ? NULL : aligned_alloc(PAGE, whole);
    if (block == NULL || (storage == NULL && !is_pinned)) give_up("no memory");
    pthread_mutex_lock(&mutex);
    if (next_address + whole > space + SPACE) give_up("no more addresses of a GPU");
    if (is_pinned) {
        storage = next_address;
        if (mprotect(storage, whole, PROT_READ | PROT_WRITE) != 0) give_up("no pinned memory");
    }
    memset(storage, 0xff, whole); /* whatever was there: as numbers they are NaN and -1 */
    *block = (Block){next_address, storage, size, blocks};
    next_address += whole;
    blocks = block;
    pthread_mutex_unlock(&mutex);
    return block->address;
}

static void *allocate(OrtAllocator *own, size_t size) {
    (void)own;
    return add_block(size, false);
}

static void *allocate_pinned(OrtAllocator *own, size_t size) {
    (void)own;
    return add_block(size, true);
}

static void release(OrtAllocator *own, void *pointer) {
    (void)own;
    if (pointer == NULL) return;
    pthread_mutex_lock(&mutex);
    Block **link = &blocks;
    while (*link != NULL && (*link)->address != pointer) link = &(*link)->next;
    Block *block = *link;
    if (block != NULL) *link = block->next;
    pthread_mutex_unlock(&mutex);
    if (block == NULL) give_up("memory was freed that is not of the GPU's allocators, or twice");
    if (block->storage != block->address)
        free(block->storage);
    else if (mmap(pointer, (block->size / PAGE + 1) * PAGE, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        give_up("pinned memory cannot be freed");
    free(block);
}

static const OrtMemoryInfo *describe(const OrtAllocator *own) {
    return ((const Allocator *)own)->info;
}

static OrtStatus *make_allocator(const char *name, int device, OrtAllocator **out) {
    bool is_pinned = strcmp(name, PINNED) == 0;
    Allocator *made = calloc(1, sizeof *made);
    if (made == NULL) give_up("no memory");
    made->functions =
        (OrtAllocator){17, is_pinned ? allocate_pinned : allocate, release, describe};
    OrtStatus *status =
        real->CreateMemoryInfo(name, DEVICE_ALLOCATOR, device, DEFAULT_MEMORY, &made->info);
    if (status == NULL)
        *out = &made->functions;
    else
        free(made);
    return status;
}

OrtStatus *stub_CreateAllocator(const OrtSession *session, const OrtMemoryInfo *memory,
                                OrtAllocator **out) {
    Setup setup = setup_of(SESSION, session);
    if (setup.providers == 0) return real->CreateAllocator(session, memory, out);
    Where where;
    OrtStatus *status = find_memory(memory, &where);
    if (status != NULL) return status;
    Line *line = begin("CreateAllocator");
    put_number(line, "session", number_of(SESSION, session));
    put_string(line, "memory", where.name);
    put_number(line, "device", where.device);
    status = refuse("CreateAllocator");
    end(line, status);
    if (status != NULL) return status;
    if (where.kind == HOST || where.device != setup.device)
        return real->CreateAllocator(session, memory, out);
    return make_allocator(where.kind == PINNED_HOST ? PINNED : "Cuda", where.device, out);
}

void stub_ReleaseAllocator(OrtAllocator *allocator) {
    if (allocator == NULL || allocator->describe != describe) {
        real->ReleaseAllocator(allocator);
        return;
    }
    real->ReleaseMemoryInfo(((Allocator *)allocator)->info);
    free(allocator);
}

OrtAllocator *gpu_allocator(int device) {
    enum { DEVICES = 8 };
    static OrtAllocator *made[DEVICES]; /* for as long as the process lives */
    if (device < 0 || device >= DEVICES) give_up("a machine with GPU %d", device);
    pthread_mutex_lock(&mutex);
    OrtStatus *status = made[device] ? NULL : make_allocator("Cuda", device, &made[device]);
    pthread_mutex_unlock(&mutex);
    if (status != NULL) give_up("%s", real->GetErrorMessage(status));
    return made[device];
}

void *storage_of(const void *address) {
    const char *wanted = address;
    char *found = NULL;
    pthread_mutex_lock(&mutex);
    for (const Block *block = blocks; block != NULL && found == NULL; block = block->next)
        if (wanted >= block->address && wanted <= block->address + block->size)
            found = block->storage + (wanted - block->address);
    pthread_mutex_unlock(&mutex);
    if (found == NULL)
        give_up("a tensor says it is on the GPU, and is at %p, where the GPU cannot reach it",
                address);
    return found;
}
