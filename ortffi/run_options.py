"""How one run is to be done."""

from __future__ import annotations

from ortffi._api import c_string, new
from ortffi._handle import Handle, Owner
from ortffi.environment import init


class RunOptions(Owner):
    """Options of a run (`OrtRunOptions`); may serve many, also at the same time.

    A context manager; closed by `close`, the end of a `with` block, or garbage collection.
    """

    def __init__(self) -> None:
        environment = init()
        self._api = environment.api
        super().__init__(
            Handle(new(self._api.CreateRunOptions), self._api.ReleaseRunOptions, "run options")
        )

    def with_config(self, key: str, value: str) -> RunOptions:
        """Set a configuration entry (`AddRunConfigEntry`); returns these options.

        `memory.enable_memory_arena_shrinkage` = `cpu:0` gives the arena's unused memory back to
        the system after the run, which costs time. ONNX Runtime accepts unknown keys without a
        word.
        """
        with self._handle as pointer:
            self._api.AddRunConfigEntry(pointer, c_string("key", key), c_string("value", value))
        return self
