"""Compare models that are added with the official Kokoro in PyTorch; `make test-models` runs it.

    .venv/bin/python -m tests.reference.models .venv/torch/bin/python

The official model gets weights that are off the published ones by a hundredth of their size and norms
with weights, saves them as PyTorch does, with weight norms of either kind, and says forty chunks. Then
`kokoro-service model add` adds the files, in int8 and in float32, and the service says the same.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx.utils

import ortffi
from service import __main__ as command_line
from service.loading import load_model, load_runtime, load_voices
from service.model.parity import log_spectral_distance
from service.model.spec import included_model
from service.preparation import assemble
from service.settings import Settings
from service.text import load_vocabulary
from tests.service.preparation.published_weights import published_weights

SENTENCES = Path(__file__).parents[1] / "data" / "reading" / "agreement.tsv"
VOICES = ("af_heart", "am_michael", "bf_emma", "am_fenrir", "af_bella", "bm_george", "ef_dora", "zm_yunjian")
N_CHUNKS = 40

TRANSFORM = ("/decoder/decoder/generator/m_source/l_tanh/Tanh_output_0", "/decoder/decoder/generator/Concat_3_output_0")
"""Where the published graph transforms the source: from its samples to magnitudes and phases."""

LEAST_EQUAL = 0.99
"""Of the durations, with weights in int8."""

LEAST_CORRELATION = 0.999
"""Of the samples, with weights in float32, where both generators get the same harmonics."""

LEAST_CORRELATION_OF_OWN = 0.995
"""The same, where each has its own. Phases are sums of up to 100,000 radians, so in float32 they are off by some
thousandths, and bins without a harmonic have nothing else: PyTorch in float32 correlates with itself in float64 by
no more than 0.9978 to 0.9998."""

CONFIG = {"hidden_dim": 512, "style_dim": 128, "n_layer": 3, "max_dur": 50, "text_encoder_kernel_size": 5, "n_mels": 80,
    "dim_in": 64, "max_conv_dim": 512, "multispeaker": True, "dropout": 0.2, "n_token": 178,
    "plbert": {"hidden_size": 768, "num_attention_heads": 12, "intermediate_size": 2048,
               "max_position_embeddings": 512, "num_hidden_layers": 12, "dropout": 0.1},
    "istftnet": {"upsample_kernel_sizes": [20, 12], "upsample_rates": [10, 6], "gen_istft_hop_size": 5,
                 "gen_istft_n_fft": 20, "resblock_dilation_sizes": [[1, 3, 5]] * 3,
                 "resblock_kernel_sizes": [3, 7, 11], "upsample_initial_channel": 512}}  # fmt: skip
"""The structure of Kokoro-82M, as its own configuration tells it."""


def chunks():
    """Return token ids and styles of sentences of many lengths in several voices."""
    known, library = load_vocabulary(), load_voices(Settings())
    lines = [line.split("\t") for line in SENTENCES.read_text(encoding="utf-8").splitlines()]
    spoken = [line[2] for line in lines if line[0].startswith("en-us/") and not known.unknown(line[2])]
    spoken = sorted((one for one in spoken if 20 <= len(one) <= 200), key=len)
    for index in range(N_CHUNKS):
        ids = known.token_ids(spoken[index * len(spoken) // N_CHUNKS])
        yield ids, library.style(library.resolve(VOICES[index % len(VOICES)]), len(ids))


def compared(model, said, cases):
    """Return the share of equal durations, the least and mean correlation, and the mean distance in dB."""
    equal = total = 0
    correlations, distances = [], []
    for index, (ids, style) in enumerate(cases):
        inference = model.infer(ids, style, 1.0)
        durations, samples = said[index]
        equal += int((inference.durations == durations).sum())
        total += durations.size
        if np.array_equal(inference.durations, durations):
            n = min(samples.size, inference.samples.size)
            correlations.append(np.corrcoef(samples[:n], inference.samples[:n])[0, 1])
            distances.append(log_spectral_distance(samples[:n], inference.samples[:n]))
    return equal / total, min(correlations), float(np.mean(correlations)), float(np.mean(distances)), len(correlations)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", help="of an environment with tests/reference/torch.txt")
    parser.add_argument("--folder", type=Path, help="keeps what is made; default: a temporary one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.folder or Path(temporary)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        sys.exit(not check(options.python, folder))


def check(python, folder):
    """Make, say and compare everything; return whether all is well."""
    cases = list(chunks())
    vocabulary = dict(included_model().token_ids)
    (folder / "config.json").write_text(json.dumps({**CONFIG, "vocab": vocabulary}), encoding="utf-8")
    if not (folder / "new.pth").is_file():
        assemble(folder / "published.onnx", lambda line: None)
        ends = [[name] for name in TRANSFORM]
        onnx.utils.extract_model(folder / "published.onnx", folder / "transform.onnx", *ends, check_model=False)
        np.savez(folder / "weights.npz", **published_weights(folder / "published.onnx"))
        arrays = {f"ids{i}": np.array(ids) for i, (ids, _) in enumerate(cases)}
        np.savez(folder / "chunks.npz", **arrays, **{f"style{i}": style for i, (_, style) in enumerate(cases)})
        subprocess.run([python, Path(__file__).with_name("torch_kokoro.py"), folder], check=True)
    said = []
    for index in range(len(cases)):
        with np.load(folder / f"said{index}.npz") as file:
            said.append((file["durations"], file["samples"]))
    models, well = folder / "models", True
    print("| weights | durations equal | correlation, least | mean | log-spectral distance | chunks compared |")
    print("|---|---|---|---|---|---|")
    for name, file, weights in (
        ("old", "old.pth", "int8"), ("new", "new.pth", "int8"), ("float32", "new.pth", "float32")
    ):  # fmt: skip
        if not (models / name).is_dir():
            arguments = ["--models-dir", str(models), "--name", name, "--weights", weights]
            assert command_line.main(["model", "add", str(folder / file), *arguments]) == 0
        settings = Settings(model=name, models_dir=models, cache_dir=folder / "cache", prepare=weights == "int8")
        model = load_model(settings, load_runtime(settings), lambda line: print(line, file=sys.stderr))
        try:
            equal, least, mean, distance, n = compared(model, said, cases)
        finally:
            model.close()
        print(f"| {name}, {weights} | {equal:.2%} | {least:.5f} | {mean:.5f} | {distance:.2f} dB | {n} |", flush=True)
        well &= equal >= LEAST_EQUAL
        if weights == "float32":
            well &= least > LEAST_CORRELATION_OF_OWN
    well &= check_behind_harmonics(models / "float32" / "model.onnx", folder, cases)
    return well


def check_behind_harmonics(path, folder, cases):
    """Give a float model the harmonics that PyTorch's generator got; return whether they speak alike."""
    outputs = [output.name for output in onnx.load(path, load_external_data=False).graph.output]
    inputs = ["tokens", "style", "speed", TRANSFORM[1]]
    onnx.utils.extract_model(path, folder / "behind.onnx", inputs, outputs, check_model=False)
    correlations = []
    with ortffi.SessionBuilder().with_cpu().with_intra_threads(1).commit_from_file(folder / "behind.onnx") as session:
        for index, (ids, style) in enumerate(cases):
            with np.load(folder / f"said{index}.npz") as said:
                samples, harmonics = said["samples"], said["harmonics"]
            feeds = [np.array([[0, *ids, 0]]), style.reshape(1, -1), np.ones(1, np.float32), harmonics]
            own = session.run(dict(zip(inputs, feeds, strict=True)), copy=True)[0].reshape(-1)
            correlations.append(np.corrcoef(samples, own)[0, 1] if own.size == samples.size else 0.0)
    print(f"With PyTorch's harmonics: at least {min(correlations):.7f} in {len(cases)} chunks", flush=True)
    return min(correlations) > LEAST_CORRELATION


if __name__ == "__main__":
    main()
