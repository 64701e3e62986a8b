"""Access control, assembled from the settings."""

from __future__ import annotations

from fastapi import FastAPI

from service.api.callers import Callers
from service.api.middleware.authentication import Authentication
from service.api.middleware.hosts import Hosts, LoopbackOnly, check_exposure
from service.api.middleware.origins import EVERY_ORIGIN, Origins, read_origins, split_origin
from service.settings import Settings


def install(app: FastAPI, settings: Settings, callers: Callers, *, is_hosted: bool) -> None:
    """Add the middleware for access control, in its order.

    Args:
        app: to which it is added.
        settings: of the service.
        callers: who may come.
        is_hosted: another server than the service's own decides where it listens.

    Raises:
        SettingsError: as `check_exposure` and `read_origins` do.
    """
    keys = callers.keys
    check_exposure(settings, keys)
    origins = read_origins(settings.cors_origins)
    if keys is not None:
        open_lists = not settings.private_lists
        app.add_middleware(
            Authentication, callers=callers, open_lists=open_lists, open_page=settings.page
        )
    app.add_middleware(Origins, allowed=origins)
    # Not needed with keys, which a rebound page does not have; with `insecure`, because something
    # else controls access; and with "*", which lets every page in.
    if keys is None and not settings.insecure and EVERY_ORIGIN not in origins:
        names = [origin[1] for origin in map(split_origin, origins) if origin]
        app.add_middleware(Hosts, names={settings.host.lower(), *names})
    if keys is None and not settings.insecure and is_hosted:
        app.add_middleware(LoopbackOnly)
