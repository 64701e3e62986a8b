/* The integer products of a tile where an instruction adds products in 16 bits: the sums of a run
 * (runs.h) stay there, and are then widened and added to totals, which pass through memory. */
enum { WEIGHT_LAYOUT = CENTERED };

/* Of weights and activations, the fewer stay in registers while the others pass. */
INLINE void add_groups(run_sum sums[][RUN_VECTORS], const element *const *x, int64_t step,
                       const int8_t *w, int rows, int groups, int first) {
    UNROLL for (int g = 0; g < groups; g++) {
        const int8_t *panel = w + g * PANEL * GROUP;
        if (RUN_VECTORS > rows) {
            run_activations a[MOST_ROWS];
            UNROLL for (int r = 0; r < rows; r++) a[r] = run_group(ROW(x, step, r) + g * GROUP);
            UNROLL for (int j = 0; j < RUN_VECTORS; j++) {
                const run_weight weight = run_load(panel, j);
                UNROLL for (int r = 0; r < rows; r++)
                    sums[r][j] = first && g == 0 ? run_product(a[r], weight, j)
                                                 : run_add(sums[r][j], a[r], weight, j);
            }
        } else {
            run_weight weights[RUN_VECTORS];
            UNROLL for (int j = 0; j < RUN_VECTORS; j++) weights[j] = run_load(panel, j);
            UNROLL for (int r = 0; r < rows; r++) {
                const run_activations a = run_group(ROW(x, step, r) + g * GROUP);
                UNROLL for (int j = 0; j < RUN_VECTORS; j++)
                    sums[r][j] = first && g == 0 ? run_product(a, weights[j], j)
                                                 : run_add(sums[r][j], a, weights[j], j);
            }
        }
    }
}

/* Puts x and w behind a group. */
INLINE void pass_group(const element **x, const int8_t **w, int rows) {
    pass_groups(x, rows, 1);
    *w += PANEL * GROUP;
}

/* A run of `length` groups by twos, so that the loop is half as long; puts x and w behind it. */
INLINE void add_run(run_total totals[][RUN_VECTORS], const element **x, int64_t step,
                    const int8_t **w, int rows, int64_t length) {
    run_sum sums[MOST_ROWS][RUN_VECTORS];
    add_groups(sums, x, step, *w, rows, 1, 1);
    pass_group(x, w, rows);
    for (length -= 1; length >= 2; length -= 2) {
        add_groups(sums, x, step, *w, rows, 2, 0);
        pass_group(x, w, rows);
        pass_group(x, w, rows);
    }
    if (length) {
        add_groups(sums, x, step, *w, rows, 1, 0);
        pass_group(x, w, rows);
    }
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int j = 0; j < RUN_VECTORS; j++)
            totals[r][j] = run_widen(totals[r][j], sums[r][j]);
}

INLINE void add_widened_run(run_total totals[][RUN_VECTORS], const element **x, int64_t step,
                            const int8_t **w, int rows, int64_t length) {
    for (; length > 0; length--, pass_group(x, w, rows))
        for (int r = 0; r < rows; r++)
            for (int j = 0; j < RUN_VECTORS; j++)
                totals[r][j] =
                    run_add_widened(totals[r][j], run_group(ROW(x, step, r)), run_load(*w, j), j);
}

INLINE void sum_products(const struct integer_product *p, int64_t t, int rows, int64_t panel,
                         int panels, int far, vi totals[][MOST_PANELS * VECTORS]) {
    (void)far; /* these sums take so long that weights come in time */
    const int64_t step = p->stride * p->row_size;
    const int8_t *w = p->weight + panel * p->panel_taps * p->groups * PANEL * GROUP;
    const uint8_t *runs = p->runs + panel * p->run_taps * p->groups;
    const int64_t passed = (p->tap_step - 1) * p->groups * PANEL * GROUP;
    run_total memory[MOST_ROWS][RUN_VECTORS], (*wide)[RUN_VECTORS] = memory;
    HIDE(wide); /* the registers are for the sums */
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int j = 0; j < RUN_VECTORS; j++) wide[r][j] = run_zero();
    for (int64_t k = 0, place = 0; k < p->taps; k++, place = NEXT_PLACE(p, place), w += passed) {
        prefetch_output(&p->output, t, rows, panel, panels, k, p->taps);
        const element *x[MOST_BASES];
        begin_tap(x, p, t, place, rows);
        const uint8_t *run = runs + k * p->tap_step * p->groups;
        for (int64_t left = p->groups, length; left > 0; left -= length, run++) {
            length = *run & RUN_LENGTH;
            if (*run & RUN_WIDENED)
                add_widened_run(wide, x, step, &w, rows, length);
            else
                add_run(wide, x, step, &w, rows, length);
        }
    }
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int j = 0; j < VECTORS; j++) totals[r][j] = run_result(wide[r], j);
}

/* One instruction of the above, for kernel_peak.h. */
enum { PRODUCTS_OF_REGISTERS = PANEL * GROUP / RUN_VECTORS };
typedef run_sum register_sum;
typedef run_activations register_activations;
typedef run_weight register_weight;
INLINE run_activations load_activations(const element *x) { return run_group(x); }
INLINE run_weight load_weight(const int8_t *w) { return run_load(w, 0); }
INLINE run_sum no_sum(void) { return run_nothing(); }
INLINE run_sum add_product(run_sum sum, run_activations a, run_weight w) {
    return run_add(sum, a, w, 0);
}
