"""How long the text front end takes for 100 characters here, beside another checkout.

    python -m bench.front_end CHECKOUT [--repeats N] [--write]

Texts of about a hundred characters, which each side has read once before: prose of
tests/data/reading, what people and assistants write in chats, and lists of short lines. "Words" is
what is said, before phonemes. Each side has a process of its own, both with this interpreter, and
the sides take turns. Times are processor times of the reading thread, of passes over all texts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from bench.command import Section, command_line, publish
from bench.processes import Process, python
from bench.reading import sentences_of
from bench.report import Bound, Row, ratio, table
from bench.tests import commit
from bench.timing import alternate

HERE = Path(__file__).resolve().parents[1]
ROUNDS = 11
N_SENTENCES = 60

CHATS = (
    "Sure! **Preheat** the oven, then mix the flour with the butter until it looks like sand. 😊",
    "omg i can't believe it's friday lol. are we still on for tonight? i'll bring *everything*",
    "The `print` function writes to the screen, and **return** hands the value back to the caller.",
    "hey, running a bit late, the bus didn't come :( start without me & save me a seat please!!",
    "Here's the short answer: *yes*, you can. The longer one is that it depends on how you use it.",
    "No worries at all! I've sent you the file again, so let me know whether it opens this time 👍",
    "**Tip:** water the plants in the evening, because the sun dries the soil during the day.",
    "He said ~~never~~ maybe, and that he'd think about it. Let's see what happens, I guess?",
)
LISTS = (
    "Eggs\nMilk and butter\nBrown bread\nTwo lemons\nOlive oil\nA jar of honey\nCoffee\nBasil",
    "- Open the settings\n- Choose your account\n- Press the button below\n- Wait for the message",
    "1. Fill the kettle\n2. Warm the pot\n3. Add the leaves\n4. Pour the water\n5. Wait, then pour",
    "Anna: Are you coming?\nBen: In a minute.\nAnna: The film begins soon.\nBen: Then go ahead!",
    "Roses are red\nviolets are blue\nthe garden is sleeping\nand so should you\nuntil the morning",
    "To do today:\n* call the bank\n* pick up the parcel\n* write to the landlord\n* buy flowers",
    "Front door\nKitchen window\nGarage\nCellar stairs\nBathroom light\nGarden gate\nAttic hatch",
    "Please bring:\n• a warm jacket\n• good shoes\n• something to drink\n• a torch for the cave",
)
KINDS = ("prose", "chat", "lines")

_CHILD = """
import json, sys, time
sys.path[0] = sys.argv[1]
from service.text import FrontEnd, Passage, TracedText, USUAL
from service.text.characters import clean_text
from service.text.normalization import normalize

front_end = FrontEnd()

def words(text):
    if hasattr(front_end, "length_in_words"):
        list(front_end.length_in_words(Passage(TracedText(text)), "en-us"))
    else:
        normalize(clean_text(TracedText(text)), "en-us", choices=USUAL)

def phonemes(text):
    list(front_end.read(Passage(TracedText(text)), "en-us"))

for line in sys.stdin:
    name, texts = json.loads(line)
    read = {"words": words, "phonemes": phonemes}[name]
    started = time.thread_time()
    for text in texts:
        read(text)
    used = time.thread_time() - started
    print(used / sum(map(len, texts)) * 1e5, flush=True)
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 0, 1 if a bound is missed, or 2 for a failure."""
    parser = command_line("bench.front_end", __doc__, f"rounds, {ROUNDS} by default")
    parser.add_argument("other", type=Path, metavar="CHECKOUT", help="to compare with")
    options = parser.parse_args(arguments)
    sections = _sections(options.other.resolve(), options.repeats or ROUNDS)
    return publish(sections, write=options.write)


def texts_of(kind: str) -> Sequence[str]:
    """Return the texts of one of `KINDS`."""
    if kind == "prose":
        return [text for text in sentences_of("en-us") if 60 < len(text) < 140][:N_SENTENCES]
    return CHATS if kind == "chat" else LISTS


def _sections(other: Path, rounds: int) -> Iterator[Section]:
    rows: list[Row] = []
    with ExitStack() as stack:
        ours, theirs = (stack.enter_context(python("-c", _CHILD, str(at))) for at in (HERE, other))
        for what in ("words", "phonemes"):
            for kind in KINDS:
                texts = texts_of(kind)
                pairs = alternate(
                    lambda texts=texts, what=what: _ask(ours, what, texts),
                    lambda texts=texts, what=what: _ask(theirs, what, texts),
                    rounds,
                    warm_ups=2,
                )
                rows.append(ratio(f"{what} of {kind}", pairs, "ms", Bound(1.0)))
    report = table(rows, commit(other), commit(HERE))
    met = all(row.met for row in rows)
    yield Section("front end", (__doc__ or "").split("\n\n", 2)[2], report, met)


def _ask(child: Process, what: str, texts: Sequence[str]) -> float:
    """Return the milliseconds of processor time for 100 characters."""
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(json.dumps((what, texts)) + "\n")
    child.stdin.flush()
    return float(child.stdout.readline())


if __name__ == "__main__":
    sys.exit(main())
