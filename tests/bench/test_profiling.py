import json
import shutil
import subprocess

import pytest
from onnx import TensorProto, helper

from bench.limits import SOURCE, limit_of, measure_peaks
from bench.processes import ChildError
from bench.profiling import PARTS, Run, joined, part_of, parts_of, read_runs


def kernel(name, operator, start, duration, inputs=(), outputs=()):
    shapes = [[{"float": list(shape)} for shape in of] for of in (inputs, outputs)]
    arguments = {"op_name": operator, "input_type_shape": shapes[0], "output_type_shape": shapes[1]}
    return {"name": f"{name}_kernel_time", "ts": start, "dur": duration, "args": arguments}


@pytest.fixture
def read(tmp_path):
    def read(*events):
        path = tmp_path / "profile.json"
        path.write_text(json.dumps(list(events)), encoding="utf-8")
        return read_runs(path, 1.0, {"node_17": "decoder"})

    return read


RUN = {"name": "model_run", "ts": 0, "dur": 100}


def test_the_part_is_in_the_name():
    parts = {
        "/encoder/text_encoder/lstm/LSTM_quant": "text encoder",
        "/encoder/predictor/text_encoder/lstms.0/LSTM_quant": "prosody", "/encoder/F0.1/norm1/Add": "prosody",
        "/decoder/decoder/decode.3/pool/ConvTranspose": "decoder",
        "/decoder/decoder/generator/m_source/l_sin_gen/Sin": "source",
        "/decoder/decoder/generator/noise_res.1/convs1.0/Conv_quant": "generator, 2nd stage",
        "/decoder/decoder/generator/resblocks.2/Add": "generator, 1st stage",
        "/decoder/decoder/generator/conv_post/Conv": "output",
        "decoder.decoder.generator.ups.0.bias": "generator, 1st stage", "MatMul_token_17": None,
    }  # fmt: skip
    assert {name: part_of(name) for name in parts} == parts
    assert set(parts.values()) - {None} <= set(PARTS)


def test_runs_are_separated_unnamed_nodes_belong_to_the_part_before_and_sessions_are_joined(read):
    first, second = read(
        RUN, kernel("/encoder/bert/Add", "Add", 1, 10), kernel("fused", "Mul", 20, 10),
        RUN | {"ts": 200, "dur": 50}, kernel("/decoder/decoder/generator/conv_post/Conv", "Conv", 210, 30),
    )  # fmt: skip
    assert [node.part for node in first.nodes] == ["text encoder", "text encoder"]
    assert [(node.part, node.kind) for node in second.nodes] == [("output", "float products")]
    assert second.seconds == pytest.approx(50e-6)
    (encoder,) = read({"name": "model_run", "ts": 0, "dur": 9}, kernel("a", "Mul", 1, 5))
    (decoder,) = read({"name": "model_run", "ts": 7, "dur": 20}, kernel("b", "Add", 8, 3))
    assert joined([encoder, decoder]) == Run(encoder.nodes + decoder.nodes, 29e-6, 1.0)


def test_part_of_a_node_without_a_telling_name_is_that_of_its_tensors():
    nodes = [
        helper.make_node("Relu", ["x"], ["v"], name="node_0"),
        helper.make_node("Add", ["v", "/decoder/decoder/decode.1/bias"], ["w"], name="node_1"),
        helper.make_node("Add", ["x", "w"], ["y"], name="node_2"),
        helper.make_node("Relu", ["y"], ["z"], name="/decoder/decoder/generator/conv_post/Relu"),
    ]
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xz"]
    bias = helper.make_tensor("/decoder/decoder/decode.1/bias", TensorProto.FLOAT, [1], [0.0])
    graph = helper.make_graph(nodes, "g", values[:1], values[1:], [bias])
    assert parts_of(graph) == {
        "node_1": "decoder", "node_2": "decoder", "/decoder/decoder/generator/conv_post/Relu": "output",
    }  # fmt: skip


def test_known_parts_of_nodes_are_taken_and_a_node_inside_of_another_counts_once(read):
    inside, behind = kernel("/encoder/bert/Add", "Add", 10, 20), kernel("/encoder/bert/Mul", "Mul", 60, 5)
    (run,) = read(RUN, kernel("node_17", "If", 1, 50), inside, behind)
    assert [(node.operator, node.part) for node in run.nodes] == [("If", "decoder"), ("Mul", "text encoder")]


def test_a_convolution_is_as_much_work_in_every_form_and_a_block_as_its_six(read):
    block = [(1, 100, 24), (4, 24), (1, 100, 24), (576,), (1,), (2, 3, 6, 16, 4), (24,)]
    rows = (
        ("ConvInteger", [(1, 24, 100), (40, 24, 3)], (1, 40, 98), 98 * 40 * 24 * 3),
        ("MatMulIntegerToFloat", [(1, 98, 72), (72, 40)], (1, 98, 40), 98 * 40 * 24 * 3),
        ("DynamicQuantizeConv", [(1, 100, 24), (3, 3, 6, 16, 4)], (1, 98, 40), 98 * 40 * 24 * 3),
        ("ResidualBlock", block, (1, 100, 24), 6 * 100 * 24 * 24 * 3),
    )
    for operator, inputs, output, multiplications in rows:
        (run,) = read(RUN, kernel("/decoder/decoder/encode/conv1", operator, 1, 10, inputs, [output]))
        assert run.nodes[0].multiplications == multiplications, operator


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler (cc)")
def test_peaks_are_measured_best_first_on_some_threads(tmp_path):
    peaks = measure_peaks(1)
    assert list(peaks)[-1].startswith("portable: ")
    assert max(peaks.values()) == next(iter(peaks.values()))
    assert min(peaks.values()) > 0

    program = tmp_path / "peak"
    warnings = ["-Wall", "-Wextra", "-Werror"]
    subprocess.run(["cc", *warnings, "-pthread", SOURCE, "-o", program], check=True)
    assert subprocess.run([program, "0"]).returncode == 2


def test_the_limit_is_that_of_the_kernels_in_use():
    peaks = {"avx512vnni: vpdpbusd": 9e11, "avx2: vpmaddubsw, vpaddw": 6e11, "portable: C": 3e10}
    assert (limit_of(peaks, None), limit_of(peaks, "avx2")) == (9e11, 6e11)
    with pytest.raises(ChildError, match="KOKORO_KERNELS=avx"):
        limit_of(peaks, "avx")
