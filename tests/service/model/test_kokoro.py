import dataclasses

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from service.errors import InvalidRequestError, ModelError, ProviderError, SynthesisError
from service.loading import load_model
from service.model import SplitModel, WholeModel, open_runtime
from service.model import open as open_model
from service.model.durations import SAMPLES_PER_FRAME, output_declaration
from service.preparation import Source
from service.settings import Settings
from tests.opened_models import open_file
from tests.small_kokoro import write_small_kokoro

STYLE = np.zeros((1, 256), np.float32)
INT64, FLOAT = TensorProto.INT64, TensorProto.FLOAT


@pytest.fixture
def load(tmp_path):
    """Load a model that gives fixed audio and durations, with inputs as told."""
    loaded = []

    def load(audio, durations=None, *, tokens="tokens", token_type=INT64, speed_type=FLOAT, style_size=256, **names):
        constants = {names.get("audio_name", "audio"): audio}
        if durations is not None:
            constants["durations"] = durations
        values = {name: numpy_helper.from_array(value, name) for name, value in constants.items()}
        inputs = {tokens: (token_type, [1, "n"]), "style": (FLOAT, [1, style_size]), "speed": (speed_type, [1])}
        graph = helper.make_graph(
            [helper.make_node("Constant", [], [name], value=value) for name, value in values.items()],
            "fixed",
            [helper.make_tensor_value_info(name, *given) for name, given in inputs.items()],
            [helper.make_tensor_value_info(name, value.data_type, value.dims) for name, value in values.items()],
        )
        path = tmp_path / "fixed.onnx"
        onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 13)]), path)
        loaded.append(open_file(path))
        return loaded[-1]

    yield load
    for kokoro in loaded:
        kokoro.close()


def audio(n_samples):
    return np.full(n_samples, 0.1, np.float32)


def test_the_declaration_of_the_durations_is_valid_protobuf():
    added = onnx.ModelProto.FromString(output_declaration()).graph.output
    assert len(output_declaration()) == 34
    assert [(value.name, value.type.tensor_type.elem_type) for value in added] == [
        ("/encoder/Clip_output_0", TensorProto.FLOAT)
    ]


@pytest.mark.parametrize("tokens", ["tokens", "input_ids"])
@pytest.mark.parametrize("audio_name", ["audio", "waveform"])
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_models_of_both_namings_are_accepted(load, tokens, audio_name, dtype):
    kokoro = load(audio(1200).reshape(1, -1), np.array([[1, 1]], dtype), tokens=tokens, audio_name=audio_name)
    inference = kokoro.infer([1], STYLE, 1.0)
    assert (inference.samples.shape, inference.durations.tolist()) == ((1200,), [1, 1])


def test_a_model_without_durations_is_accepted_with_a_warning(load, caplog):
    kokoro = load(audio(1000))
    assert not kokoro.gives_durations
    assert "gives no durations" in caplog.text
    assert kokoro.infer([1], STYLE, 1.0).durations is None


@pytest.mark.parametrize(("samples", "durations", "message"), [
    *(
        (audio(n), [1.0, 1.0], f"{n} samples where its durations promise 1200") for n in (600, 1199, 1201, 1800)
    ),
    *((np.append(audio(599), np.float32(bad)), [1.0], "not finite") for bad in (np.nan, np.inf, -np.inf)),
    (audio(0), [0.0], "no audio"),
])  # fmt: skip
def test_audio_that_is_not_what_was_promised_is_an_error(load, samples, durations, message):
    with pytest.raises(SynthesisError, match=message):
        load(samples, np.array(durations, np.float32)).infer([1], STYLE, 1.0)


def test_integer_speed_takes_whole_numbers_only(load):
    kokoro = load(audio(600), np.array([1.0], np.float32), speed_type=TensorProto.INT32)
    assert kokoro.infer([1], STYLE, 1.0).samples.size == 600
    with pytest.raises(InvalidRequestError, match=r"integers only, not 1\.5"):
        kokoro.infer([1], STYLE, 1.5)


