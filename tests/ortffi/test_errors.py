"""A status becomes an exception of its code's class."""

import pickle

import pytest

import ortffi
from ortffi import ErrorCode, OrtError

CLASSES = dict(
    enumerate(
        [
            ortffi.FailError, ortffi.InvalidArgumentError, ortffi.NoSuchFileError, ortffi.NoModelError,
            ortffi.EngineError, ortffi.RuntimeExceptionError, ortffi.InvalidProtobufError, ortffi.ModelLoadedError,
            ortffi.UnimplementedError, ortffi.InvalidGraphError, ortffi.ExecutionProviderError,
            ortffi.ModelLoadCanceledError, ortffi.ModelRequiresCompilationError, ortffi.NotFoundError,
        ],
        1,
    )
)  # fmt: skip


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
    for code in (1, 14, 99):
        with pytest.raises(OrtError):
            fake.api().CreateStatus(code, b"message")
    fake.check()


def test_an_error_travels_between_processes():
    copy = pickle.loads(pickle.dumps(ortffi.NoSuchFileError(3, "gone", "CreateSession")))
    expected = ortffi.NoSuchFileError, ErrorCode.NO_SUCHFILE, "gone", "CreateSession"
    assert (type(copy), copy.code, copy.message, copy.function) == expected
