"""How well a chunk's AdaIN statistics are predicted before decoding; makes voices/statistics.npz.

    python -m bench.statistics [--minutes 10] [--write]

A split model decodes a chunk in windows, with statistics that `service.model.statistics` predicts
for the whole chunk. Here chunks are decoded whole, and the statistics measured in the decoder are
compared with the predicted ones. Three quarters of the sentences under tests/data/reading serve to
fit the predictor, and the others are held out to evaluate it. There are three kinds of chunks:
every voice in its own language (22 chunks to fit, 3 held out), blends of two or three voices with
random weights (500 and 60), and voices that speak a foreign language (120 and 54). Chunks have 20
to 480 tokens, spread evenly on a logarithmic scale. Half of them are said at speed 1, the others at
0.6 to 1.8.

The predictor: inputs are centered. Style and mean features are each divided by one number, so that
the mean variance of their channels is 1; every other input is divided by its own standard
deviation. Ridge regression has a penalty of 1. Its result is cut to the strongest directions, 128
for means and variances and 64 for ranges, and stored in int8. Penalties of 0.3 and 3 gave the same
errors. Without the spectrum's statistics, errors of the mean rose by a sixth; without the features,
errors of the range rose by a fifth. Errors of the range rose by a third with ranks of 64 and 16,
rose by a twentieth with 96 and 48, and fell by a twentieth with 192 and 96.

Errors: the error of the mean is the root mean square over channels, in standard deviations of the
chunk. The errors of the variance and of the range (maximum minus minimum) are those of their
logarithms. The table shows means over chunks.

Coverage: each voice in turn is left out of the fit. The limit of leverage is 1.1 times the largest
leverage among the voices of the fit, for chunks of 20 tokens or more. A voice counts as covered if
any of its styles is within the limit.

Bounds: for all three kinds, errors of the mean are at most 0.05, of the variance 0.07, and of the
range 0.07. No voice that was left out counts as covered with an error of the mean above 0.15.

Measurements are kept under build/bench/statistics. `--minutes` stops after that time with exit
status 3, and the next call goes on. `--write` also writes the predictor into voices/. All of it
takes half an hour on two cores.
"""
