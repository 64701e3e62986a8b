#define _GNU_SOURCE /* syscall */
#include "variants.h"

#include "kokoro_ops.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

extern const struct variant kokoro_variant_amxint8, kokoro_variant_avx512vnni,
    kokoro_variant_avxvnni, kokoro_variant_avx2, kokoro_variant_neon_i8mm, kokoro_variant_neon_dotprod,
    kokoro_variant_neon, kokoro_variant_portable;

#if defined(__x86_64__)
/* Bits of leaf 1 (ecx) and of leaf 7 (ebx, ecx, edx; eax of subleaf 1), and of the registers that the
 * operating system saves (XCR0), as in the processors' manuals. */
enum {
    FMA = 1 << 12,
    OSXSAVE = 1 << 27,
    AVX = 1 << 28,
    AVX2 = 1 << 5,
    AVX512F = 1 << 16,
    AVX512DQ = 1 << 17,
    AVX512BW = 1 << 30,
    AVX512VNNI = 1 << 11,
    AMX_TILE = 1 << 24,
    AMX_INT8 = 1 << 25,
    AVX_VNNI = 1 << 4,
    XMM_YMM = 0x6,
    OPMASK_ZMM = 0xe0,
    TILES = 0x60000
};
#define AVX512VL (1u << 31)

static unsigned saved_registers(void) {
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

struct features {
    int avx2, avxvnni, avx512vnni, amxint8;
};

static struct features features(void) {
    struct features has = {0};
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return has;
    const unsigned basic = FMA | OSXSAVE | AVX;
    if ((ecx & basic) != basic) return has;
    const unsigned saved = saved_registers();
    if ((saved & XMM_YMM) != XMM_YMM) return has;
    if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return has;
    const unsigned subleaves = eax;
    has.avx2 = (ebx & AVX2) != 0;
    const unsigned wide = AVX512F | AVX512DQ | AVX512BW | AVX512VL;
    has.avx512vnni = has.avx2 && (ebx & wide) == wide && (ecx & AVX512VNNI) &&
                     (saved & OPMASK_ZMM) == OPMASK_ZMM;
    has.amxint8 = has.avx512vnni && (edx & AMX_TILE) && (edx & AMX_INT8) &&
                  (saved & TILES) == TILES;
    if (subleaves >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx))
        has.avxvnni = has.avx2 && (eax & AVX_VNNI);
    return has;
}

#if defined(HAVE_AMXINT8)
static int runs_amxint8(void) { return features().amxint8; }

/* Linux gives the registers of tiles, which make what is saved of a thread 8 KiB larger, to a
 * process that asks for them: to its threads, those that there are and later ones, and to what it
 * forks. Without, an instruction of tiles ends the process. */
static const char *ask_for_tiles(void) {
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };
    if (syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0) return NULL;
    switch (errno) {
    case EINVAL: case EOPNOTSUPP: return "Linux is older than 5.16, or has AMX switched off";
    case ENOSPC: return "a thread's alternate signal stack is too small for AMX";
    default: return "Linux, or what this process is confined by, does not permit AMX";
    }
}
#endif
#if defined(HAVE_AVX512VNNI)
static int runs_avx512vnni(void) { return features().avx512vnni; }
#endif
#if defined(HAVE_AVXVNNI)
static int runs_avxvnni(void) { return features().avxvnni; }
#endif
#if defined(HAVE_AVX2)
static int runs_avx2(void) { return features().avx2; }
#endif
#endif

#if defined(__aarch64__)
/* Of the kernel's hwcap words; the kernel tells only what it also saves. */
#define HWCAP_DOTPROD (1ul << 20)
#define HWCAP_2_I8MM (1ul << 13)
#if defined(HAVE_NEON_DOTPROD)
static int runs_neon_dotprod(void) { return (getauxval(AT_HWCAP) & HWCAP_DOTPROD) != 0; }
#endif
#if defined(HAVE_NEON_I8MM)
static int runs_neon_i8mm(void) {
    return (getauxval(AT_HWCAP2) & HWCAP_2_I8MM) && (getauxval(AT_HWCAP) & HWCAP_DOTPROD);
}
#endif
#endif

static int runs_everywhere(void) { return 1; }

static const struct candidate {
    const struct variant *variant;
    int (*runs)(void);
    const char *(*ask)(void); /* the operating system, before first use: NULL, or why not; or NULL */
} candidates[] = {
#if defined(HAVE_AMXINT8)
    {&kokoro_variant_amxint8, runs_amxint8, ask_for_tiles},
#endif
#if defined(HAVE_AVX512VNNI)
    {&kokoro_variant_avx512vnni, runs_avx512vnni, NULL},
#endif
#if defined(HAVE_AVXVNNI)
    {&kokoro_variant_avxvnni, runs_avxvnni, NULL},
#endif
#if defined(HAVE_AVX2)
    {&kokoro_variant_avx2, runs_avx2, NULL},
#endif
#if defined(HAVE_NEON_I8MM)
    {&kokoro_variant_neon_i8mm, runs_neon_i8mm, NULL},
#endif
#if defined(HAVE_NEON_DOTPROD)
    {&kokoro_variant_neon_dotprod, runs_neon_dotprod, NULL},
#endif
#if defined(HAVE_NEON)
    {&kokoro_variant_neon, runs_everywhere, NULL}, /* on every arm64 */
#endif
    {&kokoro_variant_portable, runs_everywhere, NULL},
};

enum { CANDIDATES = sizeof candidates / sizeof *candidates };

static const struct variant *_Atomic in_use;

static const char *refusal_of(const struct candidate *c) { return c->ask ? c->ask() : NULL; }

const struct variant *kokoro_variant(void) {
    const struct variant *variant = atomic_load_explicit(&in_use, memory_order_acquire);
    if (variant) return variant;
    /* Two threads may both come here; they find the same. */
    int best = 0;
    while (!candidates[best].runs() || refusal_of(candidates + best)) best++;
    atomic_store_explicit(&in_use, candidates[best].variant, memory_order_release);
    return candidates[best].variant;
}

int kokoro_layout(void) { return (int)kokoro_variant()->layout; }

const char *kokoro_layout_name(void) {
    static const char *const names[] = {
        [CENTERED] = "centered",
        [CENTERED_PAIRS] = "centered pairs",
    };
    return names[kokoro_variant()->layout];
}

const char *kokoro_variant_name(int index) {
    return index >= 0 && index < CANDIDATES ? candidates[index].variant->name : NULL;
}

int kokoro_variant_runs(int index) {
    return index >= 0 && index < CANDIDATES && candidates[index].runs();
}

const char *kokoro_variant_in_use(void) { return kokoro_variant()->name; }

const char *kokoro_variant_refusal(int index) {
    return kokoro_variant_runs(index) ? refusal_of(candidates + index) : NULL;
}

int kokoro_use_variant(const char *name) {
    for (int i = 0; i < CANDIDATES; i++) {
        if (strcmp(candidates[i].variant->name, name) != 0) continue;
        if (!candidates[i].runs() || refusal_of(candidates + i)) return -1;
        atomic_store_explicit(&in_use, candidates[i].variant, memory_order_release);
        return 0;
    }
    return -1;
}
