"""ORB's eight source datasets on the Hugging Face Hub, each brought to the standard columns by a function of its own.

ORB's leaderboard draws its development set from their validation splits: what is read here holds more than that sample,
and none of ORB's synthetic questions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datasets import Dataset, LargeList, List, load_dataset

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from metrics.shared.file_records import Flaw, get_id
from metrics.shared.gold_files import checked
from metrics.shared.question import (
    Question,
    ReadingReport,
    checked_start,
    located_answers,
    spans_of,
    squad_answers,
)

HUB_SPLITS = ("train", "validation")

Row = dict[str, Any]


@dataclass(frozen=True)
class HubSource:
    """A dataset on the Hub.

    Attributes:
        hub_id: Its name there.
        columns: The columns that are read; ``[]`` follows each level that is a list, as in ``answers[].text``.
        question: Makes a question of a row, its number and a report to count in.
        configs: The Hub configs to read, one after the other; None where there is only one.
    """

    hub_id: str
    columns: tuple[str, ...]
    question: Callable[[Row, int, ReadingReport], Question]
    configs: tuple[str | None, ...] = (None,)


@dataclass(frozen=True)
class HubTable:
    """One split of a source dataset: ORB's name of the dataset, the Hub config and the rows."""

    dataset: str
    config: str | None
    rows: Dataset


def squad1_question(row: Row, number: int, report: ReadingReport) -> Question:
    """SQuAD 1.1, whose listed texts are alternatives."""
    return _question(
        "squad1",
        number,
        report,
        id=row["id"],
        title=row["title"],
        context=row["context"],
        question=row["question"],
        references=row["answers"]["text"],
        starts=row["answers"]["answer_start"],
    )


def squad2_question(row: Row, number: int, report: ReadingReport) -> Question:
    """SQuAD 2.0: without texts a question is unanswerable, and its gold answer is empty."""
    texts, starts = row["answers"]["text"], row["answers"]["answer_start"]
    return _question(
        "squad2",
        number,
        report,
        id=row["id"],
        title=row["title"],
        context=row["context"],
        question=row["question"],
        references=texts or [""],
        starts=starts if texts else None,
    )


def drop_question(row: Row, number: int, report: ReadingReport) -> Question:
    """DROP, whose listed spans are one answer of several spans."""
    return _question(
        "drop",
        number,
        report,
        id=row["query_id"],
        context=row["passage"],
        question=row["question"],
        references=_one_answer(row["answers_spans"]["spans"]),
    )


def quoref_question(row: Row, number: int, report: ReadingReport) -> Question:
    """Quoref, whose listed texts are one answer of several spans."""
    return _question(
        "quoref",
        number,
        report,
        id=row["id"],
        title=row["title"],
        context=row["context"],
        question=row["question"],
        references=_one_answer(row["answers"]["text"]),
        starts=row["answers"]["answer_start"],
    )


def ropes_question(row: Row, number: int, report: ReadingReport) -> Question:
    """ROPES, whose background and situation ORB joins into one passage."""
    return _question(
        "ropes",
        number,
        report,
        id=row["id"],
        context=f"{row['background']} [SEP] {row['situation']}",
        question=row["question"],
        references=row["answers"]["text"],
    )


def newsqa_question(row: Row, number: int, report: ReadingReport) -> Question:
    """NewsQA in MRQA's form: each answer has the characters where it first occurs."""
    starts = [label["start"][0] for label in row["labels"] if label["start"]]
    return _question(
        "newsqa",
        number,
        report,
        id=row["key"],
        context=row["context"],
        question=row["question"],
        references=row["answers"],
        starts=starts if len(starts) == len(row["answers"]) else None,
    )


def duorc_question(row: Row, number: int, report: ReadingReport) -> Question:
    """DuoRC: free-form answers; where the plot holds none, the gold answer is empty."""
    return _question(
        "duorc",
        number,
        report,
        id=row["question_id"],
        title=row["title"],
        context=row["plot"],
        question=row["question"],
        references=[""] if row["no_answer"] else row["answers"],
    )


def narrativeqa_question(row: Row, number: int, report: ReadingReport) -> Question:
    """NarrativeQA on summaries. Its questions have no ids: the document's id and the row's number make one."""
    document = row["document"]
    return _question(
        "narrativeqa",
        number,
        report,
        id=f"{document['id']}-{number}",
        title=document["summary"]["title"],
        context=document["summary"]["text"],
        question=row["question"]["text"],
        references=[answer["text"] for answer in row["answers"]],
    )


_SQUAD_COLUMNS = ("id", "title", "context", "question", "answers.text[]", "answers.answer_start[]")
HUB_SOURCES = {
    "squad1": HubSource("rajpurkar/squad", _SQUAD_COLUMNS, squad1_question),
    "squad2": HubSource("rajpurkar/squad_v2", _SQUAD_COLUMNS, squad2_question),
    "drop": HubSource("ucinlp/drop", ("query_id", "passage", "question", "answers_spans.spans[]"), drop_question),
    "newsqa": HubSource(
        "lucadiliello/newsqa", ("context", "question", "answers[]", "key", "labels[].start[]"), newsqa_question
    ),
    "quoref": HubSource("allenai/quoref", _SQUAD_COLUMNS, quoref_question),
    "ropes": HubSource(
        "allenai/ropes", ("id", "background", "situation", "question", "answers.text[]"), ropes_question
    ),
    "narrativeqa": HubSource(
        "deepmind/narrativeqa",
        ("document.id", "document.summary.text", "document.summary.title", "question.text", "answers[].text"),
        narrativeqa_question,
    ),
    "duorc": HubSource(
        "ibm-research/duorc",
        ("title", "plot", "question_id", "question", "answers[]", "no_answer"),
        duorc_question,
        configs=("SelfRC", "ParaphraseRC"),
    ),
}


