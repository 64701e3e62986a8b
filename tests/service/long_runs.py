"""Texts that make a quadratic step show: one thing over and over, as no one writes it."""

import time

RUNS = (
    *"aA1.,;:!?-_*#[](){}<>/\\|&%$@+=~^'\"` \t\n\r\fIV½²°",
    *("\u0301", "\u00a0", "\u00ad", "\u200b", "\u200d", "\ufe0f", "“", "”", "’", "—", "…", "€", "١"),
    *("😀", "か", "ー", "漢", "。", "अ", "्", "한", "é", "e\u0301"),
    *("<br>", "<p>", "<b>", "<td>", "</p>", "<!--", "<!", "<a", "&amp;", "a.", "a@", "a-", "a/", "a'"),
    *("a_", "a\n", "A\n", "a-\n", "1,", "1/", "1.", "1:", "1-", "1 ", "1\n", "\n1", "1%", "1°", "x1"),
    *("-1", "+1", "=1", "$1", "@a", "#a", "/a", "'a", "|a", "[a", "[^", "![", "](", "[a](", "_a_", "*a*"),
    *("- ", "| ", "' ", "= ", "# ", "**", "```", "~~~\n", "| a |\n", "* * *\n\n", "\n\n", "\n \n", " \n"),
    *("\t\n", "\n ", "http://", "www.", "C:\\", ":)", "IV ", "Dr.", "A.", "a. ", "1st ", "1e", "0x"),
    *("chapter\n", "CHAPTER I\n", "[illustration:", "[footnote 1]", "title: ", "*** START"),
)


def repeated(run, length):
    """Return a text of so many characters that repeats one thing."""
    return (run * (length // len(run) + 1))[:length]


def slow_runs(work, usual, texts=repeated, short=4_000):
    """Yield each thing whose repetition costs much more than in proportion to its length.

    Four times the text may cost eight times as much; a quadratic step costs sixteen times as much.
    What costs less than a usual text of the short length is not measured that well.

    Args:
        work: what is measured.
        usual: a text, of which a part is measured for comparison.
        texts: makes a text of a length from a thing.
        short: length of the shorter text in characters.
    """
    long = 4 * short
    floor = min(_cost(work, repeated(usual, short)) for _ in range(3))
    for run in RUNS:
        before = _cost(work, texts(run, short))
        if _cost(work, texts(run, long)) > 8 * max(before, floor):
            # Another program's turn, or garbage, may have been in the way.
            again = min(_cost(work, texts(run, long)) for _ in range(2))
            if again > 8 * max(before, _cost(work, texts(run, short)), floor):
                yield run


def _cost(work, text):
    start = time.thread_time()
    work(text)
    return time.thread_time() - start
