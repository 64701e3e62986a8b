"""Learn how English is read, and measure how well.

    python -m bench.readings [--write] [--show N] [--only CLASS] [--without MODULE ...]
    python -m bench.readings --language es [--show N] [--only CLASS]

It learns weights from the annotated texts of tests/data/annotated and the cases of
tests/data/reading, and tests them on texts that they were not learned from: by five-fold
cross-validation, and on the fifth that authors of grammars do not look at. `--write` writes the
weights, learned from all, beside the lexicons. `--siblings` tries spans with other numbers, days
and units too, which takes as long again. `--show` prints texts that are misread, never one of
the unread fifth. `--without` leaves out what some modules of rules write. `--language` measures
a language that is read by rules, which learn nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.readings.annotations import (
    N_FOLDS,
    Item,
    Text,
    load,
    load_cases,
    right_spans,
    units,
)
from bench.readings.learning import Example, Examples, Tally, is_allowed
from bench.readings.variants import classes, lowered, shouted, siblings
from service.text.characters import clean_text
from service.text.document import structure
from service.text.document.spoken import flatten
from service.text.languages.english import grammars
from service.text.lattice.decision import shared
from service.text.normalization import USUAL, normalize, normalizer
from service.text.offset_mapping import TracedText

FILE = Path(grammars.__file__).parents[1] / "data" / grammars.WEIGHTS
LEAST = 0.005
"""Smaller weights are not written."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the weights")
    parser.add_argument("--siblings", action="store_true", help="try other numbers, days, units")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N misread texts")
    parser.add_argument("--only", default="", metavar="CLASS", help="print texts of this class")
    parser.add_argument("--without", nargs="*", default=[], metavar="MODULE")
    parser.add_argument("--language", help="measure this language, read by rules")
    options = parser.parse_args(arguments)
    if options.language:
        print("\n".join(_by_rules(options.language, options.show, options.only)))
        return 0
    texts, cases_of_tests = load(), load_cases()
    learned = [*texts, *cases_of_tests, *_in_other_case(texts, learned=True)]
    data = Examples([*learned, *_in_other_case(texts, learned=False)], options.without)
    n_learned = len(learned)
    report = list(_figures(data, len(texts), n_learned, options.show, options.only))
    print("\n".join(report))
    if options.siblings:
        print(_siblings(texts))
    if options.write:
        weights = data.fit(range(n_learned))
        FILE.write_text("\n".join([*_head(report), *_rows(data, weights)]) + "\n", encoding="utf-8")
    return 0


