"""Which arguments the public calls of ortffi accept and refuse."""

import asyncio
import logging
import math
from collections import namedtuple

import numpy as np

import ortffi
import ortffi.environment
from ortffi import ElementType, Memory, SessionBuilder, SessionOptions

NAN, HUGE, THING = math.nan, 2**200, object()
X, Y = np.ones(3, np.float32), np.empty(3, np.float32)

NO_INT = (None, "1", b"1", THING, NAN, 1.0, True, [1])
NO_NATURAL = (*NO_INT, -1, HUGE)
NO_INT32 = (*NO_NATURAL, 2**31)
NO_STR = (None, 1, b"x", THING, NAN, True, ["x"])
NO_C_STRING = (*NO_STR, "a\0b")
NO_NAME = (*NO_C_STRING, "")
NO_BOOL = (None, 0, 1, "yes", b"1", THING, NAN)
NO_PATH = (None, 1, True, NAN, THING, ["x"], "a\0b")
NO_MAPPING = (None, 1, "x", b"x", THING, NAN, True, ["x"], {"x"})
NO_ITERABLE = (None, 1, THING, NAN, True)
NO_SEQUENCE = (None, 1, "x", b"x", THING, NAN, True, {"x": 1})
NO_MEMBER = (None, "FLOAT", b"1", THING, NAN, True, 1.0, -1, 1000, HUGE, [1])
NO_BUFFER = (None, 1, "x", THING, NAN, True, ["x"], np.arange(9)[::2], np.zeros(1, "M8[s]"))
NO_ARRAY = (None, 1, "x", b"x", THING, NAN, True, [1.0], np.float32(1), np.zeros(1, "M8[s]"))
NO_SHAPE = (None, 1, "3", b"3", THING, NAN, True, np.array([3]), [None], ["3"], [3.0], [True], [-1], [2**64, 0], [NAN])
NO_MATTER = ()
"""For what never reaches C and needs no type: what is only asked whether it is true, what numpy
takes as it is."""

Wrong = namedtuple("Wrong", "values named optional", defaults=(None, False))
"""Values that a parameter refuses, or a function of the world that gives them; a pattern for the
message where that does not hold the parameter's own name; whether None is a right value."""

Row = namedtuple("Row", "good wrong then allowed works needs")


def row(good=None, then=lambda result: result, allowed=frozenset(), works=True, needs="Run", **wrong):
    """Describe one public call.

    Args:
        good: arguments that it accepts, or a function of the world that gives them.
        then: what is done with its result, still a part of the call.
        allowed: what it calls on the way besides what is harmless.
        works: whether the call with good arguments succeeds with any library.
        needs: a function that the library must have.
        wrong: for each parameter a `Wrong`, or its values alone.
    """
    wrong = {name: values if isinstance(values, Wrong) else Wrong(values) for name, values in wrong.items()}
    return Row(good or {}, wrong, then, allowed, works, needs)


def optional(values, named=None):
    return Wrong(values, named, optional=True)


def wrong_values(wrong, world):
    values = wrong.values(world) if callable(wrong.values) else wrong.values
    return [value for value in values if not (wrong.optional and value is None)]


def call(name, row, world, /, **given):
    """Call a function of ortffi, or a method of an object of the world, with good arguments and those given."""
    owner, _, function = name.rpartition(".")
    thing = SessionBuilder() if owner == "SessionBuilder" else world.owners[owner]
    good = row.good(world) if callable(row.good) else row.good
    return row.then(getattr(thing, function)(**{**good, **given}))


# What owns a C object of another kind is no run options either.
RUN_OPTIONS = Wrong(
    lambda world: (
        *(1, "x", b"x", THING, NAN, True, SessionOptions()), world.value, world.session, world.closed_options
    ),
    "options|options is closed",
)  # fmt: skip
INPUTS = Wrong(
    lambda world: (
        None, 1, "x", b"x", THING, NAN, True, {"x"}, X, [X, X, X],
        {"x": None}, {"x": 1}, {"x": "x"}, {"x": THING}, {"x": X.astype(">f4")},
        {"x": world.closed_value}, {1: X}, {None: X}, {b"x": X}, {("x",): X}, {"x\0": X}, {},
        {"x": X.astype(np.float64)}, {"x": np.array(["x"])}, {"x": np.array([THING])},
    ),
    r"input|name|value is closed|\bx\b",
)  # fmt: skip
OUTPUT_NAMES = optional((1, "y", b"y", THING, NAN, True, [1], [None], [b"y"], [["y"]], ["y\0"]))
RUN = {"inputs": INPUTS, "output_names": OUTPUT_NAMES, "options": RUN_OPTIONS}


