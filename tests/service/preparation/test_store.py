import errno
import fcntl
import itertools
import json
import os
import shutil
import time

import numpy as np
import pytest

from service import loading
from service.loading import load_model
from service.model import open_runtime
from service.preparation import getting, store
from service.preparation.layout import Layout
from service.preparation.operators import NativeOperators
from service.preparation.refusal import NotPreparedError
from service.resources import native_library
from service.settings import Settings
from tests.opened_models import open_file
from tests.service.preparation.store_bench import STYLE, StoppedError, stop_at, warnings_of


def test_a_prepared_model_is_made_once_with_progress_and_speaks_as_its_source(made):
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


def test_the_manifest_tells_what_was_made_of_what(made):
    folder = made.folder()
    manifest = json.loads((folder / "manifest.json").read_text())
    assert sorted(path.name for path in folder.iterdir()) == sorted(["manifest.json", *manifest["files"]])
    for name, entry in manifest["files"].items():
        assert (folder / name).stat().st_size == entry["bytes"]
    key = manifest["cache_key"]
    assert (key["variant"], key["onnxruntime"]) == ("stock", open_runtime().version)
    assert all(distance < 0.1 for distance in manifest["parity"].values())


@pytest.mark.parametrize("damage", [
    "flip encoder.onnx", "flip decoder.bin", "flip manifest.json", "remove decoder.onnx", "remove manifest.json",
    "grow encoder.bin", "empty manifest.json",
])  # fmt: skip
def test_any_damage_is_noticed_and_the_model_made_anew(made, damage):
    folder = made.folder()
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
    assert name in complaint
    for file, whole in intact.items():
        (folder / file).write_bytes(whole)
    assert made.prepare("failing").parent == folder


def test_a_damaged_model_is_replaced(bench):
    path = bench.prepare("faithful")
    whole = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    path.write_bytes(b"")
    assert bench.prepare("faithful") == path
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == whole
    assert (bench.folders(), bench.n_rewritings) == ([path.parent.name], 2)


def unused_for(seconds, folder):
    then = time.time() - seconds
    os.utime(folder, (then, then))


def test_two_environments_share_a_cache_and_each_finds_its_own(bench, monkeypatch):
    versions = itertools.count(100)

    def prepare_as_another_version():
        monkeypatch.setattr(getting, "VERSION", next(versions))
        return bench.prepare("faithful").parent

    first, second = prepare_as_another_version(), prepare_as_another_version()
    assert bench.folders() == [first.name, second.name]
    for version, folder in ((100, first), (101, second), (100, first)):
        monkeypatch.setattr(getting, "VERSION", version)
        assert bench.prepare("failing").parent == folder  # nobody rewrites again
    assert bench.n_rewritings == 2


@pytest.fixture
def compiled():
    if not native_library().is_file():
        pytest.skip("they were not compiled: there was no C compiler at setup")


@pytest.mark.usefixtures("compiled")
def test_kernels_of_another_layout_find_no_model_of_the_first_nor_the_other_way_round(bench, monkeypatch):
    def read(layout):
        operators = NativeOperators(native_library(), "any", layout)
        monkeypatch.setattr(getting, "find_native_operators", lambda **_: operators)

    folders = {}
    for layout in Layout:
        read(layout)
        folders[layout] = bench.prepare("faithful").parent
    assert bench.folders() == [path.name for path in folders.values()]
    for layout, folder in folders.items():
        read(layout)
        assert bench.prepare("failing").parent == folder  # nobody rewrites again
    # Whoever renames a folder does not make it another model.
    shutil.rmtree(folders[layout])
    folders[Layout.CENTERED].rename(folders[layout])
    with pytest.raises(NotPreparedError, match="hole"):
        bench.prepare("failing")
    assert any("is of another model" in line for line in bench.lines)


@pytest.mark.usefixtures("compiled")
def test_an_image_for_the_newest_processors_serves_what_all_others_read(bench, monkeypatch):
    of_layout = {layout: NativeOperators(native_library(), layout.name, layout) for layout in Layout}

    def find(kernels=None, layout=None):
        return of_layout[Layout[kernels] if kernels else layout or Layout.CENTERED_PAIRS]

    def prepare(rewriting, found=find, *, in_image=False):
        monkeypatch.setattr(getting, "find_native_operators", found)
        with monkeypatch.context() as image:
            if in_image:
                image.setattr(store, "REQUIRED", ["a_package_that_is_missing"])
            return bench.prepare(rewriting)

    with pytest.raises(NotPreparedError, match="not installed"):
        prepare("faithful", in_image=True)
    widespread = prepare("faithful", lambda **_: of_layout[Layout.CENTERED])
    assert prepare("failing", in_image=True) == widespread
    # Where it can be prepared, the newest gets its own.
    own = prepare("faithful")
    assert own != widespread
    assert prepare("failing", in_image=True) == own


