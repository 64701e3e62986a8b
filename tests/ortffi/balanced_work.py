"""Everything that takes something from ONNX Runtime, in pieces that give all of it back."""

import logging
from contextlib import contextmanager

import numpy as np

import ortffi
from ortffi import DTYPES, ElementType, Memory, RunOptions, SessionBuilder, SessionOptions, Value
from tests.ortffi import tiny_models

SMALL, LARGE = np.ones(3, np.float32), np.ones(5000, np.float32)
INDEX, TEXT = np.array([0]), np.array(["text", ""])
QUIET = logging.getLogger("balanced_work")
QUIET.addHandler(logging.NullHandler())
QUIET.propagate = False
BEFORE_INT4 = tuple(f"1.{minor}." for minor in range(19))


def has(function):
    return ortffi.init().api.has(function)


def load(model, **options):
    return SessionBuilder(SessionOptions(**{"intra_op_threads": 1, **options})).commit_from_memory(model)


@contextmanager
def refused():
    """Expect a failure of ONNX Runtime's own; one that a test injects goes on its way."""
    try:
        yield
    except ortffi.OrtError as error:
        if error.message.startswith("injected"):
            raise
    else:
        raise AssertionError("it did not fail")


def use_values(_folder):
    for element_type, dtype in DTYPES.items():
        supported = element_type <= ElementType.BFLOAT16
        if supported and element_type is not ElementType.STRING:
            Value.from_numpy(np.ones(3, dtype), element_type).numpy()
    with Value.from_numpy(TEXT) as text, Value.from_numpy(SMALL) as value:
        assert text.to_python().tolist() == TEXT.tolist()
        assert value.memory == Memory.CPU
        assert (value.has_value, value.kind) == (True, ortffi.OnnxType.TENSOR)
        shown = value.numpy(copy=False)
        shown_too = value.numpy(copy=None)
        with Value.empty([3]) as target:
            target.copy_from(value)
            target.copy_from(SMALL)
            mapped = target.mapped(Memory.CPU)
            assert target.numpy().tolist() == mapped.numpy().tolist() == [1] * 3
        with Value.from_sequence([value, SMALL]) as sequence:
            first, second = sequence.items()
            assert len(sequence.to_python()) == 2
    assert shown.tolist() == shown_too.tolist() == first.numpy().tolist() == [1] * 3
    del second
    with Value.from_mapping({"one": 1.0, "two": 2.0}) as mapping:
        assert mapping.to_python() == {"one": 1.0, "two": 2.0}
    Value.from_mapping({1: "one"}).items()
    Value.from_sequence([], ElementType.FLOAT).to_python()


def use_packed_values(_folder):
    if ortffi.init().library.version.startswith(BEFORE_INT4):
        return
    for element_type in (ElementType.INT4, ElementType.UINT4):
        value = Value.from_numpy(np.ones(3, DTYPES[element_type]), element_type)
        assert value.numpy().tolist() == [1] * 3
        assert Value.empty([3], element_type).shape == (3,)


def run_mixed(_folder):
    ortffi.available_providers()
    with load(tiny_models.mixed()) as session:
        with RunOptions().with_config("memory.enable_memory_arena_shrinkage", "cpu:0") as options:
            session.run({"f": SMALL, "i": np.arange(3), "s": TEXT}, options=options)
        for numbers in (SMALL, SMALL, LARGE):
            session.run({"f": numbers, "i": np.arange(3), "s": TEXT})
        with Value.from_numpy(LARGE) as value, Value.from_numpy(TEXT) as text:
            session.run({"f": value, "i": np.arange(5000), "s": text})


def run_bound(_folder):
    """Let plans bind, and take every way out of a bound run."""
    read_only = LARGE.copy()
    read_only.flags.writeable = False
    with load(tiny_models.add()) as session, RunOptions() as options:
        for left in (SMALL, LARGE):
            held = []
            for turn in range(6):
                # Every other time elsewhere; the held results make the plan bind other arrays.
                right = left if turn % 2 else left.copy()
                held.append(session.run({"left": left, "right": right}))
            session.run([left, left], copy=True)
            session.run([left, left], options=options)
            session.run([left, left])
        session.run([read_only, LARGE])
        session.run([LARGE, LARGE])


def run_bound_and_fail(_folder):
    with load(tiny_models.gather()) as session:
        for index in (np.zeros(3, np.int64), np.zeros(1000, np.int64)):
            for _ in range(2):
                for _ in range(3):
                    session.run({"x": SMALL, "index": index})
                with refused():
                    session.run({"x": SMALL, "index": index + 7})


def run_bound_to_another_length(_folder):
    with load(tiny_models.non_zero()) as session:
        for x in (SMALL, SMALL, SMALL, SMALL - 1, SMALL):
            session.run([x])


def run_otherwise(_folder):
    with load(tiny_models.add()) as session:
        one, two = session.run_values([SMALL, LARGE[:3]])
        total, difference = session.run_values({"left": one, "right": two})
        shown = total.numpy(copy=False)
        target = np.zeros(3, np.float32)
        with session.allocate([3]) as allocated:
            session.run_into([SMALL, SMALL], {"total": target, "difference": allocated})
            session.run_into([SMALL, SMALL], {"total": target})
        assert session.run_named([SMALL, SMALL], ["total"])["total"].tolist() == [2] * 3
        heard = []
        future = session.submit([SMALL, SMALL], callback=heard.append)
        assert future.result()[0].tolist() == target.tolist() == [2] * 3
        del future, heard
    assert shown.tolist() == difference.numpy().tolist()


