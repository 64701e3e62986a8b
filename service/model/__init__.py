"""The model: finding, verifying and preparing its file, and what goes in and comes out."""

from service.model.assembly import assemble, default_cache_dir, model_path
from service.model.kokoro import Inference, Kokoro, Preparation
from service.model.loader import Source, load_kokoro, prepare
from service.model.runtime import Runtime, open_runtime

__all__ = [
    "Inference",
    "Kokoro",
    "Preparation",
    "Runtime",
    "Source",
    "assemble",
    "default_cache_dir",
    "load_kokoro",
    "model_path",
    "open_runtime",
    "prepare",
]
