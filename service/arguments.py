"""Arguments of the commands; `service.__main__` says what the commands do."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from service.settings import Settings

_CONFIG_ONLY = {"cuda_options", "tensorrt_options", "openai_voices"}
"""Settings that are tables; a flag could not hold one."""


def add_voices(add: argparse.ArgumentParser, mix: argparse.ArgumentParser) -> None:
    """Add the arguments of `voices add` and `voices mix`."""
    add.add_argument(
        "file", type=Path, help=".pt, .bin, .npy, .npz or .safetensors, with one voice or several"
    )
    add.add_argument("--name", help="of the voice; default: as in the file, or the file's own")
    mix.add_argument("blend", help="voices with weights, such as af_bella(2)+af_sky(1)")
    mix.add_argument("--save", required=True, metavar="NAME", help="of the new voice")
    for parser in (add, mix):
        parser.add_argument(
            "--language", help="code of what it speaks; default: what the name or the blend tells"
        )
        parser.add_argument(
            "--sex", choices=("female", "male"), help="default: what the second letter tells"
        )


def add_models(add: argparse.ArgumentParser, remove: argparse.ArgumentParser) -> None:
    """Add the arguments of `model add` and `model remove`."""
    add.add_argument(
        "file", type=Path, help="checkpoint (.pth, .pt, .safetensors) or .onnx file of a Kokoro"
    )
    add.add_argument(
        "--config",
        dest="model_config",
        type=Path,
        help="the model's own config.json; default: the one beside the file",
    )
    add.add_argument(
        "--voices", type=Path, help="file or folder of its voices; default: the included ones"
    )
    add.add_argument("--name", help="its id; default: the name of the file")
    add.add_argument("--language", help="code of what voices speak whose names do not tell")
    add.add_argument(
        "--weights",
        choices=("int8", "float32"),
        default="int8",
        help="how they are kept; int8 is several times as fast on a CPU",
    )
    add.add_argument("--licence", help="SPDX name of the licence of its weights")
    add.add_argument("--attribution", help="whom to name")
    remove.add_argument("name", help="its id")


def add_saying(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `say`."""
    parser.add_argument("text", nargs="?", help="text to say; - or none reads standard input")
    parser.add_argument("-f", "--file", type=Path, help="file with the text, in UTF-8")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        help="audio file; its ending is the format: wav, pcm, raw, flac, mp3, opus, ogg, aac, "
        "mulaw, ulaw or alaw; default: play it with paplay, pw-play, aplay or afplay",
    )
    parser.add_argument(
        "--speed", type=float, default=1.0, help="0.25 to 6.0; 2.0 is twice as fast"
    )
    parser.add_argument(
        "--volume",
        type=float,
        default=0.0,
        help="gain in decibels, -60 to 20; 6 is twice the amplitude",
    )
    parser.add_argument(
        "--loudness",
        type=float,
        metavar="LUFS",
        help="loudness of the whole, -50 to -10, instead of a volume; needs the extra books",
    )
    parser.add_argument(
        "--language", help="language code of the text; default: the voice's language"
    )
    parser.add_argument(
        "--dialogue",
        type=Path,
        metavar="FILE",
        help="a play instead of a text: lines such as ANNA: Hello, with --voice ANNA=af_bella for "
        "each speaker",
    )
    parser.set_defaults(speakers={})
    parser.add_argument("--phonemes", action="store_true", help="the text is phonemes")
    parser.add_argument("--ssml", action="store_true", help="the text is SSML; see docs/markup.md")
    parser.add_argument(
        "--normalize",
        default="true",
        metavar="CHOICES",
        help="how numbers, dates, abbreviations and the like become words before G2P: true, false, "
        "or choices such as urls=short,code=skip, in JSON too; see docs/text.md",
    )
    parser.add_argument(
        "--no-normalize",
        dest="normalize",
        action="store_const",
        const="false",
        help="the same as --normalize false",
    )


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `read`."""
    parser.add_argument(
        "book", type=Path, help="epub, pdf, txt, md, html, fb2, docx, srt, vtt; see docs/books.md"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        help="m4b, mp3, opus or flac with chapters, epub to read along, or a folder of one file a "
        "chapter",
    )
    parser.add_argument(
        "--list", dest="listed", action="store_true", help="list the chapters with their lengths"
    )
    parser.add_argument("--chapters", help="chapters to read, such as 3-7,9; default: all")
    parts = "front, back, notes, tables, code, captions"
    parser.add_argument("--keep", help=f"parts to read as well, separated by commas: {parts}")
    parser.add_argument("--skip", help="parts to leave out, of the same names")
    parser.add_argument("--cast", type=Path, help="file of voices for speakers and chapters (TOML)")
    parser.add_argument(
        "--quotes-voice", help="voice of what is between quotation marks; default: the same voice"
    )
    parser.add_argument(
        "--speed", type=float, default=1.0, help="0.25 to 6.0; 2.0 is twice as fast"
    )
    parser.add_argument(
        "--language", help="language code of the text; default: the voice's language"
    )
    parser.add_argument(
        "--normalize",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="write numbers, dates and abbreviations as words before G2P",
    )
    formats = ("m4b", "mp3", "opus", "flac")
    parser.add_argument("--files", choices=formats, help="format in a folder; default: mp3")
    parser.add_argument(
        "--timestamps",
        help="files of times beside the audio: vtt, srt, json; ass (karaoke), words.vtt, words.srt",
    )
    parser.add_argument(
        "--by", choices=("sentence", "word"), default="sentence", help="what an epub highlights"
    )
    parser.add_argument(
        "--loudness",
        type=float,
        default=-18.0,
        metavar="LUFS",
        help="of the audio, -40 to -12; default: -18",
    )
    parser.add_argument(
        "--chapter-pause", type=float, default=3.0, metavar="S", help="seconds after a chapter"
    )
    parser.add_argument(
        "--scene-pause", type=float, default=2.0, metavar="S", help="seconds at a change of scene"
    )
    parser.add_argument(
        "--fit",
        action="store_true",
        help="say each cue of subtitles at its time, up to 1.3 times as quick if it is too long",
    )
    parser.add_argument(
        "--progress",
        choices=("auto", "json", "none"),
        default="auto",
        help="bars on a terminal and lines elsewhere, JSON lines, or none",
    )
    parser.add_argument(
        "--changed",
        choices=("ask", "update", "fresh"),
        default="ask",
        help="if book, voice or version changed: ask, say anew what differs, or begin again",
    )
    parser.add_argument(
        "--overwrite",
        action="store_true",
        help="replace files that are there already, also those of other chapters or another book",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="refuse a book of which text is missing, such as one that is cut off",
    )
    parser.add_argument(
        "--keep-state", action="store_true", help="keep the state folder when all is written"
    )


def add_corpus(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `corpus`."""
    parser.add_argument(
        "corpus", type=Path, help="JSON lines, or Parquet (.parquet); see docs/corpora.md"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        help="folder; what an earlier run has spoken into it stays",
    )
    parser.add_argument(
        "--format",
        dest="audio_format",
        metavar="FORMAT",
        default="wav",
        help="wav, pcm, flac, mp3, opus, aac, mulaw, alaw, wav_mulaw or wav_alaw; default: wav",
    )
    parser.add_argument("--sample-rate", type=int, help="in Hz; default: the format's usual one")
    parser.add_argument(
        "--timestamps",
        choices=("word", "phoneme"),
        help="put the time of each word, or of its phonemes too, into the manifest",
    )
    parser.add_argument(
        "--attempts",
        type=int,
        default=3,
        help="how often to try an utterance that fails by no fault of its text",
    )
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="Ray cluster that speaks: HOST:PORT, or auto for the one on this machine; needs the "
        "extra cluster; default: this machine alone",
    )
    parser.add_argument(
        "--actors", type=int, help="processes that speak; default: as many as the cluster has room"
    )
    parser.add_argument(
        "--actor-cpus", type=float, default=1, help="processors of each, and its threads"
    )
    parser.add_argument("--actor-gpus", type=float, default=0, help="GPUs of each")


