"""Documents become files."""

from pathlib import Path

import pytest
from tests.page.browsing import watch
from tests.page.conftest import KEY
from tests.page.test_access import enter, serious_violations

TEXT = "CHAPTER I\n\nIt was a dark night.\n\nCHAPTER II\n\nThe morning was clear."


@pytest.fixture(scope="module", params=["without keys", "with keys"])
def offering(request, start_server, tmp_path_factory):
    """A server with jobs."""
    folder = tmp_path_factory.mktemp("jobs")
    flags = ["--data-dir", str(folder / "data")]
    if request.param == "with keys":
        (folder / "keys").write_text(KEY + "\n")
        (folder / "keys").chmod(0o600)
        flags += ["--api-keys-file", str(folder / "keys")]
    server = start_server(*flags)
    server.has_keys = len(flags) > 2
    server.wait_until_ready()
    yield server
    assert server.stop() == 0


@pytest.fixture
def jobs_tab(browser, offering):
    with watch(browser, offering) as tab:
        if offering.has_keys:
            enter(tab, KEY)
        tab.wait_until_ready()
        tab.page.wait_for_selector("#jobs:not([hidden])")
        yield tab
        if offering.has_keys:
            tab.complaints = [line for line in tab.complaints if "401" not in line]


def test_a_document_becomes_a_file(jobs_tab, tmp_path, repository):
    page = jobs_tab.page
    (tmp_path / "A night.txt").write_text(TEXT)
    page.set_input_files("#document", tmp_path / "A night.txt")
    page.select_option("#job-format", "mp3")
    page.click("#job-form button")
    page.wait_for_selector("#job-list li")
    assert page.inner_text("#job-list strong") == "A night"
    page.wait_for_selector("#job-list a:not([hidden])", timeout=600_000)
    assert page.inner_text("#job-list li span") == "Done"
    with page.expect_download() as found:
        page.click("#job-list a")
    assert found.value.suggested_filename == "A night.mp3"
    content = Path(found.value.path()).read_bytes()
    assert content.startswith(b"ID3")
    assert len(content) > 20_000
    axe = repository / ".venv/page/node_modules/axe-core/axe.min.js"
    if axe.exists():
        assert not serious_violations(jobs_tab, axe)

    page.reload()
    page.wait_for_selector("#job-list a:not([hidden])")
    assert page.is_hidden("#job-list button >> nth=0")  # tries again what has failed
    page.click("#job-list button >> nth=1")
    page.wait_for_function("() => !document.querySelector('#job-list li')")
    assert jobs_tab.page.inner_text("#said") == "Deleted."


def test_a_document_that_failed_is_tried_again(jobs_tab, tmp_path):
    page = jobs_tab.page
    (tmp_path / "A night.txt").write_text("Hello.\n\n[voice:nobody]Who is there?[/voice]")
    page.set_input_files("#document", tmp_path / "A night.txt")
    page.click("#job-form button")
    again = "#job-list button:not([hidden]) >> nth=0"
    page.wait_for_selector("#job-list .error")
    assert "nobody" in page.inner_text("#job-list .error")
    assert page.inner_text(again) == "Try again"
    with page.expect_response(lambda answer: answer.url.endswith("/retry")) as answered:
        page.click(again)
    assert answered.value.status == 200
    page.wait_for_selector("#job-list .error")
    page.click("#job-list button >> nth=1")
    page.wait_for_function("() => !document.querySelector('#job-list li')")


def test_what_is_refused_is_told(jobs_tab, tmp_path):
    (tmp_path / "picture.txt").write_text("...")
    jobs_tab.page.set_input_files("#document", tmp_path / "picture.txt")
    jobs_tab.page.click("#job-form button")
    jobs_tab.page.wait_for_function("() => document.getElementById('error').textContent")
    assert "has no text" in jobs_tab.error()
    jobs_tab.complaints = [line for line in jobs_tab.complaints if "422" not in line]


def test_without_a_folder_there_is_no_form(tab):
    assert tab.page.is_hidden("#jobs")
