/* Integer products in pairs of rows: three products of half a kernel in the place of four.
 *
 * Of a kernel w of odd size, with d for the dilation, let
 *
 *     even(t) = w[0] x[t] + w[2] x[t + 2d] + ...
 *     odd(t)  = w[1] x[t] + w[3] x[t + 2d] + ...
 *     both(t) = (w[0] - w[1]) (x[t] - x[t + d]) + (w[2] - w[3]) (x[t + 2d] - x[t + 3d]) + ...
 *
 * Then two rows of the output that are d apart are
 *
 *     y[t]     = even(t) + odd(t + d)
 *     y[t + d] = even(t + 2d) + odd(t + d) + both(t + d)
 *
 * and even(t + 2d) is also in the next pair: a fast FIR algorithm for two phases. Integers, so it
 * is exact. Each of the three is itself a product over rows that are 2d apart, and is made in pairs
 * in the same way where the weights have what that takes: nine products of a quarter of the kernel
 * in the place of sixteen.
 *
 * It needs differences of activations that fit a byte like activations. Neighbours in time hardly
 * ever differ by more than half of the range; where they do, a tile is multiplied as without pairs.
 * The differences of weights are made for each run. */

_Static_assert(DOT_ROWS % 2 == 0, "tiles of pairs begin with a row of an even number");

/* Whether `count` differences from i on fit, and those that the taps behind them take. */
INLINE int differences_fit(const uint8_t *beyond, const struct integer_product *both, int64_t i,
                           int64_t count) {
    const int64_t last = i + count + both->taps - 1;
    uint8_t any = 0;
    for (; i < last; i++) any |= beyond[i * both->stride];
    return !any;
}

/* Sums of products in memory: [rows, panels, PANEL]. */
INLINE void keep_sums(const struct integer_product *p, int64_t t, int rows, int64_t panel,
                      int panels, int32_t *sums) {
    vi totals[MOST_ROWS][MOST_PANELS * VECTORS];
    sum_products(p, t, rows, panel, panels, 0, totals);
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int j = 0; j < panels * VECTORS; j++)
            vi_store(sums + (r * panels * VECTORS + j) * VECTOR, totals[r][j]);
}

#define KEEP_SUMS(name, rows, panels)                                                             \
    static __attribute__((noinline)) void name(const struct integer_product *p, int64_t t,        \
                                               int64_t panel, int32_t *sums) {                    \
        keep_sums(p, t, rows, panel, panels, sums);                                               \
    }
KEEP_SUMS(keep_row, 1, 1)
KEEP_SUMS(keep_tile, DOT_ROWS, 1)
KEEP_SUMS(keep_first_tile, DOT_ROWS + 1, 1)
KEEP_SUMS(keep_wide_row, 1, TILE_PANELS)
KEEP_SUMS(keep_wide_tile, DOT_ROWS, TILE_PANELS)
KEEP_SUMS(keep_first_wide_tile, DOT_ROWS + 1, TILE_PANELS)

INLINE vi sum_at(const int32_t *sums, int row, int vector, int vectors) {
    return vi_load(sums + (row * vectors + vector) * VECTOR);
}

/* A tile of rows of a half, from what its pairs are made of. */
INLINE void join_half(const int32_t *even, const int32_t *odd, const int32_t *both,
                      const int32_t *terms, int panels, int32_t *sums) {
    const int vectors = panels * VECTORS;
    UNROLL for (int j = 0; j < vectors; j++) {
        const vi term = vi_load(terms + j * VECTOR);
        for (int r = 0; r < DOT_ROWS; r++) {
            const vi of_odd = sum_at(odd, r, j, vectors);
            int32_t *to = sums + (2 * r * vectors + j) * VECTOR;
            vi_store(to, vi_add(sum_at(even, r, j, vectors), of_odd));
            const vi second = vi_add(sum_at(even, r + 1, j, vectors), of_odd);
            vi_store(to + vectors * VECTOR,
                     vi_add(second, vi_add(sum_at(both, r, j, vectors), term)));
        }
    }
}

