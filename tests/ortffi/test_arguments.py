"""A wrong argument is refused by its name before ONNX Runtime sees it, at every public call."""

from __future__ import annotations

import asyncio
import inspect
import logging
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ortffi
import ortffi.environment
from ortffi import ElementType, Memory, RunOptions, SessionBuilder, SessionOptions, Value
from tests.ortffi import tiny_models
from tests.ortffi.fake_vtable import FakeVtable
from tests.ortffi.raw_session import needs

REFUSED = (TypeError, ValueError, ortffi.InvalidArgumentError)
"""`ClosedError` is a `ValueError`."""

HARMLESS = {
    "GetAvailableProviders", "ReleaseAvailableProviders", "GetEpDevices", "GetTensorMemoryInfo",
    "MemoryInfoGetName", "MemoryInfoGetId", "GetTensorMutableData", "GetValueType", "HasValue",
}  # fmt: skip
"""What may be asked before an argument is refused."""

NAN, HUGE, THING = math.nan, 2**200, object()
X = np.ones(3, np.float32)

NO_INT = (None, "1", b"1", THING, NAN, 1.0, True, [1])
NO_NATURAL = (*NO_INT, -1, HUGE)
NO_STR = (None, 1, b"x", THING, NAN, True, ["x"])
NO_C_STRING = (*NO_STR, "a\0b")
NO_BOOL = (None, 0, 1, "yes", b"1", THING, NAN)
NO_PATH = (None, 1, True, NAN, THING, ["x"], "a\0b")
NO_MAPPING = (None, 1, "x", b"x", THING, NAN, True, ["x"], {"x"})
NO_SEQUENCE = (None, 1, "x", b"x", THING, NAN, True, {"x": 1})
NO_MEMBER = (None, "FLOAT", b"1", THING, NAN, True, 1.0, -1, HUGE, [1])
NO_BUFFER = (None, 1, "x", THING, NAN, True, ["x"])
NO_ARRAY = (None, 1, "x", b"x", THING, NAN, True, [1.0], np.float32(1), np.zeros(1, "M8[s]"))
NO_SHAPE = (
    None, 1, "3", b"3", THING, NAN, True, np.array([3]), [None], ["3"], [3.0], [True], [-1],
    [2**64, 0], [NAN],
)  # fmt: skip
NO_MATTER: tuple[Any, ...] = ()
"""For what never reaches C and needs no type: what is only asked whether it is true, what numpy
takes as it is."""


@dataclass(frozen=True)
class Wrong:
    """Values that a parameter refuses, or what makes them.

    Attributes:
        values: a tuple, or a function of the world that gives one.
        named: a pattern for the message where that does not hold the parameter's own name.
        optional: None is a right value.
    """

    values: Any
    named: str | None = None
    optional: bool = False

    def all(self, world: Any) -> list[Any]:
        values = self.values(world) if callable(self.values) else self.values
        return [value for value in values if not (self.optional and value is None)]


@dataclass(frozen=True)
class Row:
    """One public call.

    Attributes:
        call: gives the function, bound to an object of the world.
        good: gives arguments that it accepts.
        wrong: by parameter.
        allowed: what it calls on the way besides what is harmless.
        works: whether the call with good arguments succeeds with any library.
        needs: a function that the library must have.
    """

    call: Callable[[Any], Callable[..., Any]]
    good: Callable[[Any], dict[str, Any]] = lambda _world: {}
    wrong: dict[str, Wrong] = field(default_factory=dict)
    allowed: frozenset[str] = frozenset()
    works: bool = True
    needs: str = "Run"


def optional(values: Any, named: str | None = None) -> Wrong:
    return Wrong(values, named, optional=True)


def no_options(world: Any) -> tuple[Any, ...]:
    return (
        1, "x", b"x", THING, NAN, True, SessionOptions(),
        # These own a C object too, of another kind.
        world.value, world.session, world.closed_options,
    )  # fmt: skip


