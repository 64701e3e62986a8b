"""Which connection makes room for a new one, and how many there may be."""

import resource

from hypothesis import strategies as st
from service.api.connections import Connections, most_connections
from tests.profiles import given


class Transport:
    """What `Connections` needs of one."""

    def __init__(self):
        self.is_aborted = False

    def get_extra_info(self, name):
        assert name == "socket"
        return self

    def fileno(self):
        return 7

    def abort(self):
        self.is_aborted = True


STEPS = st.sampled_from(["open", "open and busy", "open and busy", "busy", "idle", "uploading", "closed", "later"])


@given(st.lists(st.tuples(STEPS, st.integers(0, 40)), max_size=40))
def test_no_more_than_so_many_are_open_and_none_that_is_served_is_closed(steps):
    time_s = 0.0
    connections = Connections(5, lambda: time_s)
    there = {}  # whether it is served
    refused = set()
    for what, number in steps:
        if what.startswith("open"):
            new = Transport()
            has_place = connections.open(new)
            # Otherwise all are served.
            assert has_place or sum(there.values()) == 5
            there[new] = False
            if not has_place:
                refused.add(new)
            elif what == "open and busy":
                connections.busy(new)
                there[new] = True
        elif what == "later":
            time_s += number / 10
        elif there:
            one = list(there)[number % len(there)]
            if what == "closed":
                connections.closed(one)
                connections.closed(one)
                del there[one]
                refused.discard(one)
            elif one not in refused:
                getattr(connections, what)(one)
                there[one] = what == "busy"
        aborted = [one for one in there if one.is_aborted]
        assert not any(there[one] for one in aborted)
        for one in aborted:
            del there[one]
            refused.discard(one)
        assert len(there) - len(refused) <= 5


class Waiting:
    """Connections, each named, of which the one that makes room is told."""

    def __init__(self, most):
        self.time_s = 0.0
        self.connections = Connections(most, lambda: self.time_s)
        self.of = {}

    def open(self, name, state="idle", after_s=0.1):
        """Open one some time later; return who had to leave."""
        self.time_s += after_s
        self.of[name] = Transport()
        assert self.connections.open(self.of[name])
        left = [one for one, transport in self.of.items() if transport.is_aborted]
        for one in left:
            del self.of[one]
        getattr(self.connections, state)(self.of[name])
        return left


def test_the_longest_wait_ends_first_whatever_is_waited_for():
    waiting = Waiting(4)
    for name, state in [("a", "uploading"), ("b", "idle"), ("c", "busy"), ("d", "uploading")]:
        assert waiting.open(name, state) == []
    waiting.time_s += 10
    assert waiting.open("e") == ["a"]
    assert waiting.open("f") == ["b"]
    assert waiting.open("g") == ["d"]
    assert waiting.open("h") == ["e"]


def test_uploads_that_go_on_leave_a_place_to_newcomers():
    waiting = Waiting(16)
    for number in range(16):
        assert waiting.open(f"upload {number}", "uploading", 0.01) == []
    assert waiting.open("a", after_s=0.01) == ["upload 0"]
    assert waiting.open("b", after_s=0.01) == ["upload 1"]
    assert waiting.open("c", after_s=0.01) == ["a"]


def test_the_limit_of_open_files_is_raised_and_kept():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (300, hard))
        assert most_connections(100) == 100
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 300
        assert most_connections(1000) == 1000
        assert 1000 < resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 1200
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
