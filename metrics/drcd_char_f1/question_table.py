"""The questions of a gold file with their predictions beside them, and the check that the two belong together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from sys import intern

from .protocol import Side
from .question import DROP_GROUP, Question

_IDS_SHOWN = 3


class IdsDiffer(ValueError):
    """Predictions are missing, or stand for ids that the gold data do not have."""


@dataclass(frozen=True)
class QuestionTable:
    """The questions in the order of the gold file, one entry of each list per question.

    Attributes:
        ids: the benchmark's own ids.
        datasets: the dataset of each question.
        predictions: a text or, for ORB, a list of spans; None where there is none.
        references: acceptable answers, at least one.
        questions: the questions' texts; empty unless texts were to be kept.
        contexts: what a reader reads; empty unless texts were to be kept.
        kinds: what a synthetic question of ORB varies, else None.
        originals: the id of the question that a synthetic one was made from, else None.
    """

    ids: list[str] = field(default_factory=list)
    datasets: list[str] = field(default_factory=list)
    predictions: list[Side | None] = field(default_factory=list)
    references: list[list[Side]] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    contexts: list[str] = field(default_factory=list)
    kinds: list[str | None] = field(default_factory=list)
    originals: list[str | None] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.ids)


def question_table(
    questions: Iterable[Question], predictions: Mapping[str, Side], keep_texts: bool = False
) -> QuestionTable:
    """Put each question's prediction beside it, keeping no more of the question than is asked for."""
    table = QuestionTable()
    for question in questions:
        table.ids.append(question.id)
        table.datasets.append(intern(question.dataset))
        table.predictions.append(predictions.get(question.id))
        table.references.append(question.references)
        table.kinds.append(question.kind)
        table.originals.append(question.original_qid)
        if keep_texts:
            table.questions.append(question.question)
            table.contexts.append(question.context)
    return table


def compare_ids(
    table: QuestionTable, predictions: Mapping[str, Side], allow_missing: bool
) -> tuple[list[str], list[str]]:
    """The ids without a prediction and the predictions' ids without a question.

    Raises:
        IdsDiffer: there are such ids, unless that is allowed; or no id is common to both sides.
    """
    missing = [id_ for id_, prediction in zip(table.ids, table.predictions, strict=True) if prediction is None]
    known = {*table.ids} if len(table) - len(missing) < len(predictions) else predictions
    unknown = [id_ for id_ in predictions if id_ not in known]
    if len(missing) == len(table):
        raise IdsDiffer(f"no prediction is for any of the questions, whose ids are {_first_ids(table.ids)}")
    if not allow_missing and (missing or unknown):
        flaws = []
        if missing:
            flaws.append(f"{len(missing):,} of {len(table):,} questions have no prediction: {_first_ids(missing)}")
        if unknown:
            flaws.append(f"{len(unknown):,} predictions are for unknown ids: {_first_ids(unknown)}")
        raise IdsDiffer("; ".join(flaws))
    return missing, unknown


def _first_ids(ids: Sequence[str]) -> str:
    return ", ".join(map(repr, ids[:_IDS_SHOWN])) + (", …" if len(ids) > _IDS_SHOWN else "")


def check_spans(table: QuestionTable) -> None:
    """Refuse several spans where the question's dataset takes one text, with a ``ValueError``."""
    for id_, dataset, prediction in zip(table.ids, table.datasets, table.predictions, strict=True):
        if isinstance(prediction, list) and dataset not in DROP_GROUP:
            raise ValueError(
                f"the prediction for question {id_!r} has {len(prediction)} spans, but its dataset {dataset!r} takes "
                f"one text: only {', '.join(DROP_GROUP)} take several"
            )
