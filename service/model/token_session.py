"""The session that takes token ids: a whole model, or the encoder of a split one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import ortffi
from service.errors import InvalidRequestError, ModelError
from service.model.decoder import run
from service.model.kokoro import MAX_TOKENS, STYLE_SIZE

_TOKENS = ("tokens", "input_ids")
_SPEED_DTYPES = (np.float32, np.float16, np.float64, np.int32, np.int64)
_BUCKETS = "buckets"
"""Input of models prepared for GPUs: int64 [n], numbers of frames that a run can have."""

_CONTRACT = (
    "inputs tokens or input_ids (int64 [1, n]), style (float [1, 256]), "
    "speed (float or integer [1]); output audio or waveform (float)"
)


class TokenSession:
    """A session that takes token ids, a style and a speed. Owns the session.

    Attributes:
        outputs: names of the outputs of `run`, in order.
        buckets: numbers of frames that a run can have; empty if the session has no such input.
        frugal: options of a run that frees its memory.
    """

    def __init__(
        self,
        session: ortffi.Session,
        name: str,
        required: Sequence[Sequence[str]],
        optional: Sequence[str] = (),
        buckets: Sequence[int] = (),
    ) -> None:
        """Check the inputs and outputs of a session.

        Args:
            session: to own.
            name: of the model, for messages.
            required: for each required output, its possible names.
            optional: possible names of one more output.
            buckets: for a session with that input.

        Raises:
            ModelError: inputs or outputs are wrong; the session stays the caller's.
        """
        inputs = {info.name: info for info in session.inputs}
        there = [info.name for info in session.outputs]
        try:
            self._tokens = next(name for name in _TOKENS if name in inputs)
            found = [next(name for name in names if name in there) for names in required]
            style, speed = inputs["style"], inputs["speed"]
        except (StopIteration, KeyError) as error:
            raise _misfit(name, session) from error
        self.buckets = tuple(buckets) if _BUCKETS in inputs else ()
        fits = (
            len(inputs) == (4 if self.buckets else 3)
            and inputs[self._tokens].dtype == np.int64
            and style.dtype in (np.float32, np.float16)
            and style.shape is not None
            and style.shape[-1:] == (STYLE_SIZE,)
            and speed.dtype in _SPEED_DTYPES
        )
        if not fits or style.dtype is None or speed.dtype is None:
            raise _misfit(name, session)
        self._session = session
        self._style_dtype, self._speed_dtype = style.dtype, speed.dtype
        self.outputs = (*found, *[name for name in optional if name in there][:1])
        self.frugal = ortffi.RunOptions(shrink_arenas="cpu:0")

    def run(
        self,
        token_ids: Sequence[int],
        style: npt.NDArray[np.float32],
        speed: float,
        options: ortffi.RunOptions | None,
        buckets: Sequence[int] | None,
    ) -> list[npt.NDArray[Any]]:
        """Return the outputs of a run; arguments and errors as for `Model.infer`."""
        if not 1 <= len(token_ids) <= MAX_TOKENS:
            raise ValueError(f"{len(token_ids)} token ids; the limits are 1 and {MAX_TOKENS}")
        if style.shape != (1, STYLE_SIZE):
            raise ValueError(f"a style must be [1, {STYLE_SIZE}], not {list(style.shape)}")
        if self._speed_dtype.kind == "i" and speed != int(speed):
            raise InvalidRequestError(f"speed: this model takes integers only, not {speed}")
        inputs: dict[str, npt.NDArray[Any]] = {
            self._tokens: np.array([[0, *token_ids, 0]], np.int64),
            "style": style.astype(self._style_dtype),
            "speed": np.array([speed], self._speed_dtype),
        }
        if self.buckets:
            inputs[_BUCKETS] = np.array(self.buckets if buckets is None else buckets, np.int64)
        return run(self._session, inputs, self.outputs, options)

    def end_profiling(self) -> Path:
        """Return the file of the profile of all runs so far; see `Runtime.open_on_gpu`."""
        return self._session.end_profiling()

    def close(self) -> None:
        """Release the session, after the run in progress."""
        self._session.close()
        self.frugal.close()


def _misfit(name: str, session: ortffi.Session) -> ModelError:
    def describe(infos: Sequence[ortffi.ValueInfo]) -> str:
        return ", ".join(f"{info.name} ({info.type})" for info in infos)

    return ModelError(
        f"{name} is not a Kokoro model. Expected: {_CONTRACT}. "
        f"Found: inputs {describe(session.inputs)}; outputs {describe(session.outputs)}."
    )