def unbindable(world):
    return (*NO_ARRAY, X.astype(">f4"), X.astype(np.float64), world.closed_value, X[::2])


def bound_inputs(world):
    return (*unbindable(world), Memory.CPU)


def bound_outputs(world):
    return (*unbindable(world), world.read_only)


ELEMENT_TYPE = (*NO_MEMBER, ElementType.UNDEFINED, ElementType.COMPLEX64)
NAMED_ARRAYS = (*NO_MAPPING, {1: X}, {"w\0": X}, {"w": None}, {"w": [1.0]}, {"w": X.astype(">f4")})
LENGTHS = (*NO_MAPPING, {1: 1}, {"n": "1"}, {"n": True}, {"n": -1}, {"n": HUGE}, {"n": NAN})
ENTRIES = (*NO_MAPPING, {1: "x"}, {"x": 1}, {"x": None}, {"x\0": "x"}, {"x": "x\0"})
FILES = (*NO_MAPPING, {1: b""}, {"x\0": b""}, {"x": "x"}, {"x": None}, {"x": np.arange(9)[::2]})
NO_OPTIONS = (*NO_MAPPING, {1: "x"}, {"": "x"}, {"a\0": 1}, {"x": None}, {"x": THING})
PROVIDER_OPTIONS = Wrong(NO_OPTIONS, "option")
KNOWN_OPTIONS = Wrong((*NO_OPTIONS, {"no_such": 1}), "option")
MAPPINGS = (
    *NO_MAPPING, {}, {1.0: 1}, {None: 1}, {1: None}, {1: THING}, {True: 1}, {1: True}, {HUGE: 1}, {1: HUGE},
    {1: 1, "x": 2}, {"x\0": 1},
)  # fmt: skip

SHAPES = {"GetTensorElementType", "GetDimensionsCount", "GetDimensions"}
LENDS = SHAPES | {"CreateTensorWithDataAsOrtValue", "GetTensorTypeAndShape"}
LOADS = SHAPES | {
    "CreateSessionOptions", "CreateSessionFromArray", "SessionGetInputCount", "SessionGetInputName",
    "SessionGetInputTypeInfo", "SessionGetOutputCount", "SessionGetOutputName", "SessionGetOutputTypeInfo",
    "GetOnnxTypeFromTypeInfo", "SessionGetOverridableInitializerCount", "CastTypeInfoToTensorInfo", "AllocatorFree",
    "GetSymbolicDimensions",
}  # fmt: skip

# A method of the builder, its parameter, what that accepts and refuses, and the option that the message names.
BUILDS = [
    ("with_provider", "provider", ortffi.CPU(), (*NO_STR, "CPUExecutionProvider", ortffi.CPU), "provider"),
    ("with_optimization_level", "level", ortffi.GraphOptimizationLevel.ALL, NO_MEMBER, "optimization_level"),
    ("with_optimized_model", "path", "x", NO_PATH, "optimized_model_path"),
    ("with_execution_mode", "mode", ortffi.ExecutionMode.SEQUENTIAL, NO_MEMBER, "execution_mode"),
    ("with_intra_threads", "n_threads", 1, NO_INT32, "intra_op_threads"),
    ("with_inter_threads", "n_threads", 1, NO_INT32, "inter_op_threads"),
    ("with_spinning", "enabled", True, NO_BOOL, "allow_spinning"),
    ("with_memory_pattern", "enabled", True, NO_BOOL, "memory_pattern"),
    ("with_cpu_arena", "enabled", True, NO_BOOL, "cpu_arena"),
    ("with_initializers", "initializers", {"w": X}, NAMED_ARRAYS, "initializers"),
    ("with_external_initializers", "initializers", {"w": X}, NAMED_ARRAYS, "external_initializers"),
    ("with_external_files", "files", {"x": b"x"}, FILES, "external_files"),
    ("with_custom_ops", "library", "x", NO_PATH, "custom_op_libraries"),
    ("with_profiling", "prefix", "x", NO_PATH, "profiling_prefix"),
    ("with_log_level", "level", ortffi.LogLevel.FATAL, NO_MEMBER, "log_level"),
    ("with_logger", "logger", logging.getLogger(__name__), NO_STR, "logger"),
]

