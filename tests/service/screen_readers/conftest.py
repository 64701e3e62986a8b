"""The servers of the API's tests."""

from tests.service.api.conftest import secured, secured_keys, server, small_cache, start_server

__all__ = ["secured", "secured_keys", "server", "small_cache", "start_server"]
