/* The integer products of a tile where an instruction serves two rows, two columns and eight
 * channels: a sum holds both columns of the first row, then those of the second. */
enum { WEIGHT_LAYOUT = CENTERED_PAIRS };

/* A pair of groups of the weights, or the last one alone; the rows' activations likewise. */
INLINE void add_pair(dot_sum sums[][MOST_PANELS * DOT_VECTORS], const element *const *x,
                     int64_t step, const int8_t *w, int64_t panel_size, int rows, int panels,
                     int both) {
    dot_activations a[MOST_ROWS / 2];
    UNROLL for (int r = 0; r < rows; r += 2)
        a[r / 2] = pair_rows(ROW(x, step, r), r + 1 < rows ? ROW(x, step, r + 1) : NULL, both);
    UNROLL for (int j = 0; j < panels * VECTORS; j++) {
        const int8_t *panel = w + (j / VECTORS) * panel_size;
        const int column = j % VECTORS * VECTOR;
        dot_weight first, second;
        if (both) {
            first = pair_load(panel + column * 2 * GROUP);
            second = pair_load(panel + (column + 2) * 2 * GROUP);
        } else {
            pair_with_zeros(panel + column * GROUP, &first, &second);
        }
        UNROLL for (int r = 0; r < rows; r += 2) {
            sums[r / 2][2 * j] = pair_dot(sums[r / 2][2 * j], a[r / 2], first);
            sums[r / 2][2 * j + 1] = pair_dot(sums[r / 2][2 * j + 1], a[r / 2], second);
        }
        LOAD_AFTER(sums[0][2 * j], w);
    }
}

/* All sums stay in registers from the first product to the last. */
INLINE void sum_products(const struct integer_product *p, int64_t t, int rows, int64_t panel,
                         int panels, int far, vi totals[][MOST_PANELS * VECTORS]) {
    (void)far; /* how far ahead to ask for weights was not measured on such a processor */
    const int64_t groups = p->groups, panel_size = p->panel_taps * groups * PANEL * GROUP;
    const int64_t step = p->stride * p->row_size;
    const int64_t passed = (p->tap_step - 1) * groups * PANEL * GROUP;
    dot_sum sums[MOST_ROWS / 2][MOST_PANELS * DOT_VECTORS];
    UNROLL for (int r = 0; r < rows; r += 2)
        UNROLL for (int j = 0; j < panels * DOT_VECTORS; j++) sums[r / 2][j] = dot_zero();
    const int8_t *w = p->weight + panel * panel_size;
    for (int64_t k = 0, place = 0; k < p->taps; k++, place = NEXT_PLACE(p, place), w += passed) {
        prefetch_output(&p->output, t, rows, panel, panels, k, p->taps);
        const element *x[MOST_BASES];
        begin_tap(x, p, t, place, rows);
        for (int64_t g = 0; g + 2 <= groups; g += 2, w += 2 * PANEL * GROUP) {
            add_pair(sums, x, step, w, panel_size, rows, panels, 1);
            pass_groups(x, rows, 2);
        }
        if (groups % 2) {
            add_pair(sums, x, step, w, panel_size, rows, panels, 0);
            w += PANEL * GROUP;
        }
    }
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int j = 0; j < panels * VECTORS; j++)
            totals[r][j] = pair_result(sums[r / 2][2 * j], sums[r / 2][2 * j + 1], r % 2);
}

/* One instruction of the above, for kernel_peak.h. */
enum { PRODUCTS_OF_REGISTERS = 2 * 2 * 2 * GROUP };
typedef dot_sum register_sum;
typedef dot_activations register_activations;
typedef dot_weight register_weight;
INLINE dot_activations load_activations(const element *x) { return pair_rows(x, x, 1); }
INLINE dot_weight load_weight(const int8_t *w) { return pair_load(w); }
INLINE dot_sum no_sum(void) { return dot_zero(); }
INLINE dot_sum add_product(dot_sum sum, dot_activations a, dot_weight w) {
    return pair_dot(sum, a, w);
}