def load_tables(names: Sequence[str], split: str, cache_dir: str) -> list[HubTable]:
    """Download source datasets from the Hub.

    Args:
        names: ORB's names of the datasets, keys of ``HUB_SOURCES``.
        split: ``train`` or ``validation``.
        cache_dir: Where ``datasets`` keeps what it downloads.

    Returns:
        A table for each dataset and config, its columns checked.

    Raises:
        ValueError: A column is not there; names dataset, column and what was found.
        ConnectionError: The Hub cannot be reached, or does not have the dataset.
    """
    tables = []
    for name in names:
        source = HUB_SOURCES[name]
        for config in source.configs:
            label = source.hub_id if config is None else f"{source.hub_id} ({config})"
            try:
                rows = _load(source.hub_id, config, split, cache_dir)
            except OSError as error:
                raise ConnectionError(f"{name}: cannot load {label} from the Hugging Face Hub: {error}") from error
            except ValueError as error:  # a config or a split that is not there
                raise ValueError(f"{name}: {label}: {error}") from error
            check_columns(name, rows.features)
            tables.append(HubTable(name, config, rows))
    return tables


def _load(hub_id: str, config: str | None, split: str, cache_dir: str) -> Dataset:
    try:
        return load_dataset(hub_id, config, split=split, cache_dir=cache_dir)
    except RuntimeError as error:
        if "scripts are no longer supported" not in str(error):
            raise
    # For datasets that were published as a script, the Hub keeps a Parquet export in a branch of this name.
    return load_dataset(hub_id, data_dir=config, revision="refs/convert/parquet", split=split, cache_dir=cache_dir)


def check_columns(name: str, features: dict[str, Any]) -> None:
    """Check that a source dataset has the columns that its mapping reads.

    Args:
        name: ORB's name of the dataset.
        features: The ``datasets.Features`` found.

    Raises:
        ValueError: A column is missing or nested in another way.
    """
    source = HUB_SOURCES[name]
    for column in source.columns:
        level: Any = features
        for part in column.split("."):
            key, is_list = part.removesuffix("[]"), part.endswith("[]")
            level = level.get(key) if isinstance(level, dict) else None
            if is_list:
                level = level.feature if isinstance(level, (List, LargeList)) else None
            if level is None:
                found = ", ".join(f"{found}: {feature}" for found, feature in features.items())
                raise ValueError(f"{name} ({source.hub_id}): column {column!r} is missing; found {found}")


def _check_values(name: str, row: Row, number: int) -> None:
    """Refuse nulls, which a column of any type may hold, in the columns that are read."""
    for column in HUB_SOURCES[name].columns:
        values: list[Any] = [row]
        for part in column.split("."):
            key, is_list = part.removesuffix("[]"), part.endswith("[]")
            values = [value[key] for value in values]
            if is_list and None not in values:
                values = [item for value in values for item in value]
            if None in values:
                raise Flaw(f"{name}, row {number}: column {column!r} holds null")


def hub_questions(tables: Sequence[HubTable], report: ReadingReport) -> Iterator[Question]:
    """The questions of source datasets, checked as those of a gold file are.

    SQuAD 2.0 holds SQuAD 1.1's questions under the same ids. An id that has occurred before therefore gets the name of
    its dataset (DuoRC: of its config) in front, as in ``squad2:56be4db0``.

    Args:
        tables: What ``load_tables`` returns.
        report: Counted in.

    Yields:
        The questions, dataset after dataset.

    Raises:
        ValueError: A value is missing or of the wrong type, or an id occurs twice in one table.
    """
    return checked(_with_unique_ids(tables, report), report, need_answers=True)


def _with_unique_ids(tables: Sequence[HubTable], report: ReadingReport) -> Iterator[Question]:
    earlier: set[str] = set()
    for table in tables:
        here: set[str] = set()
        make_question = HUB_SOURCES[table.dataset].question
        for number, row in enumerate(table.rows):
            _check_values(table.dataset, row, number)
            question = make_question(row, number, report)
            here.add(question.id)
            if question.id in earlier:
                question.id = f"{table.config or table.dataset}:{question.id}"
                report.renamed_ids += 1
            yield question
        earlier |= here


def _question(
    dataset: str,
    number: int,
    report: ReadingReport,
    *,
    id: str,
    context: str,
    question: str,
    references: list,
    title: str = "",
    starts: list[int] | None = None,
) -> Question:
    where = f"{dataset}, row {number}"
    spans = spans_of(references)
    if starts is None:
        answers = located_answers(spans, context, report)
    elif len(starts) != len(spans):
        raise Flaw(f"{where}: {len(spans)} answers, but {len(starts)} starts")
    else:
        found = [checked_start(start, span, context, report) for start, span in zip(starts, spans, strict=True)]
        answers = squad_answers(spans, found)
    return Question(
        id=get_id({"id": id}, "id", where),
        dataset=dataset,
        title=title,
        question=question,
        context=context,
        paragraphs=[{"title": title, "text": context}],
        answers=answers,
        references=references,
    )


def _one_answer(spans: list[str]) -> list[str | list[str]]:
    """Acceptable answers where the spans are one answer: the span alone, or a list of several."""
    return [spans] if len(spans) > 1 else list(spans)
