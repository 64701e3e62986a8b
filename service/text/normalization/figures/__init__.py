"""Figures in words, in the languages that espeak-ng reads.

One set of rules reads them; what differs is in `service.text.normalization.locales`.
"""

from service.text.normalization.figures.interpretation import interpret
from service.text.normalization.figures.language import rules

__all__ = ["interpret", "rules"]
