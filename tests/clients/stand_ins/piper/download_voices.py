"""Stands in for the module of piper-tts that fetches voices."""

download_voice = None
