"""Speech decoded in windows, compared with the same speech decoded whole: sound and cost.

    python -m bench.windows [sound] [compute] [--side native] [--side stock] [--side float32]
                            [--sentences 8] [--voices NAME,...] [--minutes 10] [--repeats N]
                            [--write]

Side: a side is one variant of the prepared model, on the CPU. It decodes whole and in windows.
`native` has our own operators and is the default. `stock` has only those of ONNX Runtime. `float32`
is a variant for GPUs: it pads frames to a bucket, or to a multiple of the last one, and masks the
padding.

Sound: English sentences of tests/data/reading/agreement.tsv are joined into texts whose lengths are
spread evenly over 3 to 30 seconds (at most 500 tokens), 8 texts for each of 16 voices. Each text is
said three times: by the side whole, by the side in the windows of a stream, and by the published
model whole. The distance between the published model and the side's whole rendering is the floor:
rounding alone sets two whole renderings that far apart. Distance is
`service.model.parity.log_spectral_distance` down to 120 dB below the loudest bin, so that silence
counts in full. Loudness is the root mean square of 2,400 samples. Its change is measured at every
60th sample after the first window, where the whole rendering's loudness is above 0.02. The jump at
sample n is |x[n] - x[n - 1]|, and it is large if it exceeds the 99.9th percentile of the jumps of
the same text away from its seams. Windows are switched at the beginning, the middle and the end of
a fade. The whole rendering has no seams; its jumps are measured at the same samples. pocketsphinx
recognizes words, see `bench.hearing`. The 95 % intervals come from resampling the texts.

Compute: chunks of 5, 9 and 20 seconds are said in windows, with encoder and statistics, and whole,
in turns, in one process. The ratio is the median over the pairs.

Bounds: all durations equal those of the whole rendering. They also equal those of the published
model, except for float32, which rounds less. The mean distance is at most 5.3 dB. Over all voices,
the 5th and 95th percentiles of the change of loudness lie between -1.2 and +1.2 dB. Where windows
are switched, no jump is large unless the whole rendering has a large one there too. At most 0.5
percentage points more words are misheard. A chunk of 20 seconds costs at most 15 % more in windows.

With `--write` the tables go into RESULTS.md. Three seams of the native side go into docs/seams.svg:
those around which both renderings are most alike, least alike, and the median of all seams outside
of pauses.

Renderings and recognized words are kept under build/bench/windows, so the work can be done in
parts: `--minutes` stops after that time with exit status 3, and the next call goes on. Renderings
of another model, decoding or predictor are deleted; those of the published model serve all sides.
On two cores, sound takes 45 minutes, most of them for the published model and for recognition, and
compute takes 2.
"""
