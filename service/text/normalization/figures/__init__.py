"""Text normalization for the languages that espeak-ng reads.

They share one set of rules. Their tables are in `service.text.normalization.locales`.
"""

from service.text.normalization.figures.interpretation import interpret
from service.text.normalization.figures.language import rules, unmarked_rules

__all__ = ["interpret", "rules", "unmarked_rules"]
