"""Text normalization: write numbers, dates, abbreviations and the like as words."""

from service.text.normalization.choices import USUAL, Normalization
from service.text.normalization.normalizer import normalize

__all__ = ["USUAL", "Normalization", "normalize"]
