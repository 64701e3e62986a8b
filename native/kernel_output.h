/* From the registers of a tile to the tensors: scale, residual, addend, summary, edges. */

/* Of a few rows of VECTOR columns. */
struct column_values {
    vf sum, squares, least, greatest;
};

INLINE struct column_values no_values(void) {
    const vf zero = vf_set1(0.0f);
    return (struct column_values){zero, zero, vf_set1(INFINITY), vf_set1(-INFINITY)};
}

INLINE void add_values(struct column_values *of, vf v) {
    of->sum = vf_add(of->sum, v);
    of->squares = vf_fma(v, v, of->squares);
    of->least = vf_min(v, of->least); /* in this order a NaN is passed over */
    of->greatest = vf_max(v, of->greatest);
}

INLINE void join_summary(const struct summary *s, int64_t column, const struct column_values *of) {
    vf_add_to_double(s->sums + column, of->sum);
    vf_add_to_double(s->squares + column, of->squares);
    vf_store(s->least + column, vf_min(vf_load(s->least + column), of->least));
    vf_store(s->greatest + column, vf_max(vf_load(s->greatest + column), of->greatest));
}

/* The tile's panel `panel`, all of which is inside the output. `values` are rows x PANEL floats. The
 * statistics of `summary_rows` rows at a time are summed in float, and joined in double. */
INLINE void store_tile(const struct output *o, const struct part *part, int64_t first_row,
                       int rows, int64_t panel, vf values[][MOST_PANELS * VECTORS], int vector,
                       int summary_rows) {
    const int64_t column = panel * PANEL, step = o->row_length;
    const int64_t first_at = first_row * step + column - o->shift;
    if (o->residual)
        UNROLL for (int r = 0; r < rows; r++)
            UNROLL for (int j = 0; j < VECTORS; j++) {
                const float *from = o->residual + first_at + r * step + j * VECTOR;
                values[r][vector + j] = vf_add(values[r][vector + j], vf_load(from));
            }
    if (o->addend)
        UNROLL for (int r = 0; r < rows; r++)
            UNROLL for (int j = 0; j < VECTORS; j++) {
                const float *from = o->addend + first_at + r * step + j * VECTOR;
                values[r][vector + j] = vf_add(values[r][vector + j], vf_load(from));
            }
    const vf scale = vf_set1(o->scale);
    UNROLL for (int first = 0; first < rows; first += summary_rows) {
        struct column_values all[VECTORS];
        UNROLL for (int j = 0; j < VECTORS; j++) all[j] = no_values();
        const int last = first + summary_rows < rows ? first + summary_rows : rows;
        UNROLL for (int r = first; r < last; r++)
            UNROLL for (int j = 0; j < VECTORS; j++) {
                const vf v = vf_mul(values[r][vector + j], scale);
                vf_store(o->y + first_at + r * step + j * VECTOR, v);
                add_values(&all[j], v);
            }
        if (part->summary.sums)
            UNROLL for (int j = 0; j < VECTORS; j++)
                join_summary(&part->summary, column + j * VECTOR, &all[j]);
    }
}

/* One row of a panel with fewer columns than it could have. */
INLINE void store_row(const struct output *o, int64_t at, int64_t columns, const float *values) {
    for (int64_t c = 0; c < columns; c += VECTOR) {
        const int64_t lanes = columns - c < VECTOR ? columns - c : VECTOR, to = at + c;
        vf v = vf_load(values + c);
        if (o->residual) v = vf_add(v, vf_load_part(o->residual + to, lanes));
        if (o->addend) v = vf_add(v, vf_load_part(o->addend + to, lanes));
        vf_store_part(o->y + to, vf_mul(v, vf_set1(o->scale)), lanes);
    }
}

/* One row of a panel that reaches over an edge of the output, element by element where that is not
 * only the edge on its right. */
static void store_edge(const struct output *o, const struct part *part, int64_t row,
                       int64_t panel, const float *values) {
    const struct summary *s = &part->summary;
    const int64_t column = panel * PANEL;
    const int64_t columns = o->columns - column < PANEL ? o->columns - column : PANEL;
    const int64_t first_at = row * o->row_length + column - o->shift;
    if (s->sums == NULL && first_at >= o->first + 2 * o->reflected &&
        first_at + columns <= o->last) {
        store_row(o, first_at, columns, values);
        return;
    }
    for (int64_t c = column; c < column + columns; c++) {
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
            if (s->sums == NULL) continue;
            s->sums[c] += v;
            s->squares[c] += (double)v * v;
            if (v < s->least[c]) s->least[c] = v;
            if (v > s->greatest[c]) s->greatest[c] = v;
        }
    }
}

static __attribute__((noinline)) void store_edges(const struct output *o, const struct part *part,
                                                  int64_t first_row, int rows, int64_t panel,
                                                  const float *values) {
    for (int r = 0; r < rows; r++) store_edge(o, part, first_row + r, panel, values + r * PANEL);
}

INLINE void store_values(const struct output *o, const struct part *part, int64_t first_row,
                         int rows, int64_t panel, vf values[][MOST_PANELS * VECTORS], int vector,
                         int summary_rows) {
    const int64_t column = panel * PANEL;
    const int64_t first_at = first_row * o->row_length + column - o->shift;
    const int64_t last_at = first_at + (rows - 1) * o->row_length;
    if (o->columns - column >= PANEL && first_at >= o->first + 2 * o->reflected &&
        last_at + PANEL <= o->last) {
        store_tile(o, part, first_row, rows, panel, values, vector, summary_rows);
        return;
    }
    /* To memory here, where it is rare: the values of a tile inside stay in registers. */
    float edge[MOST_ROWS * PANEL];
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int j = 0; j < VECTORS; j++)
            vf_store(edge + r * PANEL + j * VECTOR, values[r][vector + j]);
    store_edges(o, part, first_row, rows, panel, edge);
}

/* The rows of a tile lie far apart, which no processor foresees: a part of them is asked for with
 * every tap of the kernel, so that all are there when the tile is stored. */
INLINE void prefetch_output(const struct output *o, int64_t first_row, int rows, int64_t panel,
                            int panels, int64_t tap, int64_t taps) {
    if (o->y == NULL) return;
    const int64_t last = first_row + rows * (tap + 1) / taps;
    for (int64_t row = first_row + rows * tap / taps; row < last; row++)
        UNROLL for (int i = 0; i < panels; i++) {
            const int64_t at = row * o->row_length + (panel + i) * PANEL - o->shift;
            if (at < o->first || at >= o->last) continue;
            __builtin_prefetch(o->y + at, 1);
            if (o->residual) __builtin_prefetch(o->residual + at);
            if (o->addend) __builtin_prefetch(o->addend + at);
        }
}

static __attribute__((noinline)) void store_integers(const struct output *o, int64_t first_row,
                                                     int rows, int64_t panel,
                                                     const int32_t *values) {
    const int64_t column = panel * PANEL;
    const int64_t columns = o->columns - column < PANEL ? o->columns - column : PANEL;
    for (int r = 0; r < rows; r++)
        memcpy(o->accumulators + (first_row + r) * o->row_length + column, values + r * PANEL,
               (size_t)columns * sizeof *values);
}
