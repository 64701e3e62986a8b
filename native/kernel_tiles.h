/* Integer products of matrices in tiles (AMX): an instruction multiplies 16 rows of 64 channels with
 * 64 channels of 16 columns, which is what 16 groups of a panel already are in memory. 32 rows and 2
 * panels are summed at a time. The sums before them are finished meanwhile, a tile every few steps:
 * the unit for tiles and those for vectors then work side by side.
 *
 * Rows of activations are whole tiles, with zeros beyond the channels. The groups of a tap may be
 * fewer; then the last ones are copied, since a tile might reach beyond the weights. */

enum { TILE_ROWS = 16, TILE_BYTES = 64, TILE_GROUPS = TILE_BYTES / GROUP };
enum { HIGH = 2, WIDE = 2 }; /* tiles of sums */
enum { TILE_SUMS = TILE_ROWS * PANEL, TILE_WEIGHTS = TILE_GROUPS * PANEL * GROUP };

/* The numbers of tiles, which have to be literals: sums of the first and of the second rows, in the
 * first and in the second panel; activations of the first and of the second rows; weights of the
 * first and of the second panel. */
#define SUM_00 0
#define SUM_01 1
#define SUM_10 2
#define SUM_11 3
#define ROWS_0 4
#define ROWS_1 5
#define PANEL_0 6
#define PANEL_1 7

static void begin_tiles(void) {
    const struct {
        uint8_t palette, start_row, reserved[14];
        uint16_t row_bytes[16];
        uint8_t rows[16];
    } all = {.palette = 1,
             .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64},
             .rows = {16, 16, 16, 16, 16, 16, 16, 16}};
    /* GCC 12 believes that it reads 8 bytes, and would leave out the others. */
    __asm__ volatile("" : : "m"(all) : "memory");
    _tile_loadconfig(&all);
}

/* Sums that wait to be finished, from row t on: tiles of [rows, PANEL], panel by panel. */
struct waiting {
    int64_t t, last_row, panel;
    int tiles, high; /* what is left of them, and how many lie over each other */
    const int32_t *sums;
};

static __attribute__((noinline)) void finish_sums(const struct integer_product *p,
                                                  const struct part *part,
                                                  const struct waiting *w, int tile) {
    const int64_t t = w->t + tile % w->high * TILE_ROWS, panel = w->panel + tile / w->high;
    const int32_t *sums = w->sums + tile * TILE_SUMS;
    vi totals[MOST_ROWS][MOST_PANELS * VECTORS];
    if (t + TILE_ROWS <= w->last_row) {
        UNROLL for (int r = 0; r < TILE_ROWS; r++)
            UNROLL for (int j = 0; j < VECTORS; j++)
                totals[r][j] = vi_load(sums + r * PANEL + j * VECTOR);
        finish_tile(p, part, t, TILE_ROWS, panel, 1, totals, TILE_ROWS);
        return;
    }
    for (int64_t r = 0; t + r < w->last_row; r++) {
        UNROLL for (int j = 0; j < VECTORS; j++)
            totals[0][j] = vi_load(sums + r * PANEL + j * VECTOR);
        finish_tile(p, part, t + r, 1, panel, 1, totals, 1);
    }
}

/* The last groups of a tap as a whole tile; what lies behind them is multiplied by zeros. */
static const int8_t *copy_groups(int8_t *to, const int8_t *w, int64_t bytes) {
    memcpy(to, w, (size_t)bytes);
    /* GCC does not know what a tile is loaded from. */
    __asm__ volatile("" : : : "memory");
    return to;
}

/* The next row of the output to be asked for. To compute pointers for each row, as `prefetch_output`
 * does, takes registers that a step needs: a block then takes 1.05 times as long. */
struct row {
    const float *y, *residual, *addend;
};

INLINE struct row row_of(const struct output *o, int64_t t, int64_t panel) {
    const int64_t at = t * o->row_length + panel * PANEL - o->shift;
    return (struct row){
        .y = o->y ? o->y + at : NULL,
        .residual = o->residual ? o->residual + at : NULL,
        .addend = o->addend ? o->addend + at : NULL,
    };
}

INLINE void ask_for(const float **row, int64_t row_length, int wide) {
    if (*row == NULL) return;
    __builtin_prefetch(*row, 1);
    if (wide > 1) __builtin_prefetch(*row + PANEL, 1);
    *row += row_length;
}

