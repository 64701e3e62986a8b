"""Prepare a model: run by `service.preparation.store` in a process of its own.

A rewritten graph with all its weights takes some hundred megabytes, and so do the packages that
rewrite it; both are gone when the process ends. It writes lines of JSON to its standard output,
one object each: `{"progress": ...}` any number of times, then a `Result` or `{"failure": ...}`. It
ends when its standard input does, and so with the process that started it, however that ends.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol, TypedDict

from service.model.opening import open as open_model
from service.model.parity import Speaker, UnlikeError, compare, speaker
from service.model.prepared import (
    GPU_VARIANTS,
    GRAPHS,
    REFERENCE,
    CacheKey,
    ModelFile,
    PreparedModel,
    Variant,
)
from service.model.reference import Reference
from service.model.runtime import Runtime, open_runtime
from service.preparation.manifest import digest
from service.preparation.refusal import Refusal, RefusedError

RewrittenVariant = Variant | Literal["rounded"]


class Rewrite(Protocol):
    """`service.preparation.rewriting.pipeline.rewrite`, or another that does the same."""

    def __call__(
        self,
        source: Path,
        folder: Path,
        variant: RewrittenVariant,
        progress: Callable[[str], None],
        layout: int,
    ) -> object:
        """Write the rewritten model into a folder. Raises RefusedError: the graph is not known."""


class Request(TypedDict):
    """What to prepare, as JSON.

    `source` is a model file, `folder` an empty folder for the result, `key` the fields of its
    `CacheKey`, `operators` the library of our own operators for the variant `native`, `threads` the
    number of threads of the parity check.
    """

    source: str
    folder: str
    key: dict[str, Any]
    operators: str | None
    threads: int


@dataclass(frozen=True)
class Result:
    """How it went.

    Attributes:
        refusal: why there is no prepared model; None where there is.
        parity: log-spectral distance to the source in dB, by sentence.
    """

    refusal: Refusal | None = None
    parity: dict[str, float] = field(default_factory=dict)


def main(request: Request, rewrite: Rewrite | None = None) -> None:
    """Prepare a model and tell how it went on standard output."""
    messages = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print shall not look like a message

    def send(message: dict[str, object]) -> None:
        messages.write(json.dumps(message) + "\n")
        messages.flush()

    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        if rewrite is None:
            from service.preparation.rewriting.pipeline import rewrite as our_rewrite

            rewrite = our_rewrite
        result = prepare(request, rewrite, lambda line: send({"progress": line}))
    except RefusedError as error:
        result = Result(error.refusal)
    except Exception as error:
        send({"failure": " ".join(f"{type(error).__name__}: {error}".split())})
        raise
    send(asdict(result))


def prepare(request: Request, rewrite: Rewrite, progress: Callable[[str], None]) -> Result:
    """Rewrite a model, have ONNX Runtime optimize it, and check that it speaks as before.

    Raises:
        OSError: the folder cannot be written.
        ortffi.OrtError: ONNX Runtime refuses the rewritten model.
        ModelError: the source is no model.
        RefusedError: a step of the rewriting does not know its graph.
    """
    source, operators = Path(request["source"]), request["operators"]
    model = PreparedModel(
        source.name, Path(request["folder"]), CacheKey(**request["key"]), "just made",
        None if operators is None else Path(operators),
    )  # fmt: skip
    runtime = open_runtime(threads=request["threads"])
    rewritten = model.folder / "rewritten"
    rewritten.mkdir()

    def write(variant: RewrittenVariant, to: Path) -> None:
        progress("rewriting the model")
        rewrite(source, to, variant, progress, model.key.layout)

    try:
        if model.variant in GPU_VARIANTS:
            return _prepare_for_gpu(model, source, runtime, write, rewritten, progress)
        write(model.variant, rewritten)
        progress("optimizing the model")
        for graph, weights in GRAPHS:
            runtime.optimize(rewritten / graph, model.operators, model.folder / graph, weights)
    finally:
        shutil.rmtree(rewritten)
    progress("comparing the prepared model with its source")
    with (
        closing(open_model(_as_it_is(source), runtime)) as one,
        closing(open_model(model, runtime)) as other,
    ):
        return _compare(speaker(one), speaker(other), 0)


def _prepare_for_gpu(
    model: PreparedModel,
    source: Path,
    runtime: Runtime,
    write: Callable[[RewrittenVariant, Path], None],
    rounded: Path,
    progress: Callable[[str], None],
) -> Result:
    """Write the model and what it says on the processor.

    What is heard of float16 is found out with a model that rounds as a GPU does.
    """
    write(model.variant, model.folder)
    speaking = model
    if model.variant == "float16":
        write("rounded", rounded)
        speaking = replace(model, folder=rounded)
    progress("comparing the prepared model with its source")
    with closing(open_model(speaking, runtime)) as other:
        reference = Reference.record(other)
    reference.write(model.folder / REFERENCE)
    with closing(open_model(_as_it_is(source), runtime)) as one:
        return _compare(speaker(one), reference.speaker, SLACK_FRAMES)


SLACK_FRAMES = 1
"""By how much a sound may be longer or shorter in floats: the source rounds what goes into each
layer to 8 bits. Of two sentences in five voices 5 % of the sounds are, by one frame."""


def _as_it_is(source: Path) -> ModelFile:
    return ModelFile(source, digest(source), "to compare with")


def _compare(one: Speaker, other: Speaker, slack_frames: int) -> Result:
    try:
        comparisons = compare(one, other, slack_frames=slack_frames)
    except UnlikeError as error:
        return Result(Refusal(str(error)))
    return Result(parity={name: round(c.distance_db, 3) for name, c in comparisons.items()})


def _end_with_input() -> None:
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
