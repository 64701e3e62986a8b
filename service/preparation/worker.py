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
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypedDict

from service.model.kokoro import Kokoro, Preparation
from service.model.manifest import GPU_VARIANTS, GRAPHS, REFERENCE, Variant
from service.model.opening import open_kokoro, open_prepared
from service.model.parity import Speaker, UnlikeError, compare, speaker
from service.model.reference import Reference
from service.model.runtime import Runtime, open_runtime

RewrittenVariant = Variant | Literal["rounded"]


class Rewrite(Protocol):
    """`service.preparation.rewriting.pipeline.rewrite`, or another that does the same."""

    def __call__(
        self,
        source: Path,
        folder: Path,
        variant: RewrittenVariant,
        progress: Callable[[str], None],
        *,
        signed_weights: bool,
    ) -> object:
        """Write the rewritten model into a folder; return None where the graph is not known."""


class Request(TypedDict):
    """What to prepare, as JSON.

    `source` is a model file, `folder` an empty folder for the result, `operators` the library of
    our own operators for the variant `native`, `signed_weights` whether ONNX Runtime multiplies
    signed weights exactly here, `threads` the number of threads to prove it with.
    """

    source: str
    folder: str
    variant: Variant
    operators: str | None
    signed_weights: bool
    threads: int


@dataclass(frozen=True)
class Result:
    """How it went.

    Attributes:
        refusal: why there is no prepared model; None where there is.
        proof: log-spectral distance to the source in dB, by sentence.
    """

    refusal: str | None = None
    proof: dict[str, float] = field(default_factory=dict)


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
    except Exception as error:
        send({"failure": " ".join(f"{type(error).__name__}: {error}".split())})
        raise
    send(asdict(result))


def prepare(request: Request, rewrite: Rewrite, progress: Callable[[str], None]) -> Result:
    """Rewrite a model, have ONNX Runtime optimise it, and prove that it speaks as before.

    Raises:
        OSError: the folder cannot be written.
        ortffi.OrtError: ONNX Runtime refuses the rewritten model.
        ModelError: the source is no model.
    """
    source, folder = Path(request["source"]), Path(request["folder"])
    runtime = open_runtime(threads=request["threads"])
    rewritten = folder / "rewritten"
    rewritten.mkdir()

    def write(variant: RewrittenVariant, to: Path) -> bool:
        progress("rewriting the model")
        report = rewrite(source, to, variant, progress, signed_weights=request["signed_weights"])
        return report is not None

    try:
        if request["variant"] in GPU_VARIANTS:
            return _prepare_for_gpu(request, runtime, write, rewritten, progress)
        if not write(request["variant"], rewritten):
            return _UNKNOWN
        progress("optimising the model")
        operators = None if request["operators"] is None else Path(request["operators"])
        for graph, weights in GRAPHS:
            runtime.optimize(rewritten / graph, operators, folder / graph, weights)
    finally:
        shutil.rmtree(rewritten)
    progress("comparing the prepared model with its source")
    with (
        closing(open_kokoro(source, runtime)) as one,
        closing(_open(folder, operators, runtime)) as other,
    ):
        return _prove(speaker(one), speaker(other), 0)


def _prepare_for_gpu(
    request: Request,
    runtime: Runtime,
    write: Callable[[RewrittenVariant, Path], bool],
    rounded: Path,
    progress: Callable[[str], None],
) -> Result:
    """Write the model and what it says on the processor.

    What is heard of float16 is found out with a model that rounds as a GPU does.
    """
    folder = Path(request["folder"])
    if not write(request["variant"], folder):
        return _UNKNOWN
    model = folder
    if request["variant"] == "float16":
        write("rounded", rounded)
        model = rounded
    progress("comparing the prepared model with its source")
    with closing(_open(model, None, runtime)) as other:
        reference = Reference.record(other)
    reference.write(folder / REFERENCE)
    with closing(open_kokoro(Path(request["source"]), runtime)) as one:
        return _prove(speaker(one), reference.speaker, SLACK_FRAMES)


_UNKNOWN = Result("its graph is not one that is known how to rewrite")

SLACK_FRAMES = 1
"""By how much a sound may be longer or shorter in floats: the source rounds what goes into each
layer to 8 bits. Of two sentences in five voices 5 % of the sounds are, by one frame."""


def _open(folder: Path, operators: Path | None, runtime: Runtime) -> Kokoro:
    return open_prepared(
        folder, operators, runtime, name=folder.name, sha256="",
        preparation=Preparation(None, None, ""),
    )  # fmt: skip


def _prove(one: Speaker, other: Speaker, slack_frames: int) -> Result:
    try:
        comparisons = compare(one, other, slack_frames=slack_frames)
    except UnlikeError as error:
        return Result(str(error))
    return Result(proof={name: round(c.distance_db, 3) for name, c in comparisons.items()})


def _end_with_input() -> None:
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
