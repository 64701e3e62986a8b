"""The page: a browser's way to try the service."""
