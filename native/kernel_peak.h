/* The most multiply-adds of bytes that the instructions of the kernels do: products of registers
 * alone, into as many sums as hide how long one takes. */
enum { PEAK_SUMS = 10 };

static int64_t multiply_registers(int64_t rounds) {
    element activations[2 * GROUP] = {0};
    int8_t weights[2 * PANEL * GROUP] = {0};
    register_activations a = load_activations(activations);
    register_weight w = load_weight(weights);
    register_sum sums[PEAK_SUMS];
    __asm__ volatile("" : "+" REGISTER(w)); /* which the compiler knows otherwise */
    UNROLL for (int i = 0; i < PEAK_SUMS; i++) sums[i] = add_product(no_sum(), a, w);
    for (int64_t n = 0; n < rounds; n++)
        UNROLL for (int i = 0; i < PEAK_SUMS; i++) {
            /* Or else a product, which is always the same, would be made once. */
            __asm__ volatile("" : "+" REGISTER(a));
            sums[i] = add_product(sums[i], a, w);
        }
    UNROLL for (int i = 0; i < PEAK_SUMS; i++) __asm__ volatile("" : : REGISTER(sums[i]));
    return rounds * PEAK_SUMS * PRODUCTS_OF_REGISTERS;
}
