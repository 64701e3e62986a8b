from __future__ import annotations

import errno
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from service import __main__ as command_line
from service import loading
from service.errors import ModelError
from service.loading import load_model
from service.model import Model, PreparedModel, open_runtime
from service.preparation import Source, get, getting, store
from service.preparation.layout import LAYOUT
from service.preparation.operators import NativeOperators, NativeUnavailableError
from service.preparation.refusal import NotPreparedError, SourceRefusedError
from service.resources import native_library
from service.settings import Settings
from tests.opened_models import open_file
from tests.small_kokoro import COUNTER, LIFELINE, write_small_kokoro

STYLE = np.zeros((1, 256), np.float32)

PROGRAM = (
    "import sys, json; sys.path = json.loads(sys.argv[2]); from tests import small_kokoro; "
    "from service.preparation.worker import main; "
    "main(json.loads(sys.argv[1]), small_kokoro.{})"
)


REAL_PROGRAM = store.PROGRAM


class Bench:
    """A source, a cache, and a rewriting to choose."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.cache, self.lines = folder / "cache", list[str]()
        self.source = write_small_kokoro(folder / "small.onnx")
        self.counter = folder / "counter"
        self._patch = patch
        patch.setenv(COUNTER, str(self.counter))
        patch.setattr(getting, "find_native_operators", no_operators)

    @property
    def prepared(self) -> Path:
        return self.cache / "prepared"

    @property
    def n_rewritings(self) -> int:
        return len(self.counter.read_text().splitlines()) if self.counter.exists() else 0

    def folders(self) -> list[str]:
        return sorted(path.name for path in self.prepared.iterdir() if path.name != ".lock")

    def rewrite_by(self, name: str) -> None:
        self._patch.setattr(store, "PROGRAM", PROGRAM.format(name))

    def prepare(self, name: str) -> Path:
        self.rewrite_by(name)
        return self.get(self.lines.append).folder / "encoder.onnx"

    def get(self, progress: Callable[[str], None]) -> PreparedModel:
        source = Source(self.source, False)
        prepared = get(source, "processor", open_runtime(), self.cache, progress)
        assert isinstance(prepared, PreparedModel)
        return prepared

    def load(self, name: str) -> Model:
        self.rewrite_by(name)
        settings = Settings(model=self.source, cache_dir=self.cache)
        return load_model(settings, open_runtime(), self.lines.append)


def no_operators(kernels: str | None = None) -> None:
    raise NativeUnavailableError("this test wants none")


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A prepared model; tests leave it whole."""
    with pytest.MonkeyPatch.context() as patch:
        bench = Bench(tmp_path_factory.mktemp("made"), patch)
        bench.prepare("faithful")
        yield bench


def test_a_prepared_model_is_made_once_with_progress_and_speaks_as_its_source(
    made: Bench,
) -> None:
    made.lines.clear()
    n_before = made.n_rewritings
    prepared = made.load("failing")  # nobody rewrites again
    source = open_file(made.source)
    expected, found = (kokoro.infer([3, 50, 7], STYLE, 1.0) for kokoro in (source, prepared))
    np.testing.assert_allclose(found.samples, expected.samples, atol=1e-4)
    assert (prepared.sha256, prepared.name) == (source.sha256, source.name)
    assert prepared.prepared.variant == "stock"
    assert "this test wants none" in prepared.prepared.detail
    assert source.prepared.variant is None
    assert made.n_rewritings == n_before
    assert made.lines == []
    prepared.close()
    source.close()


