"""A passage with what the kinds need to know about it, found once and kept."""

from __future__ import annotations

from functools import cached_property

from .english import WORD, content_keys, sentences, without_possessive
from .grammar import RuleGrammar
from .names import Name, capitalised_runs, split_title


class Passage:
    """A passage, its sentences and the names in it.

    Args:
        text: The passage.
        grammar: What finds and types the names.
    """

    def __init__(self, text: str, grammar: RuleGrammar | None = None) -> None:
        self.text = text
        self.grammar = grammar or RuleGrammar()

    @cached_property
    def sentences(self) -> list[str]:
        """The passage's sentences."""
        return sentences(self.text)

    @cached_property
    def keys(self) -> list[frozenset[str]]:
        """Of each sentence, the keys of its words that carry meaning."""
        return [content_keys(sentence) for sentence in self.sentences]

    @cached_property
    def words(self) -> list[frozenset[str]]:
        """Of each sentence, its words as they are written, without possessive 's."""
        return [frozenset(map(without_possessive, WORD.findall(sentence))) for sentence in self.sentences]

    @cached_property
    def names(self) -> dict[str, Name]:
        """Names whose type is certain, without article and title."""
        return self.grammar.names(self.text)

    @cached_property
    def _lower(self) -> str:
        return self.text.lower()

    def find(self, phrase: str) -> list[int]:
        """Where a phrase begins as whole words, whatever its case."""
        phrase, text, found = phrase.lower(), self._lower, []
        start = text.find(phrase) if phrase else -1
        while start >= 0:
            if (
                not text[max(start - 1, 0) : start].isalnum()
                and not text[start + len(phrase) : start + len(phrase) + 1].isalnum()
            ):
                found.append(start)
            start = text.find(phrase, start + 1)
        return found

    def word_before(self, phrase: str) -> set[str]:
        """The words that stand right before a phrase, in lower case."""
        found = set()
        for start in self.find(phrase):
            before = self._lower[:start].split()
            found.add(before[-1] if before else "")
        return found

    def mentions(self, phrase: str) -> set[int]:
        """Indices of the sentences that name someone or something, in full or by a part of the name."""
        parts = {without_possessive(part) for part in WORD.findall(phrase)}
        parts = {part for part in parts if part[0].isupper() and len(part) > 2 and part != "The"}
        return {i for i, found in enumerate(self.words) if parts & found}

    def type_of(self, name: str) -> Name | None:
        """What a name names, given in full or by a part that only one known name has."""
        if name in self.names:
            return self.names[name]
        fuller = [known for known in self.names.values() if name in known.short_forms]
        return fuller[0] if len(fuller) == 1 else None

    def is_person(self, phrase: str) -> bool:
        """Whether a phrase is the name of a person, title or not."""
        if capitalised_runs(phrase) != [(0, len(phrase))]:
            return False
        known = self.type_of(split_title(phrase)[1])
        return known is not None and known.type == "person"