RUN_OPTIONS = Wrong(no_options, "options|options is closed")
INPUTS = Wrong(
    lambda world: (
        None, 1, "x", b"x", THING, NAN, True, {"x"}, X, [X, X, X],
        {"x": None}, {"x": 1}, {"x": "x"}, {"x": THING}, {"x": X.astype(">f4")},
        {"x": world.closed_value}, {1: X}, {None: X}, {b"x": X}, {("x",): X}, {"x\0": X}, {},
        {"x": X.astype(np.float64)}, {"x": np.array(["x"])}, {"x": np.array([THING])},
    ),
    r"input|name|value is closed|\bx\b",
)  # fmt: skip
OUTPUT_NAMES = optional((
    1, "y", b"y", THING, NAN, True, [1], [None], [b"y"], [["y"]], ["y\0"],
))  # fmt: skip
BOUND_INPUT = Wrong(
    lambda world: (
        *NO_ARRAY, X.astype(">f4"), X.astype(np.float64), world.closed_value, X[::2],
        Memory.CPU,
    ),
    "'x'|value is closed",
)  # fmt: skip
BOUND_OUTPUT = Wrong(
    lambda world: (
        *NO_ARRAY, X.astype(">f4"), X.astype(np.float64), world.closed_value, X[::2],
        world.read_only,
    ),
    "'y'|value is closed",
)  # fmt: skip
ELEMENT_TYPE = Wrong((*NO_MEMBER, ElementType.UNDEFINED, ElementType.COMPLEX64))
NAMED_ARRAYS = (*NO_MAPPING, {1: X}, {"w\0": X}, {"w": None}, {"w": [1.0]}, {"w": X.astype(">f4")})
LENGTHS = (*NO_MAPPING, {1: 1}, {"n": "1"}, {"n": True}, {"n": -1}, {"n": HUGE}, {"n": NAN})
ENTRIES = (*NO_MAPPING, {1: "x"}, {"x": 1}, {"x": None}, {"x\0": "x"}, {"x": "x\0"})
FILES = (*NO_MAPPING, {1: b""}, {"x\0": b""}, {"x": "x"}, {"x": None}, {"x": np.arange(9)[::2]})
PROVIDER_OPTIONS = (*NO_MAPPING, {1: "x"}, {"": "x"}, {"a\0": 1}, {"x": None}, {"x": THING})


def build(name: str, good: Any, wrong: tuple[Any, ...], parameter: str, option: str) -> Row:
    """Describe a method of the builder that sets one option."""
    return Row(
        lambda _: getattr(SessionBuilder(), name),
        lambda _: {parameter: good},
        {parameter: Wrong(wrong, option)},
    )


