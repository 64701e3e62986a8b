"""The command line: `kokoro-service`, also `python -m service`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from service import __version__, arguments
from service.errors import InvalidRequestError, ServiceError, StartupError
from service.extras import advice, is_installed
from service.heap import share_freed_memory
from service.logs import configure_logging
from service.settings import Settings, load_settings


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit status: 0, or 1 after one line on standard error."""
    made = parser()
    options = vars(made.parse_args(arguments))
    if "command" not in options:
        made.print_help()
        return 0
    command, config = options.pop("command"), options.pop("config")
    options.pop("help_settings", None)
    share_freed_memory()
    flags = {name: options.pop(name) for name in list(options) if name in Settings.model_fields}
    flags = {name: value for name, value in flags.items() if value is not None}
    try:
        settings = load_settings(flags, config)
        configure_logging(settings.log_level, settings.log_format)
        return int(command(settings, **options))
    except (ServiceError, OSError) as error:
        print(f"kokoro-service: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _serve(settings: Settings) -> int:
    from service.api import serve  # other commands need no web framework

    serve(settings)
    return 0


def _say(
    settings: Settings,
    text: str | None,
    file: Path | None,
    output: Path | None,
    speed: float,
    volume: float,
    loudness: float | None,
    language: str | None,
    dialogue: Path | None,
    speakers: dict[str, str],
    phonemes: bool,
    ssml: bool,
    normalize: str,
) -> int:
    from service import saying  # other commands need no audio
    from service.loading import load_synthesizer
    from service.playback import find_player
    from service.speech import Delivery, TextKind, Utterance, gain_of
    from service.speech.dialogues import USUAL_PAUSE_S, turns_of_play
    from service.speech.dialogues import dialogue as said_in_turns

    if output is None:
        player = find_player()
    else:
        saying.format_of(output)
        saying.check_place(output)
    delivery = Delivery(gain=gain_of(volume), loudness_lufs=loudness)
    kind: TextKind = "phonemes" if phonemes else "ssml" if ssml else "text"
    utterance = Utterance(
        "" if dialogue is not None else saying.read_text(text, file),
        kind,
        speed=speed,
        language=language,
        normalization=saying.normalization_of(normalize),
        cast=speakers,
    )
    if dialogue is not None:
        if text is not None or file is not None or kind != "text":
            raise InvalidRequestError("give a play, or a text of another kind, not both")
        turns = turns_of_play(saying.read_text(None, dialogue), speakers)
        utterance = said_in_turns(turns, replace(utterance, even=True), USUAL_PAUSE_S)
    synthesizer = load_synthesizer(settings, _progress)
    try:
        if output is None:
            line = saying.say_aloud(synthesizer, utterance, player, delivery)
        else:
            line = saying.say_to_file(synthesizer, utterance, output, delivery)
    finally:
        synthesizer.close()
    _progress(line)
    return 0


def _corpus(
    settings: Settings,
    corpus: Path,
    output: Path,
    audio_format: Any,
    sample_rate: int | None,
    timestamps: Literal["word", "phoneme"] | None,
    attempts: int,
    cluster: str | None,
    actors: int | None,
    actor_cpus: float,
    actor_gpus: float,
) -> int:
    from service.cluster.corpus_command import CorpusRun, speak_corpus
    from service.cluster.pools import ActorOptions
    from service.cluster.speaker import SpeechForm

    form = SpeechForm(audio_format, sample_rate, timestamps)
    options = None
    if cluster is not None:
        options = ActorOptions(cluster, actors, actor_cpus, actor_gpus)
    run = CorpusRun(corpus, output, form, attempts)
    return 0 if speak_corpus(settings, run, options, _progress) else 1


def _read(
    settings: Settings,
    book: Path,
    output: Path | None,
    listed: bool,
    chapters: str | None,
    keep: str | None,
    skip: str | None,
    cast: Path | None,
    quotes_voice: str | None,
    speed: float,
    language: str | None,
    normalize: bool,
    files: Literal["m4b", "mp3", "opus", "flac"] | None,
    timestamps: str | None,
    by: Literal["sentence", "word"],
    loudness: float,
    chapter_pause: float,
    scene_pause: float,
    fit: bool,
    progress: Literal["auto", "json", "none"],
    changed: Literal["ask", "update", "fresh"],
    overwrite: bool,
    strict: bool,
    keep_state: bool,
) -> int:
    if not is_installed("books"):
        raise StartupError(f"reading books needs the extra books: {advice('books')}")

    from service import narrating  # other commands need no books
    from service.books.audiobook import Order
    from service.books.choice import Choice, parts_of, timestamps_of
    from service.books.outputs import Output
    from service.books.sections import Pauses

    choice = Choice(parts_of(keep), parts_of(skip), chapters)
    pauses = Pauses(scene=scene_pause, chapter=chapter_pause)
    voice = settings.voice if "voice" in settings.model_fields_set else None
    manner = narrating.manner_of(cast, speed, language, pauses, normalize, voice, quotes_voice, fit)
    if listed:
        print(narrating.list_chapters(settings, book, choice, manner))
        return 0
    if output is None:
        raise InvalidRequestError("say where the audio goes (-o), or list the chapters (--list)")
    order = Order(choice, manner, Output.of(output, files), loudness, timestamps_of(timestamps), by)
    try:
        narrating.read_aloud(
            settings,
            book,
            order,
            changed=changed,
            overwrites=overwrite,
            strict=strict,
            display=progress,
            keeps_state=keep_state,
        )
    except KeyboardInterrupt:
        if progress == "auto":
            _progress("stopped; the same command goes on from here")
        raise
    return 0


def _mcp(settings: Settings, server: str | None) -> int:
    if not is_installed("mcp"):
        raise StartupError(f"serving assistants needs the extra mcp: {advice('mcp')}")

    from service.assistants import talk  # other commands need no web framework

    talk(settings, server)
    return 0


def _speech_dispatcher(
    settings: Settings, module_config: Path | None, server: str | None, install: bool
) -> int:
    from service.screen_readers import output_module  # other commands need none

    host = "localhost" if settings.host in ("0.0.0.0", "::") else settings.host
    server = server or f"http://{host}:{settings.port}"
    if install:
        print(output_module.install(server))
        return 0
    output_module.serve(server, _voices_of(server, settings))
    return 0


def _voices_of(server: str, settings: Settings) -> Any:
    """Return the voices of a service, or those that it would have by these settings."""
    import logging

    import httpx

    from service.screen_readers.output_module import Voices

    logging.getLogger("httpx").setLevel(logging.WARNING)
    try:
        answer = httpx.get(f"{server}/voices", trust_env=False, timeout=5).raise_for_status()
        told = answer.json()
        rows = [(one["name"], one["language"], one["sex"]) for one in told["voices"]]
        default = told["default"]
    except httpx.HTTPError:
        from service.loading import load_voices

        rows = [(one.name, one.language, one.sex) for one in load_voices(settings).voices]
        default = settings.voice
    return Voices(
        [(name, language, sex or "none") for name, language, sex in rows if language], default
    )


def _cache(settings: Settings, names: list[str], clear: bool) -> int:
    from service.preparation import cached, default_cache_dir, remove

    found = cached(settings.cache_dir or default_cache_dir())
    unknown = set(names) - {one.name for one in found}
    if unknown:
        raise InvalidRequestError(f"not in the cache: {', '.join(sorted(unknown))}")
    for one in found:
        if names and one.name not in names:
            continue
        if clear:
            remove(one.path)
        used = datetime.fromtimestamp(one.used_s).strftime("%Y-%m-%d")
        print(f"{one.size_bytes / 1e6:7.1f} MB  {used}  {one.path}")
    return 0


def _completion(settings: Settings, shell: str) -> int:
    from service.resources import resource

    print((resource("share") / f"kokoro-service.{shell}").read_text(encoding="utf-8"), end="")
    return 0


def _voices(settings: Settings) -> int:
    from service.loading import load_voices

    for voice in load_voices(settings).voices:
        print(f"{voice.name:16} {voice.language or '-':6} {voice.sex or '-'}")
    return 0


def _add_voices(
    settings: Settings,
    file: Path,
    name: str | None = None,
    language: str | None = None,
    sex: str | None = None,
) -> int:
    from service.speech import read_styles

    found = read_styles(file)
    if name is not None:
        if len(found) > 1:
            raise InvalidRequestError(f"{file} has {len(found)} voices; leave out --name")
        found = {name: next(iter(found.values()))}
    return _keep_voices(settings, found, language, sex)


def _mix_voices(
    settings: Settings, blend: str, save: str, language: str | None = None, sex: str | None = None
) -> int:
    from service.loading import load_voices

    voices = load_voices(settings)
    mixed = voices.resolve(blend)
    language = language or mixed.language
    return _keep_voices(settings, {save: voices.styles(mixed)}, language, sex)


def _keep_voices(
    settings: Settings, found: Mapping[str, Any], language: str | None, sex: str | None
) -> int:
    from service.loading import added_voices_dir, load_voices
    from service.speech import add_voice
    from service.text import find_language

    language = None if language is None else find_language(language).code
    folder = added_voices_dir(settings)
    there_are = load_voices(settings).voices if settings.voices_dir is None else []
    taken = sorted({voice.name for voice in there_are} & set(found))
    if taken:
        raise InvalidRequestError(f"there are voices of these names already: {', '.join(taken)}")
    for name, styles in found.items():
        add_voice(folder, name, styles, language, sex)
        print(folder / f"{name}.bin")
    return 0


def _models(settings: Settings) -> int:
    from service.loading import load_models, load_statistics

    has_windows = load_statistics().source_sha256
    for spec in load_models(settings):
        sha256 = spec.published.sha256 if spec.published else spec.sha256
        windows = "windows" if sha256 == has_windows else "no windows"
        print(f"{spec.name:24} {spec.licence or '-':16} {windows:12} {spec.file or spec.title}")
    return 0


def _add_model(
    settings: Settings,
    file: Path,
    weights: Literal["int8", "float32"],
    model_config: Path | None = None,
    voices: Path | None = None,
    **told: str | None,
) -> int:
    from service.adding import NewModel, add_model
    from service.loading import models_dir

    voice = settings.voice if "voice" in settings.model_fields_set else None
    config = model_config or file.with_name("config.json")
    new = NewModel(file, config, voices, voice=voice, precision=weights, **told)
    spec = add_model(new, models_dir(settings), _progress)
    _progress(f"say it with: kokoro-service say --model {spec.name} TEXT")
    print(spec.file)
    return 0


def _remove_model(settings: Settings, name: str) -> int:
    from service.adding import remove_model
    from service.loading import models_dir

    print(remove_model(name, models_dir(settings)))
    return 0


def _prepare(settings: Settings, target: Literal["cpu", "cuda"] | None) -> int:
    from service.loading import prepare_model

    for prepared in prepare_model(settings, target, _progress):
        print(prepared.place)
    return 0


def _doctor(settings: Settings, as_json: bool) -> int:
    from service.doctor import examine

    findings = []
    for finding in examine(settings, _progress):
        findings.append(finding)
        if not as_json:
            mark = {True: "ok", False: "FAIL", None: "-"}[finding.ok]
            print(f"{mark:4} {finding.name:14} {finding.detail}", flush=True)
    if as_json:
        print(json.dumps([asdict(finding) for finding in findings], indent=1))
    return 1 if any(finding.ok is False for finding in findings) else 0


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


_COMMANDS: dict[str, tuple[Any, ...]] = {
    "serve": (
        _serve, "serve HTTP and WebSocket until stopped",
        "kokoro-service serve --port 9000 --voice bf_emma",
        "kokoro-service serve --data-dir ~/kokoro-data   # with jobs: books over HTTP",
    ),
    "say": (
        _say, "play speech, or write it into a file",
        'kokoro-service say "Hello from Kokoro."',
        "kokoro-service say -f chapter.txt -o chapter.mp3 --voice bf_emma",
        "fortune | kokoro-service say --speed 1.2",
    ),
    "read": (
        _read, "read a book into files with chapters",
        "kokoro-service read novel.epub --list",
        "kokoro-service read novel.epub -o novel.m4b     # again to go on after an interruption",
    ),
    "corpus": (
        _corpus, "speak a corpus, a file for each utterance",
        "kokoro-service corpus sentences.jsonl -o spoken",
    ),
    "mcp": (_mcp, "serve an assistant by MCP on standard input and output"),
    "speech-dispatcher": (
        _speech_dispatcher, "speak for screen readers on Linux",
        "kokoro-service speech-dispatcher --install",
    ),
    "voices": (
        _voices, "list the voices, add some, or keep a blend",
        'kokoro-service voices mix "af_bella(2)+af_sky(1)" --save mine',
    ),
    "model": (
        _models, "list the models, add or remove one",
        "kokoro-service model add kokoro-de.pth --config config.json --name de --language de",
    ),
    "prepare": (_prepare, "prepare the model for this machine now"),
    "doctor": (_doctor, "check everything that the service needs"),
    "cache": (_cache, "list what is in the cache, or clear it"),
    "completion": (_completion, "print the completions of a shell"),
}  # fmt: skip
"""What each command does, its line in the help, and examples."""

_SHOWN: dict[str, tuple[str, ...]] = {
    "serve": ("host", "port", "voice", "data_dir", "api_keys_file", "mcp", "provider"),
    "say": ("voice",),
    "read": ("voice",),
    "corpus": ("voice",),
    "cache": ("cache_dir",),
    "prepare": ("cache_dir", "model"),
}
"""The settings that the help of a command shows."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line; the man page and the completions are made of it."""
    parser = arguments.CommandParser(
        prog="kokoro-service",
        description="Kokoro-82M text-to-speech",
        allow_abbrev=False,
        examples=(
            'kokoro-service say "Hello from Kokoro."         # play a text',
            "kokoro-service say -f text.txt -o speech.mp3    # write it into a file",
            "kokoro-service read novel.epub -o novel.m4b     # make an audiobook",
            "kokoro-service serve                            # a page and an API for programs",
            "kokoro-service doctor                           # find out what is wrong",
        ),
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(metavar="command")
    made = {
        name: _command(commands, run, name, description, examples=examples)
        for name, (run, description, *examples) in _COMMANDS.items()
    }
    arguments.add_saying(made["say"])
    arguments.add_reading(made["read"])
    arguments.add_corpus(made["corpus"])
    arguments.add_speech_dispatcher(made["speech-dispatcher"])
    made["mcp"].add_argument(
        "--server",
        metavar="URL",
        help="a service that runs, such as http://localhost:8880, with its key in KOKORO_API_KEY; "
        "default: the model is loaded by this process",
    )
    made["prepare"].add_argument(
        "--for",
        dest="target",
        choices=("cpu", "cuda"),
        help="CPUs or NVIDIA GPUs; default: what the provider in the settings needs",
    )
    made["doctor"].add_argument(
        "--json", dest="as_json", action="store_true", help="print JSON, for bug reports"
    )
    made["cache"].add_argument(
        "names", nargs="*", metavar="name", help="last part of a path; default: all"
    )
    made["cache"].add_argument("--clear", action="store_true", help="remove what is listed")
    made["completion"].add_argument("shell", choices=("bash", "zsh", "fish"))
    of_voices = made["voices"].add_subparsers(metavar="command")
    # What they are not given must not replace what stands before their names.
    inner = argparse.SUPPRESS
    add = _command(of_voices, _add_voices, "add", "add the voices of a file", inner)
    mix = _command(of_voices, _mix_voices, "mix", "keep a blend as a voice of its own", inner)
    arguments.add_voices(add, mix)
    of_models = made["model"].add_subparsers(metavar="command")
    new = _command(of_models, _add_model, "add", "add a model of others, without PyTorch", inner)
    gone = _command(of_models, _remove_model, "remove", "remove a model that was added", inner)
    arguments.add_models(new, gone)
    for name, subparser in made.items():
        arguments.add_settings(subparser, _SHOWN.get(name, ()))
    for subparser in (add, mix, new, gone):
        arguments.add_settings(subparser)
    return parser


def _command(
    commands: Any,
    run: Any,
    name: str,
    description: str,
    default: str | None = None,
    examples: Sequence[str] = (),
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=description,
        description=description,
        allow_abbrev=False,
        argument_default=default,
        examples=examples,
    )
    parser.set_defaults(command=run)
    return parser


if __name__ == "__main__":
    sys.exit(main())
