"""A fault whose line has changed cannot be planted, and would be missed only when all are."""

from tests.mutation.faults import FAULTS


def test_every_fault_can_be_planted_and_has_tests_near_it(repository):
    wrong = []
    for fault in FAULTS:
        assert fault.wrong != fault.right, fault.name
        try:
            fault.planted(repository)
        except ValueError as error:
            wrong.append(f"{fault.name}: {error}")
        wrong += [f"{fault.name}: there is no {path}" for path in fault.near if not (repository / path).exists()]
    assert wrong == []
