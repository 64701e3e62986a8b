"""The model: finding and verifying its file, and what goes in and comes out."""

from service.model.assembly import assemble, model_path
from service.model.kokoro import Inference, Kokoro, load_kokoro
from service.model.runtime import Runtime, open_runtime

__all__ = [
    "Inference",
    "Kokoro",
    "Runtime",
    "assemble",
    "load_kokoro",
    "model_path",
    "open_runtime",
]
