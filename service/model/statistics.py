"""Predict the statistics of a chunk's channels before the chunk is decoded.

A decoder normalizes each channel with its mean and variance, and quantizes it between its minimum
and maximum. It measures these over what it decodes at once, so a window alone sounds different from
the same window within its chunk, unless the decoder is given the statistics of the whole chunk.
They can be predicted from the encoder's outputs with a linear map of low rank, fitted by ridge
regression to chunks in all voices that come with the service. `bench.statistics` writes the file
and measures its error. The map does not fit every other voice; `covers` tells which it does.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from service.errors import ModelError
from service.model.decoder import Encoding, Floats

INPUTS = (128, 512, 22, 22, 2)
"""Numbers of each part of what the map reads; see `inputs_of`."""

STYLE_PART = INPUTS[0]
"""Floats of a style that the decoder reads; the others shape durations and pitch."""

USUAL_FRAMES = 300
"""Lengths are told in logarithms of multiples of this."""

N_LAYERS = 6
"""AdaIN layers of a residual block, one before each of its convolutions."""

_LEAST_VARIANCE = 1e-4
"""Added to variances of the spectrum before their logarithm is taken."""

_ARRAYS = {
    "source": np.uint8,
    "channels": np.int64,
    "center": np.float32,
    "weights": np.float32,
    "offsets": np.float32,
    "moments": np.int8,
    "reaches": np.int8,
    "style_center": np.float32,
    "style_weights": np.float32,
    "limit": np.float32,
}


class StatisticsPredictor:
    """A map from what an encoder gives to statistics of the decoder's channels. Never changes.

    Attributes:
        source_sha256: of the published model whose statistics these are, however it was prepared.
        n_statistics: numbers that `predict` returns: mean, variance, least and greatest of each
            channel of each AdaIN layer of the residual blocks.
    """

    def __init__(self, arrays: dict[str, npt.NDArray[np.generic]]) -> None:
        """Take the arrays of a file.

        Args:
            arrays:
                source: uint8 [32], the published model's SHA-256.
                channels: int64 [blocks], of the residual blocks in the decoder's order; each has
                    6 layers. n is the number of all of them, in that order.
                center: float32 [686], the usual input; see `inputs_of`.
                weights: float32 [686, r + q], from what differs to the coordinates below.
                offsets: float32 [4, n]: the usual mean, logarithm of the variance, and logarithms
                    of how far the least and the greatest are from the mean, in standard deviations.
                moments: int8 [2, r, n], what r coordinates add to the first two: to the mean in
                    usual standard deviations.
                reaches: int8 [2, q, n], what q further ones add to the others.
                style_center: float32 [128], the usual style.
                style_weights: float32 [128, 128], such that the length of a style's difference
                    times this is its leverage.
                limit: float32 [], leverage up to which a style is covered.

        Raises:
            ModelError: they are not such arrays.
        """
        _check(arrays)
        self.source_sha256 = bytes(arrays["source"].astype(np.uint8)).hex()
        self._channels = [int(n) for n in arrays["channels"].astype(np.int64)]
        self.n_statistics = 4 * N_LAYERS * sum(self._channels)
        self._center = _floats(arrays["center"])
        self._weights = _floats(arrays["weights"])
        self._offsets = _floats(arrays["offsets"])
        self._moments = arrays["moments"]
        self._reaches = arrays["reaches"]
        self._style_center = _floats(arrays["style_center"])
        self._style_weights = _floats(arrays["style_weights"])
        self._limit = float(arrays["limit"].astype(np.float32))

    @classmethod
    def load(cls, path: Path) -> StatisticsPredictor:
        """Read a file that `bench.statistics` wrote.

        Raises:
            ModelError: it is missing or damaged.
        """
        try:
            with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
                return cls({name: file[name] for name in file.files})
        except ModelError as error:
            raise ModelError(f"{path} is damaged: {error.message}; install the service anew") from (
                error
            )
        except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise ModelError(f"{path} cannot be read: {error}; install the service anew") from error

    def covers(self, style: Floats) -> bool:
        """Tell whether the map was made with voices such as this one, or blends of them.

        What is held against the limit is the style's leverage, how far it is from the styles that
        the map was made with, measured by how far those are from each other. It is a convex
        function of the style: no blend of voices has more than the greatest of them.

        Args:
            style: float32 [1, 256].
        """
        difference = (_decoders_part(style) - self._style_center) @ self._style_weights
        return bool(difference @ difference <= self._limit)

    def predict(self, encoding: Encoding) -> Floats:
        """Return the statistics of a whole chunk, as the decoder takes them.

        Returns:
            float32 [n_statistics]: for each residual block [6, 4, channels] with mean, variance,
            least and greatest, raveled, one block after the other.
        """
        return raveled(self.rows(inputs_of(encoding)), self._channels)

    def rows(self, inputs: Floats) -> Floats:
        """Return the statistics of a chunk as rows of all channels, float32 [4, n].

        Args:
            inputs: what `inputs_of` gives.
        """
        rank = self._moments.shape[1]
        coordinates = _times(inputs - self._center, self._weights)
        # Row by row: all of them in float32 would be more than the map.
        steps = [_times(coordinates[:rank], rows.astype(np.float32)) for rows in self._moments]
        steps += [_times(coordinates[rank:], rows.astype(np.float32)) for rows in self._reaches]
        return statistics_of(np.stack(steps), self._offsets)


def raveled(rows: Floats, channels: Sequence[int]) -> Floats:
    """Return rows of all channels as the decoder takes them; see `StatisticsPredictor.predict`."""
    sizes = [N_LAYERS * n_channels for n_channels in channels]
    blocks = np.split(rows, np.cumsum(sizes)[:-1], axis=1)
    return np.concatenate(
        [block.reshape(4, N_LAYERS, -1).transpose(1, 0, 2).ravel() for block in blocks]
    )


def rows_of(statistics: Floats, channels: Sequence[int]) -> Floats:
    """Return what the decoder gave as rows of all channels: undo `raveled`."""
    sizes = [4 * N_LAYERS * n_channels for n_channels in channels]
    blocks = np.split(statistics, np.cumsum(sizes)[:-1])
    return np.concatenate(
        [block.reshape(N_LAYERS, 4, -1).transpose(1, 0, 2).reshape(4, -1) for block in blocks],
        axis=1,
    )


def inputs_of(encoding: Encoding) -> Floats:
    """Return the inputs of the map for a chunk, float32 [686].

    That is the decoder's part of the style (128), the mean of the features (512), the means (22)
    and logarithms of variances (22) of the spectrum, which tell pitch and voicing, and the
    logarithm of the length with its square, which tells how rare the rarest numbers can be.
    """
    length = math.log(encoding.n_frames / USUAL_FRAMES)
    mean, variance = encoding.spectrum_statistics[:2]
    return np.concatenate(
        [
            _decoders_part(encoding.style),
            encoding.features[0].mean(axis=0),
            mean,
            np.log(variance + np.float32(_LEAST_VARIANCE)),
            np.array([length, length * length], np.float32),
        ]
    )


def statistics_of(steps: Floats, offsets: Floats) -> Floats:
    """Return mean, variance, least and greatest from what the map gives, float32 [4, n].

    Args:
        steps: float32 [4, n], what is added to the usual; the mean's in usual standard deviations.
        offsets: float32 [4, n], the usual; see `StatisticsPredictor`.
    """
    mean = offsets[0] + np.exp(offsets[1] / 2) * steps[0]
    log_variance, log_below, log_above = offsets[1:] + steps[1:]
    deviation = np.exp(log_variance / 2)
    least = mean - deviation * np.exp(log_below)
    greatest = mean + deviation * np.exp(log_above)
    return np.stack([mean, np.square(deviation), least, greatest])


def _times(vector: Floats, matrix: Floats) -> Floats:
    # Not `@`: BLAS would share out a tenth of a millisecond among threads, and then wait for them
    # while the decoder has the processor; 16 ms and more were seen.
    return np.asarray(np.einsum("i,ij->j", vector, matrix), np.float32)


def _decoders_part(style: Floats) -> Floats:
    return style.ravel()[:STYLE_PART]


def _floats(array: npt.NDArray[np.generic]) -> Floats:
    return np.ascontiguousarray(array, np.float32)


def _check(arrays: dict[str, npt.NDArray[np.generic]]) -> None:
    if set(arrays) != set(_ARRAYS):
        raise ModelError(f"it holds {sorted(arrays)} and not {sorted(_ARRAYS)}")
    wrong = [name for name, array in arrays.items() if array.dtype != _ARRAYS[name]]
    if wrong:
        raise ModelError(f"{wrong} are not of the types that they must be")
    n = N_LAYERS * int(arrays["channels"].astype(np.int64).sum())
    d, ranks = sum(INPUTS), [arrays[name].shape[1:2] for name in ("moments", "reaches")]
    rank, further = (shape[0] if shape else 0 for shape in ranks)
    shapes = {
        "source": (32,),
        "channels": (arrays["channels"].size,),
        "center": (d,),
        "weights": (d, rank + further),
        "offsets": (4, n),
        "moments": (2, rank, n),
        "reaches": (2, further, n),
        "style_center": (STYLE_PART,),
        "style_weights": (STYLE_PART, STYLE_PART),
        "limit": (),
    }
    wrong = [name for name, shape in shapes.items() if arrays[name].shape != shape]
    if wrong:
        raise ModelError(f"{wrong} are not of the shapes that they must be")
    unreal = [
        name for name, array in arrays.items()
        if array.dtype == np.float32 and not np.isfinite(array.astype(np.float32)).all()
    ]  # fmt: skip
    if unreal:
        raise ModelError(f"{unreal} hold numbers that are not finite")
