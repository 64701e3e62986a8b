"""The measurements of one precision, as tables."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from statistics import median

from bench import speech, streams
from bench.device_memory import device_memory
from bench.gpu.setup import Extent, Setup
from bench.processes import ChildError, answer, python
from bench.report import Bound, Row, difference, note, ratio, speedup, table
from bench.sides import Side, Speaker, Spoken, speaker
from bench.timing import alternate
from service.speech.windows import MOST_FRAMES

SMALLEST_SHARE = 0.9
"""Of the nodes, on the GPU."""
MOST_DIFFERENT = 0.03
"""Between the lengths of both sides' audio; TensorFloat-32 changes some durations."""
ONE_LENGTH = Bound(1.0, least=True)
MIXED_LENGTHS = Bound(2.0, least=True)
FIRST_REQUEST = Bound(1.5)
_WARM = 5
_MIB = 1 << 20


def measure(setup: Setup, precision: str, folder: Path, extent: Extent) -> tuple[str, bool]:
    """Measure one precision, prepared in a folder.

    Returns:
        Tables in Markdown, and whether every bound is met.

    Raises:
        ChildError: a process failed, or both sides' audio differs in length.
    """
    ours = setup.ours(precision)
    tables, rows = [], []
    for number, peer in enumerate(setup.peers):
        note(f"{precision}: against the package, {peer}")
        with speaker(ours) as our_speaker, setup.peer(peer, folder) as their_speaker:
            found = against(our_speaker, their_speaker, extent, bounds=not number)
        tables.append(table(found, f"onnxruntime-gpu, {peer}"))
        rows += found
    note(f"{precision}: with and without buckets")
    unbucketed = setup.ours(precision, buckets="1")
    with speaker(ours) as our_speaker, speaker(unbucketed) as their_speaker:
        found = mixed_lengths(our_speaker, their_speaker, extent, None)
    tables.append(table(found, "ours without buckets"))
    rows += found
    if setup.measures_memory:
        note(f"{precision}: memory")
        found = memory(ours, setup.peer(setup.peers[0], folder), extent)
        tables.append(table(found, f"onnxruntime-gpu, {setup.peers[0]}"))
        rows += found
    note(f"{precision}: windows")
    chunks, replays = windows(ours, extent)
    tables.append(table(chunks, "whole", "windows"))
    if replays:
        tables.append(table(replays, "without CUDA graphs", "with CUDA graphs"))
    note(f"{precision}: start and requests")
    with setup.peer(setup.peers[0], folder) as their_speaker:
        found = over_http(ours, their_speaker, extent)
    tables.append(table(found, "package"))
    parity, placed = start(ours)
    met = placed and all(row.met is not False for row in (*rows, *found))
    return "\n\n".join([parity, *tables]), met


def against(ours: Speaker, theirs: Speaker, extent: Extent, *, bounds: bool) -> list[Row]:
    """Compare two sides at one length and at many."""
    phonemes = speech.phonemes(extent.n_tokens)
    runs = alternate(
        lambda: ours.say(phonemes), lambda: theirs.say(phonemes), extent.one_length, warm_ups=3
    )
    _require_same(runs)
    pairs = [(one.seconds, other.seconds) for one, other in runs]
    factors = [(one.seconds / one.audio_s, other.seconds / other.audio_s) for one, other in runs]
    return [
        speedup(f"{extent.n_tokens} tokens", pairs, "s", ONE_LENGTH if bounds else None),
        ratio(f"{extent.n_tokens} tokens: real-time factor", factors, ""),
        *mixed_lengths(ours, theirs, extent, MIXED_LENGTHS if bounds else None),
    ]


def mixed_lengths(ours: Speaker, theirs: Speaker, extent: Extent, bound: Bound | None) -> list[Row]:
    """Compare two sides at lengths that are new to them, and then at the same lengths again."""
    rows = []
    for name, limit in (("mixed lengths", bound), ("mixed lengths, again", None)):
        pairs = []
        for number, lengths in enumerate(extent.blocks):
            order = (ours, theirs) if number % 2 else (theirs, ours)
            said = {side: [side.say(speech.phonemes(n)) for n in lengths] for side in order}
            _require_same(list(zip(said[ours], said[theirs], strict=True)))
            pairs.append((_total(said[ours]), _total(said[theirs])))
        rows.append(speedup(f"{name}, {len(extent.blocks[0])} requests", pairs, "s", limit))
    return rows


