"""Run time: open a model on disk, run it, and check its parity."""

from service.model.budget import longest_chunk_s
from service.model.gpu_opening import PREPARE_COMMAND, require_gpu
from service.model.interface import Model, rehearse
from service.model.kokoro import Inference
from service.model.opening import open
from service.model.placement import GpuCheck, Placement
from service.model.prepared import ModelFile, ModelOnDisk, Precision, PreparedModel
from service.model.runtime import (
    GpuUnavailableError,
    Options,
    Provider,
    Runtime,
    open_runtime,
    release_shared_memory,
)
from service.model.split_model import SplitModel
from service.model.statistics import StatisticsPredictor
from service.model.whole_model import WholeModel

__all__ = [
    "PREPARE_COMMAND",
    "GpuCheck",
    "GpuUnavailableError",
    "Inference",
    "Model",
    "ModelFile",
    "ModelOnDisk",
    "Options",
    "Placement",
    "Precision",
    "PreparedModel",
    "Provider",
    "Runtime",
    "SplitModel",
    "StatisticsPredictor",
    "WholeModel",
    "longest_chunk_s",
    "open",
    "open_runtime",
    "rehearse",
    "release_shared_memory",
    "require_gpu",
]
