"""What a loaded model says about itself, and that every string goes back."""

import dataclasses

import onnx
import pytest

import ortffi
from ortffi.errors import UnsupportedError
from ortffi.metadata import ModelMetadata, opset_version, read_metadata
from tests.ortffi import tiny_models
from tests.ortffi.raw_session import needs, raw_session

CUSTOM = {"sample_rate": "24000", "": "no key", "empty": "", "näme": "wört ❤"}


def described():
    model = onnx.load_from_string(tiny_models.add())
    model.producer_name = "a tool"
    model.graph.name = "a graph"
    model.domain = "org.example"
    model.doc_string = "speaks ❤"
    model.graph.doc_string = "adds"
    model.model_version = -(2**40)
    onnx.helper.set_model_props(model, CUSTOM)
    return model.SerializeToString()


def read(model):
    with raw_session(ortffi.init(), model) as session:
        return read_metadata(ortffi.init(), session)


def test_everything_is_read_and_nothing_can_be_changed(library):
    metadata = read(described())
    assert metadata == ModelMetadata(
        producer_name="a tool", graph_name="a graph", domain="org.example", description="speaks ❤",
        graph_description="adds", version=-(2**40), custom=CUSTOM,
    )  # fmt: skip
    with pytest.raises(TypeError):
        metadata.custom["sample_rate"] = "0"
    with pytest.raises(dataclasses.FrozenInstanceError):
        metadata.version = 1
    assert read(tiny_models.add()) == ModelMetadata("", "tiny", "", "", "", 0, {})


@pytest.mark.parametrize("model", [described, tiny_models.add], ids=["described", "bare"])
def test_every_string_is_given_back_wherever_it_fails(fake, model):
    environment = fake.environment(min(17, ortffi.init().api.version))
    with raw_session(environment, model()) as session:

        def read():
            fake.calls.clear()
            return read_metadata(environment, session)

        before = set(fake.outstanding)
        read()
        n_calls = len(fake.calls)
        for failing in range(n_calls):
            fake.fail = lambda _name, failing=failing: len(fake.calls) == failing + 1
            with pytest.raises(ortffi.FailError, match="injected"):
                read()
            # What could not be given back is the one thing left.
            refused = fake.calls[failing] == "AllocatorFree"
            left = fake.outstanding - before
            assert len(left) == refused, fake.calls[: failing + 1]
            fake.fail = lambda _name: False
            for _, pointer in left:
                environment.api.AllocatorFree(environment.allocator, pointer)
        assert n_calls > 8
    assert not fake.outstanding
    assert not fake.mistakes


def test_a_key_whose_value_is_gone_has_none(fake):
    environment = fake.environment()
    with raw_session(environment, described()) as session:
        real = fake.real("ModelMetadataLookupCustomMetadataMap")
        fake.replace["ModelMetadataLookupCustomMetadataMap"] = lambda metadata, allocator, _key, out: real(
            metadata, allocator, b"absent", out
        )
        fake.outstanding.clear()
        metadata = read_metadata(environment, session)
        assert set(metadata.custom) == set(CUSTOM)
        assert set(metadata.custom.values()) == {""}


def test_opset_versions(library):
    needs("GetModelEditorApi")
    environment = ortffi.init()
    with raw_session(environment, tiny_models.add()) as session:
        for domain, version in (("", tiny_models.OPSET), ("ai.onnx", tiny_models.OPSET), ("org.example", None)):
            assert opset_version(environment, session, domain) == version
        assert opset_version(environment, session) == tiny_models.OPSET
        with pytest.raises(ValueError, match="NUL"):
            opset_version(environment, session, "a\0")


def test_an_old_library_cannot_tell_opset_versions(fake):
    environment = fake.environment(min(21, ortffi.init().api.version))
    with pytest.raises(UnsupportedError, match=r"1\.22"):
        opset_version(environment, 0)


def test_neither_can_a_build_without_the_model_editor(fake):
    needs("GetModelEditorApi")
    fake.replace["GetModelEditorApi"] = lambda: None
    environment = fake.environment()
    with pytest.raises(UnsupportedError):
        opset_version(environment, 0)