ROWS: dict[str, Row] = {
    "ArenaConfig": Row(
        lambda _: lambda **given: ortffi.ArenaConfig(**given).entries(),
        wrong={
            "max_mem": optional(NO_NATURAL),
            "arena_extend_strategy": optional(NO_MEMBER),
            "initial_chunk_size_bytes": optional(NO_NATURAL),
            "max_dead_bytes_per_chunk": optional(NO_NATURAL),
            "initial_growth_chunk_size_bytes": optional(NO_NATURAL),
        },
    ),
    "CUDA": Row(
        lambda _: ortffi.CUDA,
        wrong={
            "device_id": Wrong(NO_NATURAL),
            "options": Wrong((*PROVIDER_OPTIONS, {"no_such": 1}), "option"),
            "require": Wrong(NO_BOOL),
            "max_cpu_nodes": optional(NO_NATURAL),
            "unchecked_options": Wrong(PROVIDER_OPTIONS, "option"),
        },
    ),
    "TensorRT": Row(
        lambda _: ortffi.TensorRT,
        wrong={
            "device_id": Wrong(NO_NATURAL),
            "options": Wrong((*PROVIDER_OPTIONS, {"no_such": 1}), "option"),
            "unchecked_options": Wrong(PROVIDER_OPTIONS, "option"),
        },
    ),
    "Provider": Row(
        lambda _: ortffi.Provider,
        lambda _: {"name": "XNNPACK"},
        {"name": Wrong((*NO_C_STRING, "")), "options": Wrong(PROVIDER_OPTIONS, "option")},
    ),
    "Devices": Row(
        lambda _: ortffi.Devices,
        lambda world: {"devices": [world.device]},
        {
            "devices": Wrong((None, 1, "x", b"x", THING, NAN, True, [], [None], ["x"])),
            "options": Wrong(PROVIDER_OPTIONS, "option"),
        },
    ),
    "Memory": Row(
        lambda _: Memory, wrong={"name": Wrong(NO_C_STRING), "device_id": Wrong(NO_NATURAL)}
    ),
    "Memory.cuda": Row(lambda _: Memory.cuda, wrong={"device_id": Wrong(NO_NATURAL)}),
    "ThreadPools": Row(
        lambda _: ortffi.ThreadPools,
        wrong={
            "intra_op": Wrong(NO_NATURAL),
            "inter_op": Wrong(NO_NATURAL),
            "spinning": optional(NO_BOOL),
            "denormal_as_zero": Wrong(NO_BOOL),
            "intra_op_affinity": optional(NO_C_STRING),
        },
    ),
    "Environment.set_log_level": Row(
        lambda world: world.environment.set_log_level,
        lambda _: {"level": ortffi.LogLevel.FATAL},
        {"level": Wrong(NO_MEMBER)},
        works=False,  # needs ONNX Runtime 1.14
    ),
    "Environment.share_cpu_arena": Row(
        lambda world: world.environment.share_cpu_arena,
        wrong={
            "config": optional(
                (
                    *NO_MAPPING,
                    {"max_mem": 1},
                    ortffi.ArenaConfig(max_mem=-1),
                ),
                "config|max_mem",
            )
        },
        works=False,  # only once in a process
    ),
    "init": Row(
        lambda _: ortffi.init,
        wrong={
            "library": optional((*NO_PATH, b"x")),
            "log_level": optional(NO_MEMBER),
            "logger": optional(NO_STR),
            "thread_pools": optional(NO_MAPPING),
        },
    ),
    "load_library": Row(
        lambda _: ortffi.load_library,
        wrong={
            "path": optional((*NO_PATH, b"x")),
            "environ": optional(NO_MAPPING),
            "root": Wrong((None, 1, b"x", THING, NAN, True)),
        },
    ),
    "infer": Row(
        lambda _: ortffi.infer,
        lambda world: {"model": world.model, "inputs": {"x": X}},
        {
            "model": Wrong((None, 1, THING, NAN, True, ["x"], "a\0b"), "model|path"),
            "inputs": INPUTS,
            "output_names": OUTPUT_NAMES,
        },
        # It loads the model first.
        frozenset(
            {
                "CreateSessionOptions",
                "CreateSessionFromArray",
                "SessionGetInputCount",
                "SessionGetInputName",
                "SessionGetInputTypeInfo",
                "SessionGetOutputCount",
                "SessionGetOutputName",
                "SessionGetOutputTypeInfo",
                "GetOnnxTypeFromTypeInfo",
                "SessionGetOverridableInitializerCount",
                "CastTypeInfoToTensorInfo",
                "AllocatorFree",
                "GetTensorElementType",
                "GetDimensionsCount",
                "GetDimensions",
                "GetSymbolicDimensions",
            }
        ),
    ),
    "inspect_model": Row(
        lambda _: ortffi.inspect_model,
        lambda world: {"model": world.model},
        {"model": Wrong((None, 1, THING, NAN, True, ["x"], "a\0b"), "model|null byte")},
    ),
    "read_profile": Row(
        lambda _: ortffi.read_profile,
        lambda world: {"path": world.profile},
        {"path": Wrong(NO_PATH, "path|null byte")},
    ),
    "by_provider": Row(
        lambda _: ortffi.by_provider,
        lambda _: {"events": []},
        {"events": Wrong((None, 1, THING, NAN, True), "iterable")},
    ),
    "count_by_provider": Row(
        lambda _: ortffi.count_by_provider,
        lambda _: {"nodes": []},
        {"nodes": Wrong((None, 1, THING, NAN, True), "iterable")},
    ),
    "register_provider_library": Row(
        lambda _: ortffi.register_provider_library,
        lambda world: {"name": "x", "path": world.profile},
        {"name": Wrong((*NO_C_STRING, "")), "path": Wrong(NO_PATH)},
        works=False,
        needs="RegisterExecutionProviderLibrary",
    ),
    "unregister_provider_library": Row(
        lambda _: ortffi.unregister_provider_library,
        lambda _: {"name": "x"},
        {"name": Wrong((*NO_C_STRING, ""))},
        works=False,
        needs="RegisterExecutionProviderLibrary",
    ),
    "pad_batch": Row(
        lambda _: ortffi.pad_batch,
        lambda _: {"arrays": [X]},
        {
            "arrays": Wrong((*NO_SEQUENCE, X, [], [None], [1], ["x"])),
            "axis": Wrong((*NO_INT, 1, -2, HUGE)),
            "fill": Wrong(NO_MATTER),
            "length": optional((*NO_NATURAL, 2)),
            "multiple_of": Wrong((*NO_NATURAL, 0)),
        },
    ),
    "split_batch": Row(
        lambda _: ortffi.split_batch,
        lambda _: {"batch": np.ones((1, 3)), "lengths": [2]},
        {
            "batch": Wrong((None, 1, "x", b"x", THING, NAN, True, [[1.0]])),
            "lengths": Wrong(NO_MATTER),
            "axis": Wrong((1, -2, HUGE)),
        },
    ),
    "try_provider": Row(
        lambda _: ortffi.try_provider,
        lambda _: {"provider": "CPUExecutionProvider"},
        {"provider": Wrong((*NO_C_STRING, "", ortffi.CPU), "provider|name")},
    ),
    "RunOptions": Row(
        lambda _: RunOptions,
        wrong={
            "tag": optional(NO_C_STRING),
            "log_level": optional(NO_MEMBER),
            "log_verbosity": optional(NO_NATURAL),
            "shrink_arenas": optional(NO_C_STRING),
            "config": optional(ENTRIES),
        },
    ),
    "RunOptions.with_config": Row(
        lambda world: world.options.with_config,
        lambda _: {"key": "key", "value": "value"},
        {"key": Wrong(NO_C_STRING), "value": Wrong(NO_C_STRING)},
    ),
    "RunOptions.deadline": Row(
        lambda world: lambda **given: world.options.deadline(**given).__enter__(),
        lambda _: {"seconds": 1000},
        {"seconds": Wrong((None, "1", b"1", THING, NAN, True, -1, HUGE, math.inf))},
        works=False,  # nobody would stop the clock
    ),
    "SessionOptions": Row(
        lambda _: SessionOptions,
        wrong={
            "providers": Wrong(
                (
                    *NO_SEQUENCE,
                    ["CPUExecutionProvider"],
                    [ortffi.CPU],
                    [ortffi.CPU(), ortffi.CUDA()],
                )
            ),
            "optimization_level": optional(NO_MEMBER),
            "optimized_model_path": optional(NO_PATH),
            "execution_mode": optional(NO_MEMBER),
            "intra_op_threads": optional(NO_NATURAL),
            "inter_op_threads": optional(NO_NATURAL),
            "allow_spinning": optional(NO_BOOL),
            "shared_threads": Wrong(NO_BOOL),
            "memory_pattern": optional(NO_BOOL),
            "cpu_arena": optional(NO_BOOL),
            "shared_arena": Wrong(NO_BOOL),
            "prepacked_weights": optional((*NO_STR, ortffi.PrepackedWeights)),
            "free_dimensions": Wrong(LENGTHS),
            "free_dimension_denotations": Wrong(LENGTHS),
            "initializers": Wrong(NAMED_ARRAYS),
            "external_initializers": Wrong(NAMED_ARRAYS),
            "external_files": Wrong(FILES),
            "deterministic": Wrong(NO_BOOL),
            "custom_op_libraries": Wrong((*NO_SEQUENCE, [None], [1], ["a\0b"])),
            "profiling_prefix": optional(NO_PATH),
            "log_level": optional(NO_MEMBER),
            "log_verbosity": optional(NO_NATURAL),
            "log_id": optional(NO_C_STRING),
            "logger": optional(NO_STR),
            "record_assignment": Wrong(NO_BOOL),
            "config": Wrong(ENTRIES),
        },
    ),
    "SessionBuilder": Row(
        lambda _: SessionBuilder, wrong={"options": optional((*NO_MAPPING, {"log_level": 1}))}
    ),
    "SessionBuilder.with_options": Row(
        lambda _: SessionBuilder().with_options,
        lambda _: {"intra_op_threads": 1},
        {"changes": Wrong(({"no_such": 1}, {"intra_op_threads": "1"}), "no_such|intra_op_threads")},
    ),
    "SessionBuilder.with_provider": build(
        "with_provider",
        ortffi.CPU(),
        (*NO_STR, "CPUExecutionProvider", ortffi.CPU),
        "provider",
        "provider",
    ),
    "SessionBuilder.with_cuda": Row(
        lambda _: SessionBuilder().with_cuda,
        wrong={
            "device_id": Wrong(NO_NATURAL),
            "require": Wrong(NO_BOOL),
            "max_cpu_nodes": optional(NO_NATURAL),
            "options": Wrong(({"no_such": 1}, {"gpu_mem_limit": None}), "option"),
        },
        works=False,  # needs a build with CUDA
    ),
    "SessionBuilder.with_tensorrt": Row(
        lambda _: SessionBuilder().with_tensorrt,
        wrong={
            "device_id": Wrong(NO_NATURAL),
            "options": Wrong(({"no_such": 1}, {"trt_fp16_enable": None}), "option"),
        },
        works=False,  # needs a build with TensorRT
    ),
    "SessionBuilder.with_optimization_level": build(
        "with_optimization_level",
        ortffi.GraphOptimizationLevel.ALL,
        NO_MEMBER,
        "level",
        "optimization_level",
    ),
    "SessionBuilder.with_optimized_model": build(
        "with_optimized_model", "x", NO_PATH, "path", "optimized_model_path"
    ),
    "SessionBuilder.with_execution_mode": build(
        "with_execution_mode", ortffi.ExecutionMode.SEQUENTIAL, NO_MEMBER, "mode", "execution_mode"
    ),
    "SessionBuilder.with_intra_threads": build(
        "with_intra_threads", 1, NO_NATURAL, "n_threads", "intra_op_threads"
    ),
    "SessionBuilder.with_inter_threads": build(
        "with_inter_threads", 1, NO_NATURAL, "n_threads", "inter_op_threads"
    ),
    "SessionBuilder.with_spinning": build(
        "with_spinning", True, NO_BOOL, "enabled", "allow_spinning"
    ),
    "SessionBuilder.with_memory_pattern": build(
        "with_memory_pattern", True, NO_BOOL, "enabled", "memory_pattern"
    ),
    "SessionBuilder.with_cpu_arena": build("with_cpu_arena", True, NO_BOOL, "enabled", "cpu_arena"),
    "SessionBuilder.with_prepacked_weights": Row(
        lambda _: SessionBuilder().with_prepacked_weights,
        lambda world: {"weights": world.weights},
        {"weights": Wrong((*NO_STR, ortffi.PrepackedWeights))},
    ),
    "SessionBuilder.with_free_dimensions": Row(
        lambda _: SessionBuilder().with_free_dimensions,
        lambda _: {"n": 1},
        {"lengths": Wrong(({"n": "1"}, {"n": -1}, {"n": True}, {"n": None}), r"\['n'\]")},
    ),
    "SessionBuilder.with_initializers": build(
        "with_initializers", {"w": X}, NAMED_ARRAYS, "initializers", "initializers"
    ),
    "SessionBuilder.with_external_initializers": build(
        "with_external_initializers",
        {"w": X},
        NAMED_ARRAYS,
        "initializers",
        "external_initializers",
    ),
    "SessionBuilder.with_external_files": build(
        "with_external_files", {"x": b"x"}, FILES, "files", "external_files"
    ),
    "SessionBuilder.with_custom_ops": build(
        "with_custom_ops", "x", NO_PATH, "library", "custom_op_libraries"
    ),
    "SessionBuilder.with_profiling": build(
        "with_profiling", "x", NO_PATH, "prefix", "profiling_prefix"
    ),
    "SessionBuilder.with_log_level": build(
        "with_log_level", ortffi.LogLevel.FATAL, NO_MEMBER, "level", "log_level"
    ),
    "SessionBuilder.with_logger": build(
        "with_logger", logging.getLogger(__name__), NO_STR, "logger", "logger"
    ),
    "SessionBuilder.with_config": Row(
        lambda _: SessionBuilder().with_config,
        lambda _: {"key": "key", "value": "value"},
        {"key": Wrong(NO_C_STRING), "value": Wrong(NO_C_STRING, r"config\['key'\]")},
    ),
    "SessionBuilder.commit_from_file": Row(
        lambda _: SessionBuilder().commit_from_file,
        lambda world: {"path": world.file},
        {"path": Wrong(NO_PATH)},
    ),
    "SessionBuilder.commit_from_memory": Row(
        lambda _: SessionBuilder().commit_from_memory,
        lambda world: {"model": world.model},
        {"model": Wrong((*NO_BUFFER, np.arange(9)[::2], np.zeros(1, "M8[s]")))},
    ),
    "SessionBuilder.commit_from_mmap": Row(
        lambda _: SessionBuilder().commit_from_mmap,
        lambda world: {"path": world.file},
        {"path": Wrong(NO_PATH)},
    ),
    **{
        f"Session.{name}": Row(
            lambda world, name=name: getattr(world.session, name),
            lambda _: {"inputs": {"x": X}},
            {
                "inputs": INPUTS,
                "output_names": OUTPUT_NAMES,
                "options": RUN_OPTIONS,
                **({} if name == "run_values" else {"copy": Wrong(NO_MATTER)}),
            },
        )
        for name in ("run", "run_named", "run_values")
    },
    "Session.run_async": Row(
        lambda world: lambda **given: asyncio.run(world.session.run_async(**given)),
        lambda _: {"inputs": {"x": X}},
        {
            "inputs": INPUTS,
            "output_names": OUTPUT_NAMES,
            "options": RUN_OPTIONS,
            "copy": Wrong(NO_MATTER),
        },
        allowed={"CreateRunOptions"},
    ),
    "Session.submit": Row(
        lambda world: lambda **given: world.session.submit(**given).result(),
        lambda _: {"inputs": {"x": X}},
        {
            "inputs": INPUTS,
            "output_names": OUTPUT_NAMES,
            "options": RUN_OPTIONS,
            "callback": optional((1, "x", b"x", THING, NAN, True)),
            "copy": Wrong(NO_MATTER),
        },
    ),
    "Session.run_into": Row(
        lambda world: world.session.run_into,
        lambda _: {"inputs": {"x": X}, "outputs": {"y": np.empty(3, np.float32)}},
        {
            "inputs": INPUTS,
            "outputs": Wrong(
                lambda world: (
                    *NO_MAPPING,
                    {1: X},
                    {None: X},
                    {"z": X},
                    {"x": X},
                    {"y\0": X},
                    *({"y": target} for target in BOUND_OUTPUT.all(world)),
                    {"y": Memory.CPU},
                ),
                "output|'y'|value is closed",
            ),
            "options": RUN_OPTIONS,
        },
        # The right argument is lent before the wrong one is met.
        frozenset(
            {
                "CreateTensorWithDataAsOrtValue",
                "GetTensorTypeAndShape",
                "GetTensorElementType",
                "GetDimensionsCount",
                "GetDimensions",
            }
        ),
    ),
    "Session.bind": Row(
        lambda world: world.session.bind,
        lambda _: {"inputs": {"x": X}, "outputs": {"y": np.empty(3, np.float32)}},
        {
            "inputs": optional(
                lambda world: (
                    *NO_MAPPING,
                    {1: X},
                    {"y": X},
                    *({"x": source} for source in BOUND_INPUT.all(world)),
                ),
                "input|'x'|value is closed",
            ),
            "outputs": optional(
                lambda world: (
                    *NO_MAPPING,
                    {1: X},
                    {"x": X},
                    *({"y": target} for target in BOUND_OUTPUT.all(world)),
                ),
                "output|'y'|name|value is closed",
            ),
        },
        frozenset(
            {
                "CreateIoBinding",
                "BindInput",
                "CreateTensorWithDataAsOrtValue",
                "GetTensorTypeAndShape",
                "GetTensorElementType",
                "GetDimensionsCount",
                "GetDimensions",
            }
        ),
    ),
    "Session.allocate": Row(
        lambda world: world.session.allocate,
        lambda _: {"shape": [3]},
        {
            "shape": Wrong(NO_SHAPE),
            "element_type": ELEMENT_TYPE,
            "memory": Wrong((None, 1, "Cpu", b"x", THING, NAN, True, Memory)),
        },
    ),
    "Session.opset_version": Row(
        lambda world: world.session.opset_version,
        wrong={"domain": Wrong(NO_C_STRING)},
        works=False,  # needs ONNX Runtime 1.22
    ),
    "Session.input_index": Row(
        lambda world: world.session.input_index,
        lambda _: {"name": "x"},
        {"name": Wrong(NO_STR)},
    ),
    "Session.output_index": Row(
        lambda world: world.session.output_index,
        lambda _: {"name": "y"},
        {"name": Wrong(NO_STR)},
    ),
    "IoBinding.bind_input": Row(
        lambda world: world.binding.bind_input,
        lambda _: {"name": "x", "source": X},
        {"name": Wrong((*NO_C_STRING, "y"), "name|no input"), "source": BOUND_INPUT},
    ),
    "IoBinding.bind_output": Row(
        lambda world: world.binding.bind_output,
        lambda _: {"name": "y", "target": np.empty(3, np.float32)},
        {"name": Wrong((*NO_C_STRING, "x"), "name|no output"), "target": BOUND_OUTPUT},
    ),
    "IoBinding.run": Row(lambda world: world.binding.run, wrong={"options": RUN_OPTIONS}),
    "Value.from_numpy": Row(
        lambda _: Value.from_numpy,
        lambda _: {"array": X},
        {
            "array": Wrong((*NO_ARRAY, X.astype(">f4"), np.array([1, "a"], object)), "array"),
            "element_type": optional(
                (*NO_MEMBER, ElementType.UNDEFINED, ElementType.INT64),
                "element_?type|expected int64|expected undefined",
            ),
        },
    ),
    "Value.empty": Row(
        lambda _: Value.empty,
        lambda _: {"shape": [3]},
        {"shape": Wrong(NO_SHAPE), "element_type": ELEMENT_TYPE},
    ),
    "Value.from_sequence": Row(
        lambda _: Value.from_sequence,
        lambda _: {"items": [X]},
        {
            "items": Wrong(
                lambda world: (
                    *NO_SEQUENCE,
                    X,
                    [],
                    [1],
                    [None],
                    ["x"],
                    [X.astype(">f4")],
                    [world.closed_value],
                ),
                "items|value is closed|allowed are",
            ),
            "element_type": optional((*NO_MEMBER, ElementType.INT64), "element_?type|expected"),
        },
    ),
    "Value.from_mapping": Row(
        lambda _: Value.from_mapping,
        lambda _: {"mapping": {1: 1.0}},
        {
            "mapping": Wrong(
                (
                    *NO_MAPPING,
                    {},
                    {1.0: 1},
                    {None: 1},
                    {1: None},
                    {1: THING},
                    {True: 1},
                    {1: True},
                    {HUGE: 1},
                    {1: HUGE},
                    {1: 1, "x": 2},
                    {"x\0": 1},
                ),
                "map|string",
            ),
        },
    ),
    "Value.numpy": Row(
        lambda world: world.value.numpy,
        wrong={
            "dtype": optional(
                (1, "no such", THING, NAN, True, np.float64, "M8[s]"),
                "dtype|data type|tensor holds",
            ),
            "copy": Wrong(NO_MATTER),
        },
    ),
    "Value.copy_from": Row(
        lambda world: world.value.copy_from,
        lambda _: {"source": X},
        {
            "source": Wrong(
                lambda world: (
                    *NO_ARRAY,
                    world.closed_value,
                    X.astype(">f4"),
                    X.astype(np.float64),
                ),
                "source|value is closed|expected float32|allowed are",
            ),
        },
    ),
    "Value.mapped": Row(
        lambda world: world.value.mapped,
        lambda _: {"memory": Memory.CPU},
        {"memory": Wrong((None, 1, "Cuda", THING), "memory must be a Memory")},
    ),
}
"""Every public call with parameters, by its name in `ortffi`."""

