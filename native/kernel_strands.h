/* Strands: rows that a dilation lies between, in pairs of which kernel_pairs.h multiplies them. */

/* A product over rows of a strand, `plain`, and the three that its pairs are made of: the first
 * pair is rows `shift` and `shift` + 1. */
struct half {
    struct integer_product plain, even, odd, both;
    int64_t shift;
    const uint8_t *beyond; /* of the first pair; or NULL: no pairs */
    const int32_t *terms;  /* of the columns, added to the second row of a pair */
};

/* Rows of the output that are d apart: what their pairs are made of, and they without pairs. */
struct strand {
    struct integer_product plain, first, second;
    struct half halves[HALVES];
    const uint8_t *beyond;
    int quarters; /* whether halves are made in pairs */
};

/* Of a product every second tap from `first` on, over every second row from `row` on. */
INLINE struct integer_product phase_of(const struct integer_product *p, int64_t row,
                                       int64_t first) {
    struct integer_product half = *p;
    half.rows = (const element *)p->rows + row * p->stride * p->row_size;
    half.stride *= 2;
    half.dilation *= 2;
    half.taps = half.kernel_size = (p->taps + 1 - first) / 2;
    half.weight += first * p->tap_step * p->groups * PANEL * GROUP;
    half.runs += first * p->tap_step * p->groups;
    half.tap_step *= 2;
    return half;
}

/* The product of differences, from a row on: strands lie one on another, d of them. */
INLINE struct integer_product difference_of(const struct integer_product *p,
                                            const struct differences *of, int64_t row, int64_t d) {
    struct integer_product both = *p;
    both.rows = (const element *)of->rows + row * p->row_size;
    both.stride = both.dilation = d;
    both.taps = both.kernel_size = of->taps;
    both.weight = p->pairs->weight + of->first_tap * p->groups * PANEL * GROUP;
    both.panel_taps = p->pairs->weight_taps;
    both.runs += (p->kernel_size + of->first_tap) * p->groups;
    both.tap_step = 1;
    both.output.y = NULL; /* nothing to prefetch */
    return both;
}

/* The strand that begins at row 0. */
static struct strand first_strand(const struct integer_product *p) {
    const int64_t d = p->dilation;
    const struct pairs *pairs = p->pairs;
    struct strand s = {.plain = *p, .first = *p, .second = *p, .beyond = pairs->of_rows.beyond};
    s.plain.stride = d;
    begin_output(&s.second.output, d);
    s.plain.output.row_length *= d;
    s.first.output.row_length *= 2 * d;
    s.second.output.row_length *= 2 * d;
    s.second.column_terms = pairs->of_rows.column_terms;

    struct half *const even = &s.halves[OF_EVEN], *const odd = &s.halves[OF_ODD];
    even->plain = phase_of(&s.plain, 0, 0);
    even->plain.output = s.first.output; /* which it prefetches */
    odd->plain = phase_of(&s.plain, 1, 1);
    odd->plain.output = s.second.output;
    s.halves[OF_BOTH].plain = difference_of(p, &pairs->of_rows, 0, d);
    s.quarters = pairs->of_halves[OF_EVEN].taps > 0;
    even->shift = 1; /* row 0 is the carried one */
    for (int i = 0; s.quarters && i < HALVES; i++) {
        struct half *const half = s.halves + i;
        const struct differences *const of = pairs->of_halves + i;
        if (of->taps == 0) continue; /* a single one of the weights */
        half->even = phase_of(&half->plain, half->shift, 0);
        half->odd = phase_of(&half->plain, half->shift + 1, 1);
        half->even.output.y = half->odd.output.y = NULL;
        half->both = difference_of(p, of, half->shift * d, d);
        half->beyond = of->beyond + half->shift * d;
        half->terms = of->column_terms;
    }
    return s;
}

/* One row later; p is the product that the strands are of. */
INLINE void begin_later(struct integer_product *of, const struct integer_product *p) {
    of->rows = (const element *)of->rows + p->row_size;
    move_output(&of->output, p->output.row_length);
}

/* The strand that begins one row later. */
static void next_strand(struct strand *s, const struct integer_product *p) {
    begin_later(&s->plain, p);
    begin_later(&s->first, p);
    begin_later(&s->second, p);
    s->beyond++;
    for (int i = 0; i < HALVES; i++) {
        struct half *const half = s->halves + i;
        begin_later(&half->plain, p);
        if (half->beyond == NULL) continue;
        begin_later(&half->even, p);
        begin_later(&half->odd, p);
        begin_later(&half->both, p);
        half->beyond++;
    }
}
