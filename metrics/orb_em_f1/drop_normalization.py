"""Normalisation of the spans of ORB's DROP group (drop, quoref and their synthetic variants): of one, and of many.

Each piece of a span is offered to Python's ``float()``. For many spans at once the pieces are told apart by their
bytes, and whole numbers and plain decimals are read by arithmetic on arrays; the few pieces that need more, and spans
outside printable ASCII, are normalised one by one.
"""

from __future__ import annotations

import string
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from .squad_normalization import without_articles
from .token_arrays import PAD, TokenArrays, code_of, codes_at
from .token_bags import TokenBags, totals
from .token_overlap import LOWER_CASE_BYTES, cut_lines, not_printable

_NO_PUNCTUATION = dict.fromkeys(map(ord, string.punctuation))
_PIECE_BYTES = LOWER_CASE_BYTES.replace(b"-", b" ")  # a table for bytes.translate
_PUNCTUATION = string.punctuation.encode()
_KEPT, _IS_DIGIT = bytes(n not in _PUNCTUATION for n in range(256)), bytes(n in b"0123456789" for n in range(256))
_ARTICLES = (b"a", b"an", b"the")
_NUMBER_WORDS = {b"nan": np.nan, b"inf": np.inf, b"infinity": np.inf}
_PLACEHOLDER = "\1"  # for a token of a span that the arrays cannot read; not printable, so no other span holds it
_POWERS_OF_TEN = 10.0 ** np.arange(9)
_NO_TEXT = 0xFF  # a byte that UTF-8 never has


def is_number(text: str) -> bool:
    """Whether Python's ``float()`` reads the text, as the evaluator asks."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def normalised_span(span: str) -> str:
    """One span, normalised piece by piece; pieces stand between spaces and hyphens.

    Args:
        span: any string.

    Returns:
        Lower case, without ASCII punctuation (a number keeps its own), without articles, numbers as ``float`` is
        written; single spaces between what is left.
    """
    return " ".join(filter(None, map(_normalised_piece, span.replace("-", " ").split(" "))))


def _normalised_piece(piece: str) -> str:
    piece = piece.lower()
    if not is_number(piece):
        piece = piece.translate(_NO_PUNCTUATION)
    if is_number(piece):
        piece = str(float(piece))
    return " ".join(without_articles(" ", piece).split())


def tokenised_spans(spans: list[str]) -> tuple[TokenBags, np.ndarray]:
    """The tokens of normalised spans.

    Args:
        spans: any strings.

    Returns:
        (tokens, whether each is a number). A number as ``float`` is written is held as the eight bytes of its value and
        a ninth that no text has, so that it equals no word.
    """
    lines, slow_tokens = _lines(spans)
    pieces = _Pieces.of(b"\n" + lines + b"\n" + PAD)
    numbers, values, unread = _read_numbers(pieces)
    slow = iter(slow_tokens)
    words: dict[int, str] = {}
    more_numbers: dict[int, float] = {}
    for i in unread.tolist():
        text = pieces.lines[pieces.start[i] : pieces.end[i]].tobytes().decode()
        token = next(slow) if text == _PLACEHOLDER else _normalised_piece(text)
        if is_number(token) and str(float(token)) == token:
            more_numbers[i] = float(token)
        else:
            words[i] = token
    numbers = np.concatenate([numbers, np.array(list(more_numbers), dtype=np.int64)])
    values = np.concatenate([values, np.array(list(more_numbers.values()))])
    return _tokens_of_pieces(pieces, numbers, values, words)


def _lines(spans: list[str]) -> tuple[bytes, list[str]]:
    """Lines of pieces between spaces, in lower case; the tokens that placeholders stand for, in order."""
    lines = "\n".join(spans).encode()
    slow_tokens: list[list[str]] = []
    others = not_printable(lines, spans)
    if others:
        spans = spans.copy()
        for i in others:
            slow_tokens.append(normalised_span(spans[i]).split())
            spans[i] = " ".join([_PLACEHOLDER] * len(slow_tokens[-1]))
        lines = "\n".join(spans).encode()
    return lines.translate(_PIECE_BYTES), list(chain.from_iterable(slow_tokens))


@dataclass(frozen=True)
class _Pieces:
    """The pieces of many spans.

    Attributes:
        lines: the bytes of the spans, in lower case.
        start: of each piece, in ``lines``.
        end: of each piece, in ``lines``.
        first: of each span, the index of its first piece; last, the number of pieces.
        digits: how many digits stand before each position of ``lines``.
        bare: ``lines`` without punctuation.
        bare_start: of each piece, in ``bare``.
        length: of each piece, in ``bare``; 0 where it is nothing but punctuation.
        code: of each piece without punctuation, as ``codes_at`` gives it.
    """

    lines: np.ndarray
    start: np.ndarray
    end: np.ndarray
    first: np.ndarray
    digits: np.ndarray
    bare: bytes
    bare_start: np.ndarray
    length: np.ndarray
    code: np.ndarray

    @classmethod
    def of(cls, raw: bytes) -> _Pieces:
        lines = np.frombuffer(raw, dtype=np.uint8)
        start, end, first = cut_lines(lines)
        place = _number_before(raw, _KEPT)
        bare, bare_start = raw.translate(None, _PUNCTUATION), place[start]
        length = place[end] - bare_start
        code = codes_at(bare, bare_start, length)
        return cls(lines, start, end, first, _number_before(raw, _IS_DIGIT), bare, bare_start, length, code)


def _number_before(raw: bytes, table: bytes) -> np.ndarray:
    """How many bytes stand before each position that the table (for ``bytes.translate``) turns into 1, not into 0."""
    return totals(np.frombuffer(raw.translate(table), dtype=np.uint8))


def _read_numbers(pieces: _Pieces) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Reads the pieces that are surely numbers: (their indices, their values, indices of what is to be read singly).

    ``float()`` reads plus signs and underscores in some pieces; the digits that are left without them are the same
    number. Only a point changes a number when it is deleted, so a piece with a point must hold no other punctuation.
    """
    digit_count = pieces.digits[pieces.end] - pieces.digits[pieces.start]
    point = np.flatnonzero(pieces.lines == ord("."))
    piece_of_point = np.searchsorted(pieces.start, point, side="right") - 1
    punctuation = pieces.end - pieces.start - pieces.length
    point_at = pieces.end - 1  # of a piece without a point: no digit comes after
    point_at[piece_of_point] = point
    is_pointed = np.zeros(len(digit_count), dtype=bool)
    is_pointed[piece_of_point] = True

    only_digits = (digit_count == pieces.length) & (digit_count > 0)
    is_plain = only_digits & (pieces.length <= 8) & (~is_pointed | (punctuation == 1))
    # An exponent has digits on both sides of its letter; a placeholder is a byte of its own.
    bare = np.frombuffer(pieces.bare, dtype=np.uint8)
    one_letter = (pieces.length - digit_count == 1) & (digit_count > 1)
    last = bare[pieces.bare_start + pieces.length - 1]
    exponent = one_letter & _is_digit(pieces.code & np.uint64(255)) & _is_digit(last)
    unread = (only_digits & ~is_plain) | exponent | (pieces.code == code_of(_PLACEHOLDER.encode()))

    index = np.flatnonzero(is_plain)
    after = pieces.digits[pieces.end[index]] - pieces.digits[point_at[index] + 1]
    values = _value_of_digits(pieces.code[index], pieces.length[index]) / _POWERS_OF_TEN[after]
    for word, value in _NUMBER_WORDS.items():
        named = np.flatnonzero((pieces.code == code_of(word)) & (pieces.length == len(word)))
        index, values = np.concatenate([index, named]), np.concatenate([values, np.full(len(named), value)])
    return index, values, np.flatnonzero(unread)


