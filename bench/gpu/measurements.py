"""On an NVIDIA GPU: against the onnxruntime-gpu package, windows, and what start and requests take.

    python -m bench.gpu [float32] [float16] [--repeats N] [--write]

Both sides run the very same files, those that `kokoro-service prepare --for cuda` makes, with as
many threads on the host. Ours is all of `Model.infer` as the service has it: ortffi, buckets of
frames, HEURISTIC search of cuDNN's algorithms, warmed up at start. Theirs are the package's own
sessions with IoBinding, in runs that have as many frames as the speech, and what the encoder gives
stays on the GPU: with EXHAUSTIVE search, the default, to which the bounds are held; with HEURISTIC
search; and with all of the provider's defaults, which are EXHAUSTIVE search and products in
TensorFloat-32, that ours and the other two do without. Each side has a process of its own and waits
while the other works; what is timed is one call, from token ids to samples.

One length is 96 tokens again and again, after three warm-ups. Mixed lengths are blocks of eight
requests, no two of the same number of tokens, of 8 to 228 in an order that mixes them; both sides
meet each for the first time, as a service meets what people say. What counts is the time of a
block. "Again" is the same blocks a second time.

Windows are held against the whole in one process: for pieces of about 5, 9 and 20 seconds, when the
samples of the first window are there, encoder included, and when those of all are. The whole has as
many frames as the next bucket or, above the last one, as the next multiple of that. A window of
usual length, in the middle of the longest piece, is replayed as a CUDA graph, and in a second
model, in turns, its kernels are started one by one.

Over HTTP the first request is the first that a fresh server gets, the warm one the median of the
five after it. First audio is of a streamed paragraph of 600 characters, from asking to the first
bytes, reading included, decoded as streams are by default; beside it is how long the package takes
for 398 tokens of it at once, which is when it has any sound. Device memory is what a process adds
to what is in use on the whole GPU; nothing else may run there.

Needs an NVIDIA GPU: `make bench-gpu` installs the package and finds its library, unless
ONNXRUNTIME_DIR or ONNXRUNTIME_LIB_DIR names another build for our side. 12 minutes.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import distributions
from pathlib import Path
from statistics import median

import ortffi
from bench import speech, streams
from bench.command import Section, add_names, command_line, publish
from bench.device_memory import device_memory
from bench.processes import REPOSITORY, THREADS, ChildError, alternate, answer, python
from bench.report import Bound, Row, difference, ratio, speedup, table
from bench.sides import Side, Speaker, Spoken, speaker
from bench.variants import prepared_for_gpus
from service.machine import Machine, explain
from service.model.prepared import GPU_VARIANTS
from service.settings import Settings
from service.speech.windows import MOST_FRAMES

PACKAGE = REPOSITORY / ".venv" / "gpu"
"""Where `make bench-gpu` puts the package: the virtual environment has the one for processors."""

CUDA = "CUDAExecutionProvider"
NEEDS = "needs an NVIDIA GPU and a CUDA build of ONNX Runtime: make bench-gpu"

LONGEST_PIECE = 398
PIECES_S = (5.0, 9.0, 20.0)
SHORTEST, STEP, BLOCKS, BLOCK = 8, 4, 7, 8
SMALLEST_SHARE = 0.9
"""Of the nodes on the GPU."""
MOST_DIFFERENT = 0.03
"""Of the length of the audio, between both sides."""

ONE_LENGTH = Bound(1.0, least=True)
MIXED_LENGTHS = Bound(2.0, least=True)
FIRST_REQUEST = Bound(1.5)

_SETTLE_S = 0.3
_WARM = 5
_MIB = 1 << 20


def blocks() -> list[list[int]]:
    """Return numbers of tokens, each only once, in blocks that each have short and long ones."""
    lengths = range(SHORTEST, SHORTEST + STEP * BLOCKS * BLOCK, STEP)
    # Every seventh in a block, and in it from the middle outwards: no two neighbours are alike.
    return [_mixed(list(lengths[first::BLOCKS])) for first in range(BLOCKS)]


def _mixed(lengths: list[int]) -> list[int]:
    half = len(lengths) // 2
    return [n for pair in zip(lengths[half:], reversed(lengths[:half]), strict=True) for n in pair]


@dataclass(frozen=True)
class Extent:
    """What is said, and how often.

    Attributes:
        one_length: pairs of the one length.
        n_tokens: of it.
        blocks: numbers of tokens of the mixed lengths.
        servers: that are started for a first request.
        streams: pairs of the paragraph.
        paragraph: what is streamed.
        n_tokens_at_once: what the package says beside it.
        windows: pairs of each piece that is decoded in windows and whole.
        pieces_s: how long these are, about, the longest last.
    """

    one_length: int = 30
    n_tokens: int = speech.USUAL
    blocks: Sequence[Sequence[int]] = field(default_factory=blocks)
    servers: int = 3
    streams: int = 5
    paragraph: str = speech.PARAGRAPH
    n_tokens_at_once: int = LONGEST_PIECE
    windows: int = 9
    pieces_s: Sequence[float] = PIECES_S

    def limited(self, n: int | None) -> Extent:
        """Return it with at most so many pairs of each measurement; None sets no limit."""
        if n is None:
            return self
        return replace(self, one_length=n, blocks=self.blocks[:n], servers=n, streams=n, windows=n)


@dataclass(frozen=True)
class Setup:
    """What is measured; another one tries the programs where there is no GPU.

    Attributes:
        settings: of our side, besides those that `ours` adds.
        environment: variables of our side's processes.
        peers: sides of `bench.gpu.peer`, the first with the bounds.
        package: folder that has the package.
        tells_memory: whether there is a GPU to ask for its memory.
    """

    settings: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    peers: tuple[str, ...] = ("exhaustive", "heuristic", "defaults")
    package: Path | None = PACKAGE
    tells_memory: bool = True

    def ours(self, precision: str, **more: str) -> OurSide:
        """Return our side in a precision."""
        settings = {"provider": "cuda", "precision": precision, **self.settings, **more}
        return OurSide("ours", settings=settings, variables=self.environment)

    @contextmanager
    def peer(self, name: str, folder: Path) -> Iterator[Speaker]:
        """Run a process of the package, with a prepared model. Raises ChildError."""
        found = {} if self.package is None else {"PYTHONPATH": str(self.package)}
        arguments = ("-m", "bench.gpu.peer", name, str(folder), str(THREADS))
        with python(*arguments, environment=found) as process:
            yield Speaker(process)


@dataclass(frozen=True)
class OurSide(Side):
    """A side of ours with variables that are no settings."""

    variables: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """Return the variables that make a process of ours this side."""
        return {**super().environment(), **self.variables}


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 if a bound is missed, 2 if there is no GPU or a process failed."""
    parser = command_line("bench.gpu", __doc__, "pairs of each measurement")
    add_names(parser, "PRECISION", GPU_VARIANTS)
    options = parser.parse_args(arguments)
    lack = lack_of_gpu()
    if lack:
        print(f"bench: {lack}", file=sys.stderr)
        return 2
    return publish(_sections(options), write=options.write)


