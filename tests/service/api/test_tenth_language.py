"""A language is one folder: every door knows one that is added, and nothing else has to be touched."""

import shutil
import subprocess
import sys

import pytest

from tests.service.api.serving_process import WYOMING, lent

pytestmark = pytest.mark.thorough

LATIN = '''
"""Latin, which says numbers as Italian does."""

from dataclasses import replace

from service.text.languages.italian import LANGUAGE as ITALIAN

LANGUAGE = replace(
    ITALIAN,
    code="la",
    name="Latin",
    tags=("la", "lat"),
    voice_letter="l",
    default_voice="lf_livia",
    espeak_voice="itc/la",
    divisions="capitulum|liber",
)
'''
SERVE = "import sys; from service.__main__ import main; sys.exit(main())"
GREETING = "Salve 5"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory, repository):
    """The project with a folder more in `service/text/languages`."""
    root = tmp_path_factory.mktemp("checkout")
    for path in repository.iterdir():
        if path.name != "service":
            (root / path.name).symlink_to(path)
    shutil.copytree(repository / "service", root / "service", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "service" / "text" / "languages" / "latin").mkdir()
    (root / "service" / "text" / "languages" / "latin" / "__init__.py").write_text(LATIN)
    (root / "serving.py").write_text(SERVE)
    return root


@pytest.fixture(scope="module")
def latin(start_server, checkout, tmp_path_factory, repository):
    """A server of that project, with a voice."""
    voices = tmp_path_factory.mktemp("voices")
    for name in ("af_heart", "if_sara"):
        shutil.copy(repository / "voices" / f"{name}.bin", voices)
    shutil.copy(voices / "if_sara.bin", voices / "lf_livia.bin")
    program = (str(checkout / "serving.py"),)
    yield from lent(start_server, *WYOMING, "--voices-dir", str(voices), program=program, forked=False)


def words(server, **fields):
    answer = server.client.post("/phonemize", json=fields)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_lists_have_it(latin):
    (listed,) = [one for one in latin.client.get("/languages").json()["languages"] if one["code"] == "la"]
    assert listed["name"] == "Latin"
    assert listed["available"]
    assert listed["voices"] == 1
    voices = latin.client.get("/voices").json()["voices"]
    assert {"lf_livia": "la"}.items() <= {voice["name"]: voice["language"] for voice in voices}.items()
    models = latin.client.get("/v1/models", headers={"xi-api-key": "none"}).json()
    assert '"la"' in str(models).replace("'", '"')


def test_texts_and_their_tags_are_read_in_it(latin):
    for tag in ("la", "lat", "la-VA", "LA_va.UTF-8"):
        assert "cinque" in words(latin, text=GREETING, language=tag)["normalized"]
    assert "cinque" in words(latin, text=GREETING, voice="lf_livia")["normalized"]
    marked = f'<speak>Hello. <lang xml:lang="la">{GREETING}</lang></speak>'
    assert "cinque" in str(words(latin, text=marked, ssml=True))


def test_every_door_speaks_it(latin):
    def post(path, **body):
        answer = latin.client.post(path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.content

    spoken = post("/synthesize", text=GREETING, voice="lf_livia", format="pcm")
    assert len(spoken) > 10_000
    assert post("/synthesize", text=GREETING, voice="la_VA-livia-low", format="pcm") == spoken
    assert post("/v1/audio/speech", input=GREETING, voice="lf_livia", response_format="pcm", model="kokoro") == spoken
    assert post("/v1/audio/speech", input=GREETING, voice="lf_livia", lang_code="l", response_format="pcm") == spoken
    path = "/v1/text-to-speech/lf_livia?output_format=pcm_24000"
    assert post(path, text=GREETING, language_code="la", model_id="kokoro") == spoken


def test_a_book_in_it_has_chapters(checkout):
    code = (
        "import sys; from pathlib import Path\n"
        "from service.books.book_files import read_book\n"
        "book = read_book(Path(sys.argv[1]))\n"
        "print(book.language, [chapter.title for chapter in book.chapters])\n"
    )
    book = checkout / "aeneis.txt"
    head = "Title: Aeneis\nLanguage: Latin\n\n*** START OF THE PROJECT GUTENBERG EBOOK ***\n\n"
    book.write_text(f"{head}LIBER I\n\nArma virumque cano.\n\nLIBER II\n\nConticuere omnes.\n")
    done = subprocess.run(
        [sys.executable, "-c", code, str(book)], cwd=checkout, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("la ")
    assert "LIBER I" in done.stdout.upper()