def _is_digit(byte: np.ndarray) -> np.ndarray:
    return (byte >= ord("0")) & (byte <= ord("9"))


def _value_of_digits(code: np.ndarray, length: np.ndarray) -> np.ndarray:
    """The numbers written with one to eight digits, eight digits at a time: pairs, then fours, then all."""
    value = (code & np.uint64(0x0F0F0F0F0F0F0F0F)) << (8 * (8 - length)).astype(np.uint64)
    value = (value * np.uint64(10) + (value >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
    value = (value * np.uint64(100) + (value >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    value = (value * np.uint64(10_000) + (value >> np.uint64(32))) & np.uint64(0xFFFFFFFF)
    return value.astype(float)


def _tokens_of_pieces(
    pieces: _Pieces, numbers: np.ndarray, values: np.ndarray, words: dict[int, str]
) -> tuple[TokenBags, np.ndarray]:
    """Tokens and which are numbers: values in place of pieces, and words in place of others (an empty one: none)."""
    tokens = TokenArrays(
        pieces.bare, pieces.bare_start, pieces.length, pieces.code, pieces.first[:-1], np.diff(pieces.first)
    )
    keep = (pieces.length > 0) & ~tokens.is_one_of(_ARTICLES)
    is_number_token = np.zeros(len(keep), dtype=bool)
    is_number_token[numbers] = True
    written = [word.encode() for word in words.values()]
    number_bytes = np.full((len(numbers), 9), _NO_TEXT, dtype=np.uint8)
    number_bytes[:, :8] = values.view(np.uint8).reshape(-1, 8)
    raw = pieces.bare + number_bytes.tobytes() + b"".join(written) + PAD
    tokens.start[numbers] = len(pieces.bare) + 9 * np.arange(len(numbers))
    tokens.length[numbers], tokens.code[numbers] = 9, values.view(np.uint64)
    at = len(pieces.bare) + 9 * len(numbers)
    for i, word in zip(words, written, strict=True):
        tokens.start[i], tokens.length[i], tokens.code[i] = at, len(word), code_of(word[:8])
        keep[i], is_number_token[i] = word != b"", is_number(words[i])
        at += len(word)
    return replace(tokens, raw=raw).bags().only(keep), is_number_token[keep]
