"""The one environment of a process, which is made once."""

import dataclasses
import logging

import numpy as np
import pytest

import ortffi
import ortffi.environment
from ortffi import LogLevel
from ortffi.environment import ArenaConfig, ArenaExtendStrategy, ThreadPools
from ortffi.errors import UnsupportedError
from tests.ortffi.meeting import together
from tests.ortffi.raw_session import needs

LOGGER = logging.getLogger(__name__)
POOLS = ThreadPools(1, 1)


@pytest.fixture
def unused(fake, library, use, monkeypatch):
    """A process that has not called `init` yet; answers which libraries were loaded."""
    loaded = []
    watched = dataclasses.replace(library, api=fake.api())
    monkeypatch.setattr(ortffi.environment, "load_library", lambda path: loaded.append(path) or watched)
    use(None)
    return loaded


def test_init_returns_the_same_environment_each_time_and_makes_what_belongs_to_it_once(unused, fake, library):
    first = ortffi.init()
    assert ortffi.init() is ortffi.init(library.path) is first
    assert unused == [None]
    for _ in range(3):
        ortffi.available_providers()
        ortffi.Value.from_numpy(np.ones(2)).close()
    once = ["CreateEnv", "CreateCpuMemoryInfo", "GetAllocatorWithDefaultOptions"]
    assert [fake.calls.count(name) for name in once] == [1] * 3


def test_init_passes_on_what_was_chosen(unused, fake, library):
    seen, create = [], fake.real("CreateEnv")
    fake.replace["CreateEnv"] = lambda level, name, out: seen.append((level, name)) or create(level, name, out)
    ortffi.init(library.path, log_level=ortffi.LogLevel.ERROR)
    assert unused == [str(library.path)]
    assert seen == [(ortffi.LogLevel.ERROR, b"ortffi")]


def test_eight_threads_make_one_environment(unused, fake, threads):
    assert len(set(map(id, together(threads, lambda _: ortffi.init())))) == 1
    assert len(unused) == 1
    assert fake.calls.count("CreateEnv") == 1


def test_another_library_needs_another_process_and_a_link_to_the_same_does_not(library, tmp_path):
    other, link = tmp_path / "libonnxruntime.so", tmp_path / "link.so"
    with pytest.raises(RuntimeError) as caught:
        ortffi.init(other)
    assert str(other) in str(caught.value)
    assert str(library.path) in str(caught.value)
    link.symlink_to(library.path)
    assert ortffi.init(link) is ortffi.init()


CHOICES = [
    {"log_level": LogLevel.ERROR}, {"logger": LOGGER}, {"thread_pools": POOLS},
    {"log_level": LogLevel.INFO, "logger": LOGGER, "thread_pools": POOLS},
]  # fmt: skip


@pytest.mark.usefixtures("unused")
@pytest.mark.parametrize("chosen", CHOICES, ids=", ".join)
def test_what_was_chosen_may_be_said_again_or_left_out_and_not_differently(use, chosen):
    environment = ortffi.init(**chosen)
    assert ortffi.init() is environment
    assert ortffi.init(**chosen) is environment
    for first in ({}, {"thread_pools": ThreadPools(2)}):
        use(None)
        environment = ortffi.init(**first)
        with pytest.raises(RuntimeError, match="already") as caught:
            ortffi.init(**chosen)
        assert next(iter(chosen)) in str(caught.value)
        assert ortffi.init() is environment


@pytest.mark.usefixtures("unused")
@pytest.mark.parametrize(
    ("chosen", "function"),
    [
        ({}, "CreateEnv"), ({"logger": LOGGER}, "CreateEnvWithCustomLogger"),
        ({"thread_pools": POOLS}, "CreateEnvWithGlobalThreadPools"),
        ({"logger": LOGGER, "thread_pools": POOLS}, "CreateEnvWithCustomLoggerAndGlobalThreadPools"),
    ],
)  # fmt: skip
def test_what_is_taken_to_make_the_environment_is_given_back(fake, chosen, function):
    with fake.failing(function), pytest.raises(ortffi.FailError, match=f"injected into {function}"):
        ortffi.init(**chosen)
    assert not fake.outstanding
    assert ortffi.init(**chosen) is ortffi.init()  # it may be tried again
    fake.check()


def test_thread_pools_are_set_up_as_told(unused, fake, library):
    if not library.api.has("SetGlobalIntraOpThreadAffinity"):
        pytest.skip("SetGlobalIntraOpThreadAffinity needs ONNX Runtime 1.14")
    ortffi.init(thread_pools=ThreadPools(2, 3, spinning=False, denormal_as_zero=True, intra_op_affinity="1"))
    assert [name.removeprefix("SetGlobal") for name in fake.calls if name.startswith("SetGlobal")] == [
        "IntraOpNumThreads", "InterOpNumThreads", "SpinControl", "DenormalAsZero", "IntraOpThreadAffinity",
    ]  # fmt: skip
    assert len(unused) == 1


def test_a_library_that_is_too_old_for_something_says_so(fake, library):
    for newest, use_it, function, needed in [
        (13, lambda e: e.set_log_level(LogLevel.FATAL), "UpdateEnvWithCustomLogLevel", 14),
        (14, lambda e: e.build_info, "GetBuildInfoString", 15),
    ]:
        version = min(newest, library.api_version)
        with pytest.raises(UnsupportedError) as caught:
            use_it(fake.environment(version))
        error = caught.value
        assert (error.function, error.needed, error.found) == (function, needed, version)
    version = min(13, library.api_version)
    old = dataclasses.replace(library, api=fake.api(version), api_version=version)
    with pytest.raises(UnsupportedError, match="SetGlobalIntraOpThreadAffinity"):
        ortffi.Environment(old, LogLevel.FATAL, thread_pools=ThreadPools(2, intra_op_affinity="1"))
    assert not fake.outstanding


