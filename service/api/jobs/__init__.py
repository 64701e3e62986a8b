"""Endpoints of jobs: documents that are spoken into files behind all requests."""
