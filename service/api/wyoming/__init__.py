"""The Wyoming protocol, which Home Assistant speaks."""