def test_the_manifest_tells_what_was_made_of_what(made: Bench) -> None:
    (folder,) = (made.prepared / name for name in made.folders())
    manifest = json.loads((folder / "manifest.json").read_text())
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        ["manifest.json", *manifest["files"]]
    )
    for name, entry in manifest["files"].items():
        assert (folder / name).stat().st_size == entry["bytes"]
    recipe = manifest["recipe"]
    assert recipe["variant"] == "stock"
    assert recipe["onnxruntime"] == open_runtime().version
    assert recipe["products"] in ("exact", "saturating")
    assert all(distance < 0.1 for distance in manifest["proof"].values())


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        ("flip encoder.onnx", "encoder.onnx"),
        ("flip decoder.bin", "decoder.bin"),
        ("flip manifest.json", "manifest.json"),
        ("remove decoder.onnx", "decoder.onnx"),
        ("remove manifest.json", "manifest.json"),
        ("grow encoder.bin", "encoder.bin"),
        ("empty manifest.json", "manifest.json"),
    ],
)
def test_any_damage_is_noticed_and_the_model_made_anew(
    made: Bench, damage: str, named: str
) -> None:
    (folder,) = (made.prepared / name for name in made.folders())
    intact = {path.name: path.read_bytes() for path in folder.iterdir()}
    kind, name = damage.split()
    content = bytearray(intact[name])
    content[len(content) // 2] ^= 0x80
    changed = {"flip": bytes(content), "grow": intact[name] + b"\0", "empty": b""}
    if kind == "remove":
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(changed[kind])
    made.lines.clear()
    # That it is tried is seen here; that what is remade is whole, below.
    with pytest.raises(NotPreparedError, match="hole"):
        made.prepare("failing")
    (complaint,) = [line for line in made.lines if "damaged" in line]
    assert named in complaint
    for name, content in intact.items():
        (folder / name).write_bytes(content)
    assert made.prepare("failing").parent == folder


def test_a_damaged_model_is_replaced(bench: Bench) -> None:
    path = bench.prepare("faithful")
    whole = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    path.write_bytes(b"")
    assert bench.prepare("faithful") == path
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == whole
    assert bench.folders() == [path.parent.name]
    assert bench.n_rewritings == 2


def unused_for(seconds: float, folder: Path) -> None:
    then = time.time() - seconds
    os.utime(folder, (then, then))


def test_two_environments_share_a_cache_and_each_finds_its_own(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = itertools.count(100)

    def prepare_as_another_version() -> Path:
        monkeypatch.setattr(getting, "VERSION", next(versions))
        return bench.prepare("faithful").parent

    first, second = prepare_as_another_version(), prepare_as_another_version()
    assert bench.folders() == [first.name, second.name]
    for version, folder in ((100, first), (101, second), (100, first)):
        monkeypatch.setattr(getting, "VERSION", version)
        assert bench.prepare("failing").parent == folder  # nobody rewrites again
    assert bench.n_rewritings == 2


def test_a_library_of_another_layout_finds_no_model_of_the_old_one_nor_the_other_way_round(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    operators = NativeOperators(native_library(), "avx2")
    if not operators.path.is_file():
        pytest.skip("they were not compiled: there was no C compiler at setup")
    monkeypatch.setattr(getting, "find_native_operators", lambda kernels: operators)
    folders = {}
    for layout in (LAYOUT - 1, LAYOUT):
        monkeypatch.setattr(getting, "LAYOUT", layout)
        folders[layout] = bench.prepare("faithful").parent
    assert bench.folders() == [path.name for path in folders.values()]
    for layout, folder in folders.items():
        monkeypatch.setattr(getting, "LAYOUT", layout)
        assert bench.prepare("failing").parent == folder  # nobody rewrites again
    # Whoever renames a folder does not make it another model.
    shutil.rmtree(folders[LAYOUT])
    folders[LAYOUT - 1].rename(folders[LAYOUT])
    with pytest.raises(NotPreparedError, match="hole"):
        bench.prepare("failing")
    assert any("is of another model" in line for line in bench.lines)


def test_what_nobody_has_used_for_a_month_goes(bench: Bench) -> None:
    path = bench.prepare("faithful")
    family = path.parent.name.partition("-")[0]
    names = {
        f"{family}-stock-0-1.19.0-exact-0": store.KEPT_UNUSED_S + 1,
        f"{family}-native-3-1.31.1-any-1": store.KEPT_UNUSED_S - 60,
        f"{family}-float32-3-any-any-0": store.KEPT_UNUSED_S + 1,  # for another purpose
        "0123456789abcdef-stock-0-1.19.0-exact-0": store.KEPT_UNUSED_S + 1,
    }
    for name, seconds in names.items():
        (bench.prepared / name).mkdir()
        unused_for(seconds, bench.prepared / name)
    unused_for(store.KEPT_UNUSED_S + 1, path.parent)
    assert bench.prepare("failing") == path
    assert bench.folders() == sorted([*list(names)[1:], path.parent.name])
    assert time.time() - path.parent.stat().st_mtime < store.KEPT_UNUSED_S


def test_what_cannot_be_removed_is_told_and_nothing_fails(
    bench: Bench, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bench.prepare("faithful")
    family = path.parent.name.partition("-")[0]
    old = bench.prepared / f"{family}-stock-0-1.19.0-exact-0"
    old.mkdir()
    unused_for(store.KEPT_UNUSED_S + 1, old)

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "rename", refuse)
    bench.load("failing").close()
    (message,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert message == f"{old}, which nobody uses any more, cannot be removed: Permission denied"


def test_a_model_that_vanishes_before_it_is_opened_is_made_anew(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []
    open_model = loading.models.open

    def open_after_another_removed_it(prepared: PreparedModel, *rest: Any, **options: Any) -> Model:
        opened.append(prepared.folder)
        if len(opened) == 1:
            shutil.rmtree(prepared.folder)
        return open_model(prepared, *rest, **options)

    monkeypatch.setattr(loading.models, "open", open_after_another_removed_it)
    kokoro = bench.load("faithful")
    assert kokoro.prepared.variant == "stock"
    kokoro.close()
    assert len(opened) == 2
    assert bench.n_rewritings == 2


PROCESS = """
import sys
from pathlib import Path
from typing import Any
sys.path.insert(0, sys.argv[1])
import pytest
from tests.service.preparation.test_store import Bench
with pytest.MonkeyPatch.context() as patch:
    bench = Bench(Path(sys.argv[2]), patch)
    print("started", flush=True)
    sys.stdin.readline()
    print(bench.prepare(sys.argv[3]), flush=True)
"""


def start(folder: Path, name: str) -> subprocess.Popen[str]:
    """Start a process that prepares when it is sent a line."""
    root = str(Path(__file__).resolve().parents[3])
    process = subprocess.Popen(
        [sys.executable, "-c", PROCESS, root, str(folder), name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    return process


def test_processes_that_start_at_once_make_it_once(bench: Bench, tmp_path: Path) -> None:
    processes = [start(tmp_path, "faithful") for _ in range(2)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    answers = {process.communicate()[0] for process in processes}
    assert [process.returncode for process in processes] == [0, 0]
    assert len(answers) == 1
    assert Path(answers.pop().strip()).is_file()
    assert bench.n_rewritings == 1
    assert len(bench.folders()) == 1


def test_a_service_that_is_killed_takes_its_preparing_process_along_and_leaves_nothing_whole(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fifo = tmp_path / "lifeline"
    os.mkfifo(fifo)
    monkeypatch.setenv(LIFELINE, str(fifo))
    process = start(tmp_path, "hanging")
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()
    with open(fifo, encoding="utf-8") as lifeline:
        assert lifeline.readline() == "rewriting\n"
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert lifeline.read() == ""  # comes when nobody has it open any more
    assert all(name.startswith(".") for name in bench.folders())
    assert bench.folders() != []
    path = bench.prepare("faithful")
    assert bench.folders() == [path.parent.name]


@pytest.mark.parametrize(
    ("rewriting", "reason"),
    [
        ("unknown", "parts are recognised, at node the node; nearest miss: an Add at another"),
        ("higher", "sounds different: log-spectral distance"),
        ("longer", "other durations"),
        ("infinite", "not finite"),
    ],
)
def test_a_source_that_is_refused_is_used_as_it_is_with_one_line_and_not_tried_again(
    bench: Bench, caplog: pytest.LogCaptureFixture, rewriting: str, reason: str
) -> None:
    kokoro = bench.load(rewriting)
    assert kokoro.prepared.variant is None
    assert reason in kokoro.prepared.detail
    assert kokoro.infer([5], STYLE, 1.0).samples.size == 3 * 600
    kokoro.close()
    bench.load(rewriting).close()
    assert bench.n_rewritings == 1
    (folder,) = bench.folders()
    assert [path.name for path in (bench.prepared / folder).iterdir()] == ["manifest.json"]
    messages = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert len(messages) == 2  # one at each start
    assert all(reason in message and "used as it is" in message for message in messages)
    assert not any("\n" in message for message in messages)


@pytest.mark.parametrize(
    ("rewriting", "reason"),
    [
        ("failing", "RuntimeError: there is a hole in the graph"),
        ("dying", "ended by signal 9"),
    ],
)
def test_a_process_that_fails_is_told_in_one_line_and_leaves_nothing(
    bench: Bench, caplog: pytest.LogCaptureFixture, rewriting: str, reason: str
) -> None:
    bench.load(rewriting).close()
    (message,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert reason in message
    assert "\n" not in message
    assert bench.folders() == []


def test_without_the_packages_for_it_the_line_says_how_to_install_them(
    bench: Bench, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "REQUIRED", ("onnx_ir", "absent_package"))
    bench.load("faithful").close()
    assert "pip install 'kokoro-service[prepare]'" in caplog.text
    assert "four times slower" in caplog.text
    assert not bench.cache.exists()


def test_a_cache_that_cannot_be_written_is_named_and_the_source_used(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    bench.cache.write_text("a file in the place of a folder")
    bench.load("faithful").close()
    (message,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert str(bench.prepared) in message
    assert "set cache_dir" in message
    assert bench.n_rewritings == 0


def test_a_cache_that_can_only_be_read_serves_what_is_in_it(made: Bench) -> None:
    lock = made.prepared / ".lock"
    lock.unlink()
    lock.mkdir()  # root may write everywhere, but nobody opens this
    try:
        made.load("failing").close()
    finally:
        lock.rmdir()


def test_auto_without_cuda_runs_the_prepared_model(made: Bench) -> None:
    runtime = open_runtime("auto")
    if "CUDAExecutionProvider" in runtime.compiled_in:
        pytest.skip("this ONNX Runtime has CUDA; going without it needs one that has none")
    kokoro = load_model(Settings(model=made.source, cache_dir=made.cache), runtime, print)
    assert (kokoro.provider, kokoro.prepared.variant) == ("cpu", "stock")
    kokoro.close()


def test_a_missing_source_is_an_error_and_not_a_reason_to_do_without(bench: Bench) -> None:
    bench.source.unlink()
    with pytest.raises(ModelError, match=r"small\.onnx cannot be read: No such file"):
        bench.load("faithful")


def test_prepare_prints_reason_and_node_of_a_refusal_and_does_not_try_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "PROGRAM", REAL_PROGRAM)
    source = write_small_kokoro(tmp_path / "small.onnx")
    command = ["prepare", "--model", str(source), "--cache-dir", str(tmp_path)]
    for number in range(2):
        assert command_line.main(command) == 1
        *lines, complaint = capsys.readouterr().err.splitlines()
        assert ("recognising its parts" in lines) is (number == 0)
        assert "0 quantised convolutions are recognised, and at least 80 are needed" in complaint
        assert re.search(r", at node \w+.*; nearest miss: .* \(noted in .*json\)$", complaint)


def test_a_refusal_of_an_earlier_version_still_counts(bench: Bench) -> None:
    bench.load("unknown").close()
    (folder,) = bench.folders()
    path = bench.prepared / folder / "manifest.json"
    manifest = json.loads(path.read_text())
    assert manifest["refusal"]["node"] == "the node"
    path.write_text(json.dumps({**manifest, "refusal": "an old reason"}))
    with pytest.raises(SourceRefusedError, match=r"cannot be prepared: an old reason \(noted in"):
        bench.prepare("failing")


def test_who_stops_waiting_ends_the_process(bench: Bench) -> None:
    class StoppedError(Exception):
        pass

    def stop(line: str) -> None:
        if "optimising" in line:
            raise StoppedError

    bench.rewrite_by("faithful")
    with pytest.raises(StoppedError):
        bench.get(stop)
    assert bench.folders() == []
