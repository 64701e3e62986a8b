"""The whole of the rewriting, on the published model and on what is none."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from published_graphs import Array, Published, backend_named, copied, plain

import ortffi
from service.model.durations import SAMPLES_PER_FRAME, TENSOR_NAME, output_declaration
from service.model.processor import integer_products
from service.model.proof import MAX_DISTANCE_DB, SENTENCES, log_spectral_distance
from service.model.rewriting import resampling
from service.model.rewriting.pipeline import MODEL_NAME, WEIGHTS_NAME, Report, rewrite

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
    model: onnx.ModelProto

    @property
    def operators(self) -> Counter[tuple[str, str]]:
        return Counter((node.domain, node.op_type) for node in self.model.graph.node)


@pytest.fixture(scope="module")
def prepared(model_file: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Prepared]:
    made = {}
    for variant in VARIANTS:
        folder, lines = tmp_path_factory.mktemp(variant), []
        report = rewrite(model_file, folder, variant, lines.append, signed_weights=EXACT)
        assert report is not None
        model = onnx.load(folder / MODEL_NAME, load_external_data=False)
        made[variant] = Prepared(folder, report, lines, model)
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
        assert each.report.n_nodes == len(each.model.graph.node)
        assert found.pop("transposes") > 100
        assert found.pop("stock") > 0
        expected = {
            "convolutions": 87, "normalization": 65 + 70, "snake": 48, "resampling": 10,
            "fourier": 5 if variant == "native" else 4, "projections": 70,
        }  # fmt: skip
        assert {name: found[name] for name in expected} == expected
        # Every convolution, both upsampling ones and the last one.
        assert found.get("blocks") == (8 if variant == "native" else None)
        assert found.get("native") == (87 + 3 if variant == "native" else None)


def test_what_was_found_is_there_no_more(each: Prepared) -> None:
    found = each.operators
    assert not [domain for domain, _ in found if domain == "kokoro.rewriting"]
    for op_type in ("ConvInteger", "ConvTranspose", "Conv", "STFT", "Snake"):
        assert ("", op_type) not in found
    turns = [
        list(node.attribute[0].ints)
        for node in each.model.graph.node
        if node.op_type == "Transpose"
    ]
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
        imported = {entry.domain: entry.version for entry in each.model.opset_import}
        assert {domain for domain, _ in each.operators} <= set(imported)
        assert "kokoro.rewriting" not in imported
        assert imported.get("kokoro") == (1 if variant == "native" else None)


def test_durations_are_an_output(each: Prepared) -> None:
    outputs = {value.name: value.type.tensor_type.elem_type for value in each.model.graph.output}
    assert outputs == {"audio": onnx.TensorProto.FLOAT, TENSOR_NAME: onnx.TensorProto.FLOAT}
    inputs = [value.name for value in each.model.graph.input]
    assert inputs == ["tokens", "style", "speed"]


def test_weights_are_in_their_file_and_aligned(each: Prepared) -> None:
    size = (each.folder / WEIGHTS_NAME).stat().st_size
    end, n_packed = 0, 0
    for tensor in each.model.graph.initializer:
        if not tensor.external_data:
            assert len(tensor.raw_data) <= 1024
            continue
        entry = {item.key: item.value for item in tensor.external_data}
        assert entry["location"] == WEIGHTS_NAME
        offset = int(entry["offset"])
        assert offset % 4 == 0
        if tensor.name.endswith("_packed"):
            n_packed += 1
            assert offset % 64 == 0
        end = max(end, offset + int(entry["length"]))
    assert end == size
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
        for name in (MODEL_NAME, WEIGHTS_NAME):
            assert (tmp_path / variant / name).read_bytes() == (first.folder / name).read_bytes()


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_speaks_as_the_published_model(
    variant: str, prepared: dict[str, Prepared], published: list[Array], repository: Path
) -> None:
    builder = cpu()
    if variant == "native":
        library = backend_named("native").library
        assert library is not None
        builder = builder.with_custom_ops(library)
    samples, durations = spoken(builder, prepared[variant].folder / MODEL_NAME, repository)
    np.testing.assert_array_equal(durations, published[1])
    assert samples.shape == published[0].shape
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


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_small_graph_of_the_known_kind_gives_the_same_numbers(
    variant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.model.rewriting.pipeline._RECOGNISED", {"snake": 1})
    backend = backend_named("native" if variant == "native" else "stock with unsigned weights")
    graph = Published()
    model = graph.model(small(graph))
    (before,) = plain(copied(model), graph.feeds)
    source = tmp_path / "source.onnx"
    ir.save(model, source)
    report = rewrite(source, tmp_path, variant, lambda line: None, signed_weights=False)  # type: ignore[arg-type]
    assert report is not None
    assert report.found["projections"] == 1
    (after,) = backend.run(ir.load(tmp_path / MODEL_NAME), graph.feeds)
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


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_normalisation_without_a_style_stays_as_it_is_beside_others(
    variant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.model.rewriting.pipeline._RECOGNISED", {"snake": 1})
    backend = backend_named("native" if variant == "native" else "stock with unsigned weights")
    graph = Published()
    model = graph.model(small(graph), graph.norm(graph.given(1, 6, 9)))
    before = plain(copied(model), graph.feeds)
    source = tmp_path / "source.onnx"
    ir.save(model, source)
    report = rewrite(source, tmp_path, variant, lambda line: None, signed_weights=False)  # type: ignore[arg-type]
    assert report is not None
    assert report.found["normalization"] == 2
    after = backend.run(ir.load(tmp_path / MODEL_NAME), graph.feeds)
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
