"""What callers write between their words about how these are said."""

from service.text.markup.parsing import parse, plain_text
from service.text.markup.passages import Delivery, Hint, Passage, Pause

__all__ = ["Delivery", "Hint", "Passage", "Pause", "parse", "plain_text"]
