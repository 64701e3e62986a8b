/* The most 8-bit multiply-adds that this machine's instruction sets do in a second.
 *
 *     cc -O2 -pthread byte_operations.c -o byte_operations && ./byte_operations THREADS
 *
 * Prints a line for each instruction set that both the compiler and the processor know: its name as
 * native/ has it, the instructions, and operations per second, a multiplication and an addition
 * being two. They are the quickest with which a sum of products of bytes can be exact. Every thread
 * keeps as many independent accumulators in registers as hide the instruction's latency and touches
 * no memory, so this is what no convolution can exceed. For portable C it is what the compiler makes
 * of a loop.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 300000L
#define REPEATS 200
#define MOST_THREADS 256

typedef struct {
    const char *name;
    int64_t (*run)(long rounds);
    double operations_per_round;
} Kernel;

/* The compiler may neither know the operands nor that all accumulators start alike. */
static volatile int32_t operand = 3;
#define UNKNOWN(REGISTER, x) __asm__ volatile("" : "+" REGISTER(x))

#if defined(__x86_64__)
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __clang_major__ >= 12 || (!defined(__clang__) && __GNUC__ >= 11)
#define HAS_AMX
/* Tiles of 16 rows of 64 bytes. A process asks Linux for their registers, as of 5.16. */
static int may_use_tiles(void) { return !syscall(SYS_arch_prctl, 0x1023, 18); }

__attribute__((target("amx-tile,amx-int8"))) static int64_t amx_int8(long rounds) {
    static const struct {
        uint8_t palette, start_row, reserved[14];
        uint16_t row_bytes[16];
        uint8_t rows[16];
    } all = {1, 0, {0}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};
    static uint32_t bytes[256];
    /* Zeros are multiplied a fifth quicker, in less heat: no sums that mean anything. */
    for (int i = 0; i < 256; i++) bytes[i] = 0x9e3779b1u * (uint32_t)(i + operand);
    __asm__ volatile("" : : "m"(all), "m"(bytes) : "memory");
    _tile_loadconfig(&all);
    _tile_loadd(4, bytes, 64);
    _tile_loadd(5, bytes, 64);
    _tile_loadd(6, bytes, 64);
    _tile_loadd(7, bytes, 64);
    while (rounds--) {
        _tile_dpbusd(0, 4, 6);
        _tile_dpbusd(1, 4, 7);
        _tile_dpbusd(2, 5, 6);
        _tile_dpbusd(3, 5, 7);
    }
    _tile_stored(0, bytes, 64);
    __asm__ volatile("" : : : "memory");
    _tile_release();
    return bytes[0];
}
#endif

#define EACH(STEP) STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8) STEP(9)
#define TEN 10
/* Accumulators have names of their own: an array of them may be kept in memory. */
#define X86(NAME, TARGET, VECTOR, SET, START, MULTIPLY, TOTAL) \
    __attribute__((target(TARGET))) static int64_t NAME(long rounds) { \
        VECTOR a = SET(operand), b = SET(operand); \
        EACH(START) \
        while (rounds--) { EACH(MULTIPLY) } \
        int64_t all = 0; \
        EACH(TOTAL) \
        return all; \
    }
#define START_512(i) __m512i sum##i = _mm512_setzero_si512(); UNKNOWN("v", sum##i);
#define START_256(i) __m256i sum##i = _mm256_setzero_si256(); UNKNOWN("x", sum##i);
#define TOTAL_512(i) all += _mm512_reduce_add_epi32(sum##i);
#define TOTAL_256(i) all += sum256(sum##i);

__attribute__((target("avx2"))) static int64_t sum256(__m256i x) {
    int32_t lanes[8];
    _mm256_storeu_si256((__m256i *)lanes, x);
    return (int64_t)lanes[0] + lanes[1] + lanes[2] + lanes[3] + lanes[4] + lanes[5] + lanes[6] +
           lanes[7];
}

#define DOT_512(i) sum##i = _mm512_dpbusd_epi32(sum##i, a, b);
X86(avx512_vnni, "avx512f,avx512bw,avx512vnni", __m512i, _mm512_set1_epi32, START_512, DOT_512,
    TOTAL_512)

#if __clang_major__ >= 16 || (!defined(__clang__) && __GNUC__ >= 11)
#define HAS_AVX_VNNI
#define DOT_256(i) sum##i = _mm256_dpbusd_avx_epi32(sum##i, a, b);
X86(avx_vnni, "avx2,avxvnni", __m256i, _mm256_set1_epi32, START_256, DOT_256, TOTAL_256)
#endif

/* Pairs of products, and these again, are added in 16 bits, which is exact for as many as the weights
 * are small; then they are widened. Kernels that widen each time reach three fifths of this. If the
 * operands and sums were known, the products, which are always the same, would be made once; or all
 * of them first, and kept in memory until they are added. */