MADE_BY_ORTFFI = {
    "AssignedNode", "Device", "Environment", "IoBinding", "KernelEvent", "Library", "ModelFile",
    "ModelMetadata", "ProviderShare", "Session", "TypeInfo", "Value", "ValueInfo",
}  # fmt: skip
"""Classes whose objects a program is given; it does not make them itself."""

BETWEEN_MODULES = {"Environment.take_string"} | {
    f"{provider}.{method}"
    for provider in ("CPU", "CUDA", "Devices", "ExecutionProvider", "Provider", "TensorRT")
    for method in ("append", "check")
}
"""Called by ortffi itself with what it has made."""


def public_calls() -> Iterator[tuple[str, list[inspect.Parameter]]]:
    """Give each public function, constructor and method that has parameters."""
    for name in ortffi.__all__:
        thing = getattr(ortffi, name)
        if inspect.isclass(thing):
            if issubclass(thing, Enum | BaseException):
                continue
            if name not in MADE_BY_ORTFFI:
                yield name, parameters(thing)
            for attribute, member in inspect.getmembers(thing, callable):
                if not attribute.startswith("_") and not inspect.isclass(member):
                    yield f"{name}.{attribute}", parameters(member)
        elif callable(thing):
            yield name, parameters(thing)


def parameters(function: Any) -> list[inspect.Parameter]:
    return [
        parameter
        for name, parameter in inspect.signature(function).parameters.items()
        if name != "self"
    ]


