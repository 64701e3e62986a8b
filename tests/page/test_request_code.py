"""The code that the page writes runs, and asks for what the controls say; the page's own has no type errors."""

import io
import os
import shutil
import subprocess
import sys

import pytest
import soundfile

from tests.page.conftest import KEY

TEXT = """It's "here": $5 \\ 3 – naïve 你."""
"""With what shells, Python and JavaScript read as their own."""

COMMANDS = {
    "curl": ["bash", "-euc"], "Python, httpx": [sys.executable, "-c"],
    "Python, openai": [sys.executable, "-W", "error", "-c"], "JavaScript": ["node", "--input-type=module", "-e"],
}  # fmt: skip
SAVE = """
const { writeFileSync } = await import('node:fs');
writeFileSync('speech.flac', Buffer.from(await speech.arrayBuffer()));
"""


def run(code, client, folder):
    """Run code of the page, and return the file that it writes."""
    program = COMMANDS[client][0]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    if client == "JavaScript":
        code = f"const key = process.env.KOKORO_KEY;\n{code}{SAVE}"
    environment = {**os.environ, "KOKORO_KEY": KEY, "NO_PROXY": "*", "no_proxy": "*"}
    done = subprocess.run([*COMMANDS[client], code], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{code}\n{done.stderr}"
    return (folder / "speech.flac").read_bytes()


def ask_for(tab, client):
    tab.type(TEXT)
    tab.page.check("#voice-af_bella")
    tab.page.fill("#speed", "1.5")
    tab.page.select_option("#format", "flac")
    tab.page.select_option("#client", client)
    return tab.text("request")


@pytest.mark.parametrize("client", COMMANDS)
def test_the_code_asks_for_what_the_controls_say(tab, tmp_path, client):
    code = ask_for(tab, client)
    assert KEY not in code
    expected = tab.server.client.post(
        "/synthesize", json={"text": TEXT, "voice": "af_heart(1)+af_bella(1)", "speed": 1.5, "format": "flac"}
    )
    assert expected.status_code == 200
    said_s, expected_s = (
        soundfile.info(io.BytesIO(content)).duration for content in (run(code, client, tmp_path), expected.content)
    )
    # OpenAI's endpoint says the same text with the same voice, in chunks of other lengths.
    assert said_s == pytest.approx(expected_s, rel=0.05)


@pytest.mark.parametrize("client", COMMANDS)
def test_the_code_takes_the_key_from_the_environment(keyed_tab, tmp_path, client):
    keyed_tab.page.fill("#key", KEY)
    keyed_tab.page.press("#key", "Enter")
    keyed_tab.wait_until_ready()
    code = ask_for(keyed_tab, client)
    assert KEY not in code
    assert run(code, client, tmp_path)


def test_another_language_and_subtitles_are_told_to_openais_client(tab):
    tab.page.select_option("#client", "Python, openai")
    tab.page.select_option("#language", "es")
    assert 'voice="ef_dora"' in tab.text("request")
    assert "lang_code" not in tab.text("request")
    tab.page.select_option("#format", "srt")
    assert "no subtitles" in tab.text("request")


def test_the_modules_have_no_type_errors(repository):
    compiler = repository / ".venv/page/node_modules/typescript/bin/tsc"
    node = shutil.which("node")
    if node is None or not compiler.exists():
        pytest.skip("TypeScript is not installed; run make page-tools, which needs npm")
    modules = sorted((repository / "service/api/page/static").glob("*.js"))
    assert len(modules) > 10
    options = ["--noEmit", "--allowJs", "--checkJs", "--strict", "--target", "es2022", "--module", "es2022"]
    command = [node, compiler, *options, "--lib", "es2022,dom,dom.iterable", *modules]
    checked = subprocess.run(command, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