#define PAIRS_512(i) \
    UNKNOWN("v", a); \
    sum##i = _mm512_add_epi16(sum##i, _mm512_maddubs_epi16(a, b)); \
    UNKNOWN("v", sum##i);
#define PAIRS_256(i) \
    UNKNOWN("x", a); \
    sum##i = _mm256_add_epi16(sum##i, _mm256_maddubs_epi16(a, b)); \
    UNKNOWN("x", sum##i);
X86(avx512_bw, "avx512f,avx512bw", __m512i, _mm512_set1_epi32, START_512, PAIRS_512, TOTAL_512)
X86(avx2, "avx2", __m256i, _mm256_set1_epi32, START_256, PAIRS_256, TOTAL_256)
#elif defined(__aarch64__)
#include <arm_neon.h>
#include <sys/auxv.h>

#define EACH(STEP) STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8) STEP(9) \
    STEP(10) STEP(11) STEP(12) STEP(13) STEP(14) STEP(15)
#define SIXTEEN 16
#define DOT_PRODUCT (1UL << 20) /* HWCAP_ASIMDDP */
#define I8MM (1UL << 13)        /* HWCAP2_I8MM */

#define NEON(NAME, TARGET, MULTIPLY) \
    __attribute__((target(TARGET))) static int64_t NAME(long rounds) { \
        int8x16_t a = vdupq_n_s8((int8_t)operand), b = vdupq_n_s8((int8_t)operand); \
        int32x4_t sum[SIXTEEN]; \
        for (int i = 0; i < SIXTEEN; i++) { sum[i] = vdupq_n_s32(0); UNKNOWN("w", sum[i]); } \
        while (rounds--) { EACH(MULTIPLY) } \
        int64_t all = 0; \
        for (int i = 0; i < SIXTEEN; i++) all += vaddvq_s32(sum[i]); \
        return all; \
    }
#define DOT(i) sum[i] = vdotq_s32(sum[i], a, b);
#define MATRIX(i) sum[i] = vmmlaq_s32(sum[i], a, b);
/* Added in 16 bits, see AVX2 above. */
#define LONG(i) \
    UNKNOWN("w", a); \
    sum[i] = vreinterpretq_s32_s16( \
        vmlal_s8(vreinterpretq_s16_s32(sum[i]), vget_low_s8(a), vget_low_s8(b)));
NEON(neon_dot, "arch=armv8.2-a+dotprod", DOT)
NEON(neon_i8mm, "arch=armv8.2-a+i8mm", MATRIX)
NEON(neon, "arch=armv8-a", LONG)
#endif

#define PORTABLE 256
static int64_t portable(long rounds) {
    static const uint8_t one[PORTABLE] = {1}, other[PORTABLE] = {1};
    const uint8_t *a = one;
    const int8_t *b = (const int8_t *)other;
    int64_t all = 0;
    while (rounds--) {
        UNKNOWN("r", a);
        UNKNOWN("r", b);
        int32_t sum = 0;
        for (int i = 0; i < PORTABLE; i++) sum += a[i] * b[i];
        all += sum;
    }
    return all;
}

static double now_s(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static volatile int64_t result;

typedef struct {
    Kernel kernel;
    double best_s;
} Work;

/* The best of many short runs: one that nothing else on the machine got in the way of. */
static void *work(void *argument) {
    Work *mine = argument;
    mine->best_s = 1e9;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double start = now_s();
        result = mine->kernel.run(ROUNDS);
        double seconds = now_s() - start;
        if (seconds < mine->best_s) mine->best_s = seconds;
    }
    return NULL;
}

static void measure(Kernel kernel, int n_threads) {
    pthread_t threads[MOST_THREADS];
    Work works[MOST_THREADS];
    for (int i = 0; i < n_threads; i++) {
        works[i].kernel = kernel;
        if (pthread_create(&threads[i], NULL, work, &works[i])) exit(1);
    }
    double per_second = 0;
    for (int i = 0; i < n_threads; i++) {
        pthread_join(threads[i], NULL);
        per_second += kernel.operations_per_round * ROUNDS / works[i].best_s;
    }
    printf("%s %.6g\n", kernel.name, per_second);
}

int main(int count, char **arguments) {
    int n_threads = count > 1 ? atoi(arguments[1]) : 1;
    if (n_threads < 1 || n_threads > MOST_THREADS) return 2;
#if defined(__x86_64__)
#ifdef HAS_AMX
    if (__builtin_cpu_supports("amx-int8") && may_use_tiles())
        measure((Kernel){"amxint8: tdpbusd", amx_int8, 2.0 * 4 * 16 * 16 * 64}, n_threads);
#endif
    if (__builtin_cpu_supports("avx512vnni"))
        measure((Kernel){"avx512vnni: vpdpbusd", avx512_vnni, 2.0 * 64 * TEN}, n_threads);
#ifdef HAS_AVX_VNNI
    if (__builtin_cpu_supports("avxvnni"))
        measure((Kernel){"avxvnni: vpdpbusd", avx_vnni, 2.0 * 32 * TEN}, n_threads);
#endif
    if (__builtin_cpu_supports("avx512bw"))
        measure((Kernel){"avx512bw: vpmaddubsw, vpaddw", avx512_bw, 2.0 * 64 * TEN}, n_threads);
    if (__builtin_cpu_supports("avx2"))
        measure((Kernel){"avx2: vpmaddubsw, vpaddw", avx2, 2.0 * 32 * TEN}, n_threads);
#elif defined(__aarch64__)
    if (getauxval(AT_HWCAP2) & I8MM)
        measure((Kernel){"neon_i8mm: smmla", neon_i8mm, 2.0 * 32 * SIXTEEN}, n_threads);
    if (getauxval(AT_HWCAP) & DOT_PRODUCT)
        measure((Kernel){"neon_dotprod: sdot", neon_dot, 2.0 * 16 * SIXTEEN}, n_threads);
    measure((Kernel){"neon: smlal", neon, 2.0 * 8 * SIXTEEN}, n_threads);
#endif
    measure((Kernel){"portable: what the compiler makes of C", portable, 2.0 * PORTABLE}, n_threads);
    return 0;
}