def test_the_build_says_what_it_is(library):
    needs("GetBuildInfoString")
    assert "build type=" in ortffi.init().build_info


def test_a_shared_arena_is_made_once_and_stays_where_it_cannot_be_given_up(fake):
    environment, config = fake.environment(), ArenaConfig(max_mem=2**33)
    make, give_up = "CreateAndRegisterAllocator", "UnregisterAllocator"
    fake.replace = {make: lambda *_: None, give_up: lambda *_: None}  # or it would stay for all tests
    environment.release_cpu_arena()  # there is none
    assert give_up not in fake.calls
    assert environment.cpu_arena is None
    with fake.failing(make), pytest.raises(ortffi.FailError):
        environment.share_cpu_arena(config)
    assert environment.cpu_arena is None
    environment.share_cpu_arena(config)
    with pytest.raises(RuntimeError, match=f"max_mem={2**33}"):
        environment.share_cpu_arena()
    assert environment.cpu_arena is config
    assert fake.calls.count(make) == 2
    with fake.failing(give_up), pytest.raises(ortffi.FailError):
        environment.release_cpu_arena()
    assert environment.cpu_arena is config
    environment.release_cpu_arena()
    assert environment.cpu_arena is None
    fake.check()


def test_an_arenas_configuration_holds_what_is_set():
    assert ArenaConfig().entries() == {}
    assert ArenaConfig(1, ArenaExtendStrategy.SAME_AS_REQUESTED, 2, 3, 4).entries() == {
        "max_mem": 1, "arena_extend_strategy": 1, "initial_chunk_size_bytes": 2, "max_dead_bytes_per_chunk": 3,
        "initial_growth_chunk_size_bytes": 4,
    }  # fmt: skip


REAL = """
import logging, os
import numpy as np, ortffi
from tests.ortffi import tiny_models
from ortffi import LogLevel
from ortffi.environment import ArenaConfig, ArenaExtendStrategy, ThreadPools
from tests.ortffi.raw_session import raw_session
"""

A_LOGGER = """
records, logger, handler = [], logging.getLogger("speech.ort"), logging.Handler()
handler.emit = records.append
logger.setLevel(logging.DEBUG)
logger.addHandler(handler)
environment = ortffi.init(path, log_level=LogLevel.VERBOSE, logger=logger)
with raw_session(environment, tiny_models.add()):
    pass
assert any("successfully initialized" in record.getMessage() for record in records)
assert {record.levelname for record in records} >= {"DEBUG", "INFO"}
assert records[-1].code_location.startswith("inference_session.cc:")
records.clear()
if environment.api.has("UpdateEnvWithCustomLogLevel"):
    environment.set_log_level(LogLevel.ERROR)
    assert environment.log_level is LogLevel.ERROR
    with raw_session(environment, tiny_models.add()):
        pass
    assert not records
"""

SHARED_POOLS = """
def n_threads():
    return len(os.listdir("/proc/self/task"))

def sessions(environment, *steps):
    before = n_threads()
    with raw_session(environment, tiny_models.add(), *steps), \
         raw_session(environment, tiny_models.add(), *steps):
        return n_threads() - before

before = n_threads()
pools = ThreadPools(3, 1, spinning=False, denormal_as_zero=True)
environment = ortffi.init(path, log_level=LogLevel.FATAL, thread_pools=pools)
assert n_threads() - before >= 2, n_threads()
two_each = lambda options: environment.api.SetIntraOpNumThreads(options, 3)
assert sessions(environment, two_each) == 4
assert sessions(environment, two_each, environment.api.DisablePerSessionThreads) == 0
"""

A_SHARED_ARENA = """
environment = ortffi.init(path, log_level=LogLevel.FATAL)
environment.share_cpu_arena(ArenaConfig(max_mem=2**20, initial_chunk_size_bytes=4096,
    arena_extend_strategy=ArenaExtendStrategy.SAME_AS_REQUESTED))
x = np.ones(2**20, np.float32)  # and twice as much on the way

def run(value):
    builder = ortffi.SessionBuilder().with_intra_threads(1).with_config("session.use_env_allocators", value)
    with builder.commit_from_memory(tiny_models.double_and_take_first()) as session:
        return session.run({"x": x})[0]

assert run("0")[0] == 2
assert environment.cpu_arena.max_mem == 2**20
try:
    run("1")
except ortffi.OrtError as error:
    assert "memory" in str(error).lower(), error
else:
    raise AssertionError("max_mem had no effect")
for _ in range(2):
    environment.release_cpu_arena()
    assert environment.cpu_arena is None
environment.share_cpu_arena(ArenaConfig(max_mem=2**30))
assert run("1")[0] == 2
"""


@pytest.mark.parametrize("script", [A_LOGGER, SHARED_POOLS, A_SHARED_ARENA], ids=["logger", "thread pools", "arena"])
def test_what_is_chosen_has_an_effect_in_a_process_of_its_own(run_python, library, script):
    done = run_python(f"path = {str(library.path)!r}\n{REAL}{script}\nprint('end')")
    assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr


@pytest.mark.usefixtures("unused")
def test_a_vtable_that_does_something_else_is_refused(fake, library):
    create = fake.real("CreateStatus")
    for answer in (
        lambda _code, _message: None,
        lambda code, _message: create(code, b"else"),
        lambda _code, message: create(1, message),
    ):
        fake.replace["CreateStatus"] = answer
        with pytest.raises(ortffi.ApiVersionError, match="function table") as caught:
            ortffi.init()
        assert str(library.path) in str(caught.value)
        assert "CreateEnv" not in fake.calls
        assert not fake.outstanding