def _by_rules(language: str, n_shown: int, only: str) -> Iterator[str]:
    """Yield how well a language is read that has rules alone, and what of it is misread."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for text in load(language=language):
        ok, said = said_as_allowed(text, language)
        text = _with_elisions_apart(text)
        items = [item for item in text.items if item.is_annotated]
        wrong = [item for item in items if not ok and not _is_said(item, said)]
        for name in ("unread fifth",) if text.unread else ("read texts", f"  {text.kind}"):
            tally = tallies[name]
            tally.texts += 1
            tally.exact += ok
            tally.spans += len(items)
            tally.right += len(items) - len(wrong)
        if not ok and not text.unread and n_shown and only in (text.kind, ""):
            n_shown -= 1
            yield f"{text.place} [{text.kind}] {text.text!r}\n   said   {said.text!r}"
            for item in wrong:
                wanted = " | ".join(map(" ".join, item.readings))
                yield f"   wanted {text.text[item.start : item.end]!r}: {wanted}"
    for name in sorted(tallies, reverse=True):
        yield f"{name:24} {tallies[name]}"


def said_as_allowed(text: Text, language: str) -> tuple[bool, TracedText]:
    """Tell whether a text is read as annotated, and return how it is read by rules."""
    said = normalize(clean_text(flatten(structure.parse(text.text)).text), language)
    return is_allowed(_with_elisions_apart(text), _apart(units(said.text))), said


def _is_said(item: Item, said: TracedText) -> bool:
    start, end = said.within(item.start, item.end)
    return _apart(units(said.text[start:end])) in item.readings


def _with_elisions_apart(text: Text) -> Text:
    """Return a text whose annotated words may follow an article that has lost its vowel."""
    items = tuple(item._replace(readings=tuple(map(_apart, item.readings))) for item in text.items)
    return text._replace(items=items)


def _apart(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part for word in words for part in word.split("'") if part)


def _in_other_case(texts: Sequence[Text], *, learned: bool) -> list[Text]:
    """Return texts in lower case and in capitals.

    Args:
        texts: annotated.
        learned: whether to learn from them, one of three in lower case and one in capitals;
            otherwise the unread ones are tested in both.
    """
    found = []
    for number, text in enumerate(texts):
        for place, write in enumerate((lowered, shouted)):
            wanted = number % 3 == place if learned else True
            if wanted and text.unread != learned and (variant := write(text)) is not None:
                found.append(variant)
    return found


_SIBLINGS = 10
"""Other numbers, days or units that an annotated span is tried with."""


def _siblings(texts: Sequence[Text]) -> str:
    """Return how often a span keeps its class with other numbers, days or units."""
    rules = normalizer.rules_for("en-us", USUAL)
    reader = rules.lattice
    assert reader is not None

    def kinds(text: str) -> list[tuple[str, int, int]]:
        source = clean_text(flatten(structure.parse(text)).text)
        rewriting = normalizer.rewriting(source.text, rules, (), USUAL)
        lattice = reader.lattice(source.text, rewriting)
        tokens = lattice.tokens.tokens
        found = []
        for index in lattice.best(lattice.scores(reader.weights)):
            one = lattice.candidates[index]
            part = source[tokens[one.start].start : tokens[one.end - 1].end]
            found.append((one.kind, *part.span))
        return found

    n_same = n_all = 0
    for text in texts:
        if text.unread:
            known: list[tuple[str, int, int]] = []
            for item, whole, span in siblings(text, _SIBLINGS):
                known = known or kinds(text.text)
                n_all += 1
                n_same += classes(kinds(whole), *span) == classes(known, item.start, item.end)
    return f"{n_all} siblings of unread spans keep their class: {n_same / n_all:.1%}"


def _figures(
    data: Examples, n_texts: int, n_learned: int, n_shown: int, only: str
) -> Iterable[str]:
    examples = data.examples
    read = [i for i in range(n_texts) if not examples[i].text.unread]
    unread = [i for i in range(n_texts) if examples[i].text.unread]
    cases_of_tests = [i for i in range(n_texts, n_learned) if examples[i].text.is_written]
    varied = [i for i in range(n_texts, n_learned) if not examples[i].text.is_written]
    by_class: dict[str, Tally] = defaultdict(Tally)
    british, british_unread = Tally(), Tally()
    in_case: dict[str, Tally] = defaultdict(Tally)
    crossed, plain, cases, fresh, sure = Tally(), Tally(), Tally(), Tally(), Tally()
    oracle = Tally()
    wild = [0, 0]
    for fold in range(N_FOLDS):
        learned = data.fit(
            [i for i in (*read, *cases_of_tests, *varied) if examples[i].text.fold != fold]
        )
        for i in (*read, *cases_of_tests):
            example = examples[i]
            if example.text.fold != fold:
                continue
            path, probability = _best(example, learned)
            if i >= n_texts:
                ok = cases.add(example, path)
            elif example.text.is_british:
                ok = british.add(example, path)
            else:
                ok = crossed.add(example, path)
                by_class[example.text.kind].add(example, path)
                if not any(item.is_annotated for item in example.text.items):
                    plain.add(example, path)
                if probability >= 0.97:
                    sure.add(example, path)
                oracle.texts += 1
                oracle.exact += example.gold is not None and not example.gold.wild
                wild[0] += 0 if example.gold is None else len(example.gold.wild)
            if not ok and n_shown and only in (example.text.kind, ""):
                n_shown -= 1
                _show(example, path)
    learned = data.fit([*read, *cases_of_tests, *varied])
    plain_unread = Tally()
    for i in unread:
        path, _ = _best(examples[i], learned)
        (british_unread if examples[i].text.is_british else fresh).add(examples[i], path)
        if examples[i].text.is_british:
            continue
        if not any(item.is_annotated for item in examples[i].text.items):
            plain_unread.add(examples[i], path)
    for i in range(n_learned, len(examples)):
        path, _ = _best(examples[i], learned)
        in_case[examples[i].text.place.rpartition(" ")[2]].add(examples[i], path)
    yield f"unread fifth, learned from the rest     {fresh}"
    yield f"  of these plain                        {plain_unread}"
    yield f"  in lower case                         {in_case['lower']}"
    yield f"  in capitals                           {in_case['capitals']}"
    yield f"read texts, five-fold cross-validation  {crossed}"
    yield f"  of these plain                        {plain}"
    yield f"  of these with all probable to 0.97    {sure}"
    yield f"  an allowed path exists                {oracle.exact / oracle.texts:6.1%} of the texts"
    yield f"British, unread fifth                   {british_unread}"
    yield f"British, five-fold cross-validation     {british}"
    yield f"cases of tests/data/reading, likewise   {cases}"
    yield f"{len(data.numbers)} features"
    for kind, tally in sorted(by_class.items(), key=lambda pair: pair[1].exact / pair[1].texts):
        yield f"  {kind:22} {tally}"


def _best(example: Example, weights: NDArray[np.float64]) -> tuple[list[int], float]:
    scores = example.scores(weights).tolist()
    path = example.lattice.best(scores)
    shares = example.lattice.probabilities(scores)
    return path, min((shares[index] for index in path), default=1.0)


def _show(example: Example, path: Sequence[int]) -> None:
    print(f"{example.text.place} [{example.text.kind}] {example.text.text!r}")
    wild = set() if example.gold is None else set(example.gold.wild)
    print("   said  ", " ".join(word for index in path for word in example.said[index]))
    for item, ok in right_spans(example.text.items, example.spans(path)):
        if not ok:
            number = example.text.items.index(item)
            why = "no path" if number in wild else "decided"
            written = example.text.text[item.start : item.end]
            print(f"   {why}: {written!r}: {' | '.join(map(' '.join, item.readings))}")
            kinds = [
                example.lattice.candidates[index].kind
                for index, (start, end, _) in zip(path, example.spans(path), strict=True)
                if start < item.end and item.start < end
            ]
            print("      by", *kinds)


def _head(report: Sequence[str]) -> list[str]:
    return ["# What English grammars have learned: feature, weight. By python -m bench.readings.",
        *(f"# {line}".rstrip() for line in report)]  # fmt: skip


def _rows(data: Examples, weights: NDArray[np.float64]) -> list[str]:
    """Return the lines of the file; a feature is written with the weight of the shared one."""
    rows = []
    for name, number in sorted(data.numbers.items()):
        if abs(weights[number]) >= LEAST:
            common = data.numbers.get(shared(name))
            weight = weights[number] + (0.0 if common is None else weights[common])
            rows.append(f"{name}\t{weight:.3f}")
    return rows


if __name__ == "__main__":
    sys.exit(main())
