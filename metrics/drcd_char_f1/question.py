"""A question of a benchmark in one shape for all three, and where its answers stand in its context."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

ORB_DATASETS = ("squad1", "squad2", "drop", "newsqa", "quoref", "ropes", "narrativeqa", "duorc")
ORB_SYNTHETIC_DATASETS = ("squad1_syn", "drop_syn", "newsqa_syn", "quoref_syn", "ropes_syn", "duorc_syn")
DROP_GROUP = ("drop", "quoref", "drop_syn", "quoref_syn")
COLUMNS = ("id", "dataset", "title", "question", "context", "paragraphs", "answers", "references")


@dataclass(slots=True)
class Question:
    """One question of a benchmark.

    Attributes:
        id: The benchmark's own id.
        dataset: ``drcd``; BeerQA's source; ORB's dataset name in lower case.
        title: Title of the article; of BeerQA's paragraphs, joined by ``"; "``; empty in ORB's files.
        question: The question.
        context: What a reader reads; BeerQA's paragraphs joined by a line break; empty where the file has none.
        paragraphs: ``{"title", "text"}`` of each supporting paragraph (one entry but in BeerQA).
        answers: ``{"text": [...], "answer_start": [...]}``, SQuAD's form: each span with the place where it starts in
            the context, -1 where it does not stand there. Empty answers ("unanswerable") are left out, as in SQuAD 2.0.
        references: Acceptable answers as the module's official config takes them; in ORB's DROP group one may be a
            list of spans. Empty in a test split without answers.
        kind: What a synthetic ORB question varies, where its file says so.
        original_qid: The id of the question that a synthetic ORB question was made from, where its file says so.
    """

    id: str
    dataset: str
    title: str
    question: str
    context: str
    paragraphs: list[dict[str, str]]
    answers: dict[str, list]
    references: list
    kind: str | None = None
    original_qid: str | None = None

    def columns(self) -> dict[str, Any]:
        """The standard columns of this question, in the order of ``COLUMNS``."""
        return {name: getattr(self, name) for name in COLUMNS}


@dataclass(slots=True)
class ReadingReport:
    """What was counted while a gold file was read; complete once the file has been read to its end.

    Attributes:
        questions: Questions read.
        datasets: Questions of each dataset.
        repaired_starts: ``answer_start`` that pointed elsewhere, put right because the text occurs exactly once.
        lost_starts: ``answer_start`` that pointed elsewhere, set to -1 because the text occurs never or repeatedly.
        not_in_context: Answer texts of files without ``answer_start`` that do not stand in the context as whole words.
        unread_answers: Elements after the first of ORB's gold answers, which by ORB's rules do not count.
        renamed_ids: Ids that an earlier dataset of the same benchmark has too, told apart by a name in front.
    """

    questions: int = 0
    datasets: dict[str, int] = field(default_factory=dict)
    repaired_starts: int = 0
    lost_starts: int = 0
    not_in_context: int = 0
    unread_answers: int = 0
    renamed_ids: int = 0


def spans_of(references: Iterable[str | list[str]]) -> list[str]:
    """All spans of acceptable answers in one list."""
    return [span for gold in references for span in (gold if isinstance(gold, list) else [gold])]


def squad_answers(texts: list[str], starts: list[int]) -> dict[str, list]:
    """Answers in SQuAD 2.0's form, which leaves out empty ones."""
    kept = [(text, start) for text, start in zip(texts, starts, strict=True) if text]
    return {"text": [text for text, _ in kept], "answer_start": [start for _, start in kept]}


def located_answers(texts: list[str], context: str, report: ReadingReport) -> dict[str, list]:
    """Answers in SQuAD's form, each at its first occurrence as whole words, else at -1 (which is counted)."""
    answers = squad_answers(texts, [_first_whole_occurrence(text, context) for text in texts])
    report.not_in_context += answers["answer_start"].count(-1)
    return answers


def _first_whole_occurrence(text: str, context: str) -> int:
    start = context.find(text)
    while start >= 0:
        end = start + len(text)
        begins_inside = text[:1].isalnum() and context[max(start - 1, 0) : start].isalnum()
        if not begins_inside and not (text[-1:].isalnum() and context[end : end + 1].isalnum()):
            break
        start = context.find(text, start + 1)
    return start


def checked_start(start: int, text: str, context: str, report: ReadingReport) -> int:
    """Where the text starts: as stated if it stands there, else where it stands exactly once, else -1 (counted)."""
    if start >= 0 and context.startswith(text, start):
        return start
    first = context.find(text)
    if text and first >= 0 and context.find(text, first + 1) < 0:
        report.repaired_starts += 1
        return first
    report.lost_starts += 1
    return -1
