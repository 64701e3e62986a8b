"""The model: finding, verifying and preparing its file, and what goes in and comes out."""

from service.model.budget import longest_piece_s
from service.model.gpu_loader import GpuOptions, prepare_for_gpu
from service.model.kokoro import Inference, Kokoro, Preparation
from service.model.loader import load_kokoro, prepare
from service.model.manifest import Precision
from service.model.placement import GpuProof, Placement
from service.model.runtime import Options, Provider, Runtime, open_runtime
from service.model.statistics import StatisticsPredictor
from service.preparation.assembly import assemble, default_cache_dir, model_path
from service.preparation.source import Source

__all__ = [
    "GpuOptions",
    "GpuProof",
    "Inference",
    "Kokoro",
    "Options",
    "Placement",
    "Precision",
    "Preparation",
    "Provider",
    "Runtime",
    "Source",
    "StatisticsPredictor",
    "assemble",
    "default_cache_dir",
    "load_kokoro",
    "longest_piece_s",
    "model_path",
    "open_runtime",
    "prepare",
    "prepare_for_gpu",
]
