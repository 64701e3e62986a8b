"""How well the statistics of a piece are known before it is decoded; makes voices/statistics.npz.

    python -m bench.statistics [--minutes 10] [--write]

A split model decodes a piece in windows, with statistics that `service.model.statistics`
predicts for the whole piece. Here pieces are said as a whole, and what was measured in the decoder
is held against what was predicted. Three quarters of the sentences under tests/data/reading are
there to fit the map, the others to look at it: in every voice in its own language (22 pieces to
fit, 3 to look at), in blends of two or three voices with random weights (500 and 60), in voices
that speak another language (120 and 54). Pieces have 20 to 480 tokens, evenly in logarithms; half
of them are said at speed 1, the others at 0.6 to 1.8.

The map: inputs are centred, style and mean features each divided by one number such that their
channels have a variance of 1 in the mean, the others each by its own standard deviation; ridge
regression with a penalty of 1; of what it gives the directions that matter most, 128 for means and
variances and 64 for ranges, in int8. Penalties of 0.3 and 3 gave the same; without the spectrum's
statistics errors of the mean were a sixth larger, without the features those of the range a fifth;
with ranks of 64 and 16 those of the range were a third larger, with 96 and 48 a twentieth, with 192
and 96 a twentieth less.

Error of the mean: root mean square over channels, in standard deviations of the piece. Of the
variance: of its logarithm. Of the range, greatest less least: of its logarithm. Shown are means
over pieces.

Coverage: each voice in turn is left out of the fit. The limit of leverage is 1.1 times the greatest
that a voice has with which the map was made, in pieces of 20 tokens or more. A voice passes as
covered if any of its styles does.

Met is: in all three kinds errors of the means of at most 0.05, of variances 0.07, of ranges 0.07;
and no voice that was left out passes as covered and has an error of the mean above 0.15.

What was measured is kept under build/bench/statistics: `--minutes` ends after so long with exit
status 3, and the next call goes on. `--write` puts the map into voices/ too. All takes half an
hour on two cores.
"""

from __future__ import annotations

import hashlib
import random
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.command import Section, command_line, publish
from bench.processes import REPOSITORY, ChildError
from bench.reading import front_end_reader, sentences_of
from service.loading import load_model, load_runtime, load_voices
from service.model import SplitModel
from service.model.kokoro import MAX_TOKENS
from service.model.statistics import (
    INPUTS,
    STYLE_PART,
    StatisticsPredictor,
    inputs_of,
    rows_of,
)
from service.settings import Settings
from service.speech import VoiceLibrary
from service.text import Espeak, load_vocabulary

STORE = REPOSITORY / "build" / "bench" / "statistics"
FILE = REPOSITORY / "voices" / "statistics.npz"

CHANNELS = (256,) * 4 + (128,) * 4
"""Of the residual blocks, in the decoder's order."""

PENALTY = 1.0
RANK, FURTHER_RANK = 128, 64
LEAST_TOKENS, MOST_TOKENS = 20, 480
LONGEST_S, TOKENS_A_SECOND = 31.0, 15.0
STYLE_PENALTY = 0.01
"""Added to the variances of styles, as a share of their mean."""

MARGIN = 1.1
"""Of leverages: styles are rounded, and the limit is the leverage of one of them."""

BOUNDS = (0.05, 0.07, 0.07)
WORST_COVERED = 0.15
KINDS = ("own", "blend", "foreign")


