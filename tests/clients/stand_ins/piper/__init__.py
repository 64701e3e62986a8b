"""Stands in for piper-tts, which pipecat imports also where piper runs as a server elsewhere.

The package has 120 MB and another licence, and pipecat's client of the server uses none of it.
"""

PiperVoice = None
