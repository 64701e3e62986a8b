/* Tensors for the driver, which end where memory ends: at the redzone of a sanitizer, or at a page that
 * nobody may read, which sees the loads that a sanitizer does not. */
#ifndef VARIANTS_TENSORS_H
#define VARIANTS_TENSORS_H

#include "runs.h"
#include "variant.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t state = 88172645463325252u;

static uint32_t random_below(uint32_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 20) % limit;
}

static float random_float(void) { return (float)random_below(2000001) / 1000000.0f - 1.0f; }

#if defined(__SANITIZE_ADDRESS__)
static void *memory(int64_t count, size_t size) {
    void *made = malloc((size_t)count * size);
    if (made == NULL) abort();
    return made;
}

static void release(void *tensor) { free(tensor); }
#else
enum { LIVE = 128 };
static struct {
    void *tensor;
    char *pages;
    size_t length;
} live[LIVE];

static void *memory(int64_t count, size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size_t)count * size;
    const size_t inside = (bytes + page - 1) / page * page;
    int free_place = 0;
    while (live[free_place].tensor) free_place++;
    char *pages = mmap(NULL, inside + page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + inside, page, PROT_NONE) != 0) abort();
    live[free_place].tensor = pages + inside - bytes;
    live[free_place].pages = pages;
    live[free_place].length = inside + page;
    return live[free_place].tensor;
}

static void release(void *tensor) {
    for (int i = 0; tensor && i < LIVE; i++)
        if (live[i].tensor == tensor) {
            munmap(live[i].pages, live[i].length);
            live[i].tensor = NULL;
            return;
        }
}
#endif

static float *floats(int64_t count) {
    float *made = memory(count, sizeof *made);
    for (int64_t i = 0; i < count; i++) made[i] = random_float();
    return made;
}

static float *zeros(int64_t count) {
    float *made = memory(count, sizeof *made);
    memset(made, 0, (size_t)count * sizeof *made);
    return made;
}

static float *absolutes(const float *of, int64_t count) {
    float *made = memory(count, sizeof *made);
    for (int64_t i = 0; i < count; i++) made[i] = fabsf(of[i]);
    return made;
}

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* x, as hostile as `kind` says; at 0 it is tame. */
enum { HOSTILE = 10 };
static void fill(float *x, int64_t count, int kind) {
    const float special[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-42f};
    for (int64_t i = 0; i < count; i++) {
        if (kind == 1) x[i] = 0.0f;
        if (kind == 2) x[i] = 0.7f;
        if (kind == 3) x[i] = -3.0f;
        if (kind == 4) x[i] *= 1e38f;
        if (kind == 5) x[i] *= 1e-41f;
    }
    if (kind >= 6 && kind < HOSTILE)
        for (int i = 0; i < 3; i++)
            x[random_below((uint32_t)count)] = special[(kind * 3 + i) % 6];
}

/* Packed weights and their sums. They are small, or extremes are frequent: with them products of
 * pairs leave 16 bits. */
static int8_t *packed(int64_t in, int64_t out, int64_t kernel, int32_t *sums) {
    const int widest = (int)random_below(5) * 5;
    const int64_t groups = ceil_div(in, 4), count = ceil_div(out, 16) * kernel * groups * 64;
    int8_t *w = memory(count, 1);
    memset(w, 0, (size_t)count);
    for (int64_t o = 0; o < out; o++) {
        sums[o] = 0;
        for (int64_t k = 0; k < kernel; k++)
            for (int64_t i = 0; i < in; i++) {
                const uint32_t any = random_below(512);
                const int extreme = any < 128 ? -128 : any < 256 ? 127 : (int)any - 384;
                const int small = (int)random_below(2 * (uint32_t)widest + 1) - widest;
                const int8_t v = (int8_t)(widest ? small : extreme);
                w[(((o / 16 * kernel + k) * groups + i / 4) * 16 + o % 16) * 4 + i % 4] = v;
                sums[o] += v;
            }
    }
    return w;
}

/* A copy of packed weights in the layout that the variant in use reads. */
static int8_t *laid_out(const int8_t *w, int64_t in, int64_t out, int64_t kernel) {
    const int64_t groups = ceil_div(in, 4), blocks = ceil_div(out, 16) * kernel;
    int8_t *made = memory(blocks * groups * 64, 1);
    memcpy(made, w, (size_t)(blocks * groups * 64));
    if (kokoro_layout() == CENTERED) return made;
    if (kokoro_layout() != CENTERED_PAIRS) abort();
    for (int64_t i = 0; i < blocks; i++)
        for (int64_t g = 0; g + 1 < groups; g += 2)
            for (int64_t o = 0; o < 16; o++)
                for (int64_t half = 0; half < 2; half++)
                    memcpy(made + (i * groups + g) * 64 + o * 8 + half * 4,
                           w + (i * groups + g + half) * 64 + o * 4, 4);
    return made;
}

/* What runs.h says of the groups of a panel and a tap. */
static void cut(const int8_t *w, int64_t groups, uint8_t *run) {
    int lanes[2][32] = {{0}}, length = 0, widened = 0;
    for (int64_t g = 0; g < groups; g++, w += 64) {
        int fits = 1, alone = 1;
        for (int lane = 0; lane < 32; lane++)
            for (int sign = 0; sign < 2; sign++) {
                const int a = sign ? -w[2 * lane] : w[2 * lane];
                const int b = sign ? -w[2 * lane + 1] : w[2 * lane + 1];
                const int own = (a > 0 ? a : 0) + (b > 0 ? b : 0);
                alone &= own <= 128;
                lanes[sign][lane] += own;
                fits &= lanes[sign][lane] <= 128;
            }
        if (length && (length == RUN_LENGTH || widened == alone || !(fits || widened))) {
            *run++ = (uint8_t)(length + widened * RUN_WIDENED);
            length = 0;
        }
        if (length == 0) {
            memset(lanes, 0, sizeof lanes);
            for (int lane = 0; lane < 32; lane++)
                for (int i = 0; i < 2; i++) {
                    const int v = w[2 * lane + i];
                    lanes[v < 0][lane] += abs(v);
                }
            widened = !alone;
        }
        length++;
    }
    *run = (uint8_t)(length + widened * RUN_WIDENED);
}

static uint8_t *runs_of(const int8_t *w, int64_t in, int64_t out, int64_t kernel) {
    const int64_t groups = ceil_div(in, 4), rows = ceil_div(out, 16) * kernel;
    uint8_t *runs = memory(rows * groups, 1);
    memset(runs, 0, (size_t)(rows * groups));
    for (int64_t i = 0; i < rows; i++) cut(w + i * groups * 64, groups, runs + i * groups);
    return runs;
}

#endif
