"""A status becomes an exception of its code's class."""

import pickle

import pytest

import ortffi
from ortffi import ErrorCode, OrtError

CLASSES = {
    1: ortffi.FailError,
    2: ortffi.InvalidArgumentError,
    3: ortffi.NoSuchFileError,
    4: ortffi.NoModelError,
    5: ortffi.EngineError,
    6: ortffi.RuntimeExceptionError,
    7: ortffi.InvalidProtobufError,
    8: ortffi.ModelLoadedError,
    9: ortffi.UnimplementedError,
    10: ortffi.InvalidGraphError,
    11: ortffi.ExecutionProviderError,
    12: ortffi.ModelLoadCanceledError,
    13: ortffi.ModelRequiresCompilationError,
    14: ortffi.NotFoundError,
}


def test_every_code_has_a_class_of_its_own():
    assert {int(code) for code in ErrorCode} == {0, *CLASSES}
    assert len(set(CLASSES.values())) == len(CLASSES)


@pytest.mark.parametrize(("code", "kind"), CLASSES.items())
def test_a_status_raises_the_class_of_its_code(library, code, kind):
    with pytest.raises(OrtError) as caught:
        library.api.CreateStatus(code, "what happened: ü".encode())
    error = caught.value
    assert type(error) is kind
    assert error.code is ErrorCode(code)
    assert error.message == "what happened: ü"
    assert error.function == "CreateStatus"
    assert str(error) == f"what happened: ü [{ErrorCode(code).name} from CreateStatus]"


@pytest.mark.parametrize("code", [15, 99])
def test_an_unknown_code_is_a_plain_error(library, code):
    with pytest.raises(OrtError, match=rf"new \[code {code} from") as caught:
        library.api.CreateStatus(code, b"new")
    assert type(caught.value) is OrtError
    assert caught.value.code == code


def test_a_message_that_is_not_utf8_is_shown_as_far_as_it_goes(library):
    with pytest.raises(ortffi.FailError, match="caf\ufffd"):
        library.api.CreateStatus(1, b"caf\xe9")


def test_a_status_is_released_once(fake):
    api = fake.api()
    for code in (1, 14, 99):
        with pytest.raises(OrtError):
            api.CreateStatus(code, b"message")
    assert not fake.outstanding
    assert not fake.mistakes


def test_an_error_travels_between_processes():
    error = ortffi.NoSuchFileError(3, "gone", "CreateSession")
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), copy.code, copy.message, copy.function) == (
        ortffi.NoSuchFileError,
        ErrorCode.NO_SUCHFILE,
        "gone",
        "CreateSession",
    )
