"""Which acceptable answer comes nearest to each prediction."""

from __future__ import annotations

import numpy as np

from .protocol import Protocol, Side
from .question_table import QuestionTable

_SCORED_AT_ONCE = 20_000


def best_references(table: QuestionTable, protocol: Protocol) -> list[Side]:
    """The acceptable answer of each question with the highest F1, then exact match; the first of equals.

    Args:
        table: the questions.
        protocol: by whose figures to judge.

    Returns:
        One answer per question; the first one where there is no prediction.
    """
    best: list[Side] = [answers[0] for answers in table.references]
    several = [i for i, answers in enumerate(table.references) if len(answers) > 1 and table.predictions[i] is not None]
    for first in range(0, len(several), _SCORED_AT_ONCE):
        some = several[first : first + _SCORED_AT_ONCE]
        question_of = [i for i in some for _ in table.references[i]]
        merit = _merit(table, protocol, question_of, [[answer] for i in some for answer in table.references[i]])
        start = 0
        for i in some:
            answers = table.references[i]
            best[i] = answers[int(np.argmax(merit[start : start + len(answers)]))]
            start += len(answers)
    return best


def _merit(
    table: QuestionTable, protocol: Protocol, question_of: list[int], references: list[list[Side]]
) -> np.ndarray:
    """How near each single answer comes; answers of one question are to be compared with each other alone."""
    columns = protocol.score(
        [table.predictions[i] for i in question_of], references, [table.datasets[i] for i in question_of]
    )
    # NarrativeQA has neither figure under ORB's official protocol: ROUGE-L is what counts there.
    f1, exact = columns["f1"], columns[protocol.figures[0]]
    if "rouge_f" in columns:
        f1 = np.where(np.isnan(f1), columns["rouge_f"], f1)
    # A step of exact match weighs less than any difference of two F1 of texts below a million tokens.
    return np.nan_to_num(f1, nan=-1.0) + 1e-12 * np.nan_to_num(exact)