def memory(ours: Side, peer: AbstractContextManager[Speaker], extent: Extent) -> list[Row]:
    """Compare how much memory both sides use after the same requests."""
    with device_memory() as used_bytes:

        def added_mib(process: AbstractContextManager[Speaker]) -> float:
            before = used_bytes()
            with process as found:
                for n_tokens in extent.blocks[0]:
                    found.say(speech.phonemes(n_tokens))
                return (used_bytes() - before) / _MIB

        pair = (added_mib(speaker(ours)), added_mib(peer))
    return [difference(f"device memory after {len(extent.blocks[0])} lengths", [pair], "MiB")]


def windows(ours: Side, extent: Extent) -> tuple[list[Row], list[Row]]:
    """Compare windows with whole decoding, and replays with kernels started one by one.

    Returns:
        The rows of both; the second are empty if nothing was captured.
    """
    arguments = ("-m", "bench.gpu.chunks", str(extent.windows), *map(str, extent.chunks_s))
    with python(*arguments, environment=ours.environment()) as process:
        found = json.loads(answer(process))
    chunks = [
        ratio(f"{what} of {chunk['name']}", chunk[name], "s")
        for chunk in found["chunks"]
        for name, what in (("first", "first samples"), ("all", "all samples"))
    ]
    replays = found["window"]
    name = f"a window of {MOST_FRAMES} frames"
    return chunks, [speedup(name, replays, "s")] if replays else []


def over_http(ours: Side, theirs: Speaker, extent: Extent) -> list[Row]:
    """Compare the first request with warm ones, and first audio with the package."""
    requests, sounds = [], []
    for number in range(extent.servers):
        with ours.server() as (_, port):
            first, *warm = [_whole_s(port) for _ in range(1 + _WARM)]
            requests.append((first, median(warm)))
            if number == 0:
                sounds = alternate(
                    lambda port=port: _first_s(port, extent.paragraph),
                    lambda: theirs.say(speech.phonemes(extent.n_tokens_at_once)).seconds,
                    extent.streams,
                    warm_ups=1,
                )
    return [
        ratio("HTTP: first request, against a warm one", requests, "s", FIRST_REQUEST),
        speedup(
            f"HTTP: first audio; package: {extent.n_tokens_at_once} tokens at once",
            sounds,
            "s",
        ),
    ]


def start(ours: Side) -> tuple[str, bool]:
    """Return a text on the checks at start, and whether enough nodes are on the GPU."""
    with python("-m", "bench.gpu.check", environment=ours.environment()) as process:
        found = json.loads(answer(process))
    met = share_on_gpu(found["placement"]["n_nodes"]) >= SMALLEST_SHARE
    verdict = "they are" if met else "**they are not**"
    distances = ", ".join(f"{name} {db:.2f} dB" for name, db in found["distances_db"].items())
    return (
        f"Start: {found['load_s']:.1f} s, of which the warm-up of all buckets is "
        f"{found['warm_up_s']:.1f} s. Placement: {found['summary']}. Of the nodes "
        f"{SMALLEST_SHARE:.0%} or more must be on the GPU: {verdict}. "
        f"Log-spectral distance to the CPU: {distances}. "
        f"Windows: {found['capture']}.",
        met,
    )


def share_on_gpu(n_nodes: Mapping[str, int]) -> float:
    """Return the share of nodes that are not on the CPU, 0 to 1."""
    return 1 - n_nodes.get("CPUExecutionProvider", 0) / sum(n_nodes.values())


def _whole_s(port: int) -> float:
    (heard,) = streams.listen(streams.OURS, port, [speech.MEDIUM], stream=False)
    return heard.whole_s


def _first_s(port: int, paragraph: str) -> float:
    time.sleep(streams.SETTLE_S)
    (heard,) = streams.listen(streams.OURS, port, [paragraph], stream=True)
    return heard.first_s


def _total(said: Sequence[Spoken]) -> float:
    return sum(each.seconds for each in said)


def _require_same(runs: Sequence[tuple[Spoken, Spoken]]) -> None:
    """Raise ChildError if both sides' audio differs too much in length."""
    for one, other in runs:
        if abs(one.n_samples - other.n_samples) > MOST_DIFFERENT * other.n_samples:
            raise ChildError(
                f"the audio of both sides differs: {one.audio_s:.2f} s and {other.audio_s:.2f} s"
            )
