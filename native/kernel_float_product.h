/* Float products in pairs of rows: of two taps u, v and rows x of the input,
 *
 *     y[t]     = u x[t]     + v x[t + 1] = (u + v) x[t + 1] + u (x[t] - x[t + 1])
 *     y[t + 1] = u x[t + 1] + v x[t + 2] = (u + v) x[t + 1] + v (x[t + 2] - x[t + 1])
 *
 * are three products in the place of four. A pair of rows of the input becomes the three factors on
 * the right; the next two taps take those of the next pair. A last tap alone is (u, 0). */

enum { OF_FIRST, OF_EACH, OF_SECOND };

/* A row beyond the tensor is zeros. */
INLINE vf activated_row(const struct activation *a, int64_t t, int64_t c) {
    if (t < 0 || t >= a->rows) return vf_set1(0.0f);
    const float *x = a->x + t * a->channels + c;
    const int64_t left = a->channels - c;
    const vf v = left >= VECTOR ? vf_load(x) : vf_load_part(x, left);
    return a->kind == PLAIN ? v : activated(a, AFFINE_LEAKY, v, c);
}

static void factor_pairs(const struct activation *a, int64_t first, int64_t pairs, float *out) {
    const int64_t channels = a->channels;
    for (int64_t t = first; t < first + 2 * pairs; t += 2, out += FACTORS * channels)
        for (int64_t c = 0; c < channels; c += VECTOR) {
            const vf each = activated_row(a, t + 1, c);
            const vf factors[FACTORS] = {
                [OF_FIRST] = vf_sub(activated_row(a, t, c), each),
                [OF_EACH] = each,
                [OF_SECOND] = vf_sub(activated_row(a, t + 2, c), each),
            };
            const int64_t left = channels - c;
            UNROLL for (int i = 0; i < FACTORS; i++) {
                float *const to = out + i * channels + c;
                if (left >= VECTOR)
                    vf_store(to, factors[i]);
                else
                    vf_store_part(to, factors[i], left);
            }
        }
}

/* Adds to the sums of a tile what a tap gives with factor `which` of every pair. */
INLINE void add_factor(vf sums[][MOST_PANELS * VECTORS], const float *const *x, int64_t channels,
                       const vf *weights, int which, int pairs, int vectors) {
    UNROLL for (int i = 0; i < pairs; i++)
        UNROLL for (int j = 0; j < vectors; j++) {
            vf *const sum = &sums[FACTORS * i + which][j];
            *sum = vf_fma_scalar(weights[j], *ROW(x, channels, FACTORS * i + which), *sum);
        }
}

/* One channel of two taps, or of the first alone. Few weights are in registers at a time. */
INLINE void add_channel(vf sums[][MOST_PANELS * VECTORS], const float *const *x, int64_t channels,
                        const float *u, const float *v, int two, int64_t panel_size, int pairs,
                        int vectors) {
#define WEIGHTS(w, j) vf_load((w) + (j) / VECTORS * panel_size + (j) % VECTORS * VECTOR)
    vf weights[MOST_PANELS * VECTORS];
    if (two) {
        UNROLL for (int j = 0; j < vectors; j++) weights[j] = WEIGHTS(v, j);
        add_factor(sums, x, channels, weights, OF_SECOND, pairs, vectors);
    }
    UNROLL for (int j = 0; j < vectors; j++) weights[j] = WEIGHTS(u, j);
    add_factor(sums, x, channels, weights, OF_FIRST, pairs, vectors);
    if (two) UNROLL for (int j = 0; j < vectors; j++) weights[j] = vf_add(weights[j], WEIGHTS(v, j));
    add_factor(sums, x, channels, weights, OF_EACH, pairs, vectors);
#undef WEIGHTS
}

INLINE void float_tile(const struct float_product *p, const struct part *part, int64_t t, int rows,
                       int64_t panel, int panels) {
    const int64_t channels = p->channels, panel_size = p->kernel_size * channels * PANEL;
    const int64_t tap = p->tap_step * channels * PANEL, taps = p->kernel_size;
    const int pairs = rows / 2, vectors = panels * VECTORS;
    vf sums[MOST_ROWS][MOST_PANELS * VECTORS];
    UNROLL for (int j = 0; j < vectors; j++)
        UNROLL for (int i = 0; i < pairs; i++) {
            sums[FACTORS * i + OF_EACH][j] = vf_load(p->bias + panel * PANEL + j * VECTOR);
            sums[FACTORS * i + OF_FIRST][j] = sums[FACTORS * i + OF_SECOND][j] = vf_set1(0.0f);
        }
    const float *u = p->weight + panel * panel_size + p->first_tap * channels * PANEL;
    const float *factors = p->factors + (t - p->row_origin) / 2 * FACTORS * channels;
    for (int64_t k = 0; k < taps; k += 2, u += 2 * tap, factors += FACTORS * channels) {
        prefetch_output(&p->output, t, rows, panel, panels, k / 2, (taps + 1) / 2);
        const float *x[MOST_BASES];
        UNROLL for (int i = 0; i < pairs; i++) {
            x[i] = factors + i * FACTORS * channels;
            HIDE(x[i]);
        }
        const float *const end = x[0] + channels, *v = u + tap;
#define CHANNELS(two)                                                                             \
    for (const float *w = u; x[0] < end; w += PANEL, v += PANEL) {                                \
        add_channel(sums, x, channels, w, v, two, panel_size, pairs, vectors);                    \
        UNROLL for (int i = 0; i < pairs; i++) x[i]++;                                            \
    }
        if (k + 1 < taps) {
            CHANNELS(1)
        } else {
            CHANNELS(0)
        }
#undef CHANNELS
    }
    vf values[MOST_ROWS][MOST_PANELS * VECTORS];
    UNROLL for (int i = 0; i < pairs; i++)
        UNROLL for (int j = 0; j < vectors; j++) {
            const vf each = sums[FACTORS * i + OF_EACH][j];
            values[2 * i][j] = vf_add(each, sums[FACTORS * i + OF_FIRST][j]);
            values[2 * i + 1][j] = vf_add(each, sums[FACTORS * i + OF_SECOND][j]);
        }
    UNROLL for (int i = 0; i < panels; i++)
        store_values(&p->output, part, t, rows, panel + i, values, i * VECTORS, rows);
}

ROW_OF_TILES(float, large, FLOAT_ROWS)
ROW_OF_TILES(float, single, 2)

/* The row behind an odd number of them is beyond the output, and dropped there. */
static void multiply_floats(const struct float_product *p, const struct part *part) {
    const int64_t sweep = sweep_of(p->kernel_size * p->channels * PANEL * (int64_t)sizeof(float));
    for (int64_t first = part->first_panel; first < part->last_panel; first += sweep) {
        const int64_t last = first + sweep < part->last_panel ? first + sweep : part->last_panel;
        int64_t t = part->first_row;
        for (; t + FLOAT_ROWS <= part->last_row; t += FLOAT_ROWS)
            float_tiles_large(p, part, t, first, last);
        for (; t < part->last_row; t += 2) float_tiles_single(p, part, t, first, last);
    }
}
