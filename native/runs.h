/* How long the sum of a column may stay in 16 bits: a part of the weights' layout.
 *
 * Where an instruction multiplies bytes and adds the products in 16 bits, a lane sums one column
 * and two neighbouring channels, 0 and 1 or 2 and 3, of each group of 4. However large the
 * activations are, it stays within 255 * 128 = 32640 as long as the lane's positive weights sum to
 * 128 at most, and its negative ones to -128 at least. That holds for activations of 0 to 255 and
 * for those of -128 to 127 that NEON multiplies, and for the sum of each channel alone.
 *
 * Whoever packs weights cuts the groups of each panel and tap into runs of which this is true for
 * every lane. `runs` is uint8 [panels, kernel_size, groups]: for each panel and tap the lengths of
 * its runs in groups, one after the other, and zeros behind them. A group of which it is not true
 * even alone is in a run with RUN_WIDENED added to its length: its weights are widened before they
 * are multiplied. Variants whose instructions add in 32 bits need none of this. */
#ifndef KOKORO_RUNS_H
#define KOKORO_RUNS_H

#include "kokoro_ops.h"

enum { RUN_LENGTH = 127, RUN_WIDENED = 128 };

/* NULL, or what is wrong for the variant in use, which may read as many groups as the runs say. */
const char *kokoro_check_runs(const struct kokoro_convolution *);

#endif
