"""The description of a model that ONNX Runtime has loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ortffi._api import ErrorCode, new
from ortffi._handle import Handle, Owner
from ortffi.environment import Environment
from ortffi.errors import FailError
from ortffi.type_info import read_infos

if TYPE_CHECKING:  # these take as long to import as all of ortffi
    from pathlib import Path

    from ortffi.assignment import AssignedNode, PlacementLog
    from ortffi.metadata import ModelMetadata


class LoadedModel(Owner):
    """Owns an `OrtSession` and describes its model.

    The base of `Session`, which runs the model.

    Attributes:
        inputs: the inputs, in the model's order.
        outputs: the outputs, in the model's order.
        overridable_initializers: weights that may be passed as inputs, but need not be.
    """

    def __init__(
        self, environment: Environment, handle: Handle, placement: PlacementLog | None
    ) -> None:
        super().__init__(handle)
        api, pointer = environment.api, handle.pointer
        self.inputs = read_infos(
            environment, pointer, api.SessionGetInputCount, api.SessionGetInputName,
            api.SessionGetInputTypeInfo,
        )  # fmt: skip
        self.outputs = read_infos(
            environment, pointer, api.SessionGetOutputCount, api.SessionGetOutputName,
            api.SessionGetOutputTypeInfo,
        )  # fmt: skip
        self.overridable_initializers = read_infos(
            environment, pointer, api.SessionGetOverridableInitializerCount,
            api.SessionGetOverridableInitializerName, api.SessionGetOverridableInitializerTypeInfo,
        )  # fmt: skip
        self._environment = environment
        self._placement = placement
        self._input_names = tuple(info.name for info in self.inputs)
        self._output_names = tuple(info.name for info in self.outputs)

    @property
    def metadata(self) -> ModelMetadata:
        """Return the metadata that the exporter wrote (`SessionGetModelMetadata`)."""
        from ortffi.metadata import read_metadata

        with self._handle.lend() as pointer:
            return read_metadata(self._environment, pointer)

    def opset_version(self, domain: str = "") -> int | None:
        """Return the opset version of a domain, None if the model does not use the domain.

        Calls `SessionGetOpsetForDomain`. `inspect_model` reads the versions of all domains from a
        file.

        Raises:
            TypeError: `domain` is not a `str`.
            UnsupportedError: the library is older than 1.22.
        """
        from ortffi.metadata import opset_version

        with self._handle.lend() as pointer:
            return opset_version(self._environment, pointer, domain)

    def assignment(self) -> tuple[AssignedNode, ...]:
        """Return which provider computes which node.

        The session must have been made with `record_assignment`. Calls
        `Session_GetEpGraphAssignmentInfo`, which 1.24 added. From 1.17 to 1.23 the assignment is
        read from the session's log, without node names if one provider has all nodes.

        Raises:
            OrtError: the session was made without `record_assignment`.
        """
        from ortffi.assignment import read_assignment

        with self._handle.lend() as pointer:
            if self._placement is not None:
                return self._placement.nodes
            return read_assignment(self._environment, pointer)

    def end_profiling(self) -> Path:
        """Stop profiling and return the profile's file (`SessionEndProfiling`).

        `read_profile` reads it.

        Raises:
            OrtError: the session was made without `profiling_prefix`, or profiling has ended.
        """
        with self._handle.lend() as pointer:
            environment = self._environment
            name = environment.take_string(
                new(environment.api.SessionEndProfiling, pointer, environment.allocator)
            )
        if not name:
            message = "the session does not profile: it was made without profiling_prefix"
            raise FailError(ErrorCode.FAIL, message, "SessionEndProfiling")
        from pathlib import Path

        return Path(name)

    def input_index(self, name: str) -> int:
        """Return the index of an input in the model's order.

        Raises:
            KeyError: there is none with this name.
        """
        return _index("input", name, self._input_names)

    def output_index(self, name: str) -> int:
        """Return the index of an output in the model's order.

        Raises:
            KeyError: there is none with this name.
        """
        return _index("output", name, self._output_names)


def _index(side: str, name: str, names: tuple[str, ...]) -> int:
    if not isinstance(name, str):
        raise TypeError(f"the name of an {side} must be a str, not {type(name).__name__}")
    if name not in names:
        raise KeyError(f"there is no {side} {name!r}; there are {', '.join(map(repr, names))}")
    return names.index(name)
