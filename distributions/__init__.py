"""Building and releasing the distributions of this tree."""
