"""Which pictures can be covers."""

import random
import struct
from contextlib import suppress

import pytest

from service.covers import MAX_COVER_BYTES, Cover, UnusableCoverError
from tests.service.books.made_books import picture, png, png_bomb


def test_jpeg_and_png_are_covers_whatever_their_depth_and_what_follows_them():
    assert Cover.of(picture()) == Cover(picture(), "image/jpeg")
    for form in ("rgb24", "rgba", "gray", "ya8", "monob", "gray16be", "rgba64be"):
        assert Cover.of(png(form)).media_type == "image/png"
    for tail in (b"\0" * 100, b"junk"):
        assert Cover.of(picture() + tail).content == picture() + tail


@pytest.mark.parametrize(("content", "why"), [
    (b"", "neither"), (b"GIF89a", "neither"), (b"<svg/>", "neither"),
    (b"RIFF....WEBP", "neither"),
    (picture()[:8], "damaged"), (picture()[:300], "damaged"), (picture()[: -60], "damaged"),
    (png()[:20], "damaged"), (png()[:400], "damaged"), (png()[:-30], "damaged"),
    (b"\xff\xd8\xff" + b"\xff" * 5000, "damaged"), (b"\xff\xd8\xff\xe0\0\0" * 99, "damaged"),
    (png_bomb(), "30000 by 30000"), (png() + b"\0" * MAX_COVER_BYTES, "more than 15 MB"),
])  # fmt: skip
def test_others_are_refused_with_a_reason(content, why):
    with pytest.raises(UnusableCoverError, match=why):
        Cover.of(content)


def test_the_size_of_a_jpeg_is_known_before_it_is_decoded():
    content = picture()
    place = content.index(b"\xff\xc0") + 5
    large = content[:place] + struct.pack(">HH", 60_000, 60_000) + content[place + 4 :]
    with pytest.raises(UnusableCoverError, match="60000 by 60000"):
        Cover.of(large)


def test_damaged_pictures_are_covers_or_refused():
    for content in (picture(), png()):
        for seed in range(150):
            chance = random.Random(seed)
            damaged = bytearray(content)
            for _ in range(chance.randrange(1, 9)):
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
            cut = bytes(damaged[: chance.choice([len(damaged), chance.randrange(len(damaged))])])
            with suppress(UnusableCoverError):
                assert Cover.of(cut).content == cut
