"""Models of others: from a file to speech, by the command line."""

import json

import numpy as np
import pytest

from service.errors import ModelError
from service.loading import load_spec, load_synthesizer, load_voices
from service.model.spec import included_model
from service.preparation import digest
from service.settings import Settings
from service.speech import Delivery, Utterance
from service.tensor_files import pytorch_file
from tests.service.commands import command, complaint
from tests.service.preparation.published_weights import published_weights
from tests.service.torch_files import checkpoint_file, layers_of
from tests.small_kokoro import write_small_kokoro

CONFIG = {
    "n_token": 178, "hidden_dim": 512, "plbert": {"num_hidden_layers": 12, "dropout": 0.1},
    "vocab": {s: i for s, i in included_model().token_ids.items() if s not in "ɜɹ"} | {"ㄅ": 150, "2": 170},
}  # fmt: skip
VOICE = np.random.default_rng(1).standard_normal((510, 1, 256)).astype(np.float32)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    voices = tmp_path / "voices"
    voices.mkdir()
    for name in ("anna", "zf_001"):
        (voices / f"{name}.pt").write_bytes(pytorch_file(VOICE))
    write_small_kokoro(tmp_path / "hum.onnx")
    return tmp_path


def add(folder, *arguments, file="hum.onnx"):
    return ["model", "add", str(folder / file), "--models-dir", str(folder / "models"), *arguments]


def test_an_onnx_file_is_added_listed_spoken_with_and_removed(folder):
    done = command(
        *add(folder, "--voices", str(folder / "voices"), "--language", "de", "--licence", "MIT", "--voice", "anna")
    )
    place = folder / "models" / "hum"
    assert (done.returncode, done.stdout) == (0, f"{place / 'model.onnx'}\n"), done.stderr
    settings = Settings(model="hum", models_dir=folder / "models", prepare=False)
    spec = load_spec(settings)
    assert (spec.name, spec.licence, spec.voice) == ("hum", "MIT", "anna")
    assert {voice.name: voice.language for voice in load_voices(settings).voices} == {"anna": "de", "zf_001": "de"}
    assert spec.sha256 == digest(spec.file)
    listed = command("model", "--models-dir", str(folder / "models")).stdout.splitlines()
    assert [(line.split()[0], "no windows" in line) for line in listed] == [("kokoro", False), ("hum", True)]
    synthesizer = load_synthesizer(settings, lambda line: None)
    try:
        synthesizer.self_test()  # by symbols of its own
        plan = synthesizer.plan(Utterance("aㄅ2", "phonemes"), Delivery())
        (segment,) = synthesizer.stream(plan)
        assert segment.samples.size > 0
    finally:
        synthesizer.close()
    assert complaint(*add(folder, "--name", "hum")).endswith(f"a model hum already in {folder / 'models'}")
    spec.file.write_bytes(b"another")
    with pytest.raises(ModelError, match="not that of its record"):
        load_synthesizer(settings, lambda line: None)
    assert command("model", "remove", "hum", "--models-dir", str(folder / "models")).returncode == 0
    assert not place.exists()
    assert "there is no model 'hum'" in complaint("model", "remove", "hum", "--models-dir", str(folder / "models"))


@pytest.mark.thorough
def test_what_cannot_be_added_leaves_nothing(folder):
    (folder / "text.pth").write_text("no checkpoint", encoding="utf-8")
    (folder / "few.pth").write_bytes(checkpoint_file(layers_of({"bert_encoder.weight": VOICE[0]})))
    table = {"text_encoder.embedding.weight": np.ones((170, 512), np.float32), "bert_encoder.weight": VOICE[0]}
    (folder / "zh.pth").write_bytes(checkpoint_file(layers_of(table)))
    other = folder / "other.json"
    other.write_text(json.dumps({**CONFIG, "istftnet": {"upsample_rates": [8, 8]}}), encoding="utf-8")
    empty = folder / "empty"
    empty.mkdir()
    cases = [
        (["--name", "kokoro"], "hum.onnx", "there is a model kokoro already"),
        (["--name", "../up"], "hum.onnx", "is no name of a model"),
        (["--config", str(other)], "hum.onnx", "istftnet.upsample_rates is [8, 8], and"),
        (["--config", str(folder / "absent.json")], "hum.onnx", "absent.json cannot be read"),
        (["--voices", str(empty)], "hum.onnx", "no voices"),
        (["--voices", str(folder / "text.pth")], "hum.onnx", "is no file of PyTorch"),
        (["--voices", str(folder / "voices"), "--voice", "bertha"], "hum.onnx", "has no voice bertha"),
        ([], "text.pth", "is no file of PyTorch, NumPy or safetensors"),
        ([], "few.pth", "it lacks"),
        ([], "zh.pth", "config.json is of another model: it has ids up to 177"),
        ([], "absent.onnx", "absent.onnx"),
    ]
    for arguments, file, message in cases:
        done = command(*add(folder, *arguments, file=file))
        assert (done.returncode, done.stdout) == (1, "")
        assert message in done.stderr.splitlines()[-1]
        assert not list((folder / "models").glob("*")), message


@pytest.mark.thorough
def test_a_checkpoint_speaks_as_the_model_that_it_is_of(folder, model_file, cache_dir, synthesizer):
    """With the published weights, of which a few are not rounded, and with others, which make it slower."""
    weights = published_weights(model_file)
    config = folder / "v1.json"
    config.write_text(json.dumps({"vocab": dict(included_model().token_ids), "n_token": 178}), encoding="utf-8")
    utterance = Utterance("həlˈO, wˈɜɹld. ðə nˈɔɹθ wˈɪnd.", "phonemes")

    def said(model):
        settings = Settings(model=model, models_dir=folder / "models", cache_dir=cache_dir)
        speaking = load_synthesizer(settings, lambda line: None) if model else synthesizer
        try:
            plan = speaking.plan(utterance, Delivery(timed=True))
            assert speaking.model.prepared.variant == synthesizer.model.prepared.variant
            return np.concatenate([segment.samples for segment in speaking.stream(plan)])
        finally:
            if model:
                speaking.close()

    published = said(None)
    for name, within in (("same", "module."), ("slower", "")):
        if name == "slower":
            weights = {**weights, "predictor.duration_proj.linear_layer.bias":
                weights["predictor.duration_proj.linear_layer.bias"] + 1}  # fmt: skip
        (folder / f"{name}.pth").write_bytes(checkpoint_file(layers_of(weights, within)))
        done = command(*add(folder, "--config", str(config), file=f"{name}.pth"))
        assert done.returncode == 0, done.stderr
    assert said("same").size == pytest.approx(published.size, rel=0.02)
    assert said("slower").size > 1.05 * published.size
