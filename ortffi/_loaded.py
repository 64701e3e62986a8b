"""What there is to know of a model that ONNX Runtime has loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ortffi._api import ErrorCode, new
from ortffi._handle import Handle, Owner
from ortffi.environment import Environment
from ortffi.errors import FailError
from ortffi.type_info import read_infos

if TYPE_CHECKING:  # take as long to import as all of ortffi
    from pathlib import Path

    from ortffi.assignment import AssignedNode, PlacementLog
    from ortffi.metadata import ModelMetadata


class LoadedModel(Owner):
    """Owns an `OrtSession` and describes its model.

    The part of `Session` that does not run anything.

    Attributes:
        inputs: what goes in, in the model's order.
        outputs: what comes out, in the model's order.
        overridable_initializers: weights that may be given as inputs too, and need not be.
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
        """Return what the exporter wrote into the model (`SessionGetModelMetadata`)."""
        from ortffi.metadata import read_metadata

        with self._handle as pointer:
            return read_metadata(self._environment, pointer)

    def opset_version(self, domain: str = "") -> int | None:
        """Return the opset version of a domain, None where the model has nothing of it.

        Calls `SessionGetOpsetForDomain`. `inspect_model` reads all of them from a file.

        Raises:
            TypeError: `domain` is no `str`.
            UnsupportedError: the library is older than 1.22.
        """
        from ortffi.metadata import opset_version

        with self._handle as pointer:
            return opset_version(self._environment, pointer, domain)

    def assignment(self) -> tuple[AssignedNode, ...]:
        """Return which provider computes which node.

        The session must have been made with `record_assignment`. Asks
        `Session_GetEpGraphAssignmentInfo`, which came with 1.24; before, from 1.17 on, it is what
        the session's log said, without names where one provider has all nodes.

        Raises:
            OrtError: the session was made without `record_assignment`.
        """
        from ortffi.assignment import read_assignment

        with self._handle as pointer:
            if self._placement is not None:
                return self._placement.nodes
            return read_assignment(self._environment, pointer)

    def end_profiling(self) -> Path:
        """Stop profiling and return the file it went to (`SessionEndProfiling`).

        `read_profile` reads it.

        Raises:
            OrtError: the session was made without `profiling_prefix`, or has ended it already.
        """
        with self._handle as pointer:
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
        """Return the place of an input in the model's order.

        Raises:
            KeyError: there is none of this name.
        """
        return _index("input", name, self._input_names)

    def output_index(self, name: str) -> int:
        """Return the place of an output in the model's order.

        Raises:
            KeyError: there is none of this name.
        """
        return _index("output", name, self._output_names)


def _index(side: str, name: str, names: tuple[str, ...]) -> int:
    if not isinstance(name, str):
        raise TypeError(f"the name of an {side} must be a str, not {type(name).__name__}")
    if name not in names:
        raise KeyError(f"there is no {side} {name!r}; there are {', '.join(map(repr, names))}")
    return names.index(name)
