"""The whole published model, rewritten for processors and GPUs, and what is looked for in it."""

import os
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack

import numpy as np
import onnx

import ortffi
from service.model.durations import SAMPLES_PER_FRAME
from service.model.prepared import DECODER, ENCODER
from service.preparation.layout import Layout
from service.preparation.operators import NativeUnavailableError, find_native_operators
from service.preparation.rewriting.pipeline import rewrite

VARIANTS = ("native", "stock")
"""Those for processors."""

AGAIN = """
import sys
from pathlib import Path
from service.preparation.rewriting.pipeline import rewrite

source, folder, variant, layout = sys.argv[1:]
rewrite(Path(source), Path(folder), variant, lambda line: None, int(layout))
"""


def layout_of(variant):
    """Return what `rewrite` is to be given, so that this processor reads the model."""
    if variant != "native":
        return 0
    try:
        return find_native_operators().layout
    except NativeUnavailableError:
        return Layout.CENTERED  # for what is looked at, not run


def cpu():
    return ortffi.SessionBuilder().with_cpu().with_intra_threads(2)


def styles(repository, voice="af_heart"):
    return np.fromfile(repository / "voices" / f"{voice}.bin", "<f4").reshape(-1, 1, 256)


class Rewritten:
    """A variant of a model in a folder, what rewriting it found and said, and its parts."""

    def __init__(self, source, folder, variant):
        self.folder, self.lines = folder, []
        self.report = rewrite(source, folder, variant, self.lines.append, layout_of(variant))
        self.models = {each: onnx.load(folder / each.graph, load_external_data=False) for each in (ENCODER, DECODER)}
        self.encoder, self.decoder = (model.graph for model in self.models.values())
        self.nodes = [*self.encoder.node, *self.decoder.node]
        self.weights = [*self.encoder.initializer, *self.decoder.initializer]
        self.weights_bytes = sum((folder / files.weights).stat().st_size for files in self.models)
        self.operators = Counter((node.domain, node.op_type) for node in self.nodes)


def rewrite_again(source, folder, variant):
    """Rewrite a model in another process, with another order of sets."""
    environment = os.environ | {"PYTHONHASHSEED": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", AGAIN, str(source), str(folder), variant, str(int(layout_of(variant)))]
    subprocess.run(command, check=True, env=environment)


def check_same_files(one, other):
    for name in (*ENCODER, *DECODER):
        assert (one / name).read_bytes() == (other / name).read_bytes(), name


HALF = onnx.TensorProto.FLOAT16


def halved(graph, *names):
    """The nodes that values come from and that have a weight in halves, or make them."""
    halves = {each.name for each in graph.initializer if each.data_type == HALF}
    producers = {name: node for node in graph.node for name in node.output}
    waiting, found, seen = list(names), set(), set()
    while waiting:
        name = waiting.pop()
        node = producers.get(name)
        if node is None or name in seen:
            continue
        seen.add(name)
        waiting.extend(node.input)
        if halves & set(node.input) or (node.op_type == "Cast" and node.attribute[0].i == HALF):
            found.add(node.name or node.op_type)
    return found


def in_halves(graph):
    halves = {each.name for each in graph.initializer if each.data_type == HALF}
    return [n for n in graph.node if n.op_type == "Conv" and n.input[1] in halves]


def made_by(node, producers):
    """The operators up to three steps before one."""
    found, names = set(), list(node.input)
    for _ in range(3):
        makers = [producers[name] for name in names if name in producers]
        found |= {each.op_type for each in makers}
        names = [name for each in makers for name in each.input]
    return found


class Watched(ExitStack):
    """Sessions of the model in floats that tell all of its convolutions' shapes."""

    def __init__(self, folder):
        super().__init__()
        parts = (self.enter_context(_watched(folder, files.graph)) for files in (ENCODER, DECODER))
        self.encoder, self.decoder = parts

    def shapes(self, token_ids, style, speed, buckets):
        """The samples, the frames, and the shapes inside behind the encoder of tokens."""
        feeds = {
            "tokens": np.array([[0, *token_ids, 0]], np.int64), "style": style,
            "speed": np.array([speed], np.float32), "buckets": np.array(buckets, np.int64),
        }  # fmt: skip
        features, spectrum, durations, *sizes = self.encoder.run(feeds, copy=True)
        n_frames = int(durations.sum())
        mask = np.zeros((1, 1, features.shape[1]), np.float32)
        mask[..., : 2 * n_frames] = 1
        (given,) = (info.shape for info in self.decoder.inputs if info.name == "given")
        feeds = {
            "features": features, "spectrum": spectrum, "style": style, "mask": mask,
            "given": np.zeros(given, np.float32), "share": np.zeros(1, np.float32),
        }  # fmt: skip
        audio, *others = self.decoder.run(feeds, copy=True)
        n_tokens = len(token_ids) + 2
        inside = [size.tolist() for size in (*sizes, *others) if n_tokens not in (size[0], size[-1])]
        return audio[: n_frames * SAMPLES_PER_FRAME], n_frames, inside


def _watched(folder, name):
    model = onnx.load(folder / name, load_external_data=False)
    for node in list(model.graph.node):
        if node.op_type in ("Conv", "LSTM", "ConvTranspose"):
            size = onnx.helper.make_node("Shape", [node.output[0]], [f"size of {len(model.graph.output)}"])
            model.graph.node.append(size)
            model.graph.output.append(onnx.helper.make_tensor_value_info(size.output[0], onnx.TensorProto.INT64, None))
    builder = cpu().with_optimization_level(ortffi.GraphOptimizationLevel.DISABLE_ALL)
    builder = builder.with_config("session.model_external_initializers_file_folder_path", str(folder))
    return builder.commit_from_memory(model.SerializeToString())
