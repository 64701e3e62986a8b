"""Take the pictures of the page in docs/: light, dark, and on a phone.

    make page-pictures

The text is spoken to its end, so that all parts of the page have something to show. Chromium itself
writes WebP, from the picture that Playwright takes.
"""

import base64
import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from bench.processes import server

DOCS = Path(__file__).resolve().parents[2] / "docs"
TIMEOUT_MS = 120_000
TO_WEBP = """async (png) => {
  const answer = await fetch(`data:image/png;base64,${png}`);
  const picture = await createImageBitmap(await answer.blob());
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  canvas.getContext('2d').drawImage(picture, 0, 0);
  const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.85 });
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}"""
DESKTOP = {"viewport": {"width": 1200, "height": 940}}
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2}
PICTURES = {
    "page-light": {**DESKTOP, "color_scheme": "light"},
    "page-dark": {**DESKTOP, "color_scheme": "dark"},
    "page-phone": {**PHONE, "color_scheme": "light"},
}


def main():
    program = shutil.which("chromium")
    if program is None:
        sys.exit("there is no Chromium; on Debian: apt-get install chromium")
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with server() as (_, port), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=flags)
        converter = browser.new_page()
        for name, options in PICTURES.items():
            with browser.new_context(**options) as context:
                png = take(context.new_page(), f"http://127.0.0.1:{port}")
            webp = converter.evaluate(TO_WEBP, base64.b64encode(png).decode())
            (DOCS / f"{name}.webp").write_bytes(base64.b64decode(webp))
        browser.close()


def take(page, url):
    page.set_default_timeout(TIMEOUT_MS)
    page.goto(url)
    page.wait_for_selector("#speak:enabled")
    page.click("#speak")
    page.wait_for_selector("#spectrogram:visible")
    page.wait_for_selector("#stop:disabled", state="attached")
    page.click("#read")
    page.wait_for_selector("#words button")
    page.click(".word >> nth=3")  # a long one
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_selector(".word.lit")
    return page.screenshot()


if __name__ == "__main__":
    main()
