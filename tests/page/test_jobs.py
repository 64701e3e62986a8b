"""Documents become files."""

from pathlib import Path

import pytest

from tests.page.browsing import watch
from tests.page.conftest import KEY
from tests.page.test_access import enter, serious_violations
from tests.service.api.serving_process import lent

TEXT = "CHAPTER I\n\nIt was a dark night.\n\nCHAPTER II\n\nThe morning was clear."


@pytest.fixture(scope="module", params=[False, True], ids=["without keys", "with keys"])
def has_keys(request):
    return request.param


@pytest.fixture(scope="module")
def offering(start_server, has_keys, keys, tmp_path_factory):
    flags = ["--data-dir", str(tmp_path_factory.mktemp("jobs") / "data")]
    yield from lent(start_server, *flags, *(["--api-keys-file", str(keys)] if has_keys else []))


@pytest.fixture
def jobs_tab(browser, offering, has_keys):
    with watch(browser, offering) as tab:
        if has_keys:
            enter(tab, KEY)
        tab.wait_until_ready()
        tab.page.wait_for_selector("#jobs:not([hidden])")
        yield tab
        if has_keys:
            tab.forget_complaints("401")


def send(page, path, text):
    path.write_text(text)
    page.set_input_files("#document", path)
    page.click("#job-form button")


def test_a_document_becomes_a_file(jobs_tab, tmp_path, repository):
    page = jobs_tab.page
    page.select_option("#job-format", "mp3")
    send(page, tmp_path / "A night.txt", TEXT)
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
    send(page, tmp_path / "A night.txt", "Hello.\n\n[voice:nobody]Who is there?[/voice]")
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
    send(jobs_tab.page, tmp_path / "picture.txt", "...")
    jobs_tab.page.wait_for_function("() => document.getElementById('error').textContent")
    assert "has no text" in jobs_tab.error()
    jobs_tab.forget_complaints("422")


def test_without_a_folder_there_is_no_form(tab):
    assert tab.page.is_hidden("#jobs")
