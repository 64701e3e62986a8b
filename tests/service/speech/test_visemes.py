"""Shapes of the mouth: of every sound, and without gaps in a word."""

from itertools import pairwise

import pytest
from hypothesis import strategies as st

from service.speech import PhonemeTime, WordTime
from service.speech.visemes import OCULUS, SHAPES, visemes
from service.text import load_vocabulary
from tests.profiles import given

FRAME_S = 0.025


def word(phonemes, lengths=None):
    """Return a word whose phonemes take so many frames each, four unless told otherwise."""
    edges = [1.0]
    for n_frames in lengths or [4] * len(phonemes):
        edges.append(round(edges[-1] + n_frames * FRAME_S, 6))
    times = tuple(PhonemeTime(symbol, *pair) for symbol, pair in zip(phonemes, pairwise(edges), strict=True))
    return WordTime(0, 1, edges[0], edges[-1], times)


def names(phonemes):
    return [viseme.name for viseme in visemes(word(phonemes))]


def test_every_sound_of_the_model_has_a_shape_under_ids_that_there_are():
    shown = {sound for sound in load_vocabulary().sounds if any(v.oculus for v in visemes(word(f"ə{sound}"))[1:])}
    # Like the vowel before it, but for a breath with nothing behind it.
    assert load_vocabulary().sounds - shown == {"ə", "ᵊ", "ɤ", "ᵝ", "h"}
    for shapes in SHAPES.values():
        assert all(0 < oculus < 15 and 0 < azure < 22 for oculus, azure in shapes)
    assert {oculus for shapes in SHAPES.values() for oculus, _ in shapes} == set(range(1, 15))
    # h stands apart: it looks like what follows.
    assert {azure for shapes in SHAPES.values() for _, azure in shapes} == set(range(1, 22))


@pytest.mark.parametrize(
    ("phonemes", "expected"),
    [
        ("mˈæp", "PP aa PP"), ("fˈɪfθ", "FF ih FF TH"), ("ʧˈɜɹʧ", "CH E RR CH"), ("lˈIt", "nn aa ih DD"),
        ("bˈW", "PP aa ou"), ("bˈY", "PP oh ih"), ("hˈu", "ou"), ("hˈi", "ih"), ("sˈt", "SS DD"),
        ("pˈmb", "PP"), ("ʦˈu", "DD SS ou"), ("ɯᵝ", "ou"), ("nˈɑːʲn", "nn aa nn"), ("a-a", "aa"), ("a.a", "aa sil aa"),
    ],
)  # fmt: skip
def test_shapes_are_those_that_one_sees(phonemes, expected):
    shown = [name for name, before in zip(names(phonemes), ["", *names(phonemes)], strict=False) if name != before]
    assert shown == expected.split()


def test_azure_counts_breath_and_whole_diphthongs():
    assert [(v.azure, v.name) for v in visemes(word("hˈI"))] == [(12, "aa"), (11, "aa"), (11, "ih")]
    first, second = visemes(word("I"))
    assert (first.end_s, second.start_s) == (1.05, 1.05)


def test_stress_counts_to_the_sound_after_it_and_length_to_the_one_before():
    assert [(v.name, v.start_s, v.end_s) for v in visemes(word("tˈuːp", [1, 2, 3, 4, 5]))] == [
        ("DD", 1.0, 1.025), ("ou", 1.025, 1.25), ("PP", 1.25, 1.375),
    ]  # fmt: skip


symbols = st.sampled_from(sorted(load_vocabulary().symbols))


@given(st.lists(st.tuples(symbols, st.integers(0, 5)), min_size=1, max_size=30))
def test_visemes_fill_their_word_whatever_it_is(parts):
    said = word(*zip(*parts, strict=True))
    shown = visemes(said)
    for viseme, following in pairwise(shown):
        assert viseme.end_s == following.start_s
        assert (viseme.oculus, viseme.azure) != (following.oculus, following.azure)
    assert all(viseme.start_s < viseme.end_s for viseme in shown)
    assert all(viseme.name == OCULUS[viseme.oculus] for viseme in shown)
    if any(symbol in load_vocabulary().sounds - {"ᵝ"} for symbol, _ in parts) and shown:
        assert shown[-1].end_s == said.end_s
        assert shown[0].start_s >= said.start_s
