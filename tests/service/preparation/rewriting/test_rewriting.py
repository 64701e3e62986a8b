"""The whole of the rewriting, on the published model and on what is none."""

from collections import Counter
from contextlib import closing

import numpy as np
import onnx
import pytest

import ortffi
from service.model.durations import SAMPLES_PER_FRAME, TENSOR_NAME, output_declaration
from service.model.parity import MAX_DISTANCE_DB, SENTENCES, log_spectral_distance
from service.model.prepared import DECODER, ENCODER
from service.model.runtime import open_runtime
from tests.opened_models import open_folder
from tests.service.preparation.checks import backend_named
from tests.service.preparation.rewriting.whole_models import (
    VARIANTS,
    Rewritten,
    check_same_files,
    cpu,
    rewrite_again,
    styles,
)

SHORT = SENTENCES["short"]


@pytest.fixture(scope="module")
def prepared(model_file, tmp_path_factory):
    return {variant: Rewritten(model_file, tmp_path_factory.mktemp(variant), variant) for variant in VARIANTS}


@pytest.fixture(params=VARIANTS)
def each(request, prepared):
    return prepared[request.param]


@pytest.fixture(scope="module")
def style(repository):
    return styles(repository)[len(SHORT) - 1]


@pytest.fixture(scope="module")
def published(model_file, style):
    feeds = {"tokens": np.array([[0, *SHORT, 0]], np.int64), "style": style, "speed": np.ones(1, np.float32)}
    builder = cpu().with_optimization_level(ortffi.GraphOptimizationLevel.DISABLE_ALL)
    with builder.commit_from_memory(model_file.read_bytes() + output_declaration()) as session:
        return session.run(feeds, copy=True)


def test_all_parts_of_the_published_model_are_found(prepared):
    for variant, each in prepared.items():
        found = dict(each.report.found)
        assert (each.report.n_nodes_before, each.report.n_nodes) == (3614, len(each.nodes))
        assert found.pop("transposes") > 100
        assert found.pop("stock") > 0
        expected = {
            "convolutions": 87, "normalization": 65 + 70, "snake": 48, "resampling": 10,
            "fourier": 5 if variant == "native" else 4, "projections": 70,
        }  # fmt: skip
        assert {name: found[name] for name in expected} == expected
        # Every convolution, both upsampling ones and the last one.
        assert (found.get("blocks"), found.get("carrying")) == (8 if variant == "native" else None, 8)
        assert found.get("native") == (87 + 3 if variant == "native" else None)


def test_all_blocks_can_be_multiplied_in_pairs(prepared):
    """Differences of the published weights fit, and in 42 of 48 also differences of these."""
    blocks = [node for node in prepared["native"].nodes if node.op_type == "ResidualBlock"]
    shapes = {tensor.name: tuple(tensor.dims) for tensor in prepared["native"].weights}
    once = {3: 3 + 2, 7: 7 + 4, 11: 11 + 6}
    twice = {3: once[3] + 1 + 1, 7: once[7] + 3 * 2, 11: once[11] + 3 * 3}
    found = Counter()
    for block in blocks:
        (size,) = (a.i for a in block.attribute if a.name == "kernel_size")
        for sums, runs in zip(block.input[6::6], block.input[7::6], strict=True):
            n_parts = shapes[sums][0] // (16 * shapes[runs][0])
            assert shapes[runs][1] == {2: once, 5: twice}[n_parts][size]
            found[n_parts] += 1
    assert found == {2: 6, 5: 42}


def test_what_was_found_is_there_no_more(each):
    found = each.operators
    assert not [domain for domain, _ in found if domain == "kokoro.rewriting"]
    for op_type in ("ConvInteger", "ConvTranspose", "Conv", "STFT", "Snake"):
        assert ("", op_type) not in found
    turns = [list(node.attribute[0].ints) for node in each.nodes if node.op_type == "Transpose"]
    # In and out of the encoder and of the source; none in the decoder, which had hundreds.
    assert turns.count([0, 2, 1]) < 22
    # Those of the magnitudes of the source's spectrum.
    assert found["", "Pow"] == 2
    # Of the source of the sound: pitch and phases for every sample, unless one operator makes it.
    assert (found["", "Resize"], found["kokoro", "HarmonicSource"]) in ((2, 0), (0, 1))
    # Layers of the encoder, which are no AdaIN, have an operator for their means.
    assert found["", "ReduceMean"] == 0
    assert (found["", "Where"] >= 2 * 48) == (("kokoro", "ResidualBlock") not in found)
    assert found["com.microsoft", "MatMulIntegerToFloat"] >= 2


INPUTS_AND_OUTPUTS = {
    ENCODER: (["tokens", "style", "speed"], {"features", "spectrum", "spectrum_statistics", TENSOR_NAME}),
    DECODER: (["features", "spectrum", "style", "spectrum_statistics", "given", "share"], {"audio", "measured"}),
}