def lack_of_gpu(machine: Machine | None = None, package: Path = PACKAGE) -> str:
    """Return why nothing can be measured here, in one line; empty if it can."""
    machine = machine or Machine()
    try:
        library = ortffi.init().library
    except ortffi.LibraryNotFoundError as error:
        return f"{NEEDS} ({' '.join(str(error).split())})"
    if CUDA not in ortffi.available_providers():
        return f"{NEEDS} ({library.path} was built without CUDA)"
    if not machine.driver.gpus:
        return f"{NEEDS} ({machine.driver.problem})"
    try:
        ortffi.try_provider("cuda")
    except ortffi.ProviderUnavailableError as error:
        return f"{NEEDS} ({explain(str(error), library=library.path, machine=machine)})"
    if not (package / "onnxruntime").is_dir():
        return f"the onnxruntime-gpu package is not in {package}: make bench-gpu"
    return ""


def _sections(options: argparse.Namespace) -> Iterator[Section]:
    extent = Extent().limited(options.repeats)
    setup, where = Setup(), gpu(Machine())
    folders = prepared_for_gpus(Settings())
    for precision in options.names:
        if precision not in folders:
            raise ChildError(f"the model does not stay right in {precision}: prepare says why")
        report, met = measure(setup, precision, folders[precision], extent)
        yield Section(f"gpu, {precision}", __doc__ or "", f"{where}\n\n{report}", met)


def gpu(machine: Machine) -> str:
    """Return the GPU, its driver and libraries, in two lines."""
    found = {
        name: ", ".join(dict.fromkeys(file.version for file in machine.libraries.versions(stem)))
        for name, stem in (("CUDA", "libcudart"), ("cuDNN", "libcudnn"))
    }
    gpus = "; ".join(map(str, machine.driver.gpus)) or machine.driver.problem
    told = [f"{name} {versions or 'unknown'}" for name, versions in found.items()]
    if machine.board.tegra:
        told.append(f"JetPack {machine.board.jetpack or 'unknown'}")
        told.append(f"power mode {machine.board.power_mode or 'unknown'}")
    package = next(
        (f"{each.name} {each.version}" for each in distributions(path=[str(PACKAGE)])
         if each.name.startswith("onnxruntime")), "unknown"
    )  # fmt: skip
    return f"GPU: {gpus}.\nDriver {machine.driver}; {', '.join(told)}; the package is {package}."


