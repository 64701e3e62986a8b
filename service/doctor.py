"""Look at everything that speaking needs, and say what is wrong."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from service import __version__
from service.errors import ServiceError
from service.loading import (
    build_synthesizer,
    load_front_end,
    load_model,
    load_runtime,
    load_voices,
)
from service.settings import Settings
from service.text import LANGUAGES, FrontEnd


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        name: what it is.
        ok: whether it is as it should be; None for what need not be.
        detail: what was found, or what is wrong and what to do.
    """

    name: str
    ok: bool | None
    detail: str


def _examine_languages(front_end: FrontEnd) -> Iterator[Finding]:
    readers = front_end.readers
    yield Finding("espeak-ng", True, readers.espeak.version)
    for language in LANGUAGES.values():
        name = f"language {language.code}"
        reader = readers.name(language.code)
        if not readers.is_available(language.code):
            yield Finding(name, None, f"needs {readers.lack(language.code)}")
        elif reader == "espeak-ng" and language.code.startswith("en"):
            lack = readers.lack(language.code)
            yield Finding(name, None, f"read by {reader}; better reading needs {lack}")
        else:
            yield Finding(name, True, f"read by {reader}")


def examine(settings: Settings, progress: Callable[[str], None]) -> Iterator[Finding]:
    """Look at library, providers, voices, espeak-ng, model, and a self-test, in that order.

    Where one fails, those that need it are left out.
    """
    yield Finding(
        "service", True, f"{__version__}, Python {sys.version.split()[0]}, {platform.machine()}"
    )
    try:
        runtime = load_runtime(settings)
    except ServiceError as error:
        yield Finding("onnxruntime", False, error.message)
        return
    yield Finding(
        "onnxruntime",
        True,
        f"{runtime.version}, API {runtime.api_version}, found by {runtime.found_by}: "
        f"{runtime.library}",
    )
    yield Finding("compiled in", True, ", ".join(runtime.compiled_in))
    for provider, problem in runtime.usable().items():
        wanted = provider == "cpu" or settings.provider == provider
        yield Finding(
            f"provider {provider}", not problem if wanted or not problem else None,
            problem or "usable",
        )  # fmt: skip
    try:
        voices = load_voices(settings)
        yield Finding("voices", True, f"{len(voices.voices)} checked")
        front_end = load_front_end(settings)
        yield from _examine_languages(front_end)
        model = load_model(settings, runtime, progress)
    except ServiceError as error:
        yield Finding(error.code, False, error.message)
        return
    durations = "gives durations" if model.gives_durations else "does not give durations"
    yield Finding(
        "model", True,
        f"{model.name}, sha256 {model.sha256[:12]}, {durations}, runs on {model.provider} with "
        f"{runtime.threads} threads",
    )  # fmt: skip
    preparation = model.preparation
    yield Finding("prepared", True if preparation.variant else None, preparation.detail)
    try:
        seconds = build_synthesizer(settings, model, voices, front_end).self_test()
    except ServiceError as error:
        yield Finding("self-test", False, error.message)
    else:
        yield Finding("self-test", True, f"passed in {seconds:.2f} s")
    finally:
        model.close()
