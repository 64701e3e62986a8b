"""The other side of every comparison: the onnxruntime package, in this same process."""

import pytest

import ortffi


@pytest.fixture(scope="session")
def onnxruntime(library):
    """The package of the version that ortffi has loaded, which goes first: it turns telemetry off."""
    package = pytest.importorskip("onnxruntime")
    if package.__version__ != library.version:
        pytest.skip(
            f"ortffi has loaded ONNX Runtime {library.version} ({library.path}), the package is "
            f"{package.__version__}: results differ between versions; unset ONNXRUNTIME_LIB_DIR"
        )
    package.set_default_logger_severity(int(ortffi.LogLevel.FATAL))
    return package
