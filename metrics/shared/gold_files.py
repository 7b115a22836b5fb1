"""Gold files of ORB, DRCD and BeerQA, read question by question into one shape.

Formats, as their authors publish them:
    DRCD: one JSON object in SQuAD's nesting, ``data[].paragraphs[].qas[]``.
    BeerQA: one JSON object, ``data[].{id, src, question, answers, context}``.
    ORB: JSON Lines, a passage with its ``qa_pairs`` a line.
    Standard columns: Parquet or JSON Lines with the columns of :class:`Question`.

Every file may be gzipped, start with a byte order mark and end its lines with CRLF. Everything is checked while it is
read; an error is a ``ValueError`` that names the file, the record and the key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from .file_records import (
    Breakage,
    Flaw,
    Record,
    as_object,
    as_text,
    get,
    get_id,
    get_list,
    get_text,
    head_of,
    json_lines,
    list_items,
    parquet_rows,
    parsed,
    shown,
)

BENCHMARKS = ("drcd", "orb", "beerqa")
ORB_DATASETS = ("squad1", "squad2", "drop", "newsqa", "quoref", "ropes", "narrativeqa", "duorc")
ORB_SYNTHETIC_DATASETS = ("squad1_syn", "drop_syn", "newsqa_syn", "quoref_syn", "ropes_syn", "duorc_syn")
DROP_GROUP = ("drop", "quoref", "drop_syn", "quoref_syn")
COLUMNS = ("id", "dataset", "title", "question", "context", "paragraphs", "answers", "references")

_TITLES = {"drcd": "DRCD", "orb": "ORB", "beerqa": "BeerQA"}
_KNOWN_ORB = frozenset(ORB_DATASETS + ORB_SYNTHETIC_DATASETS)


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
    """

    questions: int = 0
    datasets: Counter[str] = field(default_factory=Counter)
    repaired_starts: int = 0
    lost_starts: int = 0
    not_in_context: int = 0
    unread_answers: int = 0


def read_gold(
    benchmark: str, path: str | PathLike[str], report: ReadingReport | None = None, need_answers: bool = False
) -> Iterator[Question]:
    """Read a gold file question by question, checking everything.

    Args:
        benchmark: ``drcd``, ``orb`` or ``beerqa``.
        path: A file in the benchmark's own format or in standard columns (Parquet, JSON Lines), plain or gzip.
        report: Filled with counts while reading.
        need_answers: Refuse a file without answers. Otherwise all its questions may lack them (a test split).

    Yields:
        The questions in the order of the file.

    Raises:
        ValueError: The file is empty, truncated, damaged, not UTF-8, not JSON or of another benchmark; a key is
            missing or of the wrong type; an id occurs twice; a dataset name is unknown. Names file, record and key.
        OSError: The file cannot be opened.
    """
    if benchmark not in BENCHMARKS:
        raise ValueError(f"unknown benchmark {benchmark!r}; known are {', '.join(BENCHMARKS)}")
    report = ReadingReport() if report is None else report
    last = "before the first question"
    try:
        for question in _checked(_questions(benchmark, Path(path), report), report, need_answers):
            last = f"behind question {question.id!r}"
            yield question
    except Breakage as breakage:
        raise ValueError(f"{path}: {breakage} ({last})") from None
    except Flaw as flaw:
        raise ValueError(f"{path}: {flaw}") from None


def detect_benchmark(path: str | PathLike[str]) -> str | None:
    """The benchmark whose own format a file has, by the keys that only it uses.

    Args:
        path: A JSON or JSON Lines file, plain or gzip.

    Returns:
        ``drcd`` (SQuAD's nesting), ``orb``, ``beerqa``, or None where the first megabyte shows none of their keys.
    """
    return _benchmark_of(head_of(path))


def _benchmark_of(head: bytes) -> str | None:
    # Inside a JSON string these quotes would be escaped, so only keys can match.
    for key, benchmark in ((b'"qa_pairs"', "orb"), (b'"qas"', "drcd"), (b'"src"', "beerqa")):
        if key in head:
            return benchmark
    return None


