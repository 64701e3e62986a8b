"""What the lines of a text say, in a form that a test can show."""

from service.text.document.lines import recognise


def heard(text):
    """Return what each line that is not silent says, behind its kind and `~` where it goes on."""
    found = []
    for line in recognise(text):
        said = [f"{part.role}={text[part.start : part.end]}" for part in line.parts if part.role != "mark"]
        if said:
            found.append(" ".join([line.kind + "~" * (not line.pause), *said]).rstrip("\n"))
    return found


def parts(text):
    """Return what is said: parts between bars, lines between slashes."""
    lines = ([text[part.start : part.end] for part in line.parts if part.role != "mark"] for line in recognise(text))
    return " / ".join("|".join(said) for said in lines if said)


def kinds(text):
    """Return the kinds of all lines, without repetitions."""
    return list(dict.fromkeys(line.kind for line in recognise(text)))