@pytest.mark.parametrize("wrong", [
    {"tokens": "words"}, {"token_type": FLOAT}, {"style_size": 128}, {"speed_type": TensorProto.BOOL},
    {"audio_name": "mel"},
])  # fmt: skip
def test_a_model_that_does_not_fit_is_refused_with_expected_and_found(load, wrong):
    with pytest.raises(ModelError, match=r"Expected: .*input_ids.* Found: inputs .*style") as caught:
        load(audio(600), **wrong)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"not a model", b"\x08\x08" * 1000])
def test_a_file_that_is_no_model_is_refused(tmp_path, content):
    path = tmp_path / "garbage.onnx"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"garbage\.onnx"):
        open_file(path)
    with pytest.raises(ModelError, match=r"none\.onnx cannot be read: No such file"):
        open_file(tmp_path / "none.onnx")


def test_the_number_of_tokens_and_the_style_are_checked(load):
    kokoro = load(audio(600))
    for n_tokens in (0, 511):
        with pytest.raises(ValueError, match="token ids"):
            kokoro.infer([1] * n_tokens, STYLE, 1.0)
    with pytest.raises(ValueError, match="style"):
        kokoro.infer([1], STYLE[0], 1.0)


def test_cuda_that_cannot_be_had_is_an_error_and_auto_warns_once(tmp_path, caplog):
    settings = Settings(model=write_small_kokoro(tmp_path / "small.onnx"), prepare=False)
    runtime = open_runtime("cuda")
    if "CUDAExecutionProvider" in runtime.compiled_in:
        pytest.skip("this ONNX Runtime has CUDA; the refusal needs one without")
    with pytest.raises(ProviderError, match="CUDA"):
        load_model(settings, runtime, print)
    caplog.clear()
    kokoro = load_model(settings, open_runtime("auto"), print)
    assert kokoro.provider == "cpu"
    kokoro.close()
    (warning,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert "running on the CPU" in warning


def test_options_of_cuda_that_are_wrong_are_an_error_with_auto_too(cache_dir):
    runtime = open_runtime("auto", cuda_options={"no_such_option": True})
    with pytest.raises(ProviderError, match=r"cuda_options: .*no_such_option"):
        load_model(Settings(cache_dir=cache_dir), runtime, print)


@pytest.mark.thorough
@pytest.mark.parametrize(("prepare", "lengths"), [
    (True, [(1, 1.0), (2, 1.0), (510, 2.0)]),
    (True, [(17, 1.0), (510, 1.0)]),
    # As it was published it takes three times the memory and the time.
    pytest.param(False, [(1, 1.0), (2, 1.0), (17, 1.0), (150, 1.0)], marks=pytest.mark.slow),
], ids=["prepared", "prepared, slower", "published"])  # fmt: skip
def test_the_real_model_keeps_its_promise_at_every_length(model_file, cache_dir, repository, prepare, lengths):
    kokoro = load_model(Settings(cache_dir=cache_dir, prepare=prepare), open_runtime(), print)
    assert isinstance(kokoro, SplitModel if prepare else WholeModel)
    assert (kokoro.prepared.variant is not None) is prepare
    styles = np.fromfile(repository / "voices/af_heart.bin", "<f4").reshape(510, 1, 256)
    for n_tokens, speed in lengths:
        inference = kokoro.infer([43 + i % 20 for i in range(n_tokens)], styles[n_tokens - 1], speed)
        assert len(inference.durations) == n_tokens + 2
        assert inference.samples.size == SAMPLES_PER_FRAME * inference.durations.sum()
        assert inference.durations.min() >= 1
    kokoro.close()


@pytest.mark.parametrize("prepare", [False, True])
def test_nothing_of_an_opened_model_can_be_changed(model_file, cache_dir, tmp_path, prepare):
    if prepare:
        model = load_model(Settings(cache_dir=cache_dir), open_runtime(), print)
    else:
        model = open_file(write_small_kokoro(tmp_path / "small.onnx"))
    assert isinstance(model, SplitModel if prepare else WholeModel)
    for name in [field.name for field in dataclasses.fields(model)]:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(model, name, None)
    model.close()
    model.close()  # harmless


def test_a_file_that_changes_before_it_is_opened_is_an_error(tmp_path):
    path = write_small_kokoro(tmp_path / "small.onnx")
    file = Source(path, False).file_as_it_is("as it is", print)
    write_small_kokoro(path, frames=2.0)
    with pytest.raises(ModelError, match="has changed"):
        open_model(file, open_runtime())
