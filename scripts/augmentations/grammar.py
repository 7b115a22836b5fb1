"""What the kinds ask about English: by rules that need nothing, or by spaCy where it and a model are installed."""

from __future__ import annotations

from functools import cache
from typing import Any

from .names import ROLES, Name, names_by_rules

SPACY_MODEL = "en_core_web_sm"
_SPACY_TYPES = {"PERSON": "person", "ORG": "group", "NORP": "nationality", "FAC": "building", "LOC": "region"}


class RuleGrammar:
    """Names from lists and clues, verbs from a table."""

    name = "rules"

    def names(self, text: str) -> dict[str, Name]:
        """Names in a passage whose type is certain, by name."""
        return names_by_rules(text)

    def is_verb(self, question: str, start: int) -> bool:
        """Whether the word at this place of a question, a form of a known verb, is used as a verb."""
        return True


class SpacyGrammar(RuleGrammar):
    """The same, confirmed by a spaCy pipeline: what it contradicts is left out."""

    def __init__(self) -> None:
        self.name = f"spacy ({SPACY_MODEL} {_pipeline().meta['version']})"

    def names(self, text: str) -> dict[str, Name]:
        by_rules = names_by_rules(text)
        by_model = {ent.text.removeprefix("the "): _SPACY_TYPES.get(ent.label_) for ent in _pipeline()(text).ents}
        people = {
            name: Name(name, "", "person", False)
            for name, type_ in by_model.items()
            if type_ == "person" and name not in by_rules and _is_full_name(name)
        }
        kept = {name: known for name, known in by_rules.items() if _agree(known.type, by_model.get(name))}
        return kept | people

    def is_verb(self, question: str, start: int) -> bool:
        return any(t.idx == start and t.pos_ in ("VERB", "AUX") for t in _pipeline()(question))


def _is_full_name(name: str) -> bool:
    """Whether a model that is often wrong about single words can be believed."""
    parts = name.split()
    return len(parts) > 1 and name.istitle() and parts[0].lower() not in ROLES


def _agree(by_rules: str, by_model: str | None) -> bool:
    return by_model is None or (by_rules == "person") == (by_model == "person")


@cache
def _pipeline() -> Any:
    import spacy

    return spacy.load(SPACY_MODEL)


def grammar(name: str) -> RuleGrammar:
    """The grammar of this name.

    Args:
        name: ``rules``, ``spacy``, or ``auto``: spaCy where it and its English model are installed, rules otherwise.

    Raises:
        ValueError: ``spacy`` was asked for and is not installed, or has no model.
    """
    if name == "rules":
        return RuleGrammar()
    try:
        return SpacyGrammar()
    except (ImportError, OSError):
        if name == "auto":
            return RuleGrammar()
        raise ValueError(f"spaCy or its model {SPACY_MODEL} is not installed; install both or use rules") from None
