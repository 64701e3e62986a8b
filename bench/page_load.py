"""How soon the page can be used, against its files on a static server; how soon Stop cancels.

    python -m bench.page_load [--repeats N] [--write]

Needs Debian's Chromium. A fresh browser context, so with nothing cached, opens the page until Speak
can be pressed: the document, its modules, and the four answers that it asks the service for. The
other side is Python's own static server with the same files, and with those answers as files. Both
are on loopback, and take turns. The time is measured in the browser, from the start of the
navigation; a row compares by the median ratio of neighboring loads. Then a long text is spoken and
stopped, from the click until `/metrics` counts the session as cancelled, which the page asks for
again and again.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import sync_playwright

from bench.command import Section, command_line, publish
from bench.processes import ChildError, free_port, python, server, wait_until_ready
from bench.report import Bound, note, ratio, table
from bench.timing import alternate

REPEATS = 21
STOPS = 5
BOUND = Bound(1.5)
ANSWERS = ("ready", "voices", "languages", "metrics")
LONG_TEXT = "This sentence is said again and again. " * 60
TIMEOUT_MS = 120_000

INTERACTIVE = "() => performance.getEntriesByName('interactive')[0].startTime"
STOP = """async () => {
  const count = async () => Number(
    /kokoro_requests_total{[^}]*outcome="cancelled"} (\\S+)/.exec(
      await (await fetch('/metrics')).text())?.[1] ?? 0);
  const before = await count();
  const start = performance.now();
  document.getElementById('stop').click();
  while (await count() === before);
  return performance.now() - start;
}"""

_STATIC_SERVER = """
import functools, http.server, sys
class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *arguments): pass
handler = functools.partial(Handler, directory=sys.argv[2])
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), handler).serve_forever()
"""
"""That of `python -m http.server`, which keeps connections open and writes no log."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 for a missed bound, 2 for a failure."""
    parser = command_line("bench.page_load", __doc__, "pairs of loads")
    options = parser.parse_args(arguments)
    return publish(_sections(options.repeats or REPEATS), write=options.write)


def _sections(repeats: int) -> Iterator[Section]:
    report, met = measure(repeats)
    yield Section("page-load", (__doc__ or "").split("\n\n", 2)[2], report, met)


def measure(repeats: int) -> tuple[str, bool]:
    """Return the table, and whether the bound is met.

    Raises:
        ChildError: a server did not become ready, or there is no Chromium.
    """
    program = shutil.which("chromium")
    if program is None:
        raise ChildError("there is no Chromium; on Debian: apt-get install chromium")
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with (
        server() as (_, port),
        _static_server(f"http://127.0.0.1:{port}") as copy,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=program, args=flags)
        ours = f"http://127.0.0.1:{port}"
        note("loading")
        pairs = alternate(lambda: _load(browser, ours), lambda: _load(browser, copy), repeats, 2)
        note("stopping")
        stops = [_stop(browser, ours) for _ in range(STOPS)]
        browser.close()
    row = ratio("first load until Speak can be pressed", pairs, "ms", BOUND)
    spread = f"{median(stops):.0f} ms ({min(stops):.0f} to {max(stops):.0f}, {STOPS} times)"
    report = f"{table([row], peer='static server', ours='service')}\n\nStop to cancelled: {spread}."
    return report, row.met is not False


def _load(browser: Any, url: str) -> float:
    """Return milliseconds from the navigation until the page can be used."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(url)
        page.wait_for_selector("#speak:enabled", timeout=TIMEOUT_MS)
        return float(page.evaluate(INTERACTIVE))


def _stop(browser: Any, url: str) -> float:
    """Return milliseconds from Stop until the service has counted the session as cancelled."""
    with browser.new_context() as context:
        page = context.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        page.goto(url)
        page.wait_for_selector("#speak:enabled")
        page.fill("#text", LONG_TEXT)
        page.click("#speak")
        page.wait_for_selector(".word.lit")
        return float(page.evaluate(STOP))


@contextmanager
def _static_server(url: str) -> Iterator[str]:
    """Serve a copy of the page, and of what it asks for, by Python's own server."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        index = _fetch(f"{url}/")
        (folder / "index.html").write_bytes(index)
        paths = re.findall(rb'(?:src|href)="(page/[^"]+)"', index)
        (folder / paths[0].decode()).parent.mkdir(parents=True)
        wanted = [path.decode() for path in paths]
        while wanted:
            path = wanted.pop()
            if (folder / path).exists():
                continue
            content = _fetch(f"{url}/{path}")
            (folder / path).write_bytes(content)
            modules = re.findall(rb'from "\./([a-z_]+\.js)"', content)
            wanted += [f"{path.rpartition('/')[0]}/{module.decode()}" for module in modules]
        for path in ANSWERS:
            (folder / path).write_bytes(_fetch(f"{url}/{path}"))
        port = free_port()
        with python("-c", _STATIC_SERVER, str(port), name) as process:
            wait_until_ready(process, port, "/ready")
            yield f"http://127.0.0.1:{port}"


def _fetch(url: str) -> bytes:
    with urllib.request.urlopen(url) as answer:
        content: bytes = answer.read()
    return content


if __name__ == "__main__":
    sys.exit(main())
