"""Text normalization: write numbers, dates, abbreviations and the like as words."""

from service.text.normalization.normalizer import normalize

__all__ = ["normalize"]
