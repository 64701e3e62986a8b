"""The whole of the rewriting, on the published model and on what is none."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from published_graphs import Array, Published, backend_named, copied, plain

import ortffi
from service.model.durations import SAMPLES_PER_FRAME, TENSOR_NAME, output_declaration
from service.model.kokoro import Preparation
from service.model.manifest import DECODER, ENCODER, WHOLE, GraphFiles, graphs_of
from service.model.opening import open_prepared
from service.model.processor import integer_products
from service.model.proof import MAX_DISTANCE_DB, SENTENCES, log_spectral_distance
from service.model.rewriting import resampling
from service.model.rewriting.pipeline import Report, rewrite
from service.model.runtime import open_runtime

VARIANTS = ("native", "stock")
EXACT = integer_products() == "exact"

TWICE = """
import sys
from pathlib import Path
from service.model.rewriting.pipeline import rewrite

source, folder, exact = sys.argv[1:]
for variant in ("native", "stock"):
    to = Path(folder, variant)
    to.mkdir()
    rewrite(Path(source), to, variant, lambda line: None, signed_weights=exact == "True")
"""


@dataclass(frozen=True)
class Prepared:
    folder: Path
    report: Report
    lines: list[str]
    models: dict[GraphFiles, onnx.ModelProto]

    @property
    def nodes(self) -> list[onnx.NodeProto]:
        return [node for model in self.models.values() for node in model.graph.node]

    @property
    def operators(self) -> Counter[tuple[str, str]]:
        return Counter((node.domain, node.op_type) for node in self.nodes)


@pytest.fixture(scope="module")
def prepared(model_file: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Prepared]:
    made = {}
    for variant in VARIANTS:
        folder, lines = tmp_path_factory.mktemp(variant), []
        report = rewrite(model_file, folder, variant, lines.append, signed_weights=EXACT)
        assert report is not None
        models = {
            files: onnx.load(folder / files.graph, load_external_data=False)
            for files in graphs_of(variant)
        }
        made[variant] = Prepared(folder, report, lines, models)
    return made


@pytest.fixture(params=VARIANTS)
def each(request: pytest.FixtureRequest, prepared: dict[str, Prepared]) -> Prepared:
    return prepared[request.param]


def spoken(builder: ortffi.SessionBuilder, model: Path | bytes, repository: Path) -> list[Array]:
    """Return the samples and the durations of the short sentence."""
    ids = SENTENCES["short"]
    styles = np.fromfile(repository / "voices" / "af_heart.bin", "<f4").reshape(-1, 1, 256)
    feeds = {
        "tokens": np.array([[0, *ids, 0]], np.int64),
        "style": styles[len(ids) - 1],
        "speed": np.ones(1, np.float32),
    }
    builder = builder.with_optimization_level(ortffi.GraphOptimizationLevel.DISABLE_ALL)
    commit = builder.commit_from_memory if isinstance(model, bytes) else builder.commit_from_file
    with commit(model) as session:  # type: ignore[arg-type]
        outputs: list[Array] = session.run(feeds, copy=True)
    return outputs


def cpu() -> ortffi.SessionBuilder:
    return ortffi.SessionBuilder().with_cpu().with_intra_threads(2)


@pytest.fixture(scope="module")
def published(model_file: Path, repository: Path) -> list[Array]:
    model = model_file.read_bytes() + output_declaration()
    return spoken(cpu(), model, repository)


def test_all_parts_of_the_published_model_are_found(prepared: dict[str, Prepared]) -> None:
    for variant, each in prepared.items():
        found = dict(each.report.found)
        assert each.report.n_nodes_before == 3614
        assert each.report.n_nodes == len(each.nodes)
        assert found.pop("transposes") > 100
        assert found.pop("stock") > 0
        expected = {
            "convolutions": 87, "normalization": 65 + 70, "snake": 48, "resampling": 10,
            "fourier": 5 if variant == "native" else 4, "projections": 70,
        }  # fmt: skip
        assert {name: found[name] for name in expected} == expected
        # Every convolution, both upsampling ones and the last one.
        assert found.get("blocks") == (8 if variant == "native" else None)
        assert found.get("carrying") == (8 if variant == "native" else None)
        assert found.get("native") == (87 + 3 if variant == "native" else None)


def test_what_was_found_is_there_no_more(each: Prepared) -> None:
    found = each.operators
    assert not [domain for domain, _ in found if domain == "kokoro.rewriting"]
    for op_type in ("ConvInteger", "ConvTranspose", "Conv", "STFT", "Snake"):
        assert ("", op_type) not in found
    turns = [list(node.attribute[0].ints) for node in each.nodes if node.op_type == "Transpose"]
    # In and out of the encoder and of the source; none in the decoder, which had hundreds.
    assert turns.count([0, 2, 1]) < 20
    # Those of the magnitudes of the source's spectrum.
    assert found["", "Pow"] == 2
    # Of the source of the sound: pitch and phases for every sample, unless one operator makes it.
    assert (found["", "Resize"], found["kokoro", "HarmonicSource"]) in ((2, 0), (0, 1))
    # Layers of the encoder, which are no AdaIN, have an operator for their means.
    assert found["", "ReduceMean"] == 0
    assert found["com.microsoft", "MatMulIntegerToFloat"] >= 2


def test_only_what_is_used_of_our_own_is_imported(prepared: dict[str, Prepared]) -> None:
    for variant, each in prepared.items():
        for model in each.models.values():
            imported = {entry.domain: entry.version for entry in model.opset_import}
            assert {node.domain for node in model.graph.node} <= set(imported)
            assert "kokoro.rewriting" not in imported
            assert imported.get("kokoro") == (1 if variant == "native" else None)


INPUTS_AND_OUTPUTS = {
    WHOLE: (["tokens", "style", "speed"], {"audio", TENSOR_NAME}),
    ENCODER: (
        ["tokens", "style", "speed"],
        {"features", "spectrum", "spectrum_statistics", TENSOR_NAME},
    ),
    DECODER: (
        ["features", "spectrum", "style", "spectrum_statistics", "given", "share"],
        {"audio", "measured"},
    ),
}


def test_durations_are_an_output(each: Prepared) -> None:
    for files, model in each.models.items():
        inputs, outputs = INPUTS_AND_OUTPUTS[files]
        assert [value.name for value in model.graph.input] == inputs
        types = {value.name: value.type.tensor_type.elem_type for value in model.graph.output}
        assert types == dict.fromkeys(outputs, onnx.TensorProto.FLOAT)


def test_an_encoder_and_its_decoder_share_no_weights(prepared: dict[str, Prepared]) -> None:
    names = [
        {tensor.name for tensor in model.graph.initializer if tensor.external_data}
        for model in prepared["native"].models.values()
    ]
    assert len(names) == 2
    # Of the projections of the style each has those of its own layers.
    assert all("_projection_" in name for name in set.intersection(*names))


def test_weights_are_in_their_file_and_aligned(each: Prepared) -> None:
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
    # All but two of a channel each, which are small.
    assert n_packed == (88 if ("kokoro", "Conv") in each.operators else 0)


def test_who_waits_is_told_what_is_done(each: Prepared) -> None:
    assert each.lines[0] == "reading the model"
    assert len(each.lines) > 2


def test_the_same_source_becomes_the_same_files(
    prepared: dict[str, Prepared], model_file: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", TWICE, str(model_file), str(tmp_path), str(EXACT)]
    # Another order of sets and another process.
    environment = os.environ | {"PYTHONHASHSEED": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run(command, check=True, env=environment)
    for variant, first in prepared.items():
        for name in (name for files in first.models for name in files):
            assert (tmp_path / variant / name).read_bytes() == (first.folder / name).read_bytes()


def spoken_in_parts(folder: Path, repository: Path) -> list[Array]:
    library = backend_named("native").library
    assert library is not None
    runtime = open_runtime(threads=2)
    with closing(
        open_prepared(
            folder, "native", library, runtime, name="", sha256="",
            preparation=Preparation("native", None, ""),
        )
    ) as kokoro:  # fmt: skip
        ids = SENTENCES["short"]
        styles = np.fromfile(repository / "voices" / "af_heart.bin", "<f4").reshape(-1, 1, 256)
        inference = kokoro.infer(ids, styles[len(ids) - 1], 1.0)
    assert inference.durations is not None
    return [inference.samples, inference.durations]


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_speaks_as_the_published_model(
    variant: str, prepared: dict[str, Prepared], published: list[Array], repository: Path
) -> None:
    folder = prepared[variant].folder
    if variant == "native":
        samples, durations = spoken_in_parts(folder, repository)
    else:
        samples, durations = spoken(cpu(), folder / WHOLE.graph, repository)
    durations = durations.reshape(published[1].shape)
    np.testing.assert_array_equal(durations, published[1])
    assert samples.size == published[0].size
    assert samples.size == SAMPLES_PER_FRAME * durations.sum()
    assert np.isfinite(samples).all()
    # 1.7 dB was measured; noise 20 dB below the speech makes 15.
    assert log_spectral_distance(published[0].ravel(), samples.ravel()) < MAX_DISTANCE_DB


def small(graph: Published) -> str:
    """A residual block of the published form, with a projected style."""
    x = graph.given(1, 6, 30, name="x")
    style = graph.quantized(graph.given(1, 8, name="style"))
    projected = graph.product(style, 8, 12, bias_first=False)
    inner = graph.snake(graph.modulation(graph.norm(x), projected, 6), 6)
    return graph.add("Add", graph.convolution(inner, 6, 6), x)


def test_a_generator_that_cannot_be_parted_is_not_prepared_with_our_own_operators(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.model.rewriting.pipeline._RECOGNISED", {"snake": 1})
    graph = Published()
    source, folder = tmp_path / "source.onnx", tmp_path / "prepared"
    folder.mkdir()
    ir.save(graph.model(small(graph)), source)
    assert rewrite(source, folder, "native", lambda line: None) is None
    assert list(folder.iterdir()) == []
    assert rewrite(source, folder, "stock", lambda line: None) is not None


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_no_kokoro_is_left_alone(variant: str, tmp_path: Path) -> None:
    graph = Published()
    model = graph.model(graph.add("Exp", graph.given(1, 3)), small(graph))
    source, folder = tmp_path / "source.onnx", tmp_path / "prepared"
    folder.mkdir()
    ir.save(model, source)
    before = source.read_bytes()
    assert rewrite(source, folder, variant, lambda line: None) is None  # type: ignore[arg-type]
    assert list(folder.iterdir()) == []
    assert source.read_bytes() == before


def test_a_small_graph_of_the_known_kind_gives_the_same_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.model.rewriting.pipeline._RECOGNISED", {"snake": 1})
    backend = backend_named("stock with unsigned weights")
    graph = Published()
    model = graph.model(small(graph))
    (before,) = plain(copied(model), graph.feeds)
    source = tmp_path / "source.onnx"
    ir.save(model, source)
    report = rewrite(source, tmp_path, "stock", lambda line: None, signed_weights=False)
    assert report is not None
    assert report.found["projections"] == 1
    (after,) = backend.run(ir.load(tmp_path / WHOLE.graph), graph.feeds)
    assert np.abs(after - before).mean() < 0.01


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_normalisation_without_a_style_is_not_recognised(
    variant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.model.rewriting.pipeline._RECOGNISED", {"normalization": 1})
    graph = Published()
    source, folder = tmp_path / "source.onnx", tmp_path / "prepared"
    folder.mkdir()
    ir.save(graph.model(graph.add("Exp", graph.norm(graph.given(1, 6, 9)))), source)
    assert rewrite(source, folder, variant, lambda line: None) is None  # type: ignore[arg-type]
    assert list(folder.iterdir()) == []


def test_a_normalisation_without_a_style_stays_as_it_is_beside_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.model.rewriting.pipeline._RECOGNISED", {"snake": 1})
    backend = backend_named("stock with unsigned weights")
    graph = Published()
    model = graph.model(small(graph), graph.norm(graph.given(1, 6, 9)))
    before = plain(copied(model), graph.feeds)
    source = tmp_path / "source.onnx"
    ir.save(model, source)
    report = rewrite(source, tmp_path, "stock", lambda line: None, signed_weights=False)
    assert report is not None
    assert report.found["normalization"] == 2
    after = backend.run(ir.load(tmp_path / WHOLE.graph), graph.feeds)
    np.testing.assert_array_equal(after[1], before[1])


def test_an_operator_that_cannot_be_run_is_never_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.model.rewriting.pipeline._RECOGNISED", {"snake": 1})
    no_snake = resampling.rules()
    monkeypatch.setattr("service.model.rewriting.stock.rules", lambda **_: no_snake)
    graph = Published()
    source, folder = tmp_path / "source.onnx", tmp_path / "prepared"
    folder.mkdir()
    ir.save(graph.model(graph.add("Exp", graph.snake(graph.given(1, 6, 9), 6))), source)
    with pytest.raises(ValueError, match="no operator was found for Snake"):
        rewrite(source, folder, "stock", lambda line: None)
    assert list(folder.iterdir()) == []