def test_what_nobody_has_used_for_a_week_goes(bench):
    path = bench.prepare("faithful")
    family = path.parent.name.partition("-")[0]
    names = {
        f"{family}-stock-0-1.19.0-0": store.KEPT_UNUSED_S + 1,
        f"{family}-native-3-1.31.1-1": store.KEPT_UNUSED_S - 60,
        f"{family}-float32-3-any-0": store.KEPT_UNUSED_S + 1,  # for another purpose
        "0123456789abcdef-stock-0-1.19.0-0": store.KEPT_UNUSED_S + 1,
    }
    for name, seconds in names.items():
        (bench.prepared / name).mkdir()
        unused_for(seconds, bench.prepared / name)
    unused_for(store.KEPT_UNUSED_S + 1, path.parent)
    assert bench.prepare("failing") == path
    assert bench.folders() == sorted([*list(names)[1:], path.parent.name])
    assert time.time() - path.parent.stat().st_mtime < store.KEPT_UNUSED_S


def test_what_cannot_be_removed_is_told_and_nothing_fails(bench, caplog, monkeypatch):
    family = bench.prepare("faithful").parent.name.partition("-")[0]
    old = bench.prepared / f"{family}-stock-0-1.19.0-0"
    old.mkdir()
    unused_for(store.KEPT_UNUSED_S + 1, old)

    def refuse(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "rename", refuse)
    bench.load("failing").close()
    (message,) = warnings_of(caplog)
    assert message == f"the unused model {old} cannot be removed: Permission denied"


def test_a_model_that_vanishes_before_it_is_opened_is_made_anew(bench, monkeypatch):
    opened = []
    open_model = loading.models.open

    def open_after_another_removed_it(prepared, *rest, **options):
        opened.append(prepared.folder)
        if len(opened) == 1:
            shutil.rmtree(prepared.folder)
        return open_model(prepared, *rest, **options)

    monkeypatch.setattr(loading.models, "open", open_after_another_removed_it)
    kokoro = bench.load("faithful")
    assert kokoro.prepared.variant == "stock"
    kokoro.close()
    assert (len(opened), bench.n_rewritings) == (2, 2)


@pytest.fixture
def taken(bench):
    """A cache in which another process prepares a model, and never ends."""
    bench.prepared.mkdir(parents=True)
    with (bench.prepared / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield bench


@pytest.mark.parametrize("number", [1, 2])
def test_who_waits_for_another_process_can_be_stopped(taken, monkeypatch, number):
    monkeypatch.setattr(store, "TOLD_EVERY_S", 0.0)
    with pytest.raises(StoppedError, match="waiting for another process"):
        taken.get(stop_at("", number))


def test_nobody_waits_for_another_process_without_end(taken, monkeypatch):
    monkeypatch.setattr(store, "LONGEST_WAIT_S", 0.0)
    with pytest.raises(NotPreparedError, match="another process has been preparing a model"):
        taken.get(print)
    assert taken.n_rewritings == 0


def test_who_waits_for_the_worker_can_be_stopped(bench, monkeypatch):
    monkeypatch.setattr(store, "TOLD_EVERY_S", 0.01)
    monkeypatch.setattr(store, "PROGRAM", "import sys; sys.stdin.read()")  # silent for ever
    with pytest.raises(StoppedError, match="still preparing"):
        bench.get(stop_at("", 4))
    assert [path for path in bench.folders() if path.startswith(".")] == []


def test_a_cache_that_can_only_be_read_serves_what_is_in_it(made):
    lock = made.prepared / ".lock"
    lock.unlink()
    lock.mkdir()  # root may write everywhere, but nobody opens this
    try:
        made.load("failing").close()
    finally:
        lock.rmdir()


def test_auto_without_cuda_runs_the_prepared_model(made):
    runtime = open_runtime("auto")
    if "CUDAExecutionProvider" in runtime.compiled_in:
        pytest.skip("this ONNX Runtime has CUDA; going without it needs one that has none")
    kokoro = load_model(Settings(model=made.source, cache_dir=made.cache), runtime, print)
    assert (kokoro.provider, kokoro.prepared.variant) == ("cpu", "stock")
    kokoro.close()
