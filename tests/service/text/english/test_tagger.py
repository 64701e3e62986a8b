"""Parts of speech, where pronunciation depends on them."""

import pytest
from service.text.english.tagger import tag


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        # that
        ("I know that man", "that", "DT"),
        ("I know that he left", "that", "IN"),
        ("I doubt that she'd come", "that", "IN"),
        ("the dog that was here", "that", "WDT"),
        ("a way that does not hurt", "that", "WDT"),
        ("like that of a child", "that", "DT"),
        ("do that .", "that", "DT"),
        ("That is a lie", "That", "DT"),
        ("so that it works", "that", "IN"),
        # a letter, an article
        ("group A , then", "A", "NN"),
        ("A times B", "A", "NN"),
        ("A squared plus B", "A", "NN"),
        ("A plus B", "A", "NN"),
        ("A plus sign", "A", "DT"),
        ("A Times reporter", "A", "DT"),
        ("an invalid input", "invalid", "JJ"),
        ("a minute ago", "minute", "NN"),
        ("a dog", "a", "DT"),
        ("A B C", "A", "NN"),
        ("A I model", "A", "DT"),
        # used
        ("I used to go", "used", "VBD"),
        ("I am used to it", "used", "VBN"),
        ("he got used to it", "used", "JJ"),
        ("it was used by us", "used", "VBN"),
        # read, wound
        ("they have read it", "read", "VBN"),
        ("she will not always read it", "read", "VB"),
        ("she read it", "read", "VBD"),
        ("Read it", "Read", "VB"),
        ("the wound hurts", "wound", "NN"),
        ("the man's wound healed", "wound", "NN"),
        ("he wound it up", "wound", "VBD"),
        # noun or verb
        ("the record", "record", "NN"),
        ("to record it", "record", "VB"),
        ("according to record", "record", "NN"),
        ("they record it", "record", "VBP"),
        ("the cameras record it", "record", "VBP"),
        ("Two reports conflict with it", "conflict", "VBP"),
        ("the road winds along it", "winds", "VBZ"),
        ("strong winds along it", "winds", "NN"),
        ("the world records were broken", "records", "NN"),
        ("so hard that tears ran", "tears", "NN"),
        ("Record the song", "Record", "VB"),
        ("Records such as these", "Records", "NN"),
        ("a weekly digest", "digest", "NN"),
        ("the use of it", "use", "NN"),
        # close, live
        ("a close race", "close", "JJ"),
        ("close the door", "close", "VB"),
        ("holding her close .", "close", "JJ"),
        ("to close to us", "close", "VB"),
        ("they live here", "live", "VBP"),
        ("friends that live in Rome", "live", "VBP"),
        ("a daughter lived there", "lived", "VBN"),
        # the rest
        ("come in and sit", "in", "RP"),
        ("he met Live yesterday", "Live", "NNP"),
        ("AT&T called", "AT&T", "NNP"),
        ("seven 7 dogs", "7", "CD"),
        ("well - known", "-", "HYPH"),
        ("oh , well", ",", "."),
        ("a #tag there", "#tag", "NN"),
    ],
)
def test_words_are_tagged_by_their_neighbours(text, word, expected):
    words = text.split()
    assert tag(words)[words.index(word)] == expected


def test_every_word_has_a_tag():
    assert tag([]) == []
    for words in (["that"], ["'"], ["''"], ["that", "that"], ["-", "--"], ["é", "\u0301", "☃"]):
        tags = tag(words)
        assert len(tags) == len(words)
        assert all(tags)