def _questions(benchmark: str, path: Path, report: ReadingReport) -> Iterator[Question]:
    head = head_of(path)
    if not head.strip():
        raise Breakage("the file is empty")
    if head.startswith(b"PAR1"):
        return _from_columns(benchmark, parquet_rows(path, COLUMNS))
    found = _benchmark_of(head)
    if found is None and b'"references"' in head:
        return _from_columns(benchmark, json_lines(path))
    if found is not None and found != benchmark:
        raise Flaw(f"this is a file in {_TITLES[found]}'s format, not in {_TITLES[benchmark]}'s")
    if benchmark == "orb":
        return _from_orb(json_lines(path), report)
    return (_from_drcd if benchmark == "drcd" else _from_beerqa)(list_items(path, "data"), report)


def _checked(questions: Iterable[Question], report: ReadingReport, need_answers: bool) -> Iterator[Question]:
    """What holds for every file: ids are unique, and either all questions have answers or none has."""
    seen: set[str] = set()
    first_answered = True
    for question in questions:
        where, answered = f"question {question.id!r}", bool(question.references)
        if question.id in seen:
            raise Flaw(f"{where}: this id occurs twice")
        if need_answers and not answered:
            raise Flaw(f"{where}: key 'answers' is missing or empty, which only a test split may have")
        if not seen:
            first_answered = answered
        elif answered != first_answered:
            flaw = "has 'answers'" if answered else "key 'answers' is missing or empty"
            raise Flaw(f"{where}: {flaw}, unlike the questions before it")
        seen.add(question.id)
        report.questions += 1
        report.datasets[question.dataset] += 1
        yield question
    if not seen:
        raise Flaw("holds no questions")


def _from_drcd(articles: Iterable[Record], report: ReadingReport) -> Iterator[Question]:
    for where, article in articles:
        title = get_text(as_object(article, where), "title", where)
        for p, paragraph in enumerate(get(article, "paragraphs", list, where)):
            at = f"{where}.paragraphs[{p}]"
            context = get_text(as_object(paragraph, at), "context", at)
            for q, qa in enumerate(get(paragraph, "qas", list, at)):
                id_ = get_id(qa, "id", f"{at}.qas[{q}]")
                here = f"question {id_!r}"
                texts, starts = [], []
                for a, answer in enumerate(get_list(qa, "answers", here)):
                    spot = f"{here}, answers[{a}]"
                    texts.append(get_text(as_object(answer, spot), "text", spot))
                    starts.append(_checked_start(get(answer, "answer_start", int, spot), texts[-1], context, report))
                yield Question(
                    id=id_,
                    dataset="drcd",
                    title=title,
                    question=get_text(qa, "question", here),
                    context=context,
                    paragraphs=[{"title": title, "text": context}],
                    answers=squad_answers(texts, starts),
                    references=texts,
                )


def _from_beerqa(records: Iterable[Record], report: ReadingReport) -> Iterator[Question]:
    for where, record in records:
        id_ = get_id(record, "id", where)
        here = f"question {id_!r}"
        paragraphs = []
        for p, pair in enumerate(get_list(record, "context", here)):
            if not (isinstance(pair, list) and len(pair) == 2):
                raise Flaw(f"{here}: 'context[{p}]' must be [title, paragraph], found {shown(pair)}")
            title, text = (as_text(part, f"context[{p}][{i}]", here) for i, part in enumerate(pair))
            paragraphs.append({"title": title, "text": text})
        context = "\n".join(paragraph["text"] for paragraph in paragraphs)
        texts = [as_text(a, f"answers[{i}]", here) for i, a in enumerate(get_list(record, "answers", here))]
        source = get_text(record, "src", here)
        if not source:
            raise Flaw(f"{here}: 'src' must name the question's source, found an empty string")
        yield Question(
            id=id_,
            dataset=source,
            title="; ".join(dict.fromkeys(paragraph["title"] for paragraph in paragraphs)),
            question=get_text(record, "question", here),
            context=context,
            paragraphs=paragraphs,
            answers=located_answers(texts, context, report),
            references=texts,
        )


