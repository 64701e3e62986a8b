"""The options of execution providers: their keys, their checks, and their form for C."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Callable, Mapping

from ortffi._api import c_string

OptionValue = str | int | bool | float
"""The types of a provider option's value; ONNX Runtime gets True and False as 1 and 0."""

Kind = Callable[[str, OptionValue], str]
"""Takes an option's key and value, and returns the value as ONNX Runtime spells it, or raises."""


def _text(key: str, value: OptionValue) -> str:
    """Accept any value except a string with a NUL, where C would stop reading."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"option {key} must be a finite number, not {value}")
        return repr(float(value))
    if isinstance(value, int):
        return str(int(value))
    if not isinstance(value, str):
        raise TypeError(
            f"option {key} must be a str, int, bool or float, not {type(value).__name__}"
        )
    c_string(f"option {key}", value)
    return value


def _flag(key: str, value: OptionValue) -> str:
    text = _text(key, value)
    flag = {"0": "0", "1": "1", "false": "0", "true": "1"}.get(text.lower())
    if flag is None:
        raise ValueError(f"option {key} must be True or False, not {value!r}")
    return flag


def _whole(least: int, most: int) -> Kind:
    def whole(key: str, value: OptionValue) -> str:
        text = _text(key, value)
        if isinstance(value, float) and value.is_integer():
            text = str(int(value))
        if isinstance(value, bool) or not re.fullmatch(r"-?[0-9]{1,40}", text):
            raise ValueError(f"option {key} must be a whole number, not {value!r}")
        if not least <= int(text) <= most:
            raise ValueError(f"option {key} must be between {least} and {most}, not {value!r}")
        return str(int(text))

    return whole


def _choice(*allowed: str) -> Kind:
    def choice(key: str, value: OptionValue) -> str:
        if value not in allowed:
            raise ValueError(f"option {key} must be one of {', '.join(allowed)}, not {value!r}")
        return str(value)

    return choice


def plain(options: Mapping[str, OptionValue]) -> dict[str, str]:
    """Return options as strings, without checking their keys.

    Raises:
        TypeError: not a mapping, or a key or value is of the wrong type.
        ValueError: a key is empty, or a string contains a NUL.
    """
    if not isinstance(options, Mapping):
        raise TypeError(f"options must be a mapping, not {type(options).__name__}")
    settings = {}
    for key, value in options.items():
        if not c_string("an option's key", key):
            raise ValueError("an option's key must not be empty")
        settings[key] = _text(key, value)
    return settings


def checked(
    provider: str,
    known: Mapping[str, Kind],
    options: Mapping[str, OptionValue],
    unchecked: Mapping[str, OptionValue],
) -> dict[str, str]:
    """Return options as ONNX Runtime spells them; check all but the unchecked ones."""
    settings = plain(options)
    others = plain(unchecked)
    for key in settings:
        if key in others:
            raise ValueError(f"option {key} is given twice, checked and unchecked")
        kind = known.get(key)
        if kind is None and key != "device_id":
            import difflib  # needed only for this error

            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(sorted(known))}."
            raise ValueError(
                f"{provider} has no option {key!r}: {hint} Put options of a newer "
                "library into unchecked_options."
            )
        if kind is not None:
            settings[key] = kind(key, options[key])
    if "device_id" in settings or "device_id" in others:
        raise ValueError(f"device_id is an argument of {provider}, not one of its options")
    return {**settings, **others}


_INT = 2**31 - 1
_SIZE = 2**64 - 1
_address = _whole(0, _SIZE)

# The keys of both tables, their types and the names of values are those that the libraries of
# onnxruntime-gpu 1.31.1 accept. ortffi adds ranges where other numbers make no sense.

CUDA_OPTIONS: dict[str, Kind] = {
    "arena_extend_strategy": _choice("kNextPowerOfTwo", "kSameAsRequested"),
    "cudnn_conv1d_pad_to_nc1d": _flag,
    "cudnn_conv_algo_search": _choice("EXHAUSTIVE", "HEURISTIC", "DEFAULT"),
    "cudnn_conv_use_max_workspace": _flag,
    "do_copy_in_default_stream": _flag,
    "enable_cuda_graph": _flag,
    "enable_cudnn": _flag,
    "enable_skip_layer_norm_strict_mode": _flag,
    "external_data_loader_reading_threads": _whole(0, _INT),
    "fuse_conv_bias": _flag,
    "gpu_external_alloc": _address,
    "gpu_external_empty_cache": _address,
    "gpu_external_free": _address,
    "gpu_mem_limit": _whole(1, _SIZE),
    "has_user_compute_stream": _flag,
    "prefer_nhwc": _flag,
    "sdpa_kernel": _whole(0, _INT),
    "tunable_op_enable": _flag,
    "tunable_op_max_tuning_duration_ms": _whole(0, _INT),
    "tunable_op_tuning_enable": _flag,
    "use_ep_level_unified_stream": _flag,
    "use_tf32": _flag,
    "user_compute_stream": _address,
}
"""The options of the CUDA provider besides `device_id`, each with the check of its value."""

TENSORRT_OPTIONS: dict[str, Kind] = {
    "has_user_compute_stream": _flag,
    "trt_auxiliary_streams": _whole(-1, _INT),
    "trt_bf16_enable": _flag,
    "trt_build_heuristics_enable": _flag,
    "trt_builder_optimization_level": _whole(0, 5),
    "trt_context_memory_sharing_enable": _flag,
    "trt_cuda_graph_enable": _flag,
    "trt_detailed_build_log": _flag,
    "trt_dla_core": _whole(0, _INT),
    "trt_dla_enable": _flag,
    "trt_dump_ep_context_model": _flag,
    "trt_dump_subgraphs": _flag,
    "trt_engine_cache_enable": _flag,
    "trt_engine_cache_path": _text,
    "trt_engine_cache_prefix": _text,
    "trt_engine_decryption_enable": _flag,
    "trt_engine_decryption_lib_path": _text,
    "trt_engine_hw_compatible": _flag,
    "trt_ep_context_embed_mode": _whole(0, 1),
    "trt_ep_context_file_path": _text,
    "trt_external_data_bytestream": _address,
    "trt_external_data_bytestream_size": _whole(0, _SIZE),
    "trt_extra_plugin_lib_paths": _text,
    "trt_force_sequential_engine_build": _flag,
    "trt_force_timing_cache": _flag,
    "trt_fp16_enable": _flag,
    "trt_int8_calibration_table_name": _text,
    "trt_int8_enable": _flag,
    "trt_int8_use_native_calibration_table": _flag,
    "trt_layer_norm_fp32_fallback": _flag,
    "trt_load_user_initializer": _flag,
    "trt_max_partition_iterations": _whole(1, _INT),
    "trt_max_workspace_size": _whole(0, _SIZE),
    "trt_min_subgraph_size": _whole(1, _INT),
    "trt_onnx_bytestream": _address,
    "trt_onnx_bytestream_size": _whole(0, _SIZE),
    "trt_onnx_model_folder_path": _text,
    "trt_op_types_to_exclude": _text,
    "trt_preview_features": _text,
    "trt_profile_max_shapes": _text,
    "trt_profile_min_shapes": _text,
    "trt_profile_opt_shapes": _text,
    "trt_sparsity_enable": _flag,
    "trt_tactic_sources": _text,
    "trt_timing_cache_enable": _flag,
    "trt_timing_cache_path": _text,
    "trt_weight_stripped_engine_enable": _flag,
    "user_compute_stream": _address,
}
"""The options of the TensorRT provider besides `device_id`, each with the check of its value."""


def arrays(settings: Mapping[str, str]) -> tuple[object, object, int]:
    """Return the keys, the values and their number for C."""
    strings = ctypes.c_char_p * len(settings)
    keys = (c_string("key", key) for key in settings)
    values = (c_string(key, value) for key, value in settings.items())
    return strings(*keys), strings(*values), len(settings)
