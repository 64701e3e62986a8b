"""Against other projects on the same model file: kokoro-onnx in a process, fastkokoro over HTTP.

    python -m bench.peers [kokoro-onnx] [fastkokoro] [--side service] [--repeats N] [--write]

kokoro-onnx: `Kokoro.create(phonemes, style, is_phonemes=True, trim=False)` on a session of the
onnxruntime package with the same number of threads, against our `Model.infer`, at 14, 96 and 398
tokens. One call is timed, from phonemes or token ids to samples, and both must give the same number
of samples. Each side has a process of its own for each length and waits while the other works. By
default kokoro-onnx trims silence at both ends, which is switched off here. It also splits more than
510 phonemes, which does not occur here.

fastkokoro: a paragraph of 600 characters as raw samples, against `POST /synthesize`: the time to
the first byte of a stream, and to the last byte of a whole answer. Its own command `fastkokoro`
starts it with FASTKOKORO_MODEL_PATH (the same published file), FASTKOKORO_VOICES_PATH (our voices
as .npz), FASTKOKORO_ONNX_INTRA_OP_NUM_THREADS (the same number), FASTKOKORO_CACHE_DIR, host and
port. All other settings are its defaults: it simplifies the graph, warms up, and streams sentence
by sentence. It caches phonemes, and ours runs G2P each time. Both servers run all the time, and one
waits while the other works.

This needs `make peers`. The defaults take 10 minutes for kokoro-onnx and 5 for fastkokoro.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from bench import speech, streams
from bench.command import Section, add_names, command_line, paragraph, publish
from bench.processes import THREADS, free_port, python, wait_until_ready
from bench.report import Bound, Row, ratio, speedup, table
from bench.sides import Side, Spoken, add_sides, chosen_sides, pair_up, programs_of
from bench.timing import alternate

REPEATS = {14: 15, 96: 9, 398: 5}
"""Pairs by number of tokens."""

HTTP_REPEATS = 5
SPEEDUPS: dict[str | None, Bound] = {
    "amxint8": Bound(9.0, least=True),
    "avx512vnni": Bound(4.6, least=True),
    "avx2": Bound(2.2, least=True),
    "stock": Bound(2.0, least=True),
}
"""Bounds against kokoro-onnx, by `Side.kernels`; others have none."""

FIVE_TIMES = Bound(5.0, least=True)
THREE_TIMES = Bound(3.0, least=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 for a missed bound, 2 for a failure."""
    parser = command_line("bench.peers", __doc__, "pairs of each measurement")
    add_names(parser, "PEER", PEERS)
    add_sides(parser, ["service"])
    options = parser.parse_args(arguments)
    return publish(_sections(options), write=options.write)


def _sections(options: argparse.Namespace) -> Iterator[Section]:
    sides = chosen_sides(options)
    for name in options.names:
        for side in sides:
            rows = PEERS[name](side, options.repeats)
            met = all(row.met is not False for row in rows)
            shown = table(rows, name, side.label)
            yield Section(f"{name}, {side.label}", paragraph(__doc__, name), shown, met)


def measure_kokoro_onnx(side: Side, repeats: int | None) -> list[Row]:
    """Compare a side of ours with kokoro-onnx at three lengths."""
    rows: list[Row] = []
    bound = SPEEDUPS.get(side.kernels)
    for n_tokens, usual_repeats in REPEATS.items():
        pairs = pair_up(
            side, Side("kokoro-onnx", "kokoro-onnx"), n_tokens, repeats or usual_repeats
        )
        rows += _compare(f"{n_tokens} tokens", pairs, bound)
    return rows


