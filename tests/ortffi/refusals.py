"""Tables of what must be refused."""

import re


def not_refused(cases):
    """Return the misses of cases: each is a function, the error that it must raise, and a pattern of its message."""
    misses = []
    for number, (function, error, words) in enumerate(cases):
        try:
            result = function()
        except error as caught:
            if re.search(words, str(caught)):
                continue
            found = f"says {str(caught)!r}, not {words!r}"
        except Exception as caught:
            found = f"raises {caught!r}"
        else:
            found = f"is accepted, and gives {result!r:.60}"
        misses.append(f"case {number}, {function}, {found}")
    return misses