def run_sequences(_folder):
    with load(tiny_models.sequence_output()) as session:
        y, pair = session.run_values([SMALL])
        items = pair.items()
        assert pair.to_python()[0].tolist() == y.numpy().tolist()
    with load(tiny_models.sequence_input()) as session:
        session.run({"items": [SMALL, LARGE], "index": np.array(1)})
        session.run({"items": pair, "index": np.array(1)})
        session.run_values({"items": items, "index": np.array(0)})
    with load(tiny_models.passing_through()) as session:
        names = [info.name for info in session.outputs]
        session.run_values([np.ones(20, np.float32)[::2]] * len(session.inputs), names)


def run_bindings(_folder):
    with load(tiny_models.add()) as session, RunOptions() as options:
        target = np.zeros(3, np.float32)
        with Value.from_numpy(SMALL) as value, Value.empty([3]) as room:
            binding = session.bind({"left": SMALL, "right": value}, {"total": target, "difference": room})
        binding.run()
        binding.run(options)
        assert set(binding.outputs()) == {"total", "difference"}
        binding.bind_output("total", Memory.CPU)
        binding.bind_output("difference")
        binding.synchronize_inputs()
        binding.run()
        outputs = binding.outputs()
        binding.synchronize_outputs()
        binding.bind_input("left", outputs["total"])
        binding.run()
        shown = outputs["total"].numpy(copy=False)
        binding.clear_outputs()
        binding.bind_output("difference", target)
        binding.clear_inputs()
        with session.bind() as other:
            assert other.outputs() == {}
        other = session.bind({"left": SMALL})
    assert shown.tolist() == [2] * 3
    assert binding.closed
    assert other.closed


def use_run_options(_folder):
    settings = {"tag": "tag", "log_verbosity": 1, "shrink_arenas": "cpu:0", "config": {"key": "value"}}
    with RunOptions(log_level=ortffi.LogLevel.FATAL, **settings) as options, load(tiny_models.identity()) as session:
        with options.deadline(1000):
            for _ in range(4):
                session.run([SMALL], options=options)
        options.terminate()
        with refused():
            session.run([SMALL], options=options)
        options.resume()
        session.run([SMALL], options=options)


def make_sessions(folder):
    weights = np.ones((64, 64), np.float32)
    options = SessionOptions(
        providers=[ortffi.CPU()], optimization_level=ortffi.GraphOptimizationLevel.BASIC,
        optimized_model_path=folder / "optimized.onnx", execution_mode=ortffi.ExecutionMode.PARALLEL,
        intra_op_threads=1, inter_op_threads=1, allow_spinning=False, memory_pattern=False, cpu_arena=False,
        free_dimensions={"n": 2}, free_dimension_denotations={"DATA_BATCH": 2}, initializers={"w": weights},
        profiling_prefix=folder / "profile", log_level=ortffi.LogLevel.FATAL, log_verbosity=0, log_id="balance",
        config={"session.use_deterministic_compute": "0"},
    )  # fmt: skip
    if has("SetDeterministicCompute"):
        options = SessionBuilder(options).with_options(deterministic=True, logger=QUIET).options
    with SessionBuilder(options).commit_from_memory(tiny_models.product()) as session:
        session.run([np.ones((2, 64), np.float32)])
        assert session.end_profiling().exists()
        _ = session.metadata
        if has("GetModelEditorApi"):
            session.opset_version()
    path = folder / "model.onnx"
    path.write_bytes(tiny_models.identity())
    SessionBuilder().with_intra_threads(1).commit_from_mmap(path).close()
    SessionBuilder().with_intra_threads(1).commit_from_file(path).close()
    ortffi.infer(path, [SMALL])
    with refused():
        SessionBuilder().commit_from_memory(tiny_models.invalid_graph())


def share_weights(folder):
    path = folder / "model.onnx"
    path.write_bytes(tiny_models.product())
    x = np.ones((1, 64), np.float32)
    with ortffi.PrepackedWeights() as weights, Value.from_numpy(np.ones((64, 64), np.float32)) as w:
        builder = SessionBuilder().with_prepacked_weights(weights).with_initializers({"w": w})
        builder.with_intra_threads(1)
        sessions = [builder.commit_from_file(path), builder.commit_from_memory(path.read_bytes())]
    for session in sessions:
        assert session.run([x])[0][0, 0] == 64
        session.close()


def take_weights_from_elsewhere(_folder):
    model, w = tiny_models.product("weights"), np.ones((64, 64), np.float32)
    if has("AddExternalInitializers"):
        load(model, external_initializers={"w": w}).close()
    if has("AddExternalInitializersFromFilesInMemory"):
        load(model, external_files={"weights": w.tobytes()}).close()


def ask_the_assignment(_folder):
    if has("SetUserLoggingFunction"):
        with load(tiny_models.add(), record_assignment=True, logger=QUIET) as session:
            session.run([SMALL, SMALL])
            assert {node.provider for node in session.assignment()} == {"CPUExecutionProvider"}


def look_around(_folder):
    ortffi.usable_providers()
    if has("GetEpDevices"):
        assert ortffi.devices()


EVERYTHING = [
    use_values, use_packed_values, run_mixed, run_bound, run_bound_and_fail, run_bound_to_another_length, run_otherwise,
    run_sequences, run_bindings, use_run_options, make_sessions, share_weights, take_weights_from_elsewhere,
    ask_the_assignment, look_around,
]  # fmt: skip
