"""On an NVIDIA GPU."""
