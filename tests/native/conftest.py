"""The native library, compiled here; without a compiler there is nothing to test."""

import re

import pytest

import ortffi
from tests.native import native_library, native_models


@pytest.fixture(scope="session")
def library_path():
    try:
        return native_library.compiled()
    except native_library.native_build.CompilerError as error:
        pytest.skip(f"needs the native library: {error}")


@pytest.fixture(params=native_library.FAMILY)
def variant(request, library_path):
    if request.param not in native_library.variants():
        pytest.skip(f"{request.param} is beyond this compiler")
    if request.param not in native_library.runnable():
        pytest.skip(f"this processor does not run {request.param}")
    with native_library.using(request.param):
        yield request.param


@pytest.fixture
def reads_runs(library_path):
    found = {"avx2", "neon"} & set(native_library.runnable())
    if not found:
        pytest.skip("this processor runs no variant that reads runs")
    with native_library.using(found.pop()):
        yield


@pytest.fixture
def run(library_path):
    def run(operator, inputs, attributes, outputs):
        model = native_models.model(operator, inputs, attributes, outputs)
        builder = ortffi.SessionBuilder().with_custom_ops(library_path).with_spinning(False)
        with builder.commit_from_memory(model) as session:
            return session.run({n: a for n, a in inputs.items() if a is not None}, copy=True)

    return run


@pytest.fixture
def assert_refused(run):
    """Hold a node, `made` and then changed by a row, to its refusal, whose message has the row's pattern."""

    def assert_refused(operator, made, rows, outputs=("y",)):
        misses = []
        for changes, pattern in rows:
            inputs, attributes = map(dict, made())
            for name, value in changes.items():
                (attributes if name in attributes or name == "layout" else inputs)[name] = value
            try:
                run(operator, inputs, attributes, list(outputs))
            except ortffi.OrtError as error:
                if not re.search(rf"kokoro\.{operator}: .*(?:{pattern})", str(error)):
                    misses.append((pattern, str(error)))
            else:
                misses.append((pattern, "not refused"))
        assert not misses

    return assert_refused