/* A tile of pairs, from what they are made of; second tells which row of each. */
INLINE void finish_rows(const struct strand *s, const struct part *part, int64_t i, int64_t panel,
                        int panels, const int32_t *even, const int32_t *odd, const int32_t *both,
                        int second) {
    const int vectors = panels * VECTORS;
    vi totals[MOST_ROWS][MOST_PANELS * VECTORS];
    UNROLL for (int r = 0; r < DOT_ROWS; r++)
        UNROLL for (int j = 0; j < vectors; j++) {
            totals[r][j] = vi_add(sum_at(even, r + second, j, vectors),
                                  sum_at(odd, r, j, vectors));
            if (second) totals[r][j] = vi_add(totals[r][j], sum_at(both, r, j, vectors));
        }
    finish_tile(second ? &s->second : &s->first, part, i, DOT_ROWS, panel, panels, totals,
                SUMMARY_ROWS);
}

/* Panels whose rows are carried at a time. */
enum { MOST_SWEPT = 16 };

/* What is known of the row behind the last tile: even(t), and that of each half. */
struct carried {
    int known, of_halves[HALVES];
    int32_t even[MOST_SWEPT * PANEL], even_of_halves[HALVES][MOST_SWEPT * PANEL];
};

INLINE void forget(struct carried *c) {
    c->known = 0;
    memset(c->of_halves, 0, sizeof c->of_halves);
}

/* Functions of a tile of `panels` panels. `at` is where the first of them is carried. */
#define PAIR_TILES(suffix, panels, KEEP_ROW, KEEP_TILE, KEEP_FIRST_TILE)                          \
    static __attribute__((noinline)) void join_half_##suffix(                                     \
        const int32_t *even, const int32_t *odd, const int32_t *both, const int32_t *terms,       \
        int32_t *sums) {                                                                          \
        join_half(even, odd, both, terms, panels, sums);                                          \
    }                                                                                             \
    static __attribute__((noinline)) void finish_pairs_##suffix(                                  \
        const struct strand *s, const struct part *part, int64_t i, int64_t panel,                \
        const int32_t *even, const int32_t *odd, const int32_t *both) {                           \
        finish_rows(s, part, i, panel, panels, even, odd, both, 0);                               \
        finish_rows(s, part, i, panel, panels, even, odd, both, 1);                               \
    }                                                                                             \
    /* A tile of rows and the one behind it, which is carried on: the first may be known. */      \
    static void keep_carried_##suffix(const struct integer_product *p, int64_t i, int64_t panel,  \
                                      int known, int32_t *carried, int32_t *sums) {               \
        enum { COLUMNS = (panels) * PANEL };                                                      \
        if (known) {                                                                              \
            memcpy(sums, carried, COLUMNS * sizeof *sums);                                        \
            KEEP_TILE(p, i + 1, panel, sums + COLUMNS);                                           \
        } else {                                                                                  \
            KEEP_FIRST_TILE(p, i, panel, sums);                                                   \
        }                                                                                         \
        memcpy(carried, sums + DOT_ROWS * COLUMNS, COLUMNS * sizeof *sums);                       \
    }                                                                                             \
    /* Two tiles of rows of a half, from row i on. The output is asked for meanwhile. */          \
    static void half_##suffix(const struct half *h, int64_t i, int64_t panel, int fits,           \
                              int known, int32_t *carried, int32_t *sums) {                       \
        const struct output *const o = &h->plain.output;                                          \
        enum { COLUMNS = (panels) * PANEL };                                                      \
        int32_t even[(DOT_ROWS + 1) * COLUMNS], odd[DOT_ROWS * COLUMNS], both[DOT_ROWS * COLUMNS]; \
        if (!fits) {                                                                              \
            KEEP_TILE(&h->plain, i + h->shift, panel, sums);                                      \
            KEEP_TILE(&h->plain, i + h->shift + DOT_ROWS, panel, sums + DOT_ROWS * COLUMNS);      \
            return;                                                                               \
        }                                                                                         \
        prefetch_output(o, i, 2 * DOT_ROWS, panel, panels, 0, 3);                                 \
        keep_carried_##suffix(&h->even, i / 2, panel, known, carried, even);                      \
        prefetch_output(o, i, 2 * DOT_ROWS, panel, panels, 1, 3);                                 \
        KEEP_TILE(&h->odd, i / 2, panel, odd);                                                    \
        prefetch_output(o, i, 2 * DOT_ROWS, panel, panels, 2, 3);                                 \
        KEEP_TILE(&h->both, i / 2, panel, both);                                                  \
        join_half_##suffix(even, odd, both, h->terms + panel * PANEL, sums);                      \
    }                                                                                             \
    static void quarter_tile_##suffix(const struct strand *s, const struct part *part, int64_t i, \
                                      int64_t panel, int64_t at, const int *fits,                 \
                                      struct carried *c) {                                        \
        enum { COLUMNS = (panels) * PANEL, SUMS = 2 * DOT_ROWS * COLUMNS };                       \
        int32_t even[SUMS + COLUMNS], sums[HALVES][SUMS];                                         \
        if (c->known)                                                                             \
            memcpy(even, c->even + at, COLUMNS * sizeof *even);                                   \
        else                                                                                      \
            KEEP_ROW(&s->halves[OF_EVEN].plain, i, panel, even);                                  \
        for (int n = 0; n < HALVES; n++)                                                          \
            half_##suffix(s->halves + n, i, panel, fits[n], c->of_halves[n],                      \
                          c->even_of_halves[n] + at, n == OF_EVEN ? even + COLUMNS : sums[n]);    \
        memcpy(c->even + at, even + SUMS, COLUMNS * sizeof *even);                                \
        finish_pairs_##suffix(s, part, i, panel, even, sums[OF_ODD], sums[OF_BOTH]);              \
        finish_pairs_##suffix(s, part, i + DOT_ROWS, panel, even + SUMS / 2,                      \
                              sums[OF_ODD] + SUMS / 2, sums[OF_BOTH] + SUMS / 2);                 \
    }                                                                                             \
    static void pair_tile_##suffix(const struct strand *s, const struct part *part, int64_t i,    \
                                   int64_t panel, int64_t at, struct carried *c) {                \
        enum { COLUMNS = (panels) * PANEL };                                                      \
        int32_t even[(DOT_ROWS + 1) * COLUMNS], odd[DOT_ROWS * COLUMNS], both[DOT_ROWS * COLUMNS]; \
        keep_carried_##suffix(&s->halves[OF_EVEN].plain, i, panel, c->known, c->even + at, even); \
        KEEP_TILE(&s->halves[OF_ODD].plain, i, panel, odd);                                       \
        KEEP_TILE(&s->halves[OF_BOTH].plain, i, panel, both);                                     \
        finish_pairs_##suffix(s, part, i, panel, even, odd, both);                                \
    }

