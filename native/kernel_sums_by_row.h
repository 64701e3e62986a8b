/* The integer products of a tile where an instruction serves one row. */
enum { WEIGHT_LAYOUT = CENTERED };

/* One group of channels, lane `lane` of activations that are loaded `lanes` at a time. Of weights
 * and activations, the fewer stay in registers while the others pass. */
INLINE void add_group(dot_sum sums[][MOST_PANELS * DOT_VECTORS], const element *const *x,
                      int64_t step, const int8_t *w, int64_t panel_size, int rows, int panels,
                      int lanes, int lane) {
    dot_weight weights[MOST_PANELS * DOT_VECTORS];
    if (ROWS_PASS) {
        UNROLL for (int j = 0; j < panels * DOT_VECTORS; j++)
            weights[j] = dot_load(w + (j / DOT_VECTORS) * panel_size, j % DOT_VECTORS);
        UNROLL for (int r = 0; r < rows; r++) {
            const element *from = ROW(x, step, r);
            const dot_activations a = lanes > 1 ? dot_lanes(from) : dot_lane(from);
            UNROLL for (int j = 0; j < panels * DOT_VECTORS; j++)
                sums[r][j] = dot(sums[r][j], a, weights[j], lane);
        }
    } else {
        UNROLL for (int j = 0; j < panels * DOT_VECTORS; j++) {
            weights[0] = dot_load(w + (j / DOT_VECTORS) * panel_size, j % DOT_VECTORS);
            UNROLL for (int r = 0; r < rows; r++) {
                const element *from = ROW(x, step, r);
                const dot_activations a = lanes > 1 ? dot_lanes(from) : dot_lane(from);
                sums[r][j] = dot(sums[r][j], a, weights[0], lane);
            }
        }
    }
}

/* How many bytes ahead weights are asked for: processors that foresee them by themselves stop at
 * the end of a page. */
enum { AHEAD = 2048 };

INLINE void prefetch_weights(const int8_t *w, int64_t panel_size, int panels) {
    UNROLL for (int i = 0; i < panels; i++)
        UNROLL for (int lane = 0; lane < DOT_LANES; lane++)
            __builtin_prefetch(w + i * panel_size + lane * PANEL * GROUP);
}

/* `rows` x `panels` accumulators stay in registers through the whole sum. `far`: whether the weights
 * come from beyond the second-level cache. */
INLINE void sum_products(const struct integer_product *p, int64_t t, int rows, int64_t panel,
                         int panels, int far, vi totals[][MOST_PANELS * VECTORS]) {
    const int64_t groups = p->groups, panel_size = p->panel_taps * groups * PANEL * GROUP;
    const int64_t step = p->stride * p->row_size;
    const int64_t passed = (p->tap_step - 1) * groups * PANEL * GROUP;
    dot_sum sums[MOST_ROWS][MOST_PANELS * DOT_VECTORS];
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int j = 0; j < panels * DOT_VECTORS; j++) sums[r][j] = dot_zero();
    const int8_t *w = p->weight + panel * panel_size;
    for (int64_t k = 0, place = 0; k < p->taps; k++, place = NEXT_PLACE(p, place), w += passed) {
        prefetch_output(&p->output, t, rows, panel, panels, k, p->taps);
        const element *x[MOST_BASES];
        begin_tap(x, p, t, place, rows);
        int64_t g = 0;
        for (; g + DOT_LANES <= groups; g += DOT_LANES) {
            if (far) prefetch_weights(w + AHEAD, panel_size, panels);
            UNROLL for (int lane = 0; lane < DOT_LANES; lane++, w += PANEL * GROUP)
                add_group(sums, x, step, w, panel_size, rows, panels, DOT_LANES, lane);
            pass_groups(x, rows, DOT_LANES);
        }
        for (; g < groups; g++, w += PANEL * GROUP) {
            add_group(sums, x, step, w, panel_size, rows, panels, 1, 0);
            pass_groups(x, rows, 1);
        }
    }
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int j = 0; j < panels * VECTORS; j++)
            totals[r][j] = dot_result(sums[r] + j / VECTORS * DOT_VECTORS, j % VECTORS);
}

/* One instruction of the above, for kernel_peak.h. */
enum { PRODUCTS_OF_REGISTERS = PANEL * GROUP / DOT_VECTORS };
typedef dot_sum register_sum;
typedef dot_activations register_activations;
typedef dot_weight register_weight;
INLINE dot_activations load_activations(const element *x) { return dot_lane(x); }
INLINE dot_weight load_weight(const int8_t *w) { return dot_load(w, 0); }
INLINE dot_sum no_sum(void) { return dot_zero(); }
INLINE dot_sum add_product(dot_sum sum, dot_activations a, dot_weight w) {
    return dot(sum, a, w, 0);
}