def measure_fastkokoro(side: Side, repeats: int | None) -> list[Row]:
    """Compare a side of ours with fastkokoro over HTTP."""
    with side.server() as (_, our_port), fastkokoro() as their_port:

        def ask(stream: bool) -> list[tuple[streams.Heard, streams.Heard]]:
            return alternate(
                lambda: _hear(streams.OURS, our_port, stream),
                lambda: _hear(streams.FASTKOKORO, their_port, stream),
                repeats or HTTP_REPEATS,
                warm_ups=1,
            )

        streamed, whole = ask(True), ask(False)
    first = [(ours.first_s, theirs.first_s) for ours, theirs in streamed]
    until_end = [(ours.whole_s, theirs.whole_s) for ours, theirs in streamed]
    at_once = [(ours.whole_s, theirs.whole_s) for ours, theirs in whole]
    dry = [(ours.dry_s, theirs.dry_s) for ours, theirs in streamed]
    audio = [(ours.audio_s, theirs.audio_s) for ours, theirs in whole]
    return [
        speedup("paragraph, streamed: first audio", first, "s", FIVE_TIMES),
        speedup("paragraph, not streamed: whole", at_once, "s", THREE_TIMES),
        speedup("paragraph, streamed: last audio", until_end, "s"),
        _difference_only("paragraph, streamed: gaps of a player that runs dry", dry),
        ratio("length of the audio", audio, "s"),
    ]


@contextmanager
def fastkokoro() -> Iterator[int]:
    """Run fastkokoro on the published model; give its port as soon as it is healthy."""
    programs = programs_of("fastkokoro")
    with tempfile.TemporaryDirectory() as folder:
        voices = Path(folder) / "voices.npz"
        np.savez(voices, **_styles())
        port = free_port()
        environment = {
            "FASTKOKORO_MODEL_PATH": str(speech.model()),
            "FASTKOKORO_VOICES_PATH": str(voices),
            "FASTKOKORO_CACHE_DIR": folder,
            "FASTKOKORO_ONNX_INTRA_OP_NUM_THREADS": str(THREADS),
            "FASTKOKORO_HOST": "127.0.0.1",
            "FASTKOKORO_PORT": str(port),
            "HF_HUB_OFFLINE": "1",
        }
        arguments = [str(programs / "fastkokoro")]
        run = python(*arguments, interpreter=programs / "python", environment=environment)
        with run as process:
            wait_until_ready(process, port, "/health")
            yield port


PEERS = {"kokoro-onnx": measure_kokoro_onnx, "fastkokoro": measure_fastkokoro}


def _styles() -> dict[str, np.ndarray]:
    """Return each voice as [510, 1, 256], a style for each number of tokens, as others do."""
    voices = speech.voices()
    return {
        voice.name: np.stack([voices.style(voices.resolve(voice.name), n) for n in range(1, 511)])
        for voice in voices.voices
    }


def _compare(name: str, pairs: Sequence[tuple[Spoken, Spoken]], bound: Bound | None) -> list[Row]:
    def both(attribute: str) -> list[tuple[float, float]]:
        return [(getattr(one, attribute), getattr(other, attribute)) for one, other in pairs]

    factor = [(one.seconds / one.audio_s, other.seconds / other.audio_s) for one, other in pairs]
    cpu = [(one.cpu_s / one.audio_s, other.cpu_s / other.audio_s) for one, other in pairs]
    return [
        speedup(f"{name}, {THREADS} threads", both("seconds"), "s", bound),
        ratio(f"{name}: real-time factor", factor, ""),
        ratio(f"{name}: CPU seconds per second of audio", cpu, ""),
        ratio(f"{name}: peak memory", both("peak_mib"), "MiB"),
        ratio(f"{name}: resident memory after the runs", both("resident_mib"), "MiB"),
    ]


def _hear(service: streams.Service, port: int, stream: bool) -> streams.Heard:
    time.sleep(streams.SETTLE_S)
    (found,) = streams.listen(service, port, [speech.PARAGRAPH], stream=stream)
    return found


def _difference_only(name: str, pairs: Sequence[tuple[float, float]]) -> Row:
    """Show two sides without a ratio, since either may be zero."""
    ours, theirs = (max(side) for side in zip(*pairs, strict=True))
    return Row(name, f"{ours:.2f} s at most", f"{theirs:.2f} s at most", "", "", None)


if __name__ == "__main__":
    sys.exit(main())
