/* From the registers of a tile to the tensors: scale, residual, addend, statistics, edges. */

/* The tile's panel `panel`, one row after the other: scale, residual, addend, statistics.
 * `values` are rows x PANEL floats. */
INLINE void store_tile(const struct output *o, const struct part *part, int64_t first_row,
                       int rows, int64_t panel, vf values[][MOST_PANELS * VECTORS], int vector) {
    const int64_t column = panel * PANEL;
    const int64_t columns = o->columns - column < PANEL ? o->columns - column : PANEL;
    const vf scale = vf_set1(o->scale);
    vf sums[VECTORS], squares[VECTORS];
    UNROLL for (int j = 0; j < VECTORS; j++) sums[j] = squares[j] = vf_set1(0.0f);
    UNROLL for (int r = 0; r < rows; r++) {
        const int64_t at = (first_row + r) * o->row_length + column - o->shift;
        if (columns == PANEL && at >= o->first + 2 * o->reflected && at + PANEL <= o->last) {
            UNROLL for (int j = 0; j < VECTORS; j++) {
                vf v = values[r][vector + j];
                if (o->residual) v = vf_add(v, vf_load(o->residual + at + j * VECTOR));
                if (o->addend) v = vf_add(v, vf_load(o->addend + at + j * VECTOR));
                v = vf_mul(v, scale);
                vf_store(o->y + at + j * VECTOR, v);
                sums[j] = vf_add(sums[j], v);
                squares[j] = vf_fma(v, v, squares[j]);
            }
        }
    }
    if (part->sums) {
        const int64_t all = round_up(o->columns, PANEL);
        UNROLL for (int j = 0; j < VECTORS; j++) {
            vf_add_to_double(part->sums + column + j * VECTOR, sums[j]);
            vf_add_to_double(part->sums + all + column + j * VECTOR, squares[j]);
        }
    }
}

/* One row of a panel that reaches over an edge of the output, element by element. */
static __attribute__((noinline)) void store_edge(const struct output *o, const struct part *part,
                                                 int64_t row, int64_t panel, const float *values) {
    const int64_t column = panel * PANEL, all = round_up(o->columns, PANEL);
    for (int64_t c = column; c < column + PANEL && c < o->columns; c++) {
        const int64_t at = row * o->row_length + c - o->shift;
        if (at < o->first || at >= o->last) continue;
        /* Once at its own place, and once more before the start if it is what is reflected. */
        const int copies = at >= o->first + o->reflected && at < o->first + 2 * o->reflected;
        for (int copy = 0; copy <= copies; copy++) {
            const int64_t to = at - copy * 2 * o->reflected;
            float v = values[c - column];
            if (o->residual) v += o->residual[to];
            if (o->addend) v += o->addend[to];
            v *= o->scale;
            o->y[to] = v;
            if (part->sums) {
                part->sums[c] += v;
                part->sums[all + c] += (double)v * v;
            }
        }
    }
}

INLINE void store_values(const struct output *o, const struct part *part, int64_t first_row,
                         int rows, int64_t panel, vf values[][MOST_PANELS * VECTORS], int vector) {
    const int64_t column = panel * PANEL;
    const int64_t last_at = (first_row + rows - 1) * o->row_length + column - o->shift;
    const int64_t first_at = first_row * o->row_length + column - o->shift;
    store_tile(o, part, first_row, rows, panel, values, vector);
    if (o->columns - column >= PANEL && first_at >= o->first + 2 * o->reflected &&
        last_at + PANEL <= o->last)
        return;
    for (int r = 0; r < rows; r++) {
        const int64_t at = first_at + r * o->row_length;
        if (o->columns - column >= PANEL && at >= o->first + 2 * o->reflected &&
            at + PANEL <= o->last)
            continue;
        float edge[PANEL];
        UNROLL for (int j = 0; j < VECTORS; j++) vf_store(edge + j * VECTOR, values[r][vector + j]);
        store_edge(o, part, first_row + r, panel, edge);
    }
}

/* The rows of a tile lie far apart, which no processor foresees: a part of them is asked for with
 * every tap of the kernel, so that all are there when the tile is stored. */
INLINE void prefetch_output(const struct output *o, int64_t first_row, int rows, int64_t panel,
                            int panels, int64_t tap, int64_t taps) {
    const int64_t last = first_row + rows * (tap + 1) / taps;
    for (int64_t row = first_row + rows * tap / taps; row < last; row++)
        UNROLL for (int i = 0; i < panels; i++) {
            const int64_t at = row * o->row_length + (panel + i) * PANEL - o->shift;
            if (at < o->first || at >= o->last || o->y == NULL) continue;
            __builtin_prefetch(o->y + at, 1);
            if (o->residual) __builtin_prefetch(o->residual + at);
            if (o->addend) __builtin_prefetch(o->addend + at);
        }
}

INLINE void store_integers(const struct output *o, int64_t row, int64_t panel, const vi *values) {
    int32_t integers[PANEL];
    UNROLL for (int j = 0; j < VECTORS; j++) vi_store(integers + j * VECTOR, values[j]);
    const int64_t column = panel * PANEL;
    for (int64_t c = column; c < column + PANEL && c < o->columns; c++)
        o->accumulators[row * o->row_length + c] = integers[c - column];
}
