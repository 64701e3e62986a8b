"""The version of the rewriting; apart, for who only looks for a prepared model and has no ONNX."""

VERSION = 4
"""Raised whenever the same source would become another model."""
