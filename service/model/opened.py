"""The common part of whole and split models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from service.errors import SynthesisError
from service.model.interface import Used
from service.model.kokoro import Samples
from service.model.placement import GpuCheck
from service.model.prepared import ModelOnDisk
from service.model.runtime import Runtime


@dataclass(frozen=True, kw_only=True)
class OpenedModel:
    """Origin and provider of an opened model; see `Model`."""

    prepared: ModelOnDisk
    runtime: Runtime
    provider: Used = "cpu"
    gpu_check: GpuCheck | None = None

    @property
    def name(self) -> str:
        """Return the source's name; see `Model.name`."""
        return self.prepared.source_name

    @property
    def sha256(self) -> str:
        """Return the source's digest; see `Model.sha256`."""
        return self.prepared.sha256


def checked(samples: Samples) -> Samples:
    """Return samples unchanged. Raises SynthesisError if they are empty or not finite."""
    if samples.size == 0:
        raise SynthesisError("the model gave no audio")
    if not np.isfinite(samples).all():
        raise SynthesisError("the model gave samples that are not finite")
    return samples