/* high x wide tiles of sums from row t on; meanwhile others are finished. */
static void sum_tiles(const struct integer_product *p, const struct part *part, int64_t t, int high,
                      int64_t panel, int wide, const struct waiting *waiting,
                      int32_t *sums) {
    const int64_t tap_bytes = p->groups * PANEL * GROUP, panel_bytes = p->panel_taps * tap_bytes;
    const int64_t step = p->stride * p->row_size, tiles = (p->groups + TILE_GROUPS - 1) / TILE_GROUPS;
    const int64_t steps = p->taps * tiles, rest = p->groups % TILE_GROUPS * PANEL * GROUP;
    _Alignas(64) int8_t copies[WIDE][TILE_WEIGHTS];
    const element *const rows = (const element *)p->rows + t * step;
    const int8_t *of_tap = p->weight + panel * panel_bytes;
    const int64_t left = part->last_row - t, row_length = p->output.row_length;
    const int64_t to_ask = left < high * TILE_ROWS ? left : high * TILE_ROWS;
    struct row row = row_of(&p->output, t, panel);
    int64_t asking = 0, finishing = 0;
    int finished = 0;
    _tile_zero(SUM_00);
    _tile_zero(SUM_01);
    _tile_zero(SUM_10);
    _tile_zero(SUM_11);
    for (int64_t k = 0, place = 0; k < p->taps; k++, place = NEXT_PLACE(p, place)) {
        const element *x = rows + place * p->dilation * p->row_size;
        const int8_t *w = of_tap;
        for (int64_t g = 0; g < tiles; g++, x += TILE_BYTES, w += TILE_WEIGHTS) {
            const int8_t *first = w, *second = w + panel_bytes;
            if (rest && g + 1 == tiles) {
                first = copy_groups(copies[0], first, rest);
                if (wide > 1) second = copy_groups(copies[1], second, rest);
            }
            _tile_loadd(PANEL_0, first, PANEL * GROUP);
            _tile_loadd(ROWS_0, x, step);
            _tile_dpbusd(SUM_00, ROWS_0, PANEL_0);
            if (wide > 1) {
                _tile_loadd(PANEL_1, second, PANEL * GROUP);
                _tile_dpbusd(SUM_01, ROWS_0, PANEL_1);
            }
            if (high > 1) {
                _tile_loadd(ROWS_1, x + TILE_ROWS * step, step);
                _tile_dpbusd(SUM_10, ROWS_1, PANEL_0);
                if (wide > 1) _tile_dpbusd(SUM_11, ROWS_1, PANEL_1);
            }
            /* Evenly: as many as there are, in as many steps. */
            for (asking += to_ask; asking >= steps; asking -= steps) {
                ask_for(&row.y, row_length, wide);
                ask_for(&row.residual, row_length, wide);
                ask_for(&row.addend, row_length, wide);
            }
            for (finishing += waiting->tiles; finishing >= steps; finishing -= steps)
                finish_sums(p, part, waiting, finished++);
        }
        of_tap += tap_bytes;
    }
    /* Panel by panel. */
    _tile_stored(SUM_00, sums, PANEL * sizeof *sums);
    if (high > 1) _tile_stored(SUM_10, sums + TILE_SUMS, PANEL * sizeof *sums);
    if (wide > 1) _tile_stored(SUM_01, sums + high * TILE_SUMS, PANEL * sizeof *sums);
    if (high > 1 && wide > 1)
        _tile_stored(SUM_11, sums + (high + 1) * TILE_SUMS, PANEL * sizeof *sums);
    __asm__ volatile("" : : : "memory"); /* nor does GCC know what a tile is stored to */
}

/* The panels of a sweep, see `sweep_of`: with each tile more is multiplied, and less read. */
enum { TILE_SWEEP_BYTES = 1 << 20 };

static void multiply_integers(const struct integer_product *p, const struct part *part) {
    _Alignas(64) int32_t sums[2][HIGH * WIDE * TILE_SUMS];
    const int64_t panel_bytes = p->panel_taps * p->groups * PANEL * GROUP;
    int64_t sweep = TILE_SWEEP_BYTES / panel_bytes / WIDE * WIDE;
    if (sweep < WIDE) sweep = WIDE;
    struct waiting waiting = {.tiles = 0};
    int turn = 0;
    begin_tiles();
    for (int64_t first = part->first_panel; first < part->last_panel; first += sweep) {
        const int64_t last = first + sweep < part->last_panel ? first + sweep : part->last_panel;
        for (int64_t t = part->first_row; t < part->last_row; t += HIGH * TILE_ROWS) {
            const int high = t + TILE_ROWS < part->last_row ? HIGH : 1;
            for (int64_t panel = first; panel < last; panel += WIDE, turn = !turn) {
                const int wide = panel + 1 < last ? WIDE : 1;
                sum_tiles(p, part, t, high, panel, wide, &waiting, sums[turn]);
                waiting = (struct waiting){.t = t, .last_row = part->last_row, .panel = panel,
                                           .tiles = high * wide, .high = high, .sums = sums[turn]};
            }
        }
    }
    _tile_release();
    for (int i = 0; i < waiting.tiles; i++) finish_sums(p, part, &waiting, i);
}

/* See kernel_peak.h. Of zeros there would be a fifth more, since they leave a processor cooler. */
static int64_t multiply_registers(int64_t rounds) {
    uint8_t bytes[TILE_WEIGHTS];
    for (int i = 0; i < TILE_WEIGHTS; i++) bytes[i] = (uint8_t)(i * i * 31 + i * 7);
    begin_tiles();
    __asm__ volatile("" : : "m"(bytes) : "memory");
    _tile_loadd(ROWS_0, bytes, TILE_BYTES);
    _tile_loadd(ROWS_1, bytes, TILE_BYTES);
    _tile_loadd(PANEL_0, bytes, PANEL * GROUP);
    _tile_loadd(PANEL_1, bytes, PANEL * GROUP);
    for (int64_t n = 0; n < rounds; n++) {
        _tile_dpbusd(SUM_00, ROWS_0, PANEL_0);
        _tile_dpbusd(SUM_01, ROWS_0, PANEL_1);
        _tile_dpbusd(SUM_10, ROWS_1, PANEL_0);
        _tile_dpbusd(SUM_11, ROWS_1, PANEL_1);
    }
    _tile_release();
    return rounds * HIGH * WIDE * TILE_ROWS * TILE_BYTES * PANEL;
}
