from __future__ import annotations

from pathlib import Path

import pytest

from service.jobs import jobs_folder
from service.jobs.storage import erase
from tests.service.jobs.test_jobs_folder import Clock, add, job, open_store
from tests.service.small_disk import fill, mounted


def test_a_job_can_be_removed_though_others_take_all_room_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = {"max_jobs": 40, "max_bytes": 1 << 20}
    with mounted(tmp_path / "disk") as disk:
        store = open_store(disk / "jobs", Clock(), **limits)
        for number in range(40):
            add(store, job(number, title="a long title " * 500))
        store.close()
        fill(disk)
        store = open_store(disk / "jobs", Clock(), **limits)

        def erase_and_fill(path: Path) -> None:
            erase(path)
            fill(disk)

        monkeypatch.setattr(jobs_folder, "erase", erase_and_fill)
        for each in store.jobs():
            store.remove(each)
        store.close()
        again = open_store(disk / "jobs", Clock())
        assert again.jobs() == []
        again.close()
