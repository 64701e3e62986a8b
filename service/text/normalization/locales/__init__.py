"""The languages whose figures are read by one set of rules, and their tables."""
