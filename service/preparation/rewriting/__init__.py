"""Rewriting a published Kokoro graph for speed: a module a step, in the order of `pipeline`.

All but `version` need the packages of the extra `prepare`, which take a second and 80 MB: nothing
is imported from here that a serving process does not ask for.
"""