ROWS = {
    **{
        f"SessionBuilder.{name}": row({parameter: good}, **{parameter: Wrong(wrong, option)})
        for name, parameter, good, wrong, option in BUILDS
    },
    "Memory": row(name=NO_C_STRING, device_id=NO_NATURAL),
    "Memory.cuda": row(device_id=NO_NATURAL),
    "infer": row(
        lambda world: {"model": world.model, "inputs": {"x": X}}, allowed=LOADS,
        model=Wrong(NO_PATH, "model|path"), inputs=INPUTS, output_names=OUTPUT_NAMES,
    ),
    "inspect_model": row(lambda world: {"model": world.model}, model=Wrong(NO_PATH, "model|null byte")),
    "read_profile": row(lambda world: {"path": world.profile}, path=Wrong(NO_PATH, "path|null byte")),
    "by_provider": row({"events": []}, events=Wrong(NO_ITERABLE, "iterable")),
    "count_by_provider": row({"nodes": []}, nodes=Wrong(NO_ITERABLE, "iterable")),
    "pad_batch": row(
        {"arrays": [X]}, arrays=(*NO_SEQUENCE, X, [], [None], [1], ["x"]), axis=(*NO_INT, 1, -2, HUGE),
        fill=NO_MATTER, length=optional((*NO_NATURAL, 2)), multiple_of=(*NO_NATURAL, 0),
    ),
    "split_batch": row(
        {"batch": np.ones((1, 3)), "lengths": [2]}, batch=(None, 1, "x", b"x", THING, NAN, True, [[1.0]]),
        lengths=NO_MATTER, axis=(1, -2, HUGE),
    ),
    "RunOptions": row(
        tag=optional(NO_C_STRING), log_level=optional(NO_MEMBER), log_verbosity=optional(NO_NATURAL),
        shrink_arenas=optional(NO_C_STRING), config=optional(ENTRIES),
    ),
    "RunOptions.with_config": row({"key": "key", "value": "value"}, key=NO_C_STRING, value=NO_C_STRING),
    "RunOptions.deadline": row(
        {"seconds": 1000}, lambda deadline: deadline.__enter__(), works=False,  # nobody would stop the clock
        seconds=(None, "1", b"1", THING, NAN, True, -1, HUGE, math.inf),
    ),
    "Session.run": row({"inputs": {"x": X}}, **RUN, copy=NO_MATTER),
    "Session.run_named": row({"inputs": {"x": X}}, **RUN, copy=NO_MATTER),
    "Session.run_values": row({"inputs": {"x": X}}, **RUN),
    "Session.run_async": row({"inputs": {"x": X}}, asyncio.run, {"CreateRunOptions"}, **RUN, copy=NO_MATTER),
    "Session.submit": row(
        {"inputs": {"x": X}}, lambda future: future.result(), **RUN,
        callback=optional((1, "x", b"x", THING, NAN, True)), copy=NO_MATTER,
    ),
    "Session.run_into": row(
        {"inputs": {"x": X}, "outputs": {"y": Y}}, allowed=LENDS,  # the right one, before the wrong one is met
        inputs=INPUTS, options=RUN_OPTIONS,
        outputs=Wrong(
            lambda world: (
                *NO_MAPPING, {1: X}, {None: X}, {"z": X}, {"x": X}, {"y\0": X}, {"y": Memory.CPU},
                *({"y": target} for target in bound_outputs(world)),
            ),
            "output|'y'|value is closed",
        ),
    ),
    "Session.bind": row(
        {"inputs": {"x": X}, "outputs": {"y": Y}}, allowed=LENDS | {"CreateIoBinding", "BindInput"},
        inputs=optional(
            lambda world: (*NO_MAPPING, {1: X}, {"y": X}, *({"x": source} for source in bound_inputs(world))),
            "input|'x'|value is closed",
        ),
        outputs=optional(
            lambda world: (*NO_MAPPING, {1: X}, {"x": X}, *({"y": target} for target in bound_outputs(world))),
            "output|'y'|name|value is closed",
        ),
    ),
    "Session.allocate": row(
        {"shape": [3]}, shape=NO_SHAPE, element_type=ELEMENT_TYPE,
        memory=(None, 1, "Cpu", b"x", THING, NAN, True, Memory),
    ),
    "Session.opset_version": row(works=False, domain=NO_C_STRING),  # needs ONNX Runtime 1.22
    "Session.input_index": row({"name": "x"}, name=NO_STR),
    "Session.output_index": row({"name": "y"}, name=NO_STR),
    "IoBinding.bind_input": row(
        {"name": "x", "source": X}, name=Wrong((*NO_C_STRING, "y"), "name|no input"),
        source=Wrong(bound_inputs, "'x'|value is closed"),
    ),
    "IoBinding.bind_output": row(
        {"name": "y", "target": Y}, name=Wrong((*NO_C_STRING, "x"), "name|no output"),
        target=Wrong(bound_outputs, "'y'|value is closed"),
    ),
    "IoBinding.run": row(options=RUN_OPTIONS),
    "Value.from_numpy": row(
        {"array": X}, array=(*NO_ARRAY, X.astype(">f4"), np.array([1, "a"], object)),
        element_type=optional(
            (*NO_MEMBER, ElementType.UNDEFINED, ElementType.INT64), "element_?type|expected int64|expected undefined"
        ),
    ),
    "Value.empty": row({"shape": [3]}, shape=NO_SHAPE, element_type=ELEMENT_TYPE),
    "Value.from_sequence": row(
        {"items": [X]}, element_type=optional((*NO_MEMBER, ElementType.INT64), "element_?type|expected"),
        items=Wrong(
            lambda world: (*NO_SEQUENCE, X, [], [1], [None], ["x"], [X.astype(">f4")], [world.closed_value]),
            "items|value is closed|allowed are",
        ),
    ),
    "Value.from_mapping": row({"mapping": {1: 1.0}}, mapping=Wrong(MAPPINGS, "map|string")),
    "Value.numpy": row(
        dtype=optional((1, "no such", THING, NAN, True, np.float64, "M8[s]"), "dtype|data type|tensor holds"),
        copy=NO_MATTER,
    ),
    "Value.copy_from": row(
        {"source": X},
        source=Wrong(
            lambda world: (*NO_ARRAY, world.closed_value, X.astype(">f4"), X.astype(np.float64)),
            "source|value is closed|expected float32|allowed are",
        ),
    ),
    "Value.mapped": row({"memory": Memory.CPU}, memory=Wrong((None, 1, "Cuda", THING), "memory must be a Memory")),
    "ArenaConfig": row(
        then=lambda config: config.entries(), max_mem=optional((*NO_NATURAL, 2**64)),
        arena_extend_strategy=optional(NO_MEMBER), initial_chunk_size_bytes=optional(NO_INT32),
        max_dead_bytes_per_chunk=optional(NO_INT32), initial_growth_chunk_size_bytes=optional(NO_INT32),
    ),
    "CUDA": row(
        device_id=NO_NATURAL, options=KNOWN_OPTIONS, require=NO_BOOL, max_cpu_nodes=optional(NO_NATURAL),
        unchecked_options=PROVIDER_OPTIONS,
    ),
    "TensorRT": row(device_id=NO_NATURAL, options=KNOWN_OPTIONS, unchecked_options=PROVIDER_OPTIONS),
    "Provider": row({"name": "XNNPACK"}, name=NO_NAME, options=PROVIDER_OPTIONS),
    "Devices": row(
        lambda world: {"devices": [world.device]}, options=PROVIDER_OPTIONS,
        devices=(None, 1, "x", b"x", THING, NAN, True, [], [None], ["x"]),
    ),
    "ThreadPools": row(
        intra_op=NO_INT32, inter_op=NO_INT32, spinning=optional(NO_BOOL), denormal_as_zero=NO_BOOL,
        intra_op_affinity=optional(NO_C_STRING),
    ),
    "Environment.set_log_level": row(
        {"level": ortffi.LogLevel.FATAL}, works=False, level=NO_MEMBER  # needs ONNX Runtime 1.14
    ),
    "Environment.share_cpu_arena": row(
        works=False,  # only once in a process
        config=optional((*NO_MAPPING, {"max_mem": 1}, ortffi.ArenaConfig(max_mem=-1)), "config|max_mem"),
    ),
    "init": row(
        library=optional((*NO_PATH, b"x")), log_level=optional(NO_MEMBER), logger=optional(NO_STR),
        thread_pools=optional(NO_MAPPING),
    ),
    "load_library": row(
        path=optional((*NO_PATH, b"x")), environ=optional(NO_MAPPING), root=(None, 1, b"x", THING, NAN, True)
    ),
    "register_provider_library": row(
        lambda world: {"name": "x", "path": world.profile}, works=False, needs="RegisterExecutionProviderLibrary",
        name=NO_NAME, path=NO_PATH,
    ),
    "unregister_provider_library": row(
        {"name": "x"}, works=False, needs="RegisterExecutionProviderLibrary", name=NO_NAME
    ),
    "try_provider": row(
        {"provider": "CPUExecutionProvider"}, provider=Wrong((*NO_NAME, ortffi.CPU), "provider|name")
    ),
    "SessionOptions": row(
        providers=(*NO_SEQUENCE, ["CPUExecutionProvider"], [ortffi.CPU], [ortffi.CPU(), ortffi.CUDA()]),
        optimization_level=optional(NO_MEMBER), optimized_model_path=optional(NO_PATH),
        execution_mode=optional(NO_MEMBER), intra_op_threads=optional(NO_INT32),
        inter_op_threads=optional(NO_INT32), allow_spinning=optional(NO_BOOL), shared_threads=NO_BOOL,
        memory_pattern=optional(NO_BOOL), cpu_arena=optional(NO_BOOL), shared_arena=NO_BOOL,
        prepacked_weights=optional((*NO_STR, ortffi.PrepackedWeights)), free_dimensions=LENGTHS,
        free_dimension_denotations=LENGTHS, initializers=NAMED_ARRAYS, external_initializers=NAMED_ARRAYS,
        external_files=FILES, deterministic=NO_BOOL, custom_op_libraries=(*NO_SEQUENCE, [None], [1], ["a\0b"]),
        profiling_prefix=optional(NO_PATH), log_level=optional(NO_MEMBER), log_verbosity=optional(NO_NATURAL),
        log_id=optional(NO_C_STRING), logger=optional(NO_STR), record_assignment=NO_BOOL, config=ENTRIES,
    ),
    "SessionBuilder": row(options=optional((*NO_MAPPING, {"log_level": 1}))),
    "SessionBuilder.with_options": row(
        {"intra_op_threads": 1},
        changes=Wrong(({"no_such": 1}, {"intra_op_threads": "1"}), "no_such|intra_op_threads"),
    ),
    "SessionBuilder.with_cuda": row(
        works=False,  # needs a build with CUDA
        device_id=NO_NATURAL, require=NO_BOOL, max_cpu_nodes=optional(NO_NATURAL),
        options=Wrong(({"no_such": 1}, {"gpu_mem_limit": None}, {"gpu_mem_limit": "1\0000"}), "option"),
    ),
    "SessionBuilder.with_tensorrt": row(
        works=False,  # needs a build with TensorRT
        device_id=NO_NATURAL, options=Wrong(({"no_such": 1}, {"trt_fp16_enable": None}), "option"),
    ),
    "SessionBuilder.with_prepacked_weights": row(
        lambda world: {"weights": world.weights}, weights=(*NO_STR, ortffi.PrepackedWeights)
    ),
    "SessionBuilder.with_free_dimensions": row(
        {"n": 1}, lengths=Wrong(({"n": "1"}, {"n": -1}, {"n": True}, {"n": None}), r"\['n'\]")
    ),
    "SessionBuilder.with_config": row(
        {"key": "key", "value": "value"}, key=NO_C_STRING, value=Wrong(NO_C_STRING, r"config\['key'\]")
    ),
    "SessionBuilder.commit_from_file": row(lambda world: {"path": world.file}, path=NO_PATH),
    "SessionBuilder.commit_from_memory": row(lambda world: {"model": world.model}, model=NO_BUFFER),
    "SessionBuilder.commit_from_mmap": row(lambda world: {"path": world.file}, path=NO_PATH),
}  # fmt: skip
"""Every public call with parameters, by its name in `ortffi`."""
