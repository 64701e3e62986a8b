"""The variants of the prepared model, each on the CPU."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from bench.processes import ChildError
from bench.report import note
from bench.stock import leave_out_native_operators
from service.errors import ServiceError
from service.loading import load_model, load_runtime, load_statistics, prepare_model
from service.model import Model, ModelOnDisk
from service.model import open as open_model
from service.model.prepared import Variant
from service.preparation import getting
from service.settings import Settings

VARIANTS: tuple[Variant, ...] = ("native", "stock", "float32")
"""Variants that a CPU can run; float16 needs a GPU."""


def add_variants(parser: argparse.ArgumentParser) -> None:
    """Add variants to a command line, as `sides`; the first one by default."""
    parser.add_argument(
        "--side",
        dest="sides",
        action="append",
        choices=VARIANTS,
        help=f"a variant of the model, can be repeated; {VARIANTS[0]} by default",
    )


def chosen_variants(options: argparse.Namespace) -> list[Variant]:
    """Return the variants of a command line, each once."""
    return list(dict.fromkeys(options.sides or VARIANTS[:1]))


@contextmanager
def opened(variant: Variant | None, settings: Settings) -> Iterator[Model]:
    """Open a variant of the model on the CPU, and close it in the end.

    It is prepared first if it is not in the cache, and has its statistics predictor. A variant for
    GPUs pads its frames to buckets, as on a GPU.

    Args:
        variant: one of `VARIANTS`; None for the published model.
        settings: the cache's folder and the number of threads.

    Raises:
        ChildError: the variant is not available here.
    """
    try:
        model = _open(variant, settings)
    except ServiceError as error:
        raise ChildError(error.message) from error
    with closing(model):
        found = model.prepared
        if found.variant != variant:
            raise ChildError(f"{variant} is not available here: the model is {found.detail}")
        yield model


def prepared_for_gpus(settings: Settings) -> dict[str, Path]:
    """Return the folders of the models for GPUs by precision; prepare them if they are missing.

    Raises:
        ChildError: they cannot be prepared.
    """
    return {variant: model.folder for variant, model in _models_for_gpus(settings).items()}


def _models_for_gpus(settings: Settings) -> dict[str, ModelOnDisk]:
    try:
        models = prepare_model(settings, "cuda", note)
    except ServiceError as error:
        raise ChildError(error.message) from error
    return {str(model.variant): model for model in models}


def _open(variant: Variant | None, settings: Settings) -> Model:
    if variant == "float32":
        return _open_floats(settings)
    if variant == "stock":
        with _without_native_operators():
            return load_model(settings, load_runtime(settings), note)
    if variant is None:
        settings = settings.model_copy(update={"prepare": False})
    return load_model(settings, load_runtime(settings), note)


def _open_floats(settings: Settings) -> Model:
    models = _models_for_gpus(settings)
    if "float32" not in models:
        raise ChildError("the model fails its parity check in float32: prepare says why")
    return open_model(models["float32"], load_runtime(settings), statistics=load_statistics())


@contextmanager
def _without_native_operators() -> Iterator[None]:
    find = getting.find_native_operators
    leave_out_native_operators()
    try:
        yield
    finally:
        getting.find_native_operators = find