def test_an_encoder_tells_all_and_its_decoder_takes_it(prepared):
    for variant, each in prepared.items():
        for files, model in each.models.items():
            inputs, outputs = INPUTS_AND_OUTPUTS[files]
            # To measure layers costs ONNX Runtime's operators too much.
            outputs = outputs - ({"measured"} if variant == "stock" else set())
            assert [value.name for value in model.graph.input] == inputs
            types = {value.name: value.type.tensor_type.elem_type for value in model.graph.output}
            assert types == dict.fromkeys(outputs, onnx.TensorProto.FLOAT)
            # Only what is used of our own is imported.
            imported = {entry.domain: entry.version for entry in model.opset_import}
            assert {node.domain for node in model.graph.node} <= set(imported)
            assert imported.get("kokoro") == (1 if variant == "native" else None)
            assert "kokoro.rewriting" not in imported


def test_an_encoder_and_its_decoder_share_no_weights(each):
    names = [
        {tensor.name for tensor in model.graph.initializer if tensor.external_data} for model in each.models.values()
    ]
    assert len(names) == 2
    # Of the projections of the style each has those of its own layers.
    assert all("_projection_" in name for name in set.intersection(*names))


def test_weights_are_in_their_file_and_aligned(each):
    n_packed = 0
    for files, model in each.models.items():
        end = 0
        for tensor in model.graph.initializer:
            if not tensor.external_data:
                assert len(tensor.raw_data) <= 1024
                continue
            entry = {item.key: item.value for item in tensor.external_data}
            assert entry["location"] == files.weights
            offset = int(entry["offset"])
            assert offset % 4 == 0
            if tensor.name.endswith("_packed"):
                n_packed += 1
                assert offset % 64 == 0
            end = max(end, offset + int(entry["length"]))
        assert end == (each.folder / files.weights).stat().st_size
    # Seven matrices, two of each LSTM, and all convolutions but two of a channel each, which are
    # small.
    assert n_packed == (7 + 2 * 6 + 88 if ("kokoro", "Conv") in each.operators else 0)


def test_who_waits_is_told_what_is_done(each):
    assert each.lines[0] == "reading the model"
    assert len(each.lines) > 2


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["native", "stock"])
def test_the_same_source_becomes_the_same_files(prepared, model_file, tmp_path, variant):
    rewrite_again(model_file, tmp_path, variant)
    check_same_files(tmp_path, prepared[variant].folder)


def opened(prepared, variant, library=None):
    return open_folder(prepared[variant].folder, open_runtime(threads=2), variant, library)


@pytest.fixture(scope="module")
def stock(prepared):
    with closing(opened(prepared, "stock")) as model:
        yield model


@pytest.fixture(scope="module")
def native(prepared):
    with closing(opened(prepared, "native", backend_named("native").operators.path)) as model:
        yield model


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_speaks_as_the_published_model(variant, published, style, request):
    inference = request.getfixturevalue(variant).infer(SHORT, style, 1.0)
    samples, durations = inference.samples, inference.durations
    np.testing.assert_array_equal(durations, published[1].ravel())
    assert samples.size == published[0].size == SAMPLES_PER_FRAME * durations.sum()
    assert np.isfinite(samples).all()
    # 1.7 dB was measured; noise 20 dB below the speech makes 15.
    assert log_spectral_distance(published[0].ravel(), samples) < MAX_DISTANCE_DB


def test_statistics_are_in_the_order_in_which_the_native_operators_measure_them(native, stock, style):
    encoding = stock.encode(SHORT, style, 1.0)
    n_frames = encoding.n_frames
    measured = native.decode(encoding, 0, n_frames).measured
    assert measured.size == stock.decoder.n_statistics

    def distance(given):
        return log_spectral_distance(whole, stock.decode(encoding, 0, n_frames, given).samples)

    whole = stock.decode(encoding, 0, n_frames).samples
    right = distance(measured)
    blocks = np.split(measured, np.cumsum([6 * 4 * 256] * 4 + [6 * 4 * 128] * 3))
    layers = np.split(blocks[2], 6)
    swapped = {
        "blocks of the first stage": [blocks[n] for n in (0, 2, 1, 3, 4, 5, 6, 7)],
        "blocks of the second stage": [blocks[n] for n in (0, 1, 2, 3, 4, 6, 5, 7)],
        "layers": [*blocks[:2], layers[1], layers[0], *layers[2:], *blocks[3:]],
    }
    wrong = {name: distance(np.concatenate(order)) for name, order in swapped.items()}
    # 1.6 dB, by rounding alone, and 7 to 14 were measured.
    assert right < 2.5
    assert min(wrong.values()) > 2 * right, wrong
