"""What decoding in windows costs."""

from __future__ import annotations

import argparse
from functools import partial

from bench import speech
from bench.processes import THREADS
from bench.report import Bound, ratio, table
from bench.timing import alternate, seconds
from bench.variants import opened
from bench.windows.sentences import VOICES, n_tokens
from bench.windows.ways import SPEED, WHOLE, WINDOWS, in_windows, whole
from service.model.durations import SAMPLES_PER_FRAME
from service.model.kokoro import SAMPLE_RATE_HZ
from service.model.prepared import Variant
from service.settings import Settings
from service.speech.windows import windows_of

LENGTHS_S = (5, 9, 20)
MOST_COMPUTE = {20: Bound(1.15)}
REPEATS = 9


def measure_compute(side: Variant, options: argparse.Namespace) -> tuple[str, bool]:
    """Return the table of what windows cost a side, and whether every bound is met.

    Raises:
        ChildError: the side cannot be decoded in windows here.
    """
    voice = VOICES[0]
    rows = []
    with opened(side, Settings(threads=THREADS)) as model:
        ways = (in_windows(model), whole(model))
        for length_s in LENGTHS_S:
            token_ids, style = speech.inputs(speech.phonemes(n_tokens(length_s, voice)), voice)
            ours, theirs = (partial(seconds, partial(say, token_ids, style)) for say in ways)
            pairs = alternate(ours, theirs, options.repeats or REPEATS, warm_ups=1)
            n_frames = model.encode(token_ids, style, SPEED).n_frames
            name = (
                f"{len(token_ids)} tokens, {n_frames * SAMPLES_PER_FRAME / SAMPLE_RATE_HZ:.1f} s, "
                f"{len(list(windows_of(n_frames, soon=True)))} windows"
            )
            rows.append(ratio(name, pairs, "s", MOST_COMPUTE.get(length_s)))
    return table(rows, WHOLE, WINDOWS), all(row.met is not False for row in rows)
