from __future__ import annotations

import pytest

import ortffi


@pytest.fixture(scope="session", autouse=True)
def _quiet() -> None:
    """Make ONNX Runtime's environment as all tests have it; a process has but one."""
    ortffi.init(log_level=ortffi.LogLevel.FATAL)
