"""Train the weights that tell the language of a name from its letters, and write them.

    python -m bench.names

It needs the package Faker 40.63.0 (MIT), whose lists of names by country are what is learned from,
and scikit-learn; what it writes needs numpy only. English are Faker's names of English-speaking
countries and the words of the lexicon. The same input gives the same weights.
tests/service/text/languages/english/test_names.py measures.
"""

from __future__ import annotations

import gzip
import importlib
import io
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from service.text import Espeak, find_language
from service.text.espeak.reader import EspeakReader
from service.text.languages.english.loanwords import fold
from service.text.languages.english.names import ENGLISH, VOICES, Origins, pieces, pronounce

DATA = Path(__file__).parents[1] / "service/text/languages/english/data"
BUCKETS, COST, LEXICON, ANGLICIZED = 1 << 14, 1.0, 16_000, 16_000

COUNTRIES = {
    "cs": "cs_CZ sk_SK", "de": "de_AT de_CH de_DE", "en": "en_GB en_IE en_NZ en_US",
    "es": "es_AR es_CL es_CO es_ES es_MX", "fi": "et_EE fi_FI", "fr": "fr_BE fr_FR",
    "hu": "hu_HU", "it": "it_IT", "nl": "nl_BE nl_NL", "pl": "pl_PL",
    "plain": "bg_BG en_IN en_KE en_NG en_PK fr_DZ ha_NG id_ID ig_NG ja_JP ru_RU sw tw_GH uk_UA"
    " yo_NG zu_ZA",
    "pt": "pt_BR pt_PT", "ro": "ro_RO", "sh": "hr_HR sl_SI", "sv": "da_DK no_NO sv_SE",
    "tr": "tr_TR", "zh": "zh_CN zh_TW",
}  # fmt: skip

_CYRILLIC = dict(
    zip(
        "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґ",
        re.findall(
            "[a-z]+|'",
            "a b v g d e zh z i y k l m n o p r s t u f kh ts ch sh shch ' y ' e yu ya i yi ye g",
        ),
        strict=True,
    )
)
_NAME = re.compile("[A-Za-zÀ-ɏ]{2,}")


def names(country: str) -> set[str]:
    """Return Faker's names of a country, in Latin letters."""
    provider = importlib.import_module(f"faker.providers.person.{country}").Provider
    found = set()
    for field, value in vars(provider).items():
        if "name" in field and "format" not in field and not callable(value):
            for text in texts(value):
                latin = "".join(_CYRILLIC.get(letter, letter) for letter in text.lower())
                latin = latin.replace("'", "")
                found |= {part for part in re.split("[ -]", latin) if _NAME.fullmatch(part)}
    return found


def texts(value: Any) -> Iterator[str]:
    """Yield the strings in a collection."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (Mapping, list, tuple, set)):
        for part in value:
            yield from texts(part)


def fit(rows: Sequence[tuple[str, int]], n_languages: int) -> Any:
    """Return a model of names and the numbers of their languages."""
    import scipy.sparse as sparse
    from sklearn.linear_model import LogisticRegression

    columns = [[crc32(part.encode()) % BUCKETS for part in pieces(name)] for name, _ in rows]
    ones = np.ones(sum(map(len, columns)), np.float32)
    ends = np.cumsum([0, *map(len, columns)])
    given = sparse.csr_matrix((ones, np.concatenate(columns), ends), shape=(len(rows), BUCKETS))
    counts = np.bincount([k for _, k in rows], minlength=n_languages)
    weights = [(counts.mean() / counts[k]) ** 0.5 for _, k in rows]
    model = LogisticRegression(C=COST, max_iter=60, tol=1e-3)
    return model.fit(given, [k for _, k in rows], sample_weight=weights)


def packed(model: Any, languages: Sequence[str]) -> dict[str, Any]:
    """Return the arrays of the file."""
    scale = float(np.percentile(np.abs(model.coef_), 99.9) / 127)
    meta = {"languages": languages, "scale": scale}
    return {
        "table": np.clip(np.rint(model.coef_.T / scale), -127, 127).astype(np.int8),
        "bias": model.intercept_.astype(np.float32),
        "meta": np.frombuffer(json.dumps(meta).encode(), np.uint8),
    }


def anglicized(origins: Origins) -> Iterator[tuple[str, str]]:
    """Yield names of the CMU dictionary, and whose rules Americans say them by.

    English ones, or those of the language that the letters show; names that both or neither say
    as CMU are English.
    """
    espeak = Espeak()
    english = EspeakReader(lambda: espeak, find_language("en-us"))
    lines = gzip.decompress((DATA / "cmudict.tsv.gz").read_bytes()).decode().splitlines()
    for line in random.Random(0).sample(lines, ANGLICIZED):
        word, said = line.split("\t")
        language, _ = origins.language(word)
        outline = sounds(said)
        fits = sounds(pronounce(word, language, espeak.phonemize)) == outline
        is_foreign = fits and sounds(english.read_word(word)) != outline
        yield word, language if is_foreign else ENGLISH


def sounds(phonemes: str) -> str:
    """Return the consonants and the stressed vowel of a word."""
    plain = re.sub("[AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻᵊ]ɹ?(?<!ˈ.)", "*", phonemes.replace("ˌ", ""))
    return re.sub("[ɑæɔ]", "a", plain.replace("T", "t").replace("ɪ", "i"))


def main() -> None:
    """Write the weights."""
    languages = sorted([*VOICES, ENGLISH])
    lists = {
        language: sorted(set().union(*map(names, COUNTRIES[language].split())))
        for language in languages
    }
    lexicon = gzip.decompress((DATA / "us_gold.tsv.gz").read_bytes()).decode().splitlines()
    words = [line.partition("\t")[0].lower() for line in lexicon]
    words = sorted({word for word in words if len(word) > 3 and word.isalpha()})
    lists[ENGLISH] += random.Random(0).sample(words, LEXICON)
    rows = [
        (form, k)
        for k, language in enumerate(languages)
        for name in lists[language]
        for form in sorted({name, fold(name)})
    ]
    first = Origins(packed(fit(rows, len(languages)), languages))
    rows += [(word, languages.index(language)) for word, language in anglicized(first)]
    file = io.BytesIO()
    np.savez_compressed(file, **packed(fit(rows, len(languages)), languages))
    (DATA / "names.npz").write_bytes(file.getvalue())
    print(dict(Counter(languages[k] for _, k in rows)), len(file.getvalue()))


if __name__ == "__main__":
    main()
