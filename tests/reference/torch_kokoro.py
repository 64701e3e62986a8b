"""Ask the official Kokoro, in PyTorch, with weights of ours: for tests/reference/models.py.

Runs in an environment of its own, which the service neither has nor needs and which `make
test-models` makes:

    .venv/torch/bin/python tests/reference/torch_kokoro.py FOLDER

The folder has `config.json`, `weights.npz` by PyTorch's names with weight norms joined, `chunks.npz` with
`ids0`, `style0` and so on, and `transform.onnx`, the published graph's Fourier transform. It writes the same
weights, perturbed, as `old.pth` and `new.pth`, with the weight norms of either kind, and `said0.npz` and so
on with durations, samples, and the harmonics that the generator got; those that are there stay.
"""

import importlib.util
import json
import sys
import types
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from torch.nn.utils import parametrizations, remove_weight_norm

PARTS = ("bert", "bert_encoder", "predictor", "text_encoder", "decoder")


def kokoro():
    """Return the package's module of the model, without the front end that its `__init__` wants."""
    package = types.ModuleType("kokoro")
    package.__path__ = list(importlib.util.find_spec("kokoro").submodule_search_locations)
    sys.modules["kokoro"] = package
    import kokoro.model

    return kokoro.model


def filled(config, weights, empty):
    """Return a model with weights: each a little off, by a rule that depends on nothing but its name."""
    torch.save({}, empty)
    model = kokoro().KModel("local", config, str(empty)).eval()
    state, unused = model.state_dict(), set(weights)
    for name, value in state.items():
        rng = np.random.default_rng(list(name.removesuffix("_v").removesuffix("_g").encode()))
        if name.endswith((".weight_g", ".weight_v")):
            own = name[:-2]
            array = perturbed(weights[own], rng)
            lengths = np.sqrt(np.square(array).sum(axis=tuple(range(1, array.ndim)), keepdims=True))
            # A direction of any length is the same weight.
            array = lengths if name.endswith("_g") else array * rng.uniform(0.5, 2, lengths.shape)
        elif name in weights:
            own, array = name, perturbed(weights[name], rng)
        elif name.endswith((".norm.weight", ".norm.bias")):  # of AdaIN; the published model has none
            own, array = name, 0.1 * rng.standard_normal(tuple(value.shape)) + name.endswith("weight")
        elif "pooler" in name or name.endswith(("position_ids", "num_batches_tracked")):
            continue
        else:
            raise SystemExit(f"no weights for {name}")
        unused.discard(own)
        assert tuple(array.shape) == tuple(value.shape), (name, array.shape, value.shape)
        state[name] = torch.from_numpy(np.asarray(array, np.float32))
    assert not unused, sorted(unused)
    model.load_state_dict(state)
    return model


def perturbed(array, rng):
    """Return weights of a fine-tuned model: off by a hundredth of their usual size."""
    return array + 0.01 * array.std() * rng.standard_normal(array.shape)


def state_of(model, within):
    return {part: {within + name: value for name, value in getattr(model, part).state_dict().items()} for part in PARTS}


def main(folder):
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    with np.load(folder / "weights.npz") as file:
        weights = dict(file)
    model = filled(config, weights, folder / "empty.pth")
    torch.save(state_of(model, "module."), folder / "old.pth")
    # Where the voice is silent, the source is constant and its phases are errors of rounding, which are heard. Both
    # have those of the published graph.
    transform = onnxruntime.InferenceSession(folder / "transform.onnx", providers=["CPUExecutionProvider"])
    (source,) = transform.get_inputs()

    harmonics = []

    def transformed(samples):
        harmonics[:] = transform.run(None, {source.name: samples[:, :, None].numpy()})
        return torch.from_numpy(harmonics[0]).chunk(2, dim=1)

    model.decoder.generator.stft.transform = transformed
    # The published export has neither noise nor first phases that are drawn.
    torch.rand = lambda *shape, **_: torch.zeros(*shape)
    torch.randn_like = torch.zeros_like
    with np.load(folder / "chunks.npz") as chunks:
        for index in range(len(chunks.files) // 2):
            if (folder / f"said{index}.npz").is_file():
                continue
            ids = torch.tensor([[0, *chunks[f"ids{index}"].tolist(), 0]])
            audio, durations = model.forward_with_tokens(ids, torch.from_numpy(chunks[f"style{index}"]))
            said = {"samples": audio.numpy(), "durations": durations.numpy(), "harmonics": harmonics[0]}
            np.savez(folder / f"said{index}.npz", **said)
            print(f"{index}: {audio.shape[0] / 24000:.1f} s", flush=True)
    for module in model.modules():
        if hasattr(module, "weight_g"):
            remove_weight_norm(module)
            parametrizations.weight_norm(module)
    torch.save(state_of(model, ""), folder / "new.pth")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
