"""Build time: the model made ready for this machine, once, and kept in a cache."""
