"""The web edge: everything that knows of HTTP."""

from service.api.app import create_app
from service.api.server import serve

__all__ = ["create_app", "serve"]
