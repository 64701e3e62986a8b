/* Integer products tile by tile, and the order of tiles. */

/* From the sums of products to the output; `summary_rows` as in `store_tile`. */
INLINE void finish_tile(const struct integer_product *p, const struct part *part, int64_t t,
                        int rows, int64_t panel, int panels,
                        vi totals[][MOST_PANELS * VECTORS], int summary_rows) {
    UNROLL for (int i = 0; i < panels; i++) {
        const int32_t *terms = p->column_terms + (panel + i) * PANEL;
        UNROLL for (int j = 0; j < VECTORS; j++) {
            const vi of_columns = vi_load(terms + j * VECTOR);
            UNROLL for (int r = 0; r < rows; r++)
                totals[r][i * VECTORS + j] = vi_add(totals[r][i * VECTORS + j], of_columns);
        }
    }
    if (p->output.accumulators) {
        UNROLL for (int i = 0; i < panels; i++) {
            int32_t integers[MOST_ROWS * PANEL];
            UNROLL for (int r = 0; r < rows; r++)
                UNROLL for (int j = 0; j < VECTORS; j++)
                    vi_store(integers + r * PANEL + j * VECTOR, totals[r][i * VECTORS + j]);
            store_integers(&p->output, t, rows, panel + i, integers);
        }
        return;
    }
    vf values[MOST_ROWS][MOST_PANELS * VECTORS];
    UNROLL for (int i = 0; i < panels; i++) {
        const int64_t column = (panel + i) * PANEL;
        UNROLL for (int j = 0; j < VECTORS; j++) {
            const vf scale = vf_load(p->scales + column + j * VECTOR);
            if (p->bias) {
                const vf bias = vf_load(p->bias + column + j * VECTOR);
                UNROLL for (int r = 0; r < rows; r++) {
                    const vf sum = vf_from_int(totals[r][i * VECTORS + j]);
                    values[r][i * VECTORS + j] = plus_product(bias, sum, scale);
                }
            } else {
                UNROLL for (int r = 0; r < rows; r++)
                    values[r][i * VECTORS + j] =
                        vf_mul(vf_from_int(totals[r][i * VECTORS + j]), scale);
            }
        }
        store_values(&p->output, part, t, rows, panel + i, values, i * VECTORS, summary_rows);
    }
}

INLINE void integer_tile(const struct integer_product *p, const struct part *part, int64_t t,
                         int rows, int64_t panel, int panels) {
    vi totals[MOST_ROWS][MOST_PANELS * VECTORS];
    sum_products(p, t, rows, panel, panels, 1, totals);
    finish_tile(p, part, t, rows, panel, panels, totals, SUMMARY_ROWS);
}

/* The panels of a sweep over the rows: as many as keep their weights in a core's second-level
 * cache, so that a tile's activations and the rows of the output are passed once for all of them. */
enum { SWEEP_BYTES = 1 << 18 };

INLINE int64_t sweep_of(int64_t panel_bytes) {
    const int64_t panels = SWEEP_BYTES / panel_bytes / TILE_PANELS * TILE_PANELS;
    return panels < TILE_PANELS ? TILE_PANELS : panels;
}

/* A row of tiles of a constant size. Each tile is a function of its own: what tiles have in common
 * would otherwise be kept in registers that their accumulators need. */
#define ROW_OF_TILES(kind, suffix, rows)                                                          \
    static __attribute__((noinline)) void kind##_tile_##suffix(                                   \
        const struct kind##_product *p, const struct part *part, int64_t t, int64_t panel) {      \
        kind##_tile(p, part, t, rows, panel, 1);                                                  \
    }                                                                                             \
    static __attribute__((noinline)) void kind##_wide_tile_##suffix(                              \
        const struct kind##_product *p, const struct part *part, int64_t t, int64_t panel) {      \
        kind##_tile(p, part, t, rows, panel, TILE_PANELS);                                        \
    }                                                                                             \
    static void kind##_tiles_##suffix(const struct kind##_product *p, const struct part *part,    \
                                      int64_t t, int64_t panel, int64_t last) {                   \
        for (; panel + TILE_PANELS <= last; panel += TILE_PANELS)                                 \
            kind##_wide_tile_##suffix(p, part, t, panel);                                         \
        for (; panel < last; panel++) kind##_tile_##suffix(p, part, t, panel);                    \
    }

enum { DOT_THIRD = DOT_ROWS < 3 ? 1 : DOT_ROWS / 3 };
ROW_OF_TILES(integer, large, DOT_ROWS)
ROW_OF_TILES(integer, small, DOT_THIRD)
ROW_OF_TILES(integer, single, 1)

/* Whole tiles first, then smaller ones for the rows that are left. */
static void multiply_rows(const struct integer_product *p, const struct part *part) {
    const int64_t sweep = sweep_of(p->panel_taps * p->groups * PANEL * GROUP);
    for (int64_t first = part->first_panel; first < part->last_panel; first += sweep) {
        const int64_t last = first + sweep < part->last_panel ? first + sweep : part->last_panel;
        int64_t t = part->first_row;
        for (; t + DOT_ROWS <= part->last_row; t += DOT_ROWS)
            integer_tiles_large(p, part, t, first, last);
        for (; t + DOT_THIRD <= part->last_row; t += DOT_THIRD)
            integer_tiles_small(p, part, t, first, last);
        for (; t < part->last_row; t++) integer_tiles_single(p, part, t, first, last);
    }
}
