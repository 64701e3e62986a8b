"""Which arguments the library, providers, options and the builder accept and refuse."""

from __future__ import annotations

import logging

import numpy as np
import ortffi.environment
from tests.ortffi.argument_table import (
    ENTRIES,
    FILES,
    LENGTHS,
    NAMED_ARRAYS,
    NAN,
    NO_BOOL,
    NO_BUFFER,
    NO_C_STRING,
    NO_MAPPING,
    NO_MEMBER,
    NO_NATURAL,
    NO_PATH,
    NO_SEQUENCE,
    NO_STR,
    PROVIDER_OPTIONS,
    THING,
    Row,
    Wrong,
    X,
    optional,
)

import ortffi
from ortffi import SessionBuilder, SessionOptions


def build(name, good, wrong, parameter, option):
    """Describe a method of the builder that sets one option."""
    return Row(
        lambda _: getattr(SessionBuilder(), name), lambda _: {parameter: good}, {parameter: Wrong(wrong, option)}
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
        wrong={"config": optional((*NO_MAPPING, {"max_mem": 1}, ortffi.ArenaConfig(max_mem=-1)), "config|max_mem")},
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
    "try_provider": Row(
        lambda _: ortffi.try_provider,
        lambda _: {"provider": "CPUExecutionProvider"},
        {"provider": Wrong((*NO_C_STRING, "", ortffi.CPU), "provider|name")},
    ),
    "SessionOptions": Row(
        lambda _: SessionOptions,
        wrong={
            "providers": Wrong((*NO_SEQUENCE, ["CPUExecutionProvider"], [ortffi.CPU], [ortffi.CPU(), ortffi.CUDA()])),
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
    "SessionBuilder": Row(lambda _: SessionBuilder, wrong={"options": optional((*NO_MAPPING, {"log_level": 1}))}),
    "SessionBuilder.with_options": Row(
        lambda _: SessionBuilder().with_options,
        lambda _: {"intra_op_threads": 1},
        {"changes": Wrong(({"no_such": 1}, {"intra_op_threads": "1"}), "no_such|intra_op_threads")},
    ),
    "SessionBuilder.with_provider": build(
        "with_provider", ortffi.CPU(), (*NO_STR, "CPUExecutionProvider", ortffi.CPU), "provider", "provider"
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
        wrong={"device_id": Wrong(NO_NATURAL), "options": Wrong(({"no_such": 1}, {"trt_fp16_enable": None}), "option")},
        works=False,  # needs a build with TensorRT
    ),
    "SessionBuilder.with_optimization_level": build(
        "with_optimization_level", ortffi.GraphOptimizationLevel.ALL, NO_MEMBER, "level", "optimization_level"
    ),
    "SessionBuilder.with_optimized_model": build("with_optimized_model", "x", NO_PATH, "path", "optimized_model_path"),
    "SessionBuilder.with_execution_mode": build(
        "with_execution_mode", ortffi.ExecutionMode.SEQUENTIAL, NO_MEMBER, "mode", "execution_mode"
    ),
    "SessionBuilder.with_intra_threads": build("with_intra_threads", 1, NO_NATURAL, "n_threads", "intra_op_threads"),
    "SessionBuilder.with_inter_threads": build("with_inter_threads", 1, NO_NATURAL, "n_threads", "inter_op_threads"),
    "SessionBuilder.with_spinning": build("with_spinning", True, NO_BOOL, "enabled", "allow_spinning"),
    "SessionBuilder.with_memory_pattern": build("with_memory_pattern", True, NO_BOOL, "enabled", "memory_pattern"),
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
        "with_external_initializers", {"w": X}, NAMED_ARRAYS, "initializers", "external_initializers"
    ),
    "SessionBuilder.with_external_files": build("with_external_files", {"x": b"x"}, FILES, "files", "external_files"),
    "SessionBuilder.with_custom_ops": build("with_custom_ops", "x", NO_PATH, "library", "custom_op_libraries"),
    "SessionBuilder.with_profiling": build("with_profiling", "x", NO_PATH, "prefix", "profiling_prefix"),
    "SessionBuilder.with_log_level": build("with_log_level", ortffi.LogLevel.FATAL, NO_MEMBER, "level", "log_level"),
    "SessionBuilder.with_logger": build("with_logger", logging.getLogger(__name__), NO_STR, "logger", "logger"),
    "SessionBuilder.with_config": Row(
        lambda _: SessionBuilder().with_config,
        lambda _: {"key": "key", "value": "value"},
        {"key": Wrong(NO_C_STRING), "value": Wrong(NO_C_STRING, r"config\['key'\]")},
    ),
    "SessionBuilder.commit_from_file": Row(
        lambda _: SessionBuilder().commit_from_file, lambda world: {"path": world.file}, {"path": Wrong(NO_PATH)}
    ),
    "SessionBuilder.commit_from_memory": Row(
        lambda _: SessionBuilder().commit_from_memory,
        lambda world: {"model": world.model},
        {"model": Wrong((*NO_BUFFER, np.arange(9)[::2], np.zeros(1, "M8[s]")))},
    ),
    "SessionBuilder.commit_from_mmap": Row(
        lambda _: SessionBuilder().commit_from_mmap, lambda world: {"path": world.file}, {"path": Wrong(NO_PATH)}
    ),
}
