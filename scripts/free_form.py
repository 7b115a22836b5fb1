"""Free-form answers of a dataset as spans of their contexts, to train extractive readers on.

What a span label is stands in `scripts/span_labels.py`; here it comes to rows in the standard columns. Scoring is not
touched: it keeps the original answers, in `references`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from datasets import Dataset, Features, List, Value

from scripts.span_labels import best_span

FREE_FORM = ("duorc", "duorc_syn", "narrativeqa")


def label_spans(
    dataset: Dataset,
    *,
    free_form: Collection[str] = FREE_FORM,
    max_answer_length: int = 30,
    min_rouge_l: float = 0.0,
    num_proc: int | None = None,
) -> Dataset:
    """Replaces the training answers of free-form questions by the context span with the highest ROUGE-L.

    Args:
        dataset: Rows in the standard columns; `id`, `dataset`, `context`, `answers` and `references` are read.
        free_form: The datasets whose rows are labelled, lower-case. All other rows stay as they are.
        max_answer_length: The most tokens a span may have, at least 1.
        min_rouge_l: Spans below it are not taken, in [0, 1].
        num_proc: Number of processes, as in `Dataset.map`.

    Returns:
        The same rows with
        - `answers`: one text and its offset, or empty lists where the question has no answer, or no span reaches
          `min_rouge_l`;
        - `rouge_l`: what the best span reached, taken or not, 0 without a common token; null where nothing was
          searched: a question without an answer, or of another dataset.
        `references`, which scoring uses, stay as they are. To leave out of training what has an answer but no span:
        `filter(lambda row: row["rouge_l"] is None or row["answers"]["text"])`.

    Raises:
        ValueError: A column is missing, an option is out of range, or a question lacks a text or a list of answers
            of one text each.
    """
    missing = [name for name in ("id", "dataset", "context", "answers", "references") if name not in dataset.features]
    if missing:
        raise ValueError(f"expected a column {missing[0]!r}, found {', '.join(dataset.column_names)}")
    if max_answer_length < 1:
        raise ValueError(f"max_answer_length: expected at least 1, found {max_answer_length}")
    if not 0 <= min_rouge_l <= 1:
        raise ValueError(f"min_rouge_l: expected a number in [0, 1], found {min_rouge_l}")
    answers = {"text": List(Value("string")), "answer_start": List(Value("int32"))}
    features = Features(dataset.features | {"answers": answers, "rouge_l": Value("float64")})
    if not len(dataset):  # `map` would give it back without the new column
        return Dataset.from_dict({name: [] for name in features}, features=features)
    return dataset.map(
        _label_row,
        fn_kwargs={
            "free_form": tuple(free_form),
            "max_answer_length": max_answer_length,
            "min_rouge_l": min_rouge_l,
        },
        features=features,
        num_proc=num_proc,
        load_from_cache_file=False,  # a cache would outlive a change of the search
        desc="Searching spans",
    )


def _label_row(
    row: dict[str, Any], free_form: Sequence[str], max_answer_length: int, min_rouge_l: float
) -> dict[str, Any]:
    for column, expected in (("dataset", str), ("context", str), ("references", list)):
        if not isinstance(row[column], expected):
            kind = {str: "a text", list: "a list"}[expected]
            raise ValueError(f"question {row['id']!r}: expected {kind} in column {column!r}, found {row[column]!r}")
    if row["dataset"].lower() not in free_form:
        return {"answers": row["answers"], "rouge_l": None}
    unlabelled: dict[str, list[Any]] = {"text": [], "answer_start": []}
    golds = [_gold_text(row["id"], gold) for gold in row["references"]]
    if not any(gold.strip() for gold in golds):
        return {"answers": unlabelled, "rouge_l": None}
    context = row["context"]
    span = best_span(context, golds, max_answer_length)
    if span is None or span.rouge_l < min_rouge_l:
        return {"answers": unlabelled, "rouge_l": span.rouge_l if span else 0.0}
    return {
        "answers": {"text": [context[span.start : span.end]], "answer_start": [span.start]},
        "rouge_l": span.rouge_l,
    }


def _gold_text(question_id: str, gold: Any) -> str:
    """Returns a free-form answer, which a column shared with answers of several spans may hold as a list of one."""
    spans = gold if isinstance(gold, list) else [gold]
    if len(spans) != 1 or not isinstance(spans[0], str):
        raise ValueError(f"question {question_id!r}: expected references of one text each, found {gold!r}")
    return spans[0]


@dataclass
class SpanCounts:
    """What `label_spans` did with the questions of one dataset.

    Attributes:
        questions: All of them.
        unanswered: Without an answer.
        below: With an answer, but no span that reaches the threshold.
        reached: The ROUGE-L of each label.
    """

    questions: int = 0
    unanswered: int = 0
    below: int = 0
    reached: list[float] = field(default_factory=list)


def count_labels(labelled: Dataset, free_form: Collection[str] = FREE_FORM) -> dict[str, SpanCounts]:
    """Counts what `label_spans` did.

    Args:
        labelled: What it returned.
        free_form: The datasets that it labelled.

    Returns:
        The counts of each labelled dataset that occurs, by its name in lower case.
    """
    counts: dict[str, SpanCounts] = {}
    columns = (labelled[column][:] for column in ("dataset", "answers", "rouge_l"))
    for dataset, answers, rouge_l in zip(*columns, strict=True):
        name = dataset.lower()
        if name not in free_form:
            continue
        count = counts.setdefault(name, SpanCounts())
        count.questions += 1
        if rouge_l is None:
            count.unanswered += 1
        elif answers["text"]:
            count.reached.append(rouge_l)
        else:
            count.below += 1
    return counts
