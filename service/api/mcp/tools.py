"""What assistants can do: speak, list voices, phonemize, have documents read; and the files."""

from __future__ import annotations

import base64
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp_types import AudioContent, Resource, ResourceTemplate, TextContent
from pydantic import Field

from service import __version__
from service.api.mcp.service_client import ServiceClient
from service.audio import FORMATS

_INSTRUCTIONS = """\
Speech by Kokoro-82M on this machine or on the user's server. `speak` says a text aloud, or gives
its audio. `read_document` has a long text or a book spoken into one file, which takes a while: ask
with `check_document` how far it is. Voices speak one language each; `list_voices` tells which.
"""

_JOBS = "kokoro://jobs"

_MOST_BYTES = 32 << 20
"""Of a file that is sent as a resource: all of it is in memory, and a third more as base64."""

AnswerFormat = Literal["mp3", "wav", "opus", "flac"]

Text = Annotated[str, Field(description="what to say; SSML and [pause:1s] work")]
VoiceName = Annotated[
    str | None,
    Field(description="a voice such as af_heart, or a blend such as af_bella(2)+af_sky(1)"),
]
Speed = Annotated[float, Field(description="2.0 is twice as fast")]
LanguageCode = Annotated[
    str | None, Field(description="such as en-us or es; default: that of the voice")
]
Title = Annotated[str | None, Field(description="of the file; default: the document's own")]
BookFormat = Annotated[
    Literal["m4b", "mp3", "opus", "flac", "epub"],
    Field(description="m4b has chapters; epub is the text with its audio"),
]


class Machine(ABC):
    """The machine of an assistant that started the service: its loudspeaker and its files."""

    @abstractmethod
    async def play(self, pcm: bytes) -> None:
        """Play int16 samples, mono, 24 kHz, and return after the last one is heard.

        Raises:
            ToolError: it cannot play.
        """

    @abstractmethod
    async def write(self, file: str, content: bytes) -> Path:
        """Write a new file, and return its whole path.

        Raises:
            ToolError: there is one already, or it cannot be written.
        """

    @abstractmethod
    async def read(self, file: str) -> tuple[str, bytes]:
        """Return the name and the content of a file.

        Raises:
            ToolError: it cannot be read.
        """


