"""Repeatable measurements; RESULTS.md has their commands and results."""
