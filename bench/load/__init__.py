"""Many clients at once, against a server of their own: `python -m bench.load [--write]`.

The texts take 1 to 12 s to say. Clients request them in all formats, whole and streamed. First each
text is requested alone: its answer is the right audio. Then 1, 2, 4, 8 and 16 clients send requests
without a break and disconnect in the middle of every third answer. Every complete answer is decoded
and compared with the right audio. Throughput compares 8 clients with one, in turns, on the short
texts, and nobody disconnects. While 8 clients are served, a separate process requests /health.
"""
