"""Beyond one machine: corpora, spoken here or by all machines of a Ray cluster, and Ray Serve.

Only the modules whose names begin with `ray_`, and `serving`, need the extra `cluster`.
"""
