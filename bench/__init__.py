"""Measurements that can be repeated; RESULTS.md says by which command, and what they gave."""
