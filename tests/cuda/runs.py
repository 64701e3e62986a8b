"""Models that run in a process of their own, on the stub's GPU or on its CPU.

What runs there is this file too: `python runs.py SETTINGS` with a JSON object.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import ortffi

Arrays = Mapping[str, np.ndarray[Any, Any]]
STYLE_SIZE = 256


def kokoro_inputs(n_tokens=10):
    """What a Kokoro model is given: token ids, a style and a speed."""
    ids = [0, *(10 + 7 * n % 100 for n in range(n_tokens - 2)), 0]
    return {
        "tokens": np.array([ids], np.int64),
        "style": np.full((1, STYLE_SIZE), 0.05, np.float32),
        "speed": np.ones(1, np.float32),
    }


def run_model(python, folder, model, inputs, *, cuda=None, bound=False, profile=False):
    """Run a model in a process of its own.

    Args:
        python: runs a script in a process, as `Stub.python` does.
        folder: for the files that go to and fro.
        model: the file.
        inputs: by name.
        cuda: arguments of `SessionBuilder.with_cuda`; None for the CPU.
        bound: whether the outputs are bound to memory before.
        profile: whether it is profiled.

    Returns:
        `outputs`, the arrays in the model's order; `error`, the text where the run failed;
        `assignment`, name, operator and provider of each node; `profile`, the file if there is
        one.
    """
    np.savez(folder / "inputs.npz", **inputs)
    settings = {"model": str(model), "folder": str(folder), "cuda": cuda, "bound": bound, "profile": profile}
    answer = json.loads(python(Path(__file__).read_text(encoding="utf-8"), json.dumps(settings)))
    with np.load(folder / "outputs.npz") as file:
        answer["outputs"] = [file[name] for name in sorted(file.files)]
    return dict(answer)


def run(model, inputs, cuda, bound, profile_prefix):
    """Do in this process what `run_model` describes."""
    builder = ortffi.SessionBuilder().with_intra_threads(1).with_assignment()
    if profile_prefix:
        builder = builder.with_profiling(profile_prefix)
    if cuda is not None:
        builder = builder.with_cuda(**cuda)
    answer: dict[str, Any] = {"error": None, "profile": None}
    outputs: Sequence[np.ndarray[Any, Any]] = []
    with builder.commit_from_file(model) as session:
        try:
            if bound:
                names = [info.name for info in session.outputs]
                memories = dict.fromkeys(names, ortffi.Memory.CPU)
                with session.bind(dict(inputs), memories) as binding:
                    binding.run()
                    outputs = [value.read() for value in binding.outputs().values()]
            else:
                outputs = session.run(dict(inputs), copy=True)
        except ortffi.OrtError as error:
            answer["error"] = error.message
        answer["assignment"] = [(node.name, node.operator, node.provider) for node in session.assignment()]
        if profile_prefix:
            answer["profile"] = str(session.end_profiling())
    return outputs, answer


def _main():
    settings = json.loads(sys.argv[1])
    folder = Path(settings["folder"])
    with np.load(folder / "inputs.npz") as file:
        inputs = {name: file[name] for name in file.files}
    prefix = str(folder / "profile") if settings["profile"] else None
    outputs, answer = run(settings["model"], inputs, settings["cuda"], settings["bound"], prefix)
    named = {f"{index:03}": output for index, output in enumerate(outputs)}
    np.savez(folder / "outputs.npz", **named)
    print(json.dumps(answer))


if __name__ == "__main__":
    _main()
