"""List every call of `re` in the service, with the patterns it had; run as a program of its own.

Modules are imported with `re` watched, and each language reads the texts of tests/data/reading:
some patterns are made when they are first needed. Prints JSON: a list of file, line, function,
pattern and flags.
"""

import importlib
import json
import pkgutil
import re
import sys
from pathlib import Path

FUNCTIONS = (*("compile", "search", "match", "fullmatch"), *("sub", "subn", "split", "findall", "finditer"))
_SAID_AS = (("cardinal", "12,345"), ("ordinal", "3"), ("currency", "5"), ("unit", "5 km"))
_ROOT = Path(__file__).parents[2]


def main():
    """Print the census."""
    found = set()
    compile_ = re.compile

    def watched(name, function):
        def call(pattern, *arguments, **named):
            caller = sys._getframe(1)
            path = Path(caller.f_code.co_filename)
            if path.is_relative_to(_ROOT / "service"):
                flags = named.get("flags", arguments[0] if name == "compile" and arguments else 0)
                made = pattern if isinstance(pattern, re.Pattern) else compile_(pattern, flags)
                source = made.pattern if isinstance(made.pattern, str) else made.pattern.decode()
                file = str(path.relative_to(_ROOT))
                found.add((file, caller.f_lineno, name, source, int(made.flags)))
            return function(pattern, *arguments, **named)

        return call

    for name in FUNCTIONS:
        setattr(re, name, watched(name, getattr(re, name)))
    service = importlib.import_module("service")
    for module in pkgutil.walk_packages(service.__path__, "service."):
        # Ray is not installed everywhere, and importing a program runs it.
        if not module.name.startswith("service.cluster.") and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    text = importlib.import_module("service.text")
    front = text.FrontEnd()
    for language in text.LANGUAGES:
        read = (_ROOT / f"tests/data/reading/{language}.tsv").read_text(encoding="utf-8")
        for line in read.splitlines():
            if line and not line.startswith("#"):
                list(front.read(text.Passage(text.TracedText(line.split("\t")[1])), language))
        for kind, said in _SAID_AS:
            document = f'<speak><say-as interpret-as="{kind}">{said}</say-as></speak>'
            for passage in text.parse(document, is_ssml=True):
                list(front.read(passage, language))
    json.dump(sorted(found), sys.stdout)


if __name__ == "__main__":
    main()