CALLS = {name: found for name, found in public_calls() if found and name not in BETWEEN_MODULES}
PARAMETERS = [(name, parameter.name) for name, found in CALLS.items() for parameter in found]


@pytest.fixture(scope="module")
def world(library: ortffi.Library, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Objects to call, made with a vtable that takes notes."""
    fake = FakeVtable(library.api)
    with pytest.MonkeyPatch.context() as patch:
        environment = fake.environment()
        patch.setattr(ortffi.environment, "_environment", environment)
        folder: Path = tmp_path_factory.mktemp("arguments")
        model, profile = tiny_models.identity(), folder / "profile.json"
        profile.write_text("[]")
        (folder / "model.onnx").write_bytes(model)
        read_only = X.copy()
        read_only.flags.writeable = False
        device = ortffi.Device(
            "SomeProvider", "", {}, {}, ortffi.HardwareType.CPU, "", 0, 0, {}, _pointer=0
        )
        closed_value, closed_options = Value.from_numpy(X), RunOptions()
        closed_value.close()
        closed_options.close()
        with (
            SessionBuilder().with_intra_threads(1).commit_from_memory(model) as session,
            session.bind({"x": X}, {"y": np.empty(3, np.float32)}) as binding,
            Value.from_numpy(X.copy()) as value,
            RunOptions() as options,
            ortffi.PrepackedWeights() as weights,
        ):
            yield SimpleNamespace(
                fake=fake, environment=environment, model=model, file=folder / "model.onnx",
                profile=profile, read_only=read_only, device=device, session=session,
                binding=binding, value=value, options=options, weights=weights,
                closed_value=closed_value, closed_options=closed_options,
            )  # fmt: skip
    # Targets of a run count as made by it, and are no mistake.
    assert not [mistake for mistake in fake.mistakes if "released" in mistake]


def test_every_public_call_and_parameter_is_in_the_table():
    """Who adds a parameter says here what it refuses."""
    wanted = {name: {parameter.name for parameter in found} for name, found in CALLS.items()}
    assert {name: set(row.wrong) for name, row in ROWS.items()} == wanted


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.works])
def test_right_arguments_are_accepted(world, name):
    row = ROWS[name]
    result = row.call(world)(**row.good(world))
    if isinstance(result, ortffi.Session | ortffi.IoBinding | Value):
        result.close()


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_wrong_arguments_are_refused_by_name_before_c_is_reached(world, name, parameter):
    row, fake = ROWS[name], world.fake
    needs(row.needs)
    wrong = row.wrong[parameter]
    is_variadic = any(
        known.kind is known.VAR_KEYWORD for known in CALLS[name] if known.name == parameter
    )
    complaints = []
    for value in wrong.all(world):
        given = {**row.good(world), **(value if is_variadic else {parameter: value})}
        function = row.call(world)
        outstanding = set(fake.outstanding)
        fake.calls.clear()
        try:
            result = function(**given)
        except REFUSED as error:
            message = str(error)
        except Exception as error:
            complaints.append(f"{value!r:.60} raises {type(error).__name__}: {error}")
            continue
        else:
            complaints.append(f"{value!r:.60} is accepted")
            if isinstance(result, ortffi.Session | ortffi.IoBinding | Value | RunOptions):
                result.close()
            continue
        if not re.search(wrong.named or parameter.replace("_", "_?"), message, re.IGNORECASE):
            complaints.append(f"{value!r:.60} is refused without a name: {message}")
        reached = set(fake.calls) - HARMLESS - row.allowed
        if reached:
            complaints.append(f"{value!r:.60} reaches {', '.join(sorted(reached))}")
        if set(fake.outstanding) - outstanding:
            complaints.append(f"{value!r:.60} leaves something behind")
    assert not complaints, "\n".join(complaints)
