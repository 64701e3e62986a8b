from copy import copy

import pytest
from service.errors import CancelledError, DeadlineError, OverloadedError, ServiceError

from service.speech import Cancellation


def test_the_first_reason_is_raised_each_time_as_an_error_of_its_own():
    with Cancellation() as cancellation:
        cancellation.check()
        reason = DeadlineError("it took too long")
        cancellation.cancel(reason)
        cancellation.cancel(CancelledError("nobody waits"))
        raised = []
        for _ in range(2):
            with pytest.raises(DeadlineError, match="it took too long") as caught:
                cancellation.check()
            raised.append(caught.value)
        assert cancellation.reason is reason
        # Who holds the reason does not hold the frames that it was raised through.
        assert reason.__traceback__ is None
        assert raised[0] is not raised[1]


def errors(base):
    return [base, *(error for kind in base.__subclasses__() for error in errors(kind))]


@pytest.mark.parametrize("kind", errors(ServiceError))
def test_every_error_can_be_copied(kind):
    error = kind("a message")
    other = copy(error)
    assert type(other) is kind
    assert other.message == "a message"


def test_a_copy_tells_the_same_time():
    assert copy(OverloadedError("full", 7)).retry_after_s == 7
