"""Read a text by its tokens: grammars propose readings, learned weights choose among them.

`tokens` cuts a text, `grammar` asks the grammars of a language for candidates, `decision` finds the
best path through them, and `reader` writes what won. docs/adding-a-grammar.md tells how to add one.
"""

from service.text.lattice.reader import Decision, Option

__all__ = ["Decision", "Option"]