def _from_orb(passages: Iterable[Record], report: ReadingReport) -> Iterator[Question]:
    for where, passage in passages:
        context = get_text(as_object(passage, where), "context", where)
        for q, pair in enumerate(get(passage, "qa_pairs", list, where)):
            id_ = get_id(pair, "qid", f"{where}, qa_pairs[{q}]")
            here = f"question {id_!r}"
            dataset = _orb_dataset(get_text(pair, "dataset", here), here)
            references = []
            for a, gold in enumerate(get_list(pair, "answers", here)):
                if not (isinstance(gold, list) and gold):
                    raise Flaw(f"{here}: 'answers[{a}]' must be a list that is not empty, found {shown(gold)}")
                report.unread_answers += len(gold) - 1
                references.append(_reference(gold[0], f"answers[{a}][0]", dataset in DROP_GROUP, here))
            yield Question(
                id=id_,
                dataset=dataset,
                title="",
                question=get_text(pair, "question", here),
                context=context,
                paragraphs=[{"title": "", "text": context}],
                answers=located_answers(spans_of(references), context, report),
                references=references,
                kind=get_text(pair, "kind", here) if "kind" in pair else None,
                original_qid=get_id(pair, "original_qid", here) if "original_qid" in pair else None,
            )


def _from_columns(benchmark: str, rows: Iterable[Record]) -> Iterator[Question]:
    for where, row in rows:
        id_ = get_id(row, "id", where)
        here = f"question {id_!r}"
        dataset = get_text(row, "dataset", here)
        if benchmark == "orb":
            dataset = _orb_dataset(dataset, here)
        elif (dataset == "drcd") != (benchmark == "drcd") or dataset in _KNOWN_ORB:
            raise Flaw(f"{here}: dataset {dataset!r} is not one of {_TITLES[benchmark]}'s")
        if isinstance(row.get("references"), str):  # Parquet keeps this column, whose items differ in shape, as JSON
            row["references"] = parsed(row["references"].encode(), f"{here}: 'references': ")
        spans_allowed = benchmark == "orb" and dataset in DROP_GROUP
        golds = get(row, "references", list, here)
        yield Question(
            id=id_,
            dataset=dataset,
            title=get_text(row, "title", here),
            question=get_text(row, "question", here),
            context=get_text(row, "context", here),
            paragraphs=get(row, "paragraphs", list, here),
            answers=get(row, "answers", dict, here),
            references=[_reference(gold, f"references[{i}]", spans_allowed, here) for i, gold in enumerate(golds)],
        )


def _orb_dataset(name: str, where: str) -> str:
    if name.lower() not in _KNOWN_ORB:
        known = ", ".join(ORB_DATASETS + ORB_SYNTHETIC_DATASETS)
        raise Flaw(f"{where}: unknown dataset name {name!r} under key 'dataset'; known are {known}")
    return name.lower()


def _reference(gold: Any, key: str, spans_allowed: bool, where: str) -> str | list[str]:
    if not isinstance(gold, list):
        return as_text(gold, key, where)
    if not spans_allowed:
        raise Flaw(f"{where}: {key!r} must be a string; only {', '.join(DROP_GROUP)} have answers of several spans")
    if not gold:
        raise Flaw(f"{where}: {key!r} must hold at least one span, found an empty list")
    return [as_text(span, f"{key}[{i}]", where) for i, span in enumerate(gold)]


def spans_of(references: Iterable[str | list[str]]) -> list[str]:
    """All spans of acceptable answers in one list."""
    return [span for gold in references for span in ([gold] if isinstance(gold, str) else gold)]


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


def _checked_start(start: int, text: str, context: str, report: ReadingReport) -> int:
    if start >= 0 and context.startswith(text, start):
        return start
    first = context.find(text)
    if text and first >= 0 and context.find(text, first + 1) < 0:
        report.repaired_starts += 1
        return first
    report.lost_starts += 1
    return -1
