"""Which arguments sessions, bindings, values and what looks into them accept and refuse."""

from __future__ import annotations

import asyncio
import math

import numpy as np
from tests.ortffi.argument_table import (
    BOUND_INPUT,
    BOUND_OUTPUT,
    ELEMENT_TYPE,
    ENTRIES,
    HUGE,
    INPUTS,
    NAN,
    NO_ARRAY,
    NO_C_STRING,
    NO_INT,
    NO_MAPPING,
    NO_MATTER,
    NO_MEMBER,
    NO_NATURAL,
    NO_PATH,
    NO_SEQUENCE,
    NO_SHAPE,
    NO_STR,
    OUTPUT_NAMES,
    RUN_OPTIONS,
    THING,
    Row,
    Wrong,
    X,
    optional,
)

import ortffi
from ortffi import ElementType, Memory, RunOptions, Value

ROWS: dict[str, Row] = {
    "Memory": Row(lambda _: Memory, wrong={"name": Wrong(NO_C_STRING), "device_id": Wrong(NO_NATURAL)}),
    "Memory.cuda": Row(lambda _: Memory.cuda, wrong={"device_id": Wrong(NO_NATURAL)}),
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
        lambda _: ortffi.read_profile, lambda world: {"path": world.profile}, {"path": Wrong(NO_PATH, "path|null byte")}
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
        {"inputs": INPUTS, "output_names": OUTPUT_NAMES, "options": RUN_OPTIONS, "copy": Wrong(NO_MATTER)},
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
                lambda world: (*NO_MAPPING, {1: X}, {"y": X}, *({"x": source} for source in BOUND_INPUT.all(world))),
                "input|'x'|value is closed",
            ),
            "outputs": optional(
                lambda world: (*NO_MAPPING, {1: X}, {"x": X}, *({"y": target} for target in BOUND_OUTPUT.all(world))),
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
        lambda world: world.session.input_index, lambda _: {"name": "x"}, {"name": Wrong(NO_STR)}
    ),
    "Session.output_index": Row(
        lambda world: world.session.output_index, lambda _: {"name": "y"}, {"name": Wrong(NO_STR)}
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
        lambda _: Value.empty, lambda _: {"shape": [3]}, {"shape": Wrong(NO_SHAPE), "element_type": ELEMENT_TYPE}
    ),
    "Value.from_sequence": Row(
        lambda _: Value.from_sequence,
        lambda _: {"items": [X]},
        {
            "items": Wrong(
                lambda world: (*NO_SEQUENCE, X, [], [1], [None], ["x"], [X.astype(">f4")], [world.closed_value]),
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
            )
        },
    ),
    "Value.numpy": Row(
        lambda world: world.value.numpy,
        wrong={
            "dtype": optional((1, "no such", THING, NAN, True, np.float64, "M8[s]"), "dtype|data type|tensor holds"),
            "copy": Wrong(NO_MATTER),
        },
    ),
    "Value.copy_from": Row(
        lambda world: world.value.copy_from,
        lambda _: {"source": X},
        {
            "source": Wrong(
                lambda world: (*NO_ARRAY, world.closed_value, X.astype(">f4"), X.astype(np.float64)),
                "source|value is closed|expected float32|allowed are",
            )
        },
    ),
    "Value.mapped": Row(
        lambda world: world.value.mapped,
        lambda _: {"memory": Memory.CPU},
        {"memory": Wrong((None, 1, "Cuda", THING), "memory must be a Memory")},
    ),
}
