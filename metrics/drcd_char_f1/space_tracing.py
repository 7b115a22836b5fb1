"""Texts on their way through a normalisation, each character with the place where it stood in the original."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .squad_normalization import without_articles

_QUOTES = {"``": ("``", '"', "''"), "''": ("''", '"')}


@dataclass(frozen=True)
class Unit:
    """What a protocol counts: a token or a character.

    Attributes:
        form: what is compared with the units of the other side.
        places: the characters of the original text that it was made of; none for a space that stands for an article.
    """

    form: str
    places: tuple[int, ...]


@dataclass(frozen=True)
class TracedText:
    """A text and, for each of its characters, the place of the character of the original that it comes from."""

    text: str
    places: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> TracedText:
        """The original itself."""
        return cls(text, tuple(range(len(text))))

    def lower(self) -> TracedText:
        """``str.lower()``; a character may become several."""
        return TracedText(
            self.text.lower(),
            tuple(place for char, place in zip(self.text, self.places, strict=True) for _ in char.lower()),
        )

    def strip(self) -> TracedText:
        """``str.strip()``."""
        start = len(self.text) - len(self.text.lstrip())
        return self._between(start, max(start, len(self.text.rstrip())))

    def without(self, is_deleted: Callable[[str], bool]) -> TracedText:
        """Without the characters for which ``is_deleted`` holds."""
        kept = [at for at, char in enumerate(self.text) if not is_deleted(char)]
        return TracedText("".join(self.text[at] for at in kept), tuple(self.places[at] for at in kept))

    def without_articles(self) -> TracedText:
        """Each of the words a, an and the replaced by a space, which has no place of its own."""
        articles: list[tuple[int, int]] = []

        def blank(match) -> str:
            articles.append(match.span())
            return " "

        text = without_articles(blank, self.text)
        places: list[int] = []
        end = 0
        for start, stop in articles:
            places += (*self.places[end:start], -1)
            end = stop
        return TracedText(text, (*places, *self.places[end:]))

    def words(self) -> list[Unit]:
        """``str.split()``."""
        return [piece.unit() for piece in self.pieces(str.isspace) if piece.text]

    def pieces(self, is_boundary: Callable[[str], bool]) -> list[TracedText]:
        """What stands between the characters for which ``is_boundary`` holds, also where that is nothing."""
        edges = [-1, *(at for at, char in enumerate(self.text) if is_boundary(char)), len(self.text)]
        return [self._between(start + 1, end) for start, end in zip(edges, edges[1:], strict=False)]

    def characters(self) -> list[Unit]:
        """Each character."""
        return [Unit(char, _real(place)) for char, place in zip(self.text, self.places, strict=True)]

    def characters_of_words(self) -> list[Unit]:
        """The characters of ``" ".join(text.split())``."""
        units: list[Unit] = []
        space: Unit | None = None
        for unit in self.characters():
            if not unit.form.isspace():
                units += [space, unit] if space and units else [unit]
                space = None
            elif space is None or not space.places:
                space = Unit(" ", unit.places)
        return units

    def tokens(self, tokens: Iterable[str]) -> list[Unit]:
        """Given tokens, each at its next occurrence; NLTK writes straight quotes as pairs of others."""
        units, end = [], 0
        for token in tokens:
            starts = [(self.text.find(spelling, end), spelling) for spelling in _QUOTES.get(token, (token,))]
            start, spelling = min((found for found in starts if found[0] >= 0), default=(-1, ""))
            if start >= 0:
                end = start + len(spelling)
            units.append(Unit(token, self._between(start, end).unit().places if start >= 0 else ()))
        return units

    def unit(self, form: str | None = None) -> Unit:
        """All of it as one unit.

        Args:
            form: what is compared, where it is not the text itself.
        """
        return Unit(self.text if form is None else form, tuple(dict.fromkeys(p for p in self.places if p >= 0)))

    def squad(self, is_deleted: Callable[[str], bool]) -> TracedText:
        """SQuAD's normalisation but for the white space, with any set of deleted characters."""
        return self.lower().without(is_deleted).without_articles()

    def _between(self, start: int, end: int) -> TracedText:
        return TracedText(self.text[start:end], self.places[start:end])


def _real(place: int) -> tuple[int, ...]:
    return (place,) if place >= 0 else ()
