"""What may be passed as predictions and references, brought to one shape; every error about it.

A question's prediction becomes a text, or (where spans are allowed) a list of spans; its references become a list of
acceptable answers, each of that same form. Nothing is scored here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from .answer_values import (
    ShapeRules,
    checked_answers,
    checked_prediction,
    checked_text,
    described,
    has_surrogate,
    squad_answers,
    squad_fields,
)
from .protocol import Side

_A_NAME = "the name of a dataset"


@dataclass(frozen=True)
class Rows:
    """The questions of one call, in the order of the references.

    Attributes:
        predictions: a text or list of spans each.
        references: acceptable answers, at least one each.
        datasets: the dataset of each, or None.
        prediction_ids: ids of the predictions where they came in SQuAD's form, else None.
        reference_ids: ids of the references in that case, else None.
    """

    predictions: Sequence[Side]
    references: Sequence[Sequence[Side]]
    datasets: Sequence[str] | None = None
    prediction_ids: Sequence[str] | None = None
    reference_ids: Sequence[str] | None = None


def checked_rows(predictions: Any, references: Any, datasets: Any, rules: ShapeRules) -> Rows:
    """Check the arguments of one call and bring every row to one shape; SQuAD rows are not yet matched by id.

    Args:
        predictions: a list of texts; with SQuAD's form, of ``{"id", "prediction_text"}``; where the rules allow it, of
            lists of spans or of ``{"context", "start", "end"}``.
        references: a list of texts or of lists of acceptable answers (each a text or, by the rules, a list of spans);
            with SQuAD's form, of ``{"id", "answers"}``.
        datasets: None, or the dataset of each row of ``references``.
        rules: what the benchmark allows.

    Returns:
        The rows.

    Raises:
        ValueError: naming the argument, the index, what was found and what was expected.
    """
    predictions = _as_list(predictions, "predictions")
    references = _as_list(references, "references")
    _same_length(predictions, references, "references")
    if not predictions:
        raise ValueError("predictions is empty: there is nothing to score")
    names = None if datasets is None else _checked_datasets(datasets, references, rules)
    if _is_squad(predictions[0], "prediction_text") or _is_squad(references[0], "answers"):
        rows = _squad_rows(predictions, references, names, rules)
    elif _are_sides(predictions, rules) and _are_lists_of_sides(references, rules):
        rows = Rows(predictions, references, names)
    else:
        rows = Rows(
            [checked_prediction(value, f"predictions[{i}]", rules) for i, value in enumerate(predictions)],
            [checked_answers(value, f"references[{i}]", rules) for i, value in enumerate(references)],
            names,
        )
    return rows


def matched_rows(rows: Rows, rules: ShapeRules) -> Rows:
    """Put predictions in SQuAD's form beside the references with the same id, and check what needs both.

    Args:
        rows: what ``checked_rows`` returned.
        rules: what the benchmark allows.

    Returns:
        The rows in the order of the references, without ids.

    Raises:
        ValueError: naming a duplicate, unknown or missing id, or a row with several spans whose dataset has none.
    """
    predictions = rows.predictions
    if rows.prediction_ids is not None and rows.reference_ids is not None:
        position = _positions(rows.prediction_ids, "predictions")
        known = _positions(rows.reference_ids, "references")
        for i, name in enumerate(rows.prediction_ids):
            if name not in known:
                raise ValueError(f"predictions[{i}] has the id {name!r}, which no reference has")
        for i, name in enumerate(rows.reference_ids):
            if name not in position:
                raise ValueError(f"references[{i}] has the id {name!r}, for which there is no prediction")
        predictions = [predictions[position[name]] for name in rows.reference_ids]
    if rules.span_datasets is not None and rows.datasets is not None:
        _check_spans(predictions, rows.references, rows.datasets, rules.span_datasets)
    return Rows(predictions, rows.references, rows.datasets)


def _check_spans(
    predictions: Sequence[Side], references: Sequence[Sequence[Side]], datasets: Sequence[str], allowed: tuple[str, ...]
) -> None:
    if {*datasets} <= {*allowed} or {*map(type, predictions), *map(type, chain.from_iterable(references))} == {str}:
        return
    for i, (prediction, answers, dataset) in enumerate(zip(predictions, references, datasets, strict=True)):
        if dataset in allowed:
            continue
        if not isinstance(prediction, str) and len(prediction) > 1:
            raise ValueError(_spans_message(f"predictions[{i}]", len(prediction), dataset, allowed))
        for k, answer in enumerate(answers):
            if not isinstance(answer, str) and len(answer) > 1:
                raise ValueError(_spans_message(f"references[{i}][{k}]", len(answer), dataset, allowed))


def _spans_message(where: str, found: int, dataset: str, allowed: tuple[str, ...]) -> str:
    return (
        f"{where} has {found} spans, but its dataset {dataset!r} takes one text: only {', '.join(allowed)} take several"
    )


def _as_list(values: Any, argument: str) -> list[Any]:
    """A column of rows as a list; strings, mappings, sets and single values are not columns."""
    if isinstance(values, list):
        return values
    wrong = isinstance(values, (str, bytes, bytearray, dict, set, frozenset)) or not isinstance(values, Iterable)
    if wrong or getattr(values, "ndim", 1) != 1:
        raise ValueError(f"{argument} is {described(values)}: expected a list with one entry per question")
    return list(values)


def _same_length(predictions: list[Any], other: list[Any], argument: str) -> None:
    if len(predictions) != len(other):
        raise ValueError(f"{argument} has {len(other)} entries, but predictions has {len(predictions)}")


def _checked_datasets(datasets: Any, references: list[Any], rules: ShapeRules) -> list[str]:
    names = _as_list(datasets, "datasets")
    if len(names) != len(references):
        raise ValueError(f"datasets has {len(names)} entries, but predictions has {len(references)}")
    try:
        spelled = dict.fromkeys(names, "")
    except TypeError:  # something that is no text and cannot be looked up
        spelled = {checked_text(name, f"datasets[{i}]", _A_NAME): "" for i, name in enumerate(names)}
    for name in spelled:
        where = f"datasets[{names.index(name)}]"
        text = checked_text(name, where, _A_NAME)
        known = text.lower() if rules.case_insensitive else text
        if not known or (rules.datasets is not None and known not in rules.datasets):
            expected = "one of " + ", ".join(rules.datasets) if rules.datasets else "a name"
            raise ValueError(f"{where} is {text!r}: expected {expected}")
        spelled[name] = known
    return list(map(spelled.__getitem__, names))


def _are_sides(values: Sequence[Any], rules: ShapeRules) -> bool:
    """Whether all are texts or, where the rules allow it, lists of spans, so that none needs to be brought to shape."""
    kinds = {*map(type, values)}
    if kinds == {str}:
        return not has_surrogate("".join(values))
    if rules.span_datasets is None or not kinds <= {str, list}:
        return False
    lists = [value for value in values if type(value) is list]
    spans = list(chain.from_iterable(lists))
    if not all(lists) or {*map(type, spans)} != {str}:
        return False
    return not has_surrogate("".join([*spans, *(value for value in values if type(value) is str)]))


def _are_lists_of_sides(values: list[Any], rules: ShapeRules) -> bool:
    return {*map(type, values)} == {list} and all(values) and _are_sides(list(chain.from_iterable(values)), rules)


def _is_squad(value: Any, key: str) -> bool:
    return isinstance(value, dict) and key in value


def _squad_rows(predictions: list[Any], references: list[Any], datasets: list[str] | None, rules: ShapeRules) -> Rows:
    rows = _plain_squad_rows(predictions, references, datasets, rules)
    if rows is not None:
        return rows
    prediction_ids, texts, reference_ids, answers = [], [], [], []
    for i, value in enumerate(predictions):
        name, text = squad_fields(value, f"predictions[{i}]", "prediction_text")
        prediction_ids.append(name)
        texts.append(checked_prediction(text, f"predictions[{i}]['prediction_text']", rules))
    for i, value in enumerate(references):
        name, listed = squad_fields(value, f"references[{i}]", "answers")
        reference_ids.append(name)
        answers.append(squad_answers(listed, f"references[{i}]['answers']", rules))
    return Rows(texts, answers, datasets, prediction_ids, reference_ids)


def _plain_squad_rows(
    predictions: list[Any], references: list[Any], datasets: list[str] | None, rules: ShapeRules
) -> Rows | None:
    """The rows, if all are of SQuAD's form to the letter, so that none needs to be brought to shape; else None."""
    if {*map(type, predictions), *map(type, references)} != {dict}:
        return None
    try:
        prediction_ids, texts = ([row[key] for row in predictions] for key in ("id", "prediction_text"))
        reference_ids, listed = ([row[key] for row in references] for key in ("id", "answers"))
        if {*map(type, listed)} != {dict}:
            return None
        answers, starts = ([row[key] for row in listed] for key in ("text", "answer_start"))
    except KeyError:
        return None
    ids = prediction_ids + reference_ids
    if {*map(type, ids)} != {str} or has_surrogate("".join(ids)):
        return None
    if {*map(type, answers), *map(type, starts)} != {list} or [*map(len, answers)] != [*map(len, starts)]:
        return None
    if not {*map(type, chain.from_iterable(starts))} <= {int}:
        return None
    answers = [row or [""] for row in answers]  # none listed is SQuAD 2.0's "no answer"
    if not _are_sides(texts, rules) or not _are_lists_of_sides(answers, rules):
        return None
    return Rows(texts, answers, datasets, prediction_ids, reference_ids)


def _positions(ids: Sequence[str], argument: str) -> dict[str, int]:
    positions: dict[str, int] = {}
    for i, name in enumerate(ids):
        if positions.setdefault(name, i) != i:
            raise ValueError(f"{argument}[{i}] has the id {name!r}, which {argument}[{positions[name]}] has too")
    return positions
