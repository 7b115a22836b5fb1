"""One prediction, or the answers of one question, brought to one shape; every error about such a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Number
from typing import Any

from .protocol import Side


@dataclass(frozen=True)
class ShapeRules:
    """What a benchmark allows beyond texts.

    Attributes:
        span_datasets: datasets whose answers may have several spans; None where spans are not allowed at all.
        token_spans: whether a prediction may be ``{"context", "start", "end"}``.
        datasets: the dataset names that may be given, in lower case or with the benchmark's own spelling; None for any.
        case_insensitive: whether dataset names are compared in lower case.
    """

    span_datasets: tuple[str, ...] | None = None
    token_spans: bool = False
    datasets: tuple[str, ...] | None = None
    case_insensitive: bool = False


def has_surrogate(text: str) -> bool:
    """Whether a text holds a lone surrogate, which no encoding can write."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def checked_text(value: Any, where: str, expected: str) -> str:
    """A string that can be written.

    Args:
        value: what was passed.
        where: its place, for example ``predictions[3]``.
        expected: what should be there, for the message.

    Returns:
        The value as a plain ``str``.

    Raises:
        ValueError: if it is not a string, or holds a lone surrogate.
    """
    if not isinstance(value, str):
        raise ValueError(f"{where} is {described(value)}: expected {expected}")
    if not value.isascii() and has_surrogate(value):
        raise ValueError(f"{where} holds a lone surrogate, which no text can: {value[:40]!r}")
    return str(value)


def checked_prediction(value: Any, where: str, rules: ShapeRules) -> Side:
    """A prediction: a text or, by the rules, a list of spans or a span of tokens (which becomes its text).

    Args:
        value: what was passed.
        where: its place, for example ``predictions[3]``.
        rules: what the benchmark allows.

    Returns:
        A text or a list of spans.

    Raises:
        ValueError: if it is anything else.
    """
    if isinstance(value, dict):
        if rules.token_spans and {"context", "start", "end"} <= value.keys():
            return _token_span(value, where)
        expected = " or {'context', 'start', 'end'}" if rules.token_spans else ""
        raise ValueError(f"{where} is a dict with the keys {sorted(map(str, value))}: expected a string{expected}")
    return _side(value, where, rules)


def _side(value: Any, where: str, rules: ShapeRules) -> Side:
    if isinstance(value, str) or rules.span_datasets is None or not _is_row_list(value):
        return checked_text(value, where, "a string" if rules.span_datasets is None else "a string or a list of spans")
    spans = [checked_text(span, f"{where}[{k}]", "a string (one span)") for k, span in enumerate(value)]
    if not spans:
        raise ValueError(f"{where} is an empty list of spans: expected at least one (the empty string for no answer)")
    return spans


def checked_answers(value: Any, where: str, rules: ShapeRules) -> list[Side]:
    """The acceptable answers of a question: a text alone, or a list of them.

    Args:
        value: what was passed.
        where: its place, for example ``references[3]``.
        rules: what the benchmark allows.

    Returns:
        At least one answer, each a text or a list of spans.

    Raises:
        ValueError: if it is anything else, or empty.
    """
    if isinstance(value, str):
        return [checked_text(value, where, "a string")]
    if not _is_row_list(value):
        raise ValueError(f"{where} is {described(value)}: expected a string or a list of acceptable answers")
    if len(value) == 0:
        raise ValueError(f"{where} is an empty list: expected at least one answer (the empty string for no answer)")
    return [_side(answer, f"{where}[{k}]", rules) for k, answer in enumerate(value)]


def _is_row_list(value: Any) -> bool:
    """Lists, tuples and one-dimensional arrays."""
    return isinstance(value, (list, tuple)) or getattr(value, "ndim", None) == 1


def _token_span(value: dict[str, Any], where: str) -> str:
    tokens = checked_text(value["context"], f"{where}['context']", "a string").split()
    start, end = (_integer(value[key], f"{where}[{key!r}]") for key in ("start", "end"))
    if not 0 <= start <= end < len(tokens):
        raise ValueError(f"{where} is the token span {start} to {end}, but its context has {len(tokens)} tokens")
    return " ".join(tokens[start : end + 1])


