"""spaCy's tags, for our words."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from service.text.languages.english import spacy_tagger
from service.text.languages.english.spacy_tagger import SpacyTagger, is_installed

needs_spacy = pytest.mark.skipif(not is_installed(), reason="the extra `spacy` (500 MB) is not installed")


@pytest.mark.parametrize(
    ("words", "spaced", "tokens", "tags"),
    [
        (["do", "n't"], [False, False], [(0, "do", "VB"), (2, "n't", "RB")], ["VB", "RB"]),
        (["don't", "!"], [False, False], [(0, "do", "VB"), (2, "n't", "RB"), (5, "!", ".")], ["RB", "."]),
        (["A-b"], [False], [(0, "A", "NN"), (1, "-", "HYPH"), (2, "b", "JJ")], ["NN"]),
        (["a", "b"], [False, False], [(0, "ab", "NN")], ["NN", "NN"]),
        (["a", "b", "c"], [True, True, False], [(0, "a", "X"), (2, "b", "Y"), (4, "c", "Z")], ["X", "Y", "Z"]),
        ([], [], [], []),
    ],
)
def test_a_word_has_the_tag_of_its_weightiest_token(words, spaced, tokens, tags):
    assert list(spacy_tagger._tags(words, spaced, tokens)) == tags


@needs_spacy
def test_words_are_tagged_in_their_context():
    words = ["I", "read", "that", "record", "."]
    assert SpacyTagger()(words, [True, True, True, False, False]) == ["PRP", "VBD", "DT", "NN", "."]


@needs_spacy
def test_threads_take_turns():
    tagger = SpacyTagger()
    words = ["They", "don't", "live", "in", "well", "-", "known", "houses", "."]
    spaced = [True, True, True, True, False, False, True, False, False]
    expected = tagger(words, spaced)
    with ThreadPoolExecutor(4) as pool:
        for tags in pool.map(lambda _: tagger(words, spaced), range(20)):
            assert tags == expected
