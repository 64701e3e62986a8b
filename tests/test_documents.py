"""What the documents promise is so."""

import re
import sys
from itertools import pairwise

from service import errors
from service.settings import Settings, load_settings

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


SHORT_CONSTRAINTS = {
    "books.txt", "container.txt", "cuda.txt", "gpu.txt", "models.txt", "oldest.txt", "prepare.txt",
    "setuptools.txt", "zig.txt",
}  # fmt: skip


def text_of(repository, name):
    return (repository / name).read_text(encoding="utf-8")


def test_default_toml_names_every_setting_with_its_default(repository, monkeypatch):
    monkeypatch.delenv("KOKORO_THREADS", raising=False)  # tests beside others have their share
    text = text_of(repository, "config/default.toml")
    written = tomllib.loads(text)
    defaults = Settings().model_dump(mode="json")
    for name, default in defaults.items():
        if default is None:
            assert re.search(rf"^# {name} = ", text, re.MULTILINE), f"{name} is not described"
        else:
            assert written[name] == default
    assert set(written) <= set(defaults)


def test_every_setting_in_the_configuration_files_has_a_comment_before_it(repository):
    for file in (repository / "config").glob("*.toml"):
        for before, line in pairwise(file.read_text(encoding="utf-8").splitlines()):
            if re.match(r"(# )?[a-z_]+ = |\[", line):
                commented_out = re.match(r"# [a-z_]+ = ", before)
                assert before.startswith("#") or commented_out, f"{file}: {line}"


def test_jetson_toml_is_accepted_and_asks_for_the_gpu(repository):
    settings = load_settings(config=repository / "config/jetson.toml", environ={})
    assert settings.provider == "cuda"
    assert settings.cuda_options["arena_extend_strategy"] == "kSameAsRequested"


def test_the_errors_page_lists_the_code_and_status_of_every_error_a_caller_can_get(repository):
    rows = dict(re.findall(r"^\| (\d{3}) \| (.*) \|$", text_of(repository, "docs/errors.md"), re.MULTILINE))

    def classes(base):
        return {base}.union(*(classes(child) for child in base.__subclasses__()))

    for error in classes(errors.ServiceError) - classes(errors.StartupError):
        assert f"`{error.code}`" in rows[str(error.status)], error


def test_the_readme_and_the_glossary_are_short_and_the_index_names_every_page(repository):
    assert len(text_of(repository, "README.md").splitlines()) <= 100
    index = text_of(repository, "docs/README.md")
    pages = {path.name for path in (repository / "docs").glob("*.md")} - {"README.md"}
    assert pages == set(re.findall(r"\]\(([a-z-]+\.md)\)", index))
    rows = re.findall(r"^\| ([^|]+) \| [A-Z0-9]", text_of(repository, "docs/glossary.md"), re.MULTILINE)
    assert 10 < len(rows) <= 20
    assert len(set(rows)) == len(rows)


def test_no_link_between_documents_leads_nowhere(repository):
    documents = [*repository.glob("*.md"), *repository.glob("docs/**/*.md")]
    assert len(documents) > 10
    for document in documents:
        text = re.sub(r"(?s)```.*?```|`[^`]*`", "", document.read_text(encoding="utf-8"))
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if "://" not in target and not target.startswith("/"):
                assert (document.parent / target).exists(), f"{document}: {target}"


def test_every_target_of_the_makefile_is_in_its_help(repository):
    text = text_of(repository, "Makefile")
    targets = " ".join(re.findall(r"^\.PHONY: (.*)$", text, re.MULTILINE)).split()
    assert len(targets) > 10
    for target in targets:
        assert re.search(rf"^{target}:.* ## \S", text, re.MULTILINE), target


def test_no_constraint_names_an_index_each_has_a_hash_and_every_build_takes_the_same_zig(repository):
    files = {path.name: path for path in (repository / "constraints").glob("*.txt")}
    assert {"serve.txt", "jetson.txt", "dev.txt", "models.txt"} <= set(files)
    for name, path in files.items():
        text = path.read_text(encoding="utf-8")
        assert "://" not in text
        assert "index" not in text
        requirements = re.split(r"\n(?=\S)", text.strip())
        assert len(requirements) > 20 or name in SHORT_CONSTRAINTS
        assert all("--hash=sha256:" in requirement for requirement in requirements)
    (pinned,) = re.findall(r"^ziglang==[\d.]+", text_of(repository, "constraints/zig.txt"), re.MULTILINE)
    assert f'"{pinned}"' in text_of(repository, "hatch_build.py")


def test_the_notice_names_every_package_that_is_installed_with_the_service_or_brings_a_model(repository):
    names = re.findall(r"^([\w-]+)==", text_of(repository, "constraints/models.txt"), re.MULTILINE)
    assert len(names) > 5
    assert not [name for name in names if name not in text_of(repository, "NOTICE")]
    notice = re.sub(r"[-_]", "", text_of(repository, "NOTICE").lower())
    known = set(re.findall(r"[\w.]+", notice))
    spelled = {"soundfile": "pythonsoundfile", "soxr": "pythonsoxr"}
    for name in ("serve.txt", "jetson.txt", "prepare.txt"):
        packages = set(re.findall(r"^([\w.-]+)==", text_of(repository / "constraints", name), re.MULTILINE))
        assert len(packages) > 3
        for package in packages:
            word = re.sub(r"[-_]", "", package.lower())
            if package == "onnxruntime":
                assert "onnx runtime, by microsoft (mit)" in notice
            else:
                assert spelled.get(word, word) in known, f"{package} of {name}"


def test_contributing_names_every_module_of_the_rewriting_and_the_api(repository):
    text = text_of(repository, "CONTRIBUTING.md")
    section = text.partition("How a published model becomes")[2].partition("## Habits")[0]
    named = set(re.findall(r"`([a-z_]+)`", section)) - {"pipeline", "version"}
    folder = repository / "service/preparation/rewriting"
    there_are = {path.stem for path in folder.glob("[!_]*.py")} - {"pipeline", "version"}
    assert named == there_are
    text = text_of(repository, "CONTRIBUTING.md")
    root = repository / "service" / "api"
    rooms = {path.stem for path in root.glob("*.py")} - {"__init__"}
    rooms |= {f"{path.parent.name}/" for path in root.glob("*/__init__.py")}
    assert not {room for room in rooms if f"`{room}`" not in text}


def test_each_step_of_the_architecture_is_a_file(repository):
    text = text_of(repository, "docs/architecture.md")
    walks = [section for section in text.split("\n## ") if section.startswith("One ")]
    assert len(walks) == 3
    for walk in walks:
        steps = re.findall(r"^(\d)\. .*$", walk, re.MULTILINE)
        files = re.findall(r"`(service/[^`]+)`", walk)
        assert 0 < len(steps) <= 8
        assert len(files) >= len(steps)
        for file in files:
            assert (repository / file).is_file(), file
