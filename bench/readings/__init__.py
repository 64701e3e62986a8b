"""Learn how English is read from annotated texts; docs/adding-a-grammar.md tells how."""