def measure(setup: Setup, precision: str, folder: Path, extent: Extent) -> tuple[str, bool]:
    """Measure one precision, prepared in a folder.

    Returns:
        Tables in Markdown, and whether every bound is met.

    Raises:
        ChildError: a process failed, or both sides did not say the same.
    """
    ours = setup.ours(precision)
    tables, rows = [], []
    for number, peer in enumerate(setup.peers):
        _say(f"{precision}: against the package, {peer}")
        with speaker(ours) as our_speaker, setup.peer(peer, folder) as their_speaker:
            found = against(our_speaker, their_speaker, extent, bounds=not number)
        tables.append(table(found, f"onnxruntime-gpu, {peer}"))
        rows += found
    _say(f"{precision}: with and without buckets")
    unbucketed = setup.ours(precision, buckets="1")
    with speaker(ours) as our_speaker, speaker(unbucketed) as their_speaker:
        found = mixed_lengths(our_speaker, their_speaker, extent, None)
    tables.append(table(found, "ours without buckets"))
    rows += found
    if setup.tells_memory:
        _say(f"{precision}: memory")
        found = memory(ours, setup.peer(setup.peers[0], folder), extent)
        tables.append(table(found, f"onnxruntime-gpu, {setup.peers[0]}"))
        rows += found
    _say(f"{precision}: windows")
    pieces, replays = windows(ours, extent)
    tables.append(table(pieces, "whole", "windows"))
    if replays:
        tables.append(table(replays, "without CUDA graphs", "with CUDA graphs"))
    _say(f"{precision}: start and requests")
    with setup.peer(setup.peers[0], folder) as their_speaker:
        found = over_http(ours, their_speaker, extent)
    tables.append(table(found, "beside it"))
    proof, placed = start(ours)
    met = placed and all(row.met is not False for row in (*rows, *found))
    return "\n\n".join([proof, *tables]), met


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
    """Compare two sides at lengths that they have not met, and at the same once more."""
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
    """Compare what both add to the memory in use, after the same requests."""
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
    """Compare windows with whole pieces, and replays with kernels that are started one by one.

    Returns:
        Rows of both; none of the second where nothing was captured.
    """
    arguments = ("-m", "bench.gpu.chunks", str(extent.windows), *map(str, extent.pieces_s))
    with python(*arguments, environment=ours.environment()) as process:
        told = json.loads(answer(process))
    pieces = [
        ratio(f"{what} of {piece['name']}", piece[name], "s")
        for piece in told["pieces"]
        for name, what in (("first", "first samples"), ("all", "all samples"))
    ]
    replays = told["window"]
    name = f"a window of {MOST_FRAMES} frames"
    return pieces, [speedup(name, replays, "s")] if replays else []


def over_http(ours: Side, theirs: Speaker, extent: Extent) -> list[Row]:
    """Measure servers: a first request against warm ones, and when sound starts."""
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
            f"HTTP: first audio; the package's {extent.n_tokens_at_once} tokens at once",
            sounds,
            "s",
        ),
    ]


def start(ours: Side) -> tuple[str, bool]:
    """Return what the service proves at start, in words, and whether enough is on the GPU."""
    with python("-m", "bench.gpu.check", environment=ours.environment()) as process:
        told = json.loads(answer(process))
    met = share_on_gpu(told["placement"]["n_nodes"]) >= SMALLEST_SHARE
    verdict = "they are" if met else "**they are not**"
    distances = ", ".join(f"{name} {db:.2f} dB" for name, db in told["distances_db"].items())
    return (
        f"Start: {told['load_s']:.1f} s, of which the warm-up of all buckets is "
        f"{told['warm_up_s']:.1f} s. Placement: {told['summary']}. Of the nodes "
        f"{SMALLEST_SHARE:.0%} or more must be on the GPU: {verdict}. "
        f"Log-spectral distance to what the processor says: {distances}. "
        f"Windows: {told['capture']}.",
        met,
    )


def share_on_gpu(n_nodes: Mapping[str, int]) -> float:
    """Return the share of nodes that the processor does not compute, 0 to 1."""
    return 1 - n_nodes.get("CPUExecutionProvider", 0) / sum(n_nodes.values())


def _whole_s(port: int) -> float:
    (heard,) = streams.listen(streams.OURS, port, [speech.MEDIUM], stream=False)
    return heard.whole_s


def _first_s(port: int, paragraph: str) -> float:
    time.sleep(_SETTLE_S)
    (heard,) = streams.listen(streams.OURS, port, [paragraph], stream=True)
    return heard.first_s


def _total(said: Sequence[Spoken]) -> float:
    return sum(each.seconds for each in said)


def _require_same(runs: Sequence[tuple[Spoken, Spoken]]) -> None:
    """Hold the audio of both sides against each other; TensorFloat-32 changes some durations."""
    for one, other in runs:
        if abs(one.n_samples - other.n_samples) > MOST_DIFFERENT * other.n_samples:
            raise ChildError(
                f"both sides must say the same: {one.audio_s:.2f} s and {other.audio_s:.2f} s"
            )


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
