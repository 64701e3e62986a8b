"""Decoding in windows against whole decoding."""