@dataclass(frozen=True)
class Piece:
    """What is said: of which kind it is, whether it is there to look at, by whom, how quickly."""

    kind: str
    held_out: bool
    voice: str
    token_ids: tuple[int, ...]
    speed: float

    @property
    def key(self) -> str:
        """Return a name for files."""
        told = f"{self.voice} {self.speed} {self.token_ids}"
        return hashlib.sha256(told.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Observations:
    """What was measured, for pieces 0 to N.

    Attributes:
        pieces: which.
        inputs: float32 [N, 686], see `inputs_of`.
        rows: float32 [N, 4, n], see `rows_of`.
    """

    pieces: Sequence[Piece]
    inputs: np.ndarray
    rows: np.ndarray

    def where(self, chosen: Sequence[bool]) -> Observations:
        """Return those for which it is true."""
        kept = np.array(chosen, bool)
        pieces = [piece for piece, is_kept in zip(self.pieces, kept, strict=True) if is_kept]
        return Observations(pieces, self.inputs[kept], self.rows[kept])


class OutOfTimeError(Exception):
    """There is more to do than was allowed for."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 if something is worse, 2 after a failure, 3 if more is to do."""
    parser = command_line("bench.statistics", __doc__)
    parser.add_argument("--minutes", type=float, default=1e6, help="leave the rest for later")
    options = parser.parse_args(arguments)
    deadline = time.monotonic() + options.minutes * 60
    try:
        return publish(_sections(deadline, write=options.write), write=options.write)
    except OutOfTimeError:
        print("there is more to do; run this again", file=sys.stderr)
        return 3


def _sections(deadline: float, *, write: bool) -> Iterator[Section]:
    settings = Settings()
    voices = load_voices(settings)
    with closing(load_model(settings, load_runtime(settings), print)) as kokoro:
        if not isinstance(kokoro, SplitModel):
            raise ChildError("this model is not split: it was not prepared")
        source = kokoro.sha256
        found = observe(kokoro, voices, list(plan(voices)), STORE, deadline)
    report, arrays, met = compare(found, voices, source)
    if write:
        np.savez_compressed(FILE, **arrays)
    yield Section("statistics", __doc__ or "", report, met)


def plan(voices: VoiceLibrary) -> Iterator[Piece]:
    """Yield every piece, always the same.

    Raises:
        ChildError: nobody knows the language of a voice.
    """
    languages = {voice.name: voice.language or "" for voice in voices.voices}
    if "" in languages.values():
        raise ChildError("nobody knows the language of a voice")
    chance, names = random.Random(7), list(languages)
    sentences = {language: _sentences(language) for language in sorted(set(languages.values()))}

    def piece(kind: str, held_out: bool, voice: str, language: str) -> Piece:
        while True:
            n_tokens = round(LEAST_TOKENS * (MOST_TOKENS / LEAST_TOKENS) ** chance.random())
            speed = 1.0 if chance.random() < 0.5 else round(0.6 * 3 ** chance.random(), 2)
            if n_tokens / TOKENS_A_SECOND / speed <= LONGEST_S:
                break
        pool, said = sentences[language][held_out], []
        while len(said) < n_tokens:
            said += chance.choice(pool)
        # A sentence that began near the end is left unfinished, so that lengths are as drawn.
        return Piece(kind, held_out, voice, tuple(said[: int(n_tokens * 1.15)][:MAX_TOKENS]), speed)

    def blend() -> tuple[str, str]:
        parts = chance.sample(names, chance.choice((2, 2, 3)))
        weighted = [f"{name}({chance.expovariate(1.0) + 1e-3:.3f})" for name in parts]
        return "+".join(weighted), languages[parts[0]]

    for held_out, n_own, n_blends, n_foreign in ((True, 3, 60, 54), (False, 22, 500, 120)):
        for name in names * n_own:
            yield piece("own", held_out, name, languages[name])
        for _ in range(n_blends):
            yield piece("blend", held_out, *blend())
        for number in range(n_foreign):
            name = names[number % len(names)]
            others = [language for language in sentences if language != languages[name]]
            yield piece("foreign", held_out, name, chance.choice(others))


def _sentences(language: str) -> tuple[list[list[int]], list[list[int]]]:
    """Return token ids of sentences to fit with, and of others to look at."""
    read, known = front_end_reader(Espeak(), language), load_vocabulary()
    said = [list(known.token_ids(f"{read(text)} ")) for text in sentences_of(language)]
    usable = [token_ids for token_ids in said if 5 <= len(token_ids) <= 400]
    random.Random(language).shuffle(usable)
    n_held_out = len(usable) // 4
    return usable[n_held_out:], usable[:n_held_out]


def observe(
    kokoro: SplitModel, voices: VoiceLibrary, pieces: Sequence[Piece], store: Path, deadline: float
) -> Observations:
    """Say what has not been said yet, and return what was measured.

    Raises:
        OutOfTimeError: the deadline, of `time.monotonic`, came first.
    """
    told, identity = store / "identity.txt", f"{kokoro.sha256} {kokoro.prepared.detail}"
    if store.exists() and not (told.exists() and told.read_text(encoding="utf-8") == identity):
        shutil.rmtree(store)
    store.mkdir(parents=True, exist_ok=True)
    told.write_text(identity, encoding="utf-8")
    inputs, rows = [], []
    for number, piece in enumerate(pieces):
        path = store / f"{piece.key}.npz"
        if not path.exists():
            if time.monotonic() > deadline:
                raise OutOfTimeError
            if number % 50 == 0:
                print(f"{len(pieces) - number} pieces to say", file=sys.stderr, flush=True)
            style = voices.style(voices.resolve(piece.voice), len(piece.token_ids))
            encoding = kokoro.encode(piece.token_ids, style, piece.speed)
            measured = kokoro.decode(encoding, 0, encoding.n_frames).measured
            part = path.with_suffix(".part.npz")
            np.savez(part, inputs=inputs_of(encoding), rows=rows_of(measured, CHANNELS))
            part.replace(path)
        with np.load(path) as file:
            inputs.append(file["inputs"])
            rows.append(file["rows"])
    return Observations(pieces, np.array(inputs), np.array(rows))


class Fit:
    """A ridge regression over observations, before it is cut to its rank and rounded."""

    def __init__(self, found: Observations) -> None:
        self.center = found.inputs.mean(axis=0)
        means, variances = found.rows[:, 0], found.rows[:, 1]
        self.offsets = np.zeros(found.rows.shape[1:], np.float32)
        self.offsets[0] = means.mean(axis=0)
        self.offsets[1] = np.log(variances).mean(axis=0)
        deviations = np.sqrt(variances)
        steps = np.empty_like(found.rows)
        steps[:, 0] = (means - self.offsets[0]) / np.exp(self.offsets[1] / 2)
        steps[:, 1] = np.log(variances) - self.offsets[1]
        for row, sign in ((2, -1), (3, 1)):
            reach = np.log(np.maximum(sign * (found.rows[:, row] - means) / deviations, 1e-6))
            self.offsets[row] = reach.mean(axis=0)
            steps[:, row] = reach - self.offsets[row]
        self.scale = _scale(found.inputs - self.center)
        self._scaled = (found.inputs - self.center) / self.scale
        self._gram = self._scaled.T @ self._scaled
        self._products = self._scaled.T @ steps.reshape(len(steps), -1)
        self._steps = steps.reshape(len(steps), -1)

    def coefficients(self) -> np.ndarray:
        """Return float32 [686, 4 n], from scaled inputs to steps."""
        return self._solve(self._gram, self._products)

    def errors_without(self, left_out: Sequence[bool], others: Observations) -> np.ndarray:
        """Return the error of the mean of each of some pieces, where others had been left out."""
        out, n = np.array(left_out, bool), self.offsets.shape[1]
        scaled, steps = self._scaled[out], self._steps[out, :n]
        # Means are taken anew: those of all would give away where the left out are.
        n_kept = np.count_nonzero(~out)
        center, usual = -scaled.sum(axis=0) / n_kept, -steps.sum(axis=0) / n_kept
        gram = self._gram - scaled.T @ scaled - n_kept * np.outer(center, center)
        products = self._products[:, :n] - scaled.T @ steps - n_kept * np.outer(center, usual)
        inputs = (others.inputs - self.center) / self.scale - center
        found = usual + inputs @ self._solve(gram, products)
        means = self.offsets[0] + np.exp(self.offsets[1] / 2) * found
        off = np.square(means - others.rows[:, 0]) / others.rows[:, 1]
        return np.sqrt(off.mean(axis=1))

    def _solve(self, gram: np.ndarray, products: np.ndarray) -> np.ndarray:
        penalty = PENALTY * np.eye(len(gram), dtype=gram.dtype)
        return np.linalg.solve(gram + penalty, products)

    def rounded(self) -> dict[str, np.ndarray]:
        """Return weights, moments and reaches of a file; see `StatisticsPredictor`."""
        half = self._products.shape[1] // 2
        coefficients = self.coefficients()
        moments, weights = self._cut(coefficients[:, :half], RANK)
        reaches, further = self._cut(coefficients[:, half:], FURTHER_RANK)
        return {
            "weights": np.concatenate([weights, further], axis=1).astype(np.float32),
            "moments": moments,
            "reaches": reaches,
        }

    def _cut(self, coefficients: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray]:
        """Return int8 [2, rank, n] and float [686, rank]: the best of that rank on the pieces."""
        # The principal directions of scaled inputs times coefficients, by way of the gram matrix.
        values, vectors = np.linalg.eigh(self._gram.astype(np.float64))
        root = (vectors * np.sqrt(np.maximum(values, 0.0))).T @ coefficients
        strengths, directions = np.linalg.eigh(root @ root.T)
        strongest = directions[:, ::-1][:, :rank]
        lengths = np.sqrt(np.maximum(strengths, 1e-9 * strengths[-1]))[::-1][:rank]
        basis = strongest.T @ root / lengths[:, None]
        steps = np.abs(basis).max(axis=1, keepdims=True) / 127
        weights = coefficients @ basis.T * steps[:, 0] / self.scale[:, None]
        levels = np.rint(basis / steps).astype(np.int8)
        return np.ascontiguousarray(levels.reshape(rank, 2, -1).transpose(1, 0, 2)), weights


def _scale(differences: np.ndarray) -> np.ndarray:
    own = differences.std(axis=0) + 1e-9
    start = 0
    for size in INPUTS[:2]:
        part = slice(start, start + size)
        own[part] = np.sqrt(np.mean(np.square(own[part])))
        start += size
    return own


class Leverage:
    """How far a style is from others, measured by how far those are from each other."""

    def __init__(self, styles: np.ndarray) -> None:
        """Take float32 [N, 128]."""
        self.center = styles.mean(axis=0)
        differences = (styles - self.center).astype(np.float64)
        values, vectors = np.linalg.eigh(differences.T @ differences / len(styles))
        penalty = STYLE_PENALTY * values.mean()
        self.weights = (vectors / np.sqrt(values + penalty)).astype(np.float32)

    def of(self, styles: np.ndarray) -> np.ndarray:
        """Return that of each of float32 [N, 128]."""
        return np.square((styles - self.center) @ self.weights).sum(axis=1)


def fitted(found: Observations, voices: VoiceLibrary, source: str) -> dict[str, np.ndarray]:
    """Return the arrays of a file; see `StatisticsPredictor`."""
    fit = Fit(found)
    leverage = Leverage(found.inputs[:, :STYLE_PART])
    return {
        "source": np.frombuffer(bytes.fromhex(source), np.uint8),
        "channels": np.array(CHANNELS, np.int64),
        "center": fit.center.astype(np.float32),
        "offsets": fit.offsets,
        **fit.rounded(),
        "style_center": leverage.center.astype(np.float32),
        "style_weights": leverage.weights,
        "limit": np.array(limit_of(leverage, voices, [voice.name for voice in voices.voices])),
    }


def limit_of(leverage: Leverage, voices: VoiceLibrary, names: Sequence[str]) -> np.float32:
    """Return the leverage up to which styles are covered."""
    return np.float32(MARGIN * max(leverage.of(known_styles(voices, name)).max() for name in names))


def known_styles(voices: VoiceLibrary, name: str) -> np.ndarray:
    """Return the decoder's part of a voice's styles for 20 tokens and more, float32 [491, 128]."""
    blend = voices.resolve(name)
    rows = [voices.style(blend, n) for n in range(LEAST_TOKENS, MAX_TOKENS + 1)]
    return np.concatenate(rows)[:, :STYLE_PART]


def compare(
    found: Observations, voices: VoiceLibrary, source: str
) -> tuple[str, dict[str, np.ndarray], bool]:
    """Return the tables, the arrays of a file, and whether all is as it must be."""
    fitting = found.where([not piece.held_out for piece in found.pieces])
    others = found.where([piece.held_out for piece in found.pieces])
    arrays = fitted(fitting, voices, source)
    predictor = StatisticsPredictor(arrays)
    errors = np.array(
        [
            errors_of(predictor.rows(inputs), rows)
            for inputs, rows in zip(others.inputs, others.rows, strict=True)
        ]
    )
    accuracy, accurate = _accuracy(others, errors)
    coverage, covered = _coverage(fitting, others, voices, predictor)
    return f"{accuracy}\n\n{coverage}", arrays, accurate and covered


def errors_of(predicted: np.ndarray, measured: np.ndarray) -> tuple[float, float, float]:
    """Return the errors of mean, variance and range of a piece; both float32 [4, n]."""
    mean = (predicted[0] - measured[0]) / np.sqrt(measured[1])
    variance = np.log(predicted[1] / measured[1])
    ranges = np.log((predicted[3] - predicted[2]) / (measured[3] - measured[2]))
    errors = [float(np.sqrt(np.mean(np.square(error)))) for error in (mean, variance, ranges)]
    return errors[0], errors[1], errors[2]


def _accuracy(others: Observations, errors: np.ndarray) -> tuple[str, bool]:
    head = "| held out | pieces | mean | variance | range | worst piece's mean | met? |"
    lines = [head, "|---|---|---|---|---|---|---|"]
    kinds = np.array([piece.kind for piece in others.pieces])
    met = True
    for kind in KINDS:
        own = errors[kinds == kind]
        means = own.mean(axis=0)
        holds = bool((means <= BOUNDS).all())
        met &= holds
        told = " | ".join(f"{mean:.4f}" for mean in means)
        lines.append(
            f"| {kind} | {len(own)} | {told} | {own[:, 0].max():.3f} | "
            f"{'yes' if holds else '**no**'} |"
        )
    by_voice = {
        name: errors[[piece.kind == "own" and piece.voice == name for piece in others.pieces], 0]
        for name in sorted({piece.voice for piece in others.pieces if piece.kind == "own"})
    }
    worst = sorted(by_voice, key=lambda name: -by_voice[name].mean())[:5]
    told = ", ".join(f"{name} {by_voice[name].mean():.3f}" for name in worst)
    return "\n".join(lines) + f"\n\nThe mean is furthest off in {told}.", met


def _coverage(
    fitting: Observations,
    others: Observations,
    voices: VoiceLibrary,
    predictor: StatisticsPredictor,
) -> tuple[str, bool]:
    fit, left_out = Fit(fitting), []
    for voice in voices.voices:
        within = [voice.name in _names(piece) for piece in fitting.pieces]
        own = others.where([piece.voice == voice.name for piece in others.pieces])
        rest = fitting.where([not is_within for is_within in within])
        leverage = Leverage(rest.inputs[:, :STYLE_PART])
        limit = limit_of(
            leverage, voices, [other.name for other in voices.voices if other is not voice]
        )
        nearest = float(leverage.of(known_styles(voices, voice.name)).min())
        left_out.append(
            (voice.name, nearest / limit, float(fit.errors_without(within, own).mean()))
        )
    passed = [entry for entry in left_out if entry[1] <= 1]
    met = all(off <= WORST_COVERED for _, _, off in passed)
    refused = [off for _, share, off in left_out if share > 1]
    lines = [
        "| left out, passes as covered | least leverage, of the limit | error of the mean |",
        "|---|---|---|",
        *(f"| {name} | {share:.2f} | {off:.3f} |" for name, share, off in passed),
        f"| the {len(refused)} that do not: mean | | {np.mean(refused or [0.0]):.3f} |",
    ]
    n_blends = [
        predictor.covers(inputs[None, :STYLE_PART])
        for piece, inputs in zip(others.pieces, others.inputs, strict=True)
        if piece.kind == "blend"
    ]
    met &= all(n_blends)
    return "\n".join(lines) + f"\n\nBlends covered: {sum(n_blends)} of {len(n_blends)}.", met


def _names(piece: Piece) -> set[str]:
    return {part.partition("(")[0] for part in piece.voice.split("+")}
