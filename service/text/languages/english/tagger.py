"""Tag parts of speech, as far as the pronunciation of English depends on them.

In misaki's lexicon 790 of 90,000 entries depend on the part of speech, and a dozen function words
depend on their use. The tagger decides these by the words around them. All other words are only
tagged as names or not. Tags are those of the Penn Treebank.
"""

from __future__ import annotations

from collections.abc import Sequence

from service.text.languages.english import words as classes

_MARKS = frozenset(';:,.!?…—()“”"')
_QUOTES = frozenset('“”"')
_ADJECTIVE_ENDINGS = ("ous", "ful", "ive", "able", "ible", "ial", "ical", "ary", "less", "ish")
_ADVERBS_AT_MOST = 4
_CLAUSE_AT_MOST = 16
_CLAUSE_WINDOW = 7
"""Number of words after `that` in which the verb of its clause is searched for."""


def tag(words: Sequence[str]) -> list[str]:
    """Return the tag of each word and mark of a text."""
    sentence = _Sentence(words)
    return [sentence.tag(index) for index in range(len(words))]


class _Sentence:
    """A sentence whose words are tagged.

    In all methods, an empty string stands for a mark or for the end of the text.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._given = words
        self._words = [word.lower() for word in words]

    def tag(self, index: int) -> str:
        """Return the tag of one word."""
        word = self._words[index]
        if word.strip("-") == "":
            return "HYPH"
        if word[0].isdigit():
            return "CD"
        if "&" in word and self._given[index].isupper():
            return "NNP"
        if not self._word(index):
            return "." if word in _MARKS else "NN"
        if word in ("a", "an", "the"):
            return self._article(index)
        if word.partition("'")[0] == "that":
            return self._that(index)
        if word in _FIXED:
            return _FIXED[word]
        if word in ("in", "by"):
            return self._particle(index)
        if word == "used":
            return self._used(index)
        if word in ("read", "reread", "wound"):
            return self._past_or_present(index)
        use = self._use(index)
        if use in ("NN", "JJ") and word.endswith("ed") and word not in classes.ADJECTIVES_IN_ED:
            return "VBN"
        if use == "NN" and self._given[index][0].isupper() and self._word(index - 1):
            return "NNP"
        return use

    def _word(self, index: int) -> str:
        """Return a word; an empty string for a mark or outside the text."""
        if not 0 <= index < len(self._words):
            return ""
        word = self._words[index]
        return word if word[0].isalnum() or (word[0] == "'" and len(word) > 1) else ""

    def _is_end(self, index: int) -> bool:
        """Tell whether speech pauses here: at a mark other than a quote, or at the end."""
        return index >= len(self._words) or not (self._word(index) or self._is_quote(index))

    def _is_hyphen(self, index: int) -> bool:
        return 0 <= index < len(self._words) and self._words[index] == "-"

    def _is_quote(self, index: int) -> bool:
        return index < len(self._words) and self._words[index] in _QUOTES

    def _article(self, index: int) -> str:
        if self._given[index] == "a" and self._is_hyphen(index - 1) and self._is_hyphen(index + 1):
            return "DT"  # `once-in-a-lifetime`
        # The letter: `group A,`, `Vitamin A is`, `A B C`, `A times B`.
        is_letter = self._words[index] == "a" and (
            self._is_end(index + 1)
            or (self._given[index] == "A" and _is_letter(self._word(index + 1)))
            or (self._given[index] == "A" and index > 0 and self._word(index - 1) != "")
            or (self._given[index] == "A" and self._is_operand(index))
        )
        return "NN" if is_letter else "DT"

    def _is_operand(self, index: int) -> bool:
        """Tell whether a letter of a formula stands here."""
        after = self._given[index + 1]
        adds = after in ("plus", "minus", "over") and _is_letter(self._word(index + 2))
        return adds or after in ("times", "equals", "squared", "cubed")

    def _that(self, index: int) -> str:
        before, after = self._word(index - 1), self._word(index + 1)
        if "'" in self._words[index]:
            # `that's`, `that'll`: a verb follows `that`.
            relative = before and before not in classes.CONJUNCTIONS | classes.CLAUSE_VERBS
            return "WDT" if relative else "DT"
        if before in ("now", "so", "such", "except", "not", "given"):
            return "DT" if self._is_end(index + 1) else "IN"
        if not after:
            opens = self._is_quote(index + 1) or self._words[index + 1 : index + 2] == [","]
            goes_on = opens and self._word(index + 2) != ""
            return "IN" if goes_on and before not in classes.PREPOSITIONS else "DT"
        if before == "all":
            relative = after in classes.FINITE or self._has_verb(index + 1)
            return "WDT" if relative or self._starts_clause(after) else "DT"
        if before in classes.PREPOSITIONS or before in ("do", "does", "did", "done"):
            conjunction = before == "in" and self._starts_clause(after)
            return "IN" if conjunction else "DT"
        if after == "of" or before in ("that", "who", "what", "how", "why"):
            return "DT"
        if before in classes.BE and not self._word(index - 2):
            return "DT"
        if "'" in after and after.partition("'")[0] in classes.SUBJECTS:
            return "IN"
        if after in classes.FINITE:
            return self._that_before_verb(index)
        if self._starts_clause(after):
            return "IN"
        if not before:
            return "IN" if self._words[index - 1 : index] == [","] else "DT"
        if before in classes.CLAUSE_VERBS:
            thing = before in classes.PERCEPTION and not self._has_verb(index + 1)
            return "DT" if thing else "IN"
        if before in classes.CONJUNCTIONS:
            adds = before in ("and", "or", "but") and self._has_verb(index + 1)
            return "IN" if adds else "DT"
        thing = self._is_verb(index - 1) and not self._has_verb(index + 1)
        return "DT" if thing or after in classes.TIMES else "IN"

    def _that_before_verb(self, index: int) -> str:
        before, after = self._word(index - 1), self._word(index + 1)
        if not before:
            # `That is, ...` is a conjunction; `That is a ...` is not.
            idiom = after == "is" and self._words[index + 2 : index + 3] == [","]
            return "IN" if idiom else "DT"
        if before in ("way", "order", "extent"):
            return "WDT"
        if before in classes.CONJUNCTIONS or before in classes.CLAUSE_VERBS:
            return "DT"
        if before in classes.BE or before in classes.AUXILIARIES_OF_BASE:
            return "DT"
        return "WDT"

    def _starts_clause(self, word: str) -> bool:
        return (
            word.partition("'")[0] in classes.SUBJECTS
            or word in classes.POSSESSIVES
            or word in classes.DETERMINERS
            or word in classes.CONJUNCTIONS
            or word in ("as", "in", "at", "on", "by", "for", "all", "not", "nobody", "everyone")
        )

    def _has_verb(self, index: int) -> bool:
        """Tell whether a clause with a verb may start here."""
        for place in range(index, index + _CLAUSE_WINDOW):
            word = self._word(place)
            if not word:
                return False
            if place > index and (word in classes.FINITE or word.endswith("ed")):
                return True
        return False

    def _is_verb(self, index: int) -> bool:
        """Tell whether an ambiguous word is a verb, by the words before it."""
        word, before = self._word(index), self._word(index - 1)
        return (
            before in classes.AUXILIARIES_OF_BASE
            or before in classes.SUBJECTS
            or word in classes.BE
            or word in classes.FINITE
            or (word.endswith(("ing", "ed")) and len(word) > 4)
            or word in classes.TRANSITIVE
        )

    def _particle(self, index: int) -> str:
        """Distinguish `come in at noon` from `come in May`."""
        before, after = self._word(index - 1), self._word(index + 1)
        if before not in classes.MOTION:
            return "IN"
        follows = (
            after in classes.PREPOSITIONS
            or after in classes.AUXILIARIES_OF_BASE
            or after in ("and", "she", "he", "they")
        )
        return "RP" if follows else "IN"

    def _used(self, index: int) -> str:
        before, after = self._auxiliary(index), self._word(index + 1)
        accustomed = before in ("get", "gets", "got", "getting", "become", "became")
        if after != "to":
            return "VBN"
        if accustomed:
            return "JJ"
        subject = before in classes.SUBJECTS or before not in classes.BE | classes.HAVE
        return "VBD" if subject and not before.endswith("s") else "VBN"

    def _past_or_present(self, index: int) -> str:
        word, before = self._words[index], self._word(index - 1)
        if word == "wound" and (
            self._needs_noun(before) or before in classes.PREPOSITIONS or self._is_adjective(before)
        ):
            return "NN"
        auxiliary = self._auxiliary(index)
        asked = auxiliary in classes.SUBJECTS and self._word(index - 2)
        if auxiliary in classes.AUXILIARIES_OF_BASE or asked in classes.AUXILIARIES_OF_BASE:
            return "VB"
        if auxiliary in classes.HAVE or auxiliary in classes.BE:
            return "VBN"
        if before in ("well", "widely"):
            return "VBN"
        return "VBD" if before in classes.SUBJECTS or before else "VB"

    def _auxiliary(self, index: int) -> str:
        """Return the word before, skipping some adverbs."""
        for place in range(index - 1, index - 1 - _ADVERBS_AT_MOST, -1):
            word = self._word(place)
            if word not in classes.ADVERBS and not word.endswith("ly"):
                return word
        return ""

    def _is_adjective(self, word: str) -> bool:
        return len(word) > 4 and word.endswith(_ADJECTIVE_ENDINGS)

    def _use(self, index: int) -> str:
        """Return the tag of a word that may be a noun, a verb or an adjective."""
        before, after = self._word(index - 1), self._word(index + 1)
        plural, has_object = _is_plural(self._words[index]), self._has_object(index)
        own = self._own_use(index, has_object=has_object)
        if own:
            return own
        if not before:
            return "VB" if has_object and not plural else "NN"
        if after == "of":
            return "NN"
        if self._is_attribute(index) or (before in classes.DEGREES and not has_object):
            return "JJ"
        if self._is_predicate(index, has_object=has_object):
            return "VBZ" if plural else "VBP"
        return self._use_after(index, plural=plural, has_object=has_object)

    def _has_object(self, index: int) -> bool:
        """Tell whether the next words look like the object of a verb, not part of a noun phrase."""
        after = self._word(index + 1)
        return (
            after in classes.ARTICLES
            or after in classes.POSSESSIVES
            or after in classes.OBJECTS
            or after in ("that", "such", "each", "every", "some", "any", "what", "how", "why")
        )

    def _own_use(self, index: int, *, has_object: bool) -> str | None:
        """Return the tag of a word that has its own rules."""
        word, before, after = self._words[index], self._word(index - 1), self._word(index + 1)
        if word in ("consist", "consists"):
            return "VBZ"
        if word in classes.VERBS and after != "of" and not self._needs_noun(before):
            return "VB"
        if word == "live":
            follows = before in ("people", "who", "and", "or") or has_object
            relative = before in ("that", "which") and after in classes.PREPOSITIONS
            return "VBP" if follows or relative else None
        if word == "lives" and not self._needs_noun(before):
            return "VBZ" if after in classes.AFTER_VERB | {"next", "alone", "here"} else None
        near = after in ("to", "by", "behind", "together", "enough", "beside")
        near = near or before in classes.DEGREES or before == "how"
        near = near or (self._is_end(index + 1) and before in classes.OBJECTS)
        if word == "closer" or (word == "close" and near):
            return "VB" if before in classes.AUXILIARIES_OF_BASE else "JJ"
        return None

    def _use_after(self, index: int, *, plural: bool, has_object: bool) -> str:
        """Return the tag of a word by the word before it, which must exist."""
        word, before, after = self._words[index], self._word(index - 1), self._word(index + 1)
        if before == "to":
            of_noun = self._word(index - 2) in classes.NOUNS_BEFORE_TO
            return "NN" if plural or (of_noun and not has_object) else "VB"
        if self._needs_noun(before) or before in classes.ADJECTIVES_IN_LY:
            return "NN"
        if before in classes.AUXILIARIES_OF_BASE:
            return "NN" if plural else "VB"
        if before in classes.ADVERBS or before.endswith("ly"):
            return self._after_adverb(index, has_object=has_object)
        if before in classes.SUBJECTS:
            return "VBP"
        if before in ("that", "which") and (plural or has_object):
            return "NN" if after in classes.PASTS or after in classes.FINITE else "VBZ"
        if before in classes.BE or before in classes.COPULAS:
            return "JJ"
        if before in classes.PREPOSITIONS:
            return "NN"
        if before in classes.CONJUNCTIONS:
            return "VB" if has_object else "NN"
        if has_object and not self._is_adjective(before):
            return "VB"
        if word == "lives" and not before.endswith("s"):
            return "VBZ"
        return "JJ" if word in classes.ADJECTIVES_AS_A_RULE else "NN"

    def _is_attribute(self, index: int) -> bool:
        """Tell whether an ambiguous adjective has its noun after it."""
        before, after = self._word(index - 1), self._word(index + 1)
        return (
            self._words[index] in classes.ADJECTIVES
            and (
                self._needs_noun(before)
                or before in classes.HAVE
                or before in ("in", "at")
                or (before in classes.PREPOSITIONS and _is_plural(after))
            )
            and after != ""
            and after not in classes.FUNCTION_WORDS
        )

    def _is_predicate(self, index: int, *, has_object: bool) -> bool:
        """Tell whether a word is the verb of a clause whose subject is a noun.

        It is if its ending agrees with the noun before it (`the road winds`, `two reports
        conflict`), if the next word may follow a verb, and if the clause has no other verb.
        """
        word, before, after = self._words[index], self._word(index - 1), self._word(index + 1)
        if before in classes.ADVERBS and before != "not":
            index -= 1
            before = self._word(index - 1)
        if not before or before in classes.FUNCTION_WORDS or not before.isalpha():
            return False
        is_plural = before.endswith("s") and not before.endswith(("ss", "us", "is"))
        if is_plural == _is_plural(word) or self._is_adjective(before):
            return False
        if not is_plural and not self._is_determined(index - 1):
            return False
        ends = is_plural and self._is_end(index + 1)
        follows = has_object or ends or after in classes.AFTER_VERB
        first = index - 3 if self._word(index - 2) in classes.DETERMINERS else index - 2
        opens = (
            is_plural
            and not self._word(first)
            and (after not in classes.FUNCTION_WORDS or after in classes.DEGREES)
        )
        return (follows or opens) and not self._clause_has_verb(index)

    def _is_determined(self, index: int) -> bool:
        """Tell whether a noun has a word such as `the` before it, adjectives skipped."""
        for place in range(index - 1, index - 4, -1):
            word = self._word(place)
            if self._needs_noun(word):
                return True
            if not word or word in classes.FUNCTION_WORDS:
                return False
        return False

    def _clause_has_verb(self, index: int) -> bool:
        """Tell whether any other word of the clause looks like its verb."""
        for step in (-1, 1):
            for distance in range(1, _CLAUSE_AT_MOST):
                word = self._word(index + step * distance)
                if not word or word in classes.CLAUSE_OPENERS:
                    break
                verb = word in classes.FINITE or word in classes.BE or word in classes.TRANSITIVE
                subject = word in (classes.SUBJECTS if step < 0 else classes.NOMINATIVES)
                if verb or subject or (word.endswith("ed") and len(word) > 4):
                    return True
        return False

    def _after_adverb(self, index: int, *, has_object: bool) -> str:
        auxiliary = self._auxiliary(index)
        if auxiliary in classes.BE:
            return "JJ"
        if self._words[index] == "live" and self._word(index + 1) in classes.PREPOSITIONS:
            return "VBP"
        if auxiliary in classes.AUXILIARIES_OF_BASE or auxiliary in classes.SUBJECTS:
            return "VB"
        return "VB" if has_object else "JJ"

    def _needs_noun(self, before: str) -> bool:
        possessive = before.endswith(("'s", "s'")) and before not in classes.BE
        return before in classes.DETERMINERS or before in classes.POSSESSIVES or possessive


def _is_letter(word: str) -> bool:
    return len(word) == 1 and word not in ("a", "i")


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith("ss")


_FIXED = {"i": "PRP", "to": "TO", "am": "VBP", "vs": "IN", "vs.": "IN", "invalid": "JJ"}
