/* A step of an LSTM over bytes, with the bits that ONNX Runtime gives: the state is quantized by its
 * own range in every step, and gates have the functions of kernel_sigmoids.h. */

/* Makes the cells and the states of a vector of units, from unit u on, of their gates. */
INLINE void update_units(const struct recurrence *r, int64_t u, int64_t units, float *state) {
    enum { OF_INPUT, OF_OUTPUT, OF_FORGETTING, OF_CELL, GATES };
    const int whole = units >= VECTOR;
    vf gates[GATES];
    UNROLL for (int i = 0; i < GATES; i++) {
        const float *gate = r->gates + i * r->hidden + u, *bias = r->bias + i * r->hidden + u;
        gates[i] = vf_add(whole ? vf_load(gate) : vf_load_part(gate, units),
                          whole ? vf_load(bias) : vf_load_part(bias, units));
        gates[i] = i == OF_CELL ? hyperbolic_tangent(gates[i]) : logistic(gates[i]);
    }
    float *const cell = r->cell + u; /* in whole vectors */
    const vf added = vf_mul(gates[OF_INPUT], gates[OF_CELL]);
    const vf kept = plus_product(added, vf_load(cell), gates[OF_FORGETTING]);
    vf_store(cell, kept);
    const vf v = vf_mul(hyperbolic_tangent(kept), gates[OF_OUTPUT]);
    if (whole)
        vf_store(state + u, v);
    else
        vf_store_part(state + u, v, units);
}

static void step(const struct recurrence *r, const float *gates_of_x, const float *before,
                 float *state) {
    const struct activation as_it_is = {
        .kind = PLAIN, .x = before, .rows = 1, .channels = r->hidden};
    const int64_t columns = r->product.output.columns;
    struct range ends;
    struct quantization q = r->quantization;
    range(&as_it_is, 0, 1, &ends);
    kokoro_settle_range(&q, &ends, 1);
    quantize(&as_it_is, &q, 0, 1);
    const uint32_t zero = (uint32_t)(q.zero_point - ACTIVATION_OFFSET);
    for (int64_t c = 0; c < columns; c++) r->terms[c] = (int32_t)(0 - zero * (uint32_t)r->sums[c]);
    for (int64_t c = 0; c < columns; c++) r->step_scales[c] = q.scale * r->scales[c];
    struct integer_product p = r->product;
    p.bias = gates_of_x;
    const struct part whole = {.last_row = 1, .last_panel = columns / PANEL};
    multiply_rows(&p, &whole);
    for (int64_t u = 0; u < r->hidden; u += VECTOR) update_units(r, u, r->hidden - u, state);
}