class SpeechServer(MCPServer[None]):
    """The server of MCP: its tools, and as resources the files of jobs that are done.

    Args:
        service: that speaks.
        machine: of the assistant; None if it is elsewhere, and so gets all audio in answers.
    """

    def __init__(self, service: ServiceClient, machine: Machine | None) -> None:
        super().__init__("kokoro-service", instructions=_INSTRUCTIONS, version=__version__)
        self._service = service
        self._machine = machine
        if machine is None:
            self.add_tool(self.say_in_answer, "speak", structured_output=False)
            self.add_tool(self.read_text, "read_document")
            self.add_tool(self.check, "check_document")
        else:
            self.add_tool(self.say_here, "speak", structured_output=False)
            self.add_tool(self.read_file, "read_document")
            self.add_tool(self.check_and_save, "check_document")
        self.add_tool(self.list_voices)
        self.add_tool(self.phonemize)

    # Speech.

    async def say_in_answer(
        self,
        text: Text,
        voice: VoiceName = None,
        speed: Speed = 1.0,
        language: LanguageCode = None,
        audio_format: AnswerFormat = "mp3",
    ) -> list[AudioContent]:
        """Say a text; the answer is its audio."""
        fields = _spoken(text, voice, speed, language)
        return [await self._audio({**fields, "format": audio_format})]

    async def say_here(
        self,
        text: Text,
        voice: VoiceName = None,
        speed: Speed = 1.0,
        language: LanguageCode = None,
        output: Annotated[
            Literal["play", "file", "audio"],
            Field(description="play it aloud, write it into a file, or answer with the audio"),
        ] = "play",
        file: Annotated[
            str | None,
            Field(description="a new file for output=file; its ending says the format"),
        ] = None,
    ) -> list[AudioContent | TextContent]:
        """Say a text aloud, into a file, or as audio in the answer."""
        assert self._machine is not None  # otherwise the other one is the tool
        fields = _spoken(text, voice, speed, language)
        if output == "audio":
            return [await self._audio({**fields, "format": "mp3"})]
        if output == "file":
            name = Path(file or "").suffix.removeprefix(".").lower()
            if file is None or name not in FORMATS:
                raise ToolError(f"file must end in one of {', '.join(FORMATS)}")
            answer = await self._service.ask("POST", "/synthesize", json={**fields, "format": name})
            path = await self._machine.write(file, answer.content)
            return [_said(f"{path}: {answer.headers['x-duration-s']} s of speech")]
        answer = await self._service.ask("POST", "/synthesize", json={**fields, "format": "pcm"})
        await self._machine.play(answer.content)
        return [_said(f"played {answer.headers['x-duration-s']} s of speech")]

    async def _audio(self, fields: dict[str, Any]) -> AudioContent:
        answer = await self._service.ask("POST", "/synthesize", json=fields)
        media_type = answer.headers["content-type"].partition(";")[0]
        data = base64.b64encode(answer.content).decode()
        return AudioContent(type="audio", data=data, mime_type=media_type)

    async def list_voices(self, language: LanguageCode = None) -> list[dict[str, Any]]:
        """List the voices: name, language and sex of each."""
        answer = await self._service.ask("GET", "/voices")
        return [
            {name: voice[name] for name in ("name", "language", "sex")}
            for voice in answer.json()["voices"]
            if language is None or voice["language"] == language
        ]

    async def phonemize(
        self, text: Text, voice: VoiceName = None, language: LanguageCode = None
    ) -> dict[str, Any]:
        """Tell how a text would be read: its words after normalization, and its phonemes."""
        fields = {"text": text, "voice": voice, "language": language}
        answer = (await self._service.ask("POST", "/phonemize", json=fields)).json()
        names = ("language", "normalized", "phonemes", "dropped")
        return {name: answer[name] for name in names}

    # Documents.

    async def read_text(
        self,
        text: Annotated[str, Field(description="a text of any length; chapters are found in it")],
        markdown: Annotated[bool, Field(description="whether it is Markdown")] = False,
        title: Title = None,
        voice: VoiceName = None,
        speed: Speed = 1.0,
        audio_format: BookFormat = "m4b",
    ) -> dict[str, Any]:
        """Have a long text spoken into one file with chapters; the answer names the job."""
        fields = {
            "text": text, "markdown": markdown, "title": title, "voice": voice, "speed": speed,
            "format": audio_format,
        }  # fmt: skip
        return _job(await self._service.ask("POST", "/jobs", json=fields))

    async def read_file(
        self,
        file: Annotated[
            str | None,
            Field(description="a document: EPUB, PDF, text, Markdown, HTML, FB2, DOCX, SRT or VTT"),
        ] = None,
        text: Annotated[str | None, Field(description="or a text of any length")] = None,
        title: Title = None,
        voice: VoiceName = None,
        speed: Speed = 1.0,
        audio_format: BookFormat = "m4b",
        chapters: Annotated[
            str | None, Field(description="such as 3-7,9; default: all of them")
        ] = None,
    ) -> dict[str, Any]:
        """Have a document or a long text spoken into one file; the answer names the job."""
        assert self._machine is not None  # otherwise the other one is the tool
        if (file is None) == (text is None):
            raise ToolError("give a file or a text")
        fields: dict[str, Any] = {"speed": speed, "format": audio_format}
        given = {"title": title, "voice": voice, "chapters": chapters}
        fields |= {name: value for name, value in given.items() if value is not None}
        if file is None:
            return _job(await self._service.ask("POST", "/jobs", json={**fields, "text": text}))
        name, content = await self._machine.read(file)
        parameters = {**fields, "name": name}
        return _job(await self._service.ask("POST", "/jobs", params=parameters, content=content))

    async def check(
        self, job: Annotated[str, Field(description="the id that read_document gave")]
    ) -> dict[str, Any]:
        """Tell how far a document is, and where its file can be read when it is done."""
        return _job(await self._service.ask("GET", f"/jobs/{_id(job)}"))

    async def check_and_save(
        self,
        job: Annotated[str, Field(description="the id that read_document gave")],
        file: Annotated[
            str | None, Field(description="a new file to write it into when it is done")
        ] = None,
    ) -> dict[str, Any]:
        """Tell how far a document is; with a file, write it there when it is done."""
        told = await self.check(job)
        if file is not None and told["state"] == "done":
            assert self._machine is not None  # otherwise the other one is the tool
            answer = await self._service.ask("GET", f"/jobs/{_id(job)}/output")
            told["file"] = str(await self._machine.write(file, answer.content))
        return told

    # Resources: those of MCPServer are the same for every caller.

    async def list_resources(self) -> list[Resource]:
        """List the jobs of the caller, and the files of those that are done."""
        try:
            answer = await self._service.ask("GET", "/jobs")
        except ToolError:  # there are no jobs here
            return []
        found = []
        for job in answer.json()["jobs"]:
            uri = f"{_JOBS}/{job['id']}"
            description = f"how far it is: {job['state']}"
            found.append(_resource(uri, job["title"], description, "application/json"))
            if job["state"] == "done":
                description = f"{job['format']}, {job['duration_s']:.0f} s of speech"
                found.append(_resource(f"{uri}/output", job["title"], description, None))
        return found

    async def list_resource_templates(self) -> list[ResourceTemplate]:
        """List what can be read of a job that is known by its id."""
        return [
            ResourceTemplate(uri_template=f"{_JOBS}/{{job}}", name="job"),
            ResourceTemplate(uri_template=f"{_JOBS}/{{job}}/output", name="file of a job"),
        ]

    async def read_resource(
        self, uri: Any, context: Context[None, Any] | None = None
    ) -> Iterable[ReadResourceContents]:
        """Read a job, or its file if that has 32 MB at most.

        Raises:
            ResourceNotFoundError: there is none of this name.
            ResourceError: it cannot be read, now or at all.
        """
        job, _, part = str(uri).removeprefix(f"{_JOBS}/").partition("/")
        if not str(uri).startswith(f"{_JOBS}/") or not _is_id(job) or part not in ("", "output"):
            raise ResourceNotFoundError(f"no resource {str(uri)[:200]!r}")
        path = "/".join(filter(None, ("/jobs", job, part)))
        try:
            answer = await self._service.ask("GET", path, most_bytes=_MOST_BYTES)
        except ToolError as error:
            raise ResourceError(str(error)) from error
        media_type = answer.headers["content-type"].partition(";")[0]
        content = answer.content if part else json.dumps(answer.json(), indent=1)
        return [ReadResourceContents(content, media_type)]


def _spoken(text: str, voice: str | None, speed: float, language: str | None) -> dict[str, Any]:
    return {"text": text, "voice": voice, "speed": speed, "language": language, "ssml": "auto"}


def _said(message: str) -> TextContent:
    return TextContent(type="text", text=message)


def _job(answer: Any) -> dict[str, Any]:
    """Return what an assistant has to know of a job."""
    job = answer.json()
    names = ("id", "state", "title", "format", "progress", "left_s", "duration_s", "error")
    told = {name: job[name] for name in names}
    told["resource"] = f"{_JOBS}/{job['id']}/output" if job["state"] == "done" else None
    return told


def _is_id(job: str) -> bool:
    return job.isalnum() and job.isascii()


def _id(job: str) -> str:
    if not _is_id(job):
        raise ToolError("a job is named by the id that read_document gave")
    return job


def _resource(uri: str, title: str, description: str, media_type: str | None) -> Resource:
    return Resource(uri=uri, name=title or "speech", description=description, mime_type=media_type)
