"""Tables of the languages that share one set of rules for figures."""