def add_speech_dispatcher(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `speech-dispatcher`."""
    parser.add_argument(
        "module_config",
        nargs="?",
        type=Path,
        metavar="config",
        help="a file that speech-dispatcher names when it starts its modules; it is not read",
    )
    parser.add_argument(
        "--server",
        metavar="URL",
        help="the service that runs, with its key in KOKORO_API_KEY; default: at the host and port "
        "of the settings",
    )
    parser.add_argument(
        "--install",
        action="store_true",
        help="put the module where speech-dispatcher finds those of this user",
    )


_SETTINGS_TITLE = "settings"
_ALL_SETTINGS = "--help-settings"


class CommandParser(argparse.ArgumentParser):
    """Parses a command. Help and usage show its own options, not the seventy settings.

    Args:
        arguments: of the base class.
        examples: lines of a shell that help shows.
        options: of the base class.
    """

    def __init__(self, *arguments: Any, examples: Sequence[str] = (), **options: Any) -> None:
        if examples:
            options["epilog"] = "\n".join(["examples:", *(f"  {line}" for line in examples)])
        options.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(*arguments, **options)

    def format_help(self) -> str:
        """Return the help."""
        with self._without_settings():
            return super().format_help()

    def format_usage(self) -> str:
        """Return the usage."""
        with self._without_settings():
            return super().format_usage()

    def format_settings(self) -> str:
        """Return the help of the settings."""
        formatter = self._get_formatter()
        for group in self._settings():
            formatter.start_section(group.title)
            formatter.add_text(group.description)
            formatter.add_arguments(group._group_actions)
            formatter.end_section()
        return formatter.format_help()

    def _settings(self) -> list[argparse._ArgumentGroup]:
        return [group for group in self._action_groups if group.title == _SETTINGS_TITLE]

    @contextmanager
    def _without_settings(self) -> Iterator[None]:
        hidden = {id(action) for group in self._settings() for action in group._group_actions}
        groups, actions = self._action_groups, self._actions
        self._action_groups = [group for group in groups if group.title != _SETTINGS_TITLE]
        self._actions = [action for action in actions if id(action) not in hidden]
        try:
            yield
        finally:
            self._action_groups, self._actions = groups, actions


class _SettingsHelp(argparse.Action):
    """Prints the settings, and ends."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        assert isinstance(parser, CommandParser)
        print(parser.format_settings(), end="")
        parser.exit()


def add_settings(parser: argparse.ArgumentParser, shown: Collection[str] = ()) -> None:
    """Add a flag for each setting that a flag can hold, and one for the configuration file.

    A command with a `--config` of its own has that; the service's stands before its name.

    Args:
        parser: of a command.
        shown: the settings that its help shows.
    """
    if "--config" not in parser.format_usage():
        parser.add_argument("--config", type=Path, help="configuration file (TOML)")
    parser.add_argument(
        _ALL_SETTINGS, action=_SettingsHelp, nargs=0, help="show the flags of all settings, and end"
    )
    others = parser.add_argument_group(
        _SETTINGS_TITLE, "Also as KOKORO_* variables, and in the file; see docs/command-line.md."
    )
    for name, field in Settings.model_fields.items():
        if name not in _CONFIG_ONLY:
            flag = "--" + name.replace("_", "-")
            kind: dict[str, Any] = {"metavar": "X"}
            if field.annotation is bool:
                kind = {"action": argparse.BooleanOptionalAction, "default": None}
            if name == "voice":
                kind["action"] = _VoiceAction
            place = parser if name in shown else others
            place.add_argument(flag, dest=name, help=field.description, **kind)


class _VoiceAction(argparse.Action):
    """Takes a voice, or `NAME=VOICE`, that of a speaker, where there are speakers."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        name, equals, voice = values.partition("=")
        if equals and hasattr(namespace, "speakers"):
            namespace.speakers = {**namespace.speakers, name.strip(): voice}
        else:
            namespace.voice = values
