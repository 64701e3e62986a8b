"""What ortffi does with a GPU: its memory, where nodes are, and what a profile tells of them."""

from contextlib import ExitStack, closing

import numpy as np
import pytest
from onnx import numpy_helper, parser

import ortffi
from ortffi import Memory, SessionBuilder

CUDA, CPU = "CUDAExecutionProvider", "CPUExecutionProvider"
SIZE = 64

pytestmark = pytest.mark.usefixtures("gpu")


WEIGHTS = np.arange(SIZE * SIZE, dtype=np.float64).reshape(SIZE, SIZE) / SIZE**2


def product_and_angle():
    """`product = x @ w` and `angle = atan(product)`; CUDA has no kernel for the second."""
    model = parser.parse_model(f"""<ir_version: 9, opset_import: ["": 17]>
        product_and_angle (float[n, {SIZE}] x) => (float[n, {SIZE}] product, float[n, {SIZE}] angle) {{
            product = MatMul (x, w)
            angle = Atan (product)
        }}""")
    model.graph.initializer.append(numpy_helper.from_array(WEIGHTS.astype(np.float32), "w"))
    return model.SerializeToString()


def answers(x):
    product = x.astype(np.float64) @ WEIGHTS
    return product, np.arctan(product)


def ones(n):
    return np.linspace(-1, 1, n * SIZE, dtype=np.float32).reshape(n, SIZE)


@pytest.fixture
def open_session():
    with ExitStack() as opened:

        def open_session(profile=None, **options):
            builder = SessionBuilder().with_cuda(use_tf32=False, **options).with_assignment()
            if profile is not None:
                builder = builder.with_profiling(profile)
            return opened.enter_context(builder.commit_from_memory(product_and_angle()))

        yield open_session


def close_to(found, wanted):
    return bool(np.allclose(found, wanted, rtol=1e-4, atol=1e-5))


def test_cuda_is_usable_on_a_gpu_that_is_there_with_options_that_it_has():
    ortffi.try_provider("cuda")
    assert ortffi.usable_providers()[-1] == CPU
    assert CUDA in ortffi.usable_providers()
    with pytest.raises(ortffi.ProviderUnavailableError):
        ortffi.try_provider(ortffi.CUDA(99))
    # A key or value that the real provider does not know is refused by it.
    ortffi.try_provider(ortffi.CUDA(0, {"gpu_mem_limit": 1 << 30, "use_tf32": False}))
    with pytest.raises(ortffi.ProviderUnavailableError, match="nobody_knows"):
        ortffi.try_provider(ortffi.CUDA(0, unchecked_options={"nobody_knows": 1}))


def test_each_node_is_where_its_kernel_is_and_a_profile_names_it_and_copies(open_session, tmp_path):
    session = open_session(tmp_path / "profile")
    session.run({"x": ones(4)})
    events = ortffi.read_profile(session.end_profiling())
    assert {event.provider for event in events if event.operator == "MatMul"} == {CUDA}
    assert {event.provider for event in events if event.operator == "Atan"} == {CPU}
    assert {event.operator for event in events} & {"MemcpyToHost", "MemcpyFromHost"}
    placed = {node.operator: node.provider for node in open_session().assignment()}
    assert (placed["MatMul"], placed["Atan"]) == (CUDA, CPU)


@pytest.mark.parametrize("n", [1, 3, 500])
@pytest.mark.parametrize("search", ["HEURISTIC", "EXHAUSTIVE", "DEFAULT"])
def test_a_run_gives_what_it_should(open_session, n, search):
    found = open_session(cudnn_conv_algo_search=search).run({"x": ones(n)})
    assert all(map(close_to, found, answers(ones(n))))


def test_outputs_stay_on_the_gpu_and_are_the_next_inputs(open_session):
    session, wanted = open_session(), answers(ones(5))
    with session.bind({"x": ones(5)}, {"product": Memory.cuda(), "angle": Memory.CPU}) as binding:
        binding.run()
        outputs = binding.outputs()
    assert (outputs["product"].memory, outputs["angle"].memory) == (Memory.cuda(), Memory.CPU)
    assert close_to(outputs["angle"].numpy(), wanted[1])
    with pytest.raises(TypeError, match="can only be copied"):
        outputs["product"].numpy(copy=False)
    assert close_to(product_of(session, outputs["product"]), answers(wanted[0])[0])


def product_of(session, value):
    """Return what the model makes of a tensor on the GPU, on the host."""
    with session.bind({"x": value}, {"product": Memory.CPU, "angle": Memory.CPU}) as binding:
        binding.run()
        return binding.outputs()["product"].numpy()


def test_each_run_has_memory_of_its_own_on_the_gpu(open_session):
    session, kept = open_session(), []
    for n in (2, 7, 3):
        with session.bind({"x": ones(n)}, {"product": Memory.cuda()}) as binding:
            binding.bind_output("angle")
            binding.run()
            kept.append((n, binding.outputs()["product"]))
    for n, value in kept:
        assert close_to(product_of(session, value), answers(answers(ones(n))[0])[0])


def test_a_tensor_on_the_gpu_is_written_by_run_after_run(open_session):
    session, numbers = open_session(), ones(4)
    with closing(session.allocate([4, SIZE], memory=Memory.cuda())) as target:
        assert target.memory == Memory.cuda()
        with session.bind({"x": numbers}, {"product": target, "angle": Memory.CPU}) as binding:
            for factor in (1, -2):
                numbers[...] = ones(4) * np.float32(factor)
                binding.bind_input("x", numbers)  # which copies it to the GPU
                binding.run()
                wanted = answers(answers(ones(4) * factor)[0])[0]
                assert close_to(product_of(session, target), wanted)


def test_pinned_memory_is_read_and_written_by_the_gpu_itself(open_session):
    session, pinned = open_session(), Memory("CudaPinned", 0)
    with (
        closing(session.allocate((4, SIZE), memory=pinned)) as x,
        closing(session.allocate((4, SIZE), memory=pinned)) as y,
    ):
        assert x.memory.on_host
        inputs, outputs = {"x": x.mapped(Memory.cuda())}, {"product": y.mapped(Memory.cuda())}
        with session.bind(inputs, outputs) as binding:
            binding.bind_output("angle")
            for factor in (1, -2):
                x.copy_from(ones(4) * np.float32(factor))
                binding.run()
                assert close_to(y.numpy(), answers(ones(4) * factor)[0])


@pytest.mark.xfail(
    raises=ortffi.OrtError,
    strict=False,
    reason="others report that CUDA, where it is built in, gives CopyTensors nothing to copy with",
)
def test_copies_go_both_ways(open_session):
    session, numbers = open_session(), ones(9)
    with (
        closing(session.allocate(numbers.shape, memory=Memory.cuda())) as one,
        closing(session.allocate(numbers.shape, memory=Memory.cuda())) as other,
    ):
        one.copy_from(numbers)
        other.copy_from(one)
        assert other.numpy().tolist() == numbers.tolist()


def test_too_little_memory_is_an_error_and_not_the_end(open_session):
    session = open_session(gpu_mem_limit=1 << 20)
    with pytest.raises(ortffi.OrtError, match="memory"):
        session.run({"x": ones(100_000)})
    assert close_to(session.run({"x": ones(2)})[0], answers(ones(2))[0])