PAIR_TILES(narrow, 1, keep_row, keep_tile, keep_first_tile)
PAIR_TILES(wide, TILE_PANELS, keep_wide_row, keep_wide_tile, keep_first_wide_tile)

static void pair_tiles(const struct strand *s, const struct part *part, int64_t i, int64_t panel,
                       int64_t last, struct carried *c) {
    int64_t at = 0;
    for (; panel + TILE_PANELS <= last; panel += TILE_PANELS, at += TILE_PANELS * PANEL)
        pair_tile_wide(s, part, i, panel, at, c);
    for (; panel < last; panel++, at += PANEL) pair_tile_narrow(s, part, i, panel, at, c);
    c->known = 1;
    memset(c->of_halves, 0, sizeof c->of_halves);
}

static void quarter_tiles(const struct strand *s, const struct part *part, int64_t i,
                          int64_t panel, int64_t last, struct carried *c) {
    int fits[HALVES];
    for (int n = 0; n < HALVES; n++) {
        const struct half *h = s->halves + n;
        fits[n] = h->beyond && differences_fit(h->beyond, &h->both, i / 2, DOT_ROWS);
    }
    int64_t at = 0;
    for (; panel + TILE_PANELS <= last; panel += TILE_PANELS, at += TILE_PANELS * PANEL)
        quarter_tile_wide(s, part, i, panel, at, fits, c);
    for (; panel < last; panel++, at += PANEL)
        quarter_tile_narrow(s, part, i, panel, at, fits, c);
    c->known = 1;
    memcpy(c->of_halves, fits, sizeof fits);
}

