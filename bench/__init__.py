"""Measurements against the onnxruntime Python package; `python -m bench --help`."""