def _integer(value: Any, where: str) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise ValueError(f"{where} is {described(value)}: expected an integer")
    return int(value.__index__())


def squad_fields(value: Any, where: str, key: str) -> tuple[str, Any]:
    """The id and the value under ``key`` of a row in SQuAD's form.

    Args:
        value: what was passed; other keys are not looked at.
        where: its place, for example ``predictions[3]``.
        key: ``prediction_text`` or ``answers``.

    Returns:
        (id as a string, value).

    Raises:
        ValueError: if it is not a dict, a key is missing, or the id is neither a string nor an integer.
    """
    if not isinstance(value, dict):
        raise ValueError(f"{where} is {described(value)}: expected {{'id', {key!r}}}, as other rows of this call have")
    for needed in ("id", key):
        if needed not in value:
            raise ValueError(f"{where} has the keys {sorted(map(str, value))}: expected 'id' and {key!r}")
    name = value["id"]
    if isinstance(name, str):
        return checked_text(name, f"{where}['id']", "a string"), value[key]
    return str(_integer(name, f"{where}['id']")), value[key]


def squad_answers(listed: Any, where: str, rules: ShapeRules) -> list[Side]:
    """The answers of a row in SQuAD's form.

    Args:
        listed: a dict with the lists ``text`` and (not needed for scoring) ``answer_start``, or a list of dicts.
        where: its place, for example ``references[3]['answers']``.
        rules: what the benchmark allows.

    Returns:
        The acceptable answers; the empty string alone where none is listed, as SQuAD 2.0 marks "no answer".

    Raises:
        ValueError: if it is anything else.
    """
    if isinstance(listed, dict):
        if "text" not in listed:
            raise ValueError(f"{where} has the keys {sorted(map(str, listed))}: expected 'text' and 'answer_start'")
        texts, starts = listed["text"], listed.get("answer_start")
        if not _is_row_list(texts):
            raise ValueError(f"{where}['text'] is {described(texts)}: expected a list of strings")
        if starts is not None:
            if not _is_row_list(starts) or len(starts) not in (0, len(texts)):
                raise ValueError(f"{where}['answer_start'] is {described(starts)}: expected {len(texts)} integers")
            for k, start in enumerate(starts):
                _integer(start, f"{where}['answer_start'][{k}]")
        sides = [_side(text, f"{where}['text'][{k}]", rules) for k, text in enumerate(texts)]
    elif _is_row_list(listed):
        for k, entry in enumerate(listed):
            if not isinstance(entry, dict) or "text" not in entry:
                raise ValueError(f"{where}[{k}] is {described(entry)}: expected {{'text', 'answer_start'}}")
            if entry.get("answer_start") is not None:
                _integer(entry["answer_start"], f"{where}[{k}]['answer_start']")
        sides = [_side(entry["text"], f"{where}[{k}]['text']", rules) for k, entry in enumerate(listed)]
    else:
        raise ValueError(f"{where} is {described(listed)}: expected {{'text': […], 'answer_start': […]}}")
    return sides or [""]


def described(value: Any) -> str:
    """What a value is, in a few words, for an error message.

    Args:
        value: anything.

    Returns:
        For example ``None``, ``NaN``, ``the number 12``, ``the bytes b'ab'``, ``a list of 3``.
    """
    if value is None:
        return "None"
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return f"the truth value {value}"
    if isinstance(value, Number):
        return "NaN" if value != value else f"the number {value}"
    kinds: list[tuple[type | tuple[type, ...], Callable[[], str]]] = [
        (str, lambda: f"the string {value[:40]!r}"),
        ((bytes, bytearray), lambda: f"the bytes {bytes(value[:40])!r}"),
        ((list, tuple, set, frozenset, dict), lambda: f"a {type(value).__name__} of {len(value)}"),
    ]
    for kind, text in kinds:
        if isinstance(value, kind):
            return text()
    return f"of type {type(value).__name__}"
