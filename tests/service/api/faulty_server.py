"""`kokoro-service` with a model whose runs are told in the log, and fail where they are told to.

A run is one of the decoder, and known by the speed that its chunk was encoded with. It takes a
tenth of the time of the speech, as a real one, so that who leaves finds it at work; but it waits
meanwhile. `python faulty_server.py serve ...`.
"""

import logging
import sys
import time
from collections import Counter

import numpy as np

import ortffi
from service.__main__ import main

SECRET = "a text of somebody"
"""Stands in the message of the unexpected exception, as a text might."""

ORT_ERROR, UNEXPECTED, NOT_FINITE, LOST_FRAME, AT_ONCE = 1.51, 1.52, 1.53, 1.54, 1.55
"""Speeds whose every second run fails; at the last, every run."""

_S_PER_COLUMN = 0.0125 / 10

logger = logging.getLogger("tests.runs")
_n_runs = Counter()
_run = ortffi.Session.run


_encoded = []
"""What encoders gave and decoders take as it is, with the speed."""


def _told_run(self, inputs, outputs, *arguments, **options):
    if "speed" in inputs:
        encoding = _run(self, inputs, outputs, *arguments, **options)
        speed = round(float(inputs["speed"][0]), 3)
        _encoded.append((encoding[outputs.index("spectrum_statistics")], speed))
        return encoding
    statistics = inputs["spectrum_statistics"]
    speed = next(speed for encoded, speed in _encoded if encoded is statistics)
    arguments = (outputs, *arguments)
    _n_runs[speed] += 1
    logger.info("run %.3f started", speed)
    _take_time(inputs["features"].shape[1] * _S_PER_COLUMN, arguments[1])
    try:
        outputs = _run(self, inputs, *arguments, **options)
    except ortffi.TerminatedError:
        logger.info("run %.3f terminated", speed)
        raise
    logger.info("run %.3f ended", speed)
    if speed == AT_ONCE or _n_runs[speed] % 2 == 0:
        _fail(speed, outputs)
    return outputs


def _take_time(seconds, run_options):
    until = time.monotonic() + seconds
    while time.monotonic() < until and not (run_options and run_options.terminated):
        time.sleep(0.005)


def _fail(speed, outputs):
    if speed in (ORT_ERROR, AT_ONCE):
        raise ortffi.OrtError(1, "out of something", "Run")
    if speed == UNEXPECTED:
        raise RuntimeError(SECRET)
    if speed == NOT_FINITE:
        outputs[0][..., 1000] = np.nan
    if speed == LOST_FRAME:
        outputs[0] = outputs[0][..., :-600]


if __name__ == "__main__":
    ortffi.Session.run = _told_run
    sys.exit(main())
