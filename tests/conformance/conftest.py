"""The other side of every comparison: the onnxruntime package, in this same process."""

import pytest

import ortffi


@pytest.fixture(scope="session")
def onnxruntime(library):
    """The package, quiet, of the very version of the library that ortffi has loaded.

    That one goes first: it turns telemetry off, and the package has a copy of its own.
    """
    package = pytest.importorskip("onnxruntime")
    if package.__version__ != library.version:
        pytest.skip(
            f"ortffi has loaded ONNX Runtime {library.version} ({library.path}), the package is "
            f"{package.__version__}: results differ between versions; unset ONNXRUNTIME_LIB_DIR"
        )
    package.set_default_logger_severity(int(ortffi.LogLevel.FATAL))
    return package
