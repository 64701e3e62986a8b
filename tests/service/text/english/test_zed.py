"""British English says zed, wherever the letter is named."""

import pytest


@pytest.mark.parametrize(
    "text",
    [
        *("From A to Z", "an A-Z of wine", "Generation Z", "Gen Z", "plan Z.", "W, X, Y, Z"),
        *("x, y and z", "the Z-axis", "NZ won.", "the DMZ", "an XYZ company", "a ZTE phone"),
        *("LZ compression", "vitamin Z", "Press Ctrl and Z", "spell it z, o, e"),
    ],
)
def test_the_letter_is_zed(text, read):
    assert "zˈɛd" in read(text, "en-gb").replace("ˌ", "ˈ")
    assert "zˈɛd" not in read(text).replace("ˌ", "ˈ")


@pytest.mark.parametrize("text", ["Jay-Z", "the zebra", "Zoe", "jazz", "pizza", "a bee's knees"])
def test_words_and_american_names_keep_their_sounds(text, read):
    assert "ɛd" not in read(text, "en-gb")