static void multiply_strand(const struct strand *s, const struct part *part, int64_t rows,
                            int64_t pairs, int64_t first, int64_t last) {
    const struct integer_product *const both = &s->halves[OF_BOTH].plain;
    struct carried carried;
    forget(&carried);
    int64_t i = 0, t;
    while (i + DOT_ROWS <= pairs) {
        /* One more, which quarters of an odd number of taps multiply twice, with opposite signs. */
        if (s->quarters && i + 2 * DOT_ROWS <= pairs &&
            differences_fit(s->beyond, both, i, 2 * DOT_ROWS + 1)) {
            quarter_tiles(s, part, i, first, last, &carried);
            i += 2 * DOT_ROWS;
            continue;
        }
        if (differences_fit(s->beyond, both, i, DOT_ROWS)) {
            pair_tiles(s, part, i, first, last, &carried);
        } else {
            integer_tiles_large(&s->plain, part, 2 * i, first, last);
            integer_tiles_large(&s->plain, part, 2 * i + DOT_ROWS, first, last);
            forget(&carried);
        }
        i += DOT_ROWS;
    }
    for (t = 2 * i; t + DOT_ROWS <= rows; t += DOT_ROWS)
        integer_tiles_large(&s->plain, part, t, first, last);
    for (; t + DOT_THIRD <= rows; t += DOT_THIRD)
        integer_tiles_small(&s->plain, part, t, first, last);
    for (; t < rows; t++) integer_tiles_single(&s->plain, part, t, first, last);
}

/* A difference is stored as the byte of an activation: DIFFERENCE_OFFSET is what 0 is. */
enum { DIFFERENCE_OFFSET = 128 - ACTIVATION_OFFSET };

/* Row i of the differences, if there is one: of a row of bytes and of a later one. */
INLINE void subtract_row(const struct differences *of, int64_t i, const element *restrict x,
                         const element *restrict later, int64_t size) {
    if (i >= of->count) return;
    element *restrict to = (element *)of->rows + i * size;
    uint8_t beyond = 0;
    for (int64_t c = 0; c < size; c++) {
        to[c] = (element)(x[c] - later[c] + DIFFERENCE_OFFSET);
        /* Wrapped around, it is on the other side of 0. */
        beyond |= (uint8_t)((x[c] >= later[c]) ^ (to[c] >= DIFFERENCE_OFFSET));
    }
    of->beyond[i] = beyond;
}

/* All differences. Each round is of a strand and of two of its blocks: the differences of rows, and
 * one of each half. That of differences is right where these fit. */
static __attribute__((noinline)) void subtract_rows(const struct integer_product *p) {
    const int64_t d = p->dilation, size = p->row_size;
    const struct pairs *pairs = p->pairs;
    const struct differences *of_rows = &pairs->of_rows, *of_halves = pairs->of_halves;
    const int64_t rounds = (pairs->blocks + of_rows->taps + 1) / 2 * d;
    for (int64_t i = 0; i < rounds; i++) {
        const int64_t block = i / d * 2, place = i % d;
        const element *x = (const element *)p->rows + (block * 2 * d + place) * size;
        const int64_t apart = d * size;
        /* The difference of a block is that of its second half to the first one of the next. */
        for (int64_t b = block ? block + 1 : 0; b < block + 3; b++) {
            const element *second = x + (2 * (b - block) + 1) * apart;
            subtract_row(of_rows, b * d + place, second, second + apart, size);
        }
        subtract_row(&of_halves[OF_EVEN], i, x, x + 2 * apart, size);
        subtract_row(&of_halves[OF_ODD], i, x + 3 * apart, x + 5 * apart, size);
        const element *difference = (const element *)of_rows->rows + ((block + 1) * d + place) * size;
        subtract_row(&of_halves[OF_BOTH], i, difference, difference + d * size, size);
    }
}

/* The part begins with row 0. */
static void multiply_pairs(const struct integer_product *p, const struct part *part) {
    const int64_t d = p->dilation, rows = part->last_row, blocks = p->pairs->blocks;
    subtract_rows(p);
    int64_t sweep = sweep_of(p->run_taps * p->groups * PANEL * GROUP);
    if (sweep > MOST_SWEPT) sweep = MOST_SWEPT;
    const struct strand begin = first_strand(p);
    for (int64_t first = part->first_panel; first < part->last_panel; first += sweep) {
        const int64_t last = first + sweep < part->last_panel ? first + sweep : part->last_panel;
        struct strand s = begin;
        for (int64_t i = 0; i < d && i < rows; i++, next_strand(&s, p)) {
            const int64_t own = (rows - i + d - 1) / d;
            multiply_strand(&s, part, own, own / 2 < blocks ? own / 2 : blocks, first, last);
        }
    }
}

static void multiply_integers(const struct integer_product *p, const struct part *part) {
    if (p->pairs)
        multiply_pairs(p, part);
    else
        multiply_rows(p, part);
}
