"""The version of the rewriting, apart from it: looking for a prepared model needs no onnx_ir."""

VERSION = 7
"""Raised whenever a source would become another model, or the manifest changes its form."""
