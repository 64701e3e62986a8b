import base64
import re
import struct
import zlib
from xml.etree import ElementTree

import numpy as np
import pytest
from bench.spectrogram import Column, levels_db, palette, png, spectrograms, steps


def tone(hz, level=0.3):
    return level * np.sin(2 * np.pi * hz * np.arange(24_000) / 24_000)


def read_png(data):
    """Return the pixels and the palette of a file; the checks of its chunks must be right."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, position = {}, 8
    while position < len(data):
        (length,) = struct.unpack_from(">I", data, position)
        kind, content = (data[position + 4 : position + 8], data[position + 8 : position + 8 + length])
        (told,) = struct.unpack_from(">I", data, position + 8 + length)
        assert told == zlib.crc32(kind + content)
        chunks[kind], position = content, position + 12 + length
    width, height = struct.unpack_from(">II", chunks[b"IHDR"])
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)
    assert not rows[:, 0].any()
    return rows[:, 1:], np.frombuffer(chunks[b"PLTE"], np.uint8).reshape(-1, 3)


def test_a_file_has_the_pixels_and_colors_that_it_was_made_of():
    pixels = np.arange(12, dtype=np.uint8).reshape(3, 4)
    colors = np.arange(36, dtype=np.uint8).reshape(12, 3)
    found = read_png(png(pixels, colors))
    assert (found[0] == pixels).all()
    assert (found[1] == colors).all()


@pytest.mark.parametrize("hz", [750, 3000, 11_250])
def test_a_tone_is_at_its_frequency(hz):
    levels = levels_db(tone(hz))
    assert (levels.argmax(axis=1) == hz / 12_000 * (levels.shape[1] - 1)).all()


def test_a_picture_has_low_frequencies_below_and_the_loudest_in_the_last_colour():
    columns = [Column("One", [tone(750), tone(750, 0.03)], 0.5)]
    picture = spectrograms("Title", ("above", "below"), columns)
    loud, quiet = (read_png(base64.b64decode(found))[0] for found in re.findall(r"base64,([^']+)'", picture))
    height = loud.shape[0]
    assert (loud.argmax(axis=0) == height - 1 - 750 / 37.5).all()
    assert loud.max() == len(palette()) - 1
    assert loud.max() - quiet.max() == round(20 / 80 * loud.max())


def test_colors_are_in_proportion_to_levels_and_end_at_the_range():
    levels = np.array([0.0, -40.0, -80.0, -200.0, 5.0])
    assert steps(levels, 0.0).tolist() == [32, 16, 0, 0, 32]
    lightness = palette().sum(axis=1).astype(int)
    assert (np.diff(lightness) > 0).all()


def test_the_mark_is_at_its_moment_and_names_cannot_break_the_picture():
    places = []
    for mark_s in (0.0, 0.5, 1.0):
        picture = spectrograms("<&>", ("a",), [Column("<b>", [tone(440)], mark_s)])
        texts = [one.text for one in ElementTree.fromstring(picture).iter() if one.text]
        assert {"<&>", "<b>"} <= set(texts)
        places.append(float(re.findall(r"<path d='M([\d.]+)", picture)[0]))
    assert places[1] - places[0] == places[2] - places[1] > 50


@pytest.mark.parametrize("recordings", [[tone(440)], [tone(440), tone(440)[1:]]])
def test_recordings_that_cannot_be_compared_are_refused(recordings):
    with pytest.raises(ValueError, match="Title"):
        spectrograms("", ("a", "b"), [Column("Title", recordings, 0.5)])
