"""Which provider computes which node: asked of a new library, heard of an old one."""

import pytest

import ortffi
from ortffi import LogLevel
from ortffi.assignment import RECORD_ASSIGNMENT, AssignedNode, PlacementLog, count_by_provider, read_assignment
from ortffi.errors import UnsupportedError
from ortffi.logs import LoggingFunction
from tests.ortffi import tiny_models
from tests.ortffi.raw_session import listen, needs, raw_session

CPU = "CPUExecutionProvider"

# What 1.20.0 of onnxruntime-openvino says of a model that it computes in part.
TWO_PROVIDERS = [
    "Node placements",
    " Node(s) placed on [OpenVINOExecutionProvider]. Number of nodes: 1",
    "  OpenVINO-EP-subgraph_1 (OpenVINOExecutionProvider_OpenVINO-EP-subgraph_1_0)",
    " Node(s) placed on [CPUExecutionProvider]. Number of nodes: 4",
    *("  Det (det (odd) name)", "  NonZero ()", "  Unique (two\nlines)", "  Concat (cat)"),
]
LOCATION = "session_state.cc:1154 VerifyEachNodeIsAssignedToAnEp"


def say(placement, *texts, severity=LogLevel.VERBOSE, location=LOCATION):
    """Say something as ONNX Runtime does."""
    function, parameter = LoggingFunction(placement.callback.function), placement.callback.parameter
    for text in texts:
        function(parameter, severity, b"onnxruntime", b"", location.encode(), text.encode())


def test_a_new_library_is_asked(library):
    needs("Session_GetEpGraphAssignmentInfo")
    environment = ortffi.init()

    def record(options):
        environment.api.AddSessionConfigEntry(options, RECORD_ASSIGNMENT.encode(), b"1")

    with raw_session(environment, tiny_models.count_up(), record) as session:
        nodes = read_assignment(environment, session)
    assert {node.operator for node in nodes} == {"Loop", "Add", "Identity"}
    assert {(node.name, node.domain, node.provider) for node in nodes} == {("", "", CPU)}
    assert count_by_provider(nodes) == {CPU: 3}
    recorded_nothing = pytest.raises(ortffi.FailError, match=RECORD_ASSIGNMENT)
    with raw_session(environment, tiny_models.add()) as session, recorded_nothing:
        read_assignment(environment, session)


def test_an_old_library_cannot_be_asked(fake):
    environment = fake.environment(min(23, ortffi.init().api.version))
    with pytest.raises(UnsupportedError, match=r"1\.24"):
        read_assignment(environment, 0)


@pytest.mark.parametrize(
    ("model", "n_nodes"), [(tiny_models.add(), 2), (tiny_models.count_up(), 3)], ids=["add", "loop"]
)
def test_of_one_provider_the_log_says_the_number_of_nodes(library, model, n_nodes):
    needs("SetUserLoggingFunction")
    environment = ortffi.init()
    placement = PlacementLog()
    with raw_session(environment, model, listen(environment, placement.callback, LogLevel.VERBOSE)):
        pass
    assert placement.heard
    assert placement.nodes == (AssignedNode("", "", None, CPU),) * n_nodes
    assert count_by_provider(placement.nodes) == {CPU: n_nodes}


def test_of_two_providers_the_log_names_the_nodes():
    placement = PlacementLog()
    say(placement, *TWO_PROVIDERS)
    openvino, group = "OpenVINOExecutionProvider", "OpenVINO-EP-subgraph_1"
    assert placement.nodes == (
        AssignedNode(f"{openvino}_{group}_0", group, None, openvino), AssignedNode("det (odd) name", "Det", None, CPU),
        AssignedNode("", "NonZero", None, CPU), AssignedNode("two\nlines", "Unique", None, CPU),
        AssignedNode("cat", "Concat", None, CPU),
    )  # fmt: skip
    assert count_by_provider(placement.nodes) == {openvino: 1, CPU: 4}
    say(placement, *TWO_PROVIDERS)  # of another session, which starts anew
    assert len(placement.nodes) == 5


def test_nothing_else_is_taken_for_a_placement():
    placement = PlacementLog()
    say(placement, *TWO_PROVIDERS, location="elsewhere.cc:1 Function")
    say(placement, *TWO_PROVIDERS, severity=LogLevel.INFO)
    assert not placement.heard
    say(placement, "Node placements", "  Add (no provider yet)", "something new", "")
    assert placement.heard
    assert placement.nodes == ()


def test_who_wants_the_messages_still_gets_them(library):
    needs("SetUserLoggingFunction")
    environment = ortffi.init()
    heard = []
    placement = PlacementLog(heard.append, LogLevel.INFO)
    with raw_session(environment, tiny_models.add(), listen(environment, placement.callback, LogLevel.VERBOSE)):
        pass
    assert placement.nodes
    assert any("successfully initialized" in message.text for message in heard)
    assert min(message.severity for message in heard) is LogLevel.INFO


def test_warnings_go_to_standard_error_where_nobody_wants_them(capsys):
    placement = PlacementLog()
    say(placement, "All is well", severity=LogLevel.INFO)
    say(placement, "Some nodes were not assigned", severity=LogLevel.WARNING)
    assert capsys.readouterr().err == f"[W:onnxruntime:, {LOCATION}] Some nodes were not assigned\n"
