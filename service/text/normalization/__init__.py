"""What is not written in words, written in words."""

from service.text.normalization.normalizer import normalize

__all__ = ["normalize"]
