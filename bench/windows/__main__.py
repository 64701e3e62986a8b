"""The command line of `bench.windows`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence

from bench import windows
from bench.command import Section, add_names, command_line, paragraph, positive, publish
from bench.deadline import add_minutes, in_parts
from bench.variants import add_variants, chosen_variants
from bench.windows.compute import measure_compute
from bench.windows.sentences import N_SENTENCES, VOICES
from bench.windows.sound import measure_sound, name_of
from service.model.prepared import Variant


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 for a missed bound, 2 for a failure, 3 if more is left to do."""
    parser = command_line("bench.windows", windows.__doc__, "pairs of each length")
    add_names(parser, "NAME", MEASUREMENTS)
    add_variants(parser)
    add_minutes(parser)
    parser.add_argument(
        "--sentences", type=positive, default=N_SENTENCES, help="texts for each voice"
    )
    parser.add_argument("--voices", default=",".join(VOICES))
    options = parser.parse_args(arguments)
    return in_parts(lambda: publish(_sections(options), write=options.write))


def _sections(options: argparse.Namespace) -> Iterator[Section]:
    for side in chosen_variants(options):
        for name in options.names:
            report, met = MEASUREMENTS[name](side, options)
            about = f"{paragraph(windows.__doc__, 'side')}\n\n{paragraph(windows.__doc__, name)}"
            yield Section(f"windows: {name_of(name, side)}", about, report, met)


MEASUREMENTS: dict[str, Callable[[Variant, argparse.Namespace], tuple[str, bool]]] = {
    "sound": measure_sound,
    "compute": measure_compute,
}


if __name__ == "__main__":
    sys.exit(main())
