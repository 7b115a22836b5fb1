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

from collections.abc import Iterable, Iterator
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
from .question import (
    COLUMNS,
    DROP_GROUP,
    ORB_DATASETS,
    ORB_SYNTHETIC_DATASETS,
    Question,
    ReadingReport,
    checked_start,
    located_answers,
    spans_of,
    squad_answers,
)

BENCHMARKS = ("drcd", "orb", "beerqa")

_TITLES = {"drcd": "DRCD", "orb": "ORB", "beerqa": "BeerQA"}
_KNOWN_ORB = frozenset(ORB_DATASETS + ORB_SYNTHETIC_DATASETS)


def read_gold(
    benchmark: str, path: str | PathLike[str], report: ReadingReport | None = None, need_answers: bool = False
) -> Iterator[Question]:
    """Read a gold file question by question, checking everything.

    Args:
        benchmark: ``drcd``, ``orb``, ``beerqa``, or one dataset of ORB, as in ``orb/drop``.
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
    benchmark, subset = parse_benchmark(benchmark)
    report = ReadingReport() if report is None else report
    last = "before the first question"
    try:
        questions = _questions(benchmark, subset, Path(path), report)
        for question in checked(questions, report, need_answers, f"questions of {subset}" if subset else "questions"):
            last = f"behind question {question.id!r}"
            yield question
    except Breakage as breakage:
        raise ValueError(f"{path}: {breakage} ({last})") from None
    except Flaw as flaw:
        raise ValueError(f"{path}: {flaw}") from None


def parse_benchmark(name: str) -> tuple[str, str | None]:
    """Split a benchmark's name into the benchmark and the one dataset of ORB that it may ask for.

    Args:
        name: ``drcd``, ``orb``, ``beerqa``, or one dataset of ORB, as in ``orb/drop``; in any case.

    Returns:
        The benchmark, and ORB's dataset or None.

    Raises:
        ValueError: The name is unknown.
    """
    benchmark, slash, dataset = name.lower().partition("/")
    if benchmark not in BENCHMARKS or (slash and benchmark != "orb"):
        raise ValueError(f"unknown benchmark {name!r}; known are {', '.join(BENCHMARKS)}, and orb/DATASET")
    return benchmark, _orb_dataset(dataset, repr(name)) if slash else None


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


def _questions(benchmark: str, subset: str | None, path: Path, report: ReadingReport) -> Iterator[Question]:
    head = head_of(path)
    if not head.strip():
        raise Breakage("the file is empty")
    if head.startswith(b"PAR1"):
        return _from_columns(benchmark, parquet_rows(path, COLUMNS), subset, report)
    found = _benchmark_of(head)
    if found is None and b'"references"' in head:
        return _from_columns(benchmark, json_lines(path), subset, report)
    if found is not None and found != benchmark:
        raise Flaw(f"this is a file in {_TITLES[found]}'s format, not in {_TITLES[benchmark]}'s")
    if benchmark == "orb":
        return _from_orb(json_lines(path), subset, report)
    return (_from_drcd if benchmark == "drcd" else _from_beerqa)(list_items(path, "data"), report)


def checked(
    questions: Iterable[Question], report: ReadingReport, need_answers: bool, what: str = "questions"
) -> Iterator[Question]:
    """Pass questions on, counted, while ids are unique and either all of them have answers or none has.

    Raises:
        Flaw: An id occurs twice; answers are missing; there are no questions at all.
    """
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
        report.datasets[question.dataset] = report.datasets.get(question.dataset, 0) + 1
        yield question
    if not seen:
        raise Flaw(f"holds no {what}")


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
                    starts.append(checked_start(get(answer, "answer_start", int, spot), texts[-1], context, report))
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


def _from_orb(passages: Iterable[Record], subset: str | None, report: ReadingReport) -> Iterator[Question]:
    for where, passage in passages:
        context = get_text(as_object(passage, where), "context", where)
        for q, pair in enumerate(get(passage, "qa_pairs", list, where)):
            id_ = get_id(pair, "qid", f"{where}, qa_pairs[{q}]")
            here = f"question {id_!r}"
            dataset = _orb_dataset(get_text(pair, "dataset", here), f"{here}, key 'dataset'")
            if subset not in (None, dataset):
                continue
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


def _from_columns(
    benchmark: str, rows: Iterable[Record], subset: str | None, report: ReadingReport
) -> Iterator[Question]:
    for where, row in rows:
        id_ = get_id(row, "id", where)
        here = f"question {id_!r}"
        dataset = get_text(row, "dataset", here)
        if benchmark == "orb":
            dataset = _orb_dataset(dataset, f"{here}, column 'dataset'")
        elif (dataset == "drcd") != (benchmark == "drcd") or dataset in _KNOWN_ORB:
            raise Flaw(f"{here}: dataset {dataset!r} is not one of {_TITLES[benchmark]}'s")
        if subset not in (None, dataset):
            continue
        context = get_text(row, "context", here)
        if isinstance(row.get("references"), str):  # Parquet keeps this column, whose items differ in shape, as JSON
            row["references"] = parsed(row["references"].encode(), f"{here}: 'references': ")
        spans_allowed = benchmark == "orb" and dataset in DROP_GROUP
        golds = get(row, "references", list, here)
        yield Question(
            id=id_,
            dataset=dataset,
            title=get_text(row, "title", here),
            question=get_text(row, "question", here),
            context=context,
            paragraphs=[_paragraph(p, f"{here}, paragraphs") for p in get(row, "paragraphs", list, here)],
            answers=_placed_answers(get(row, "answers", dict, here), context, report, f"{here}, answers"),
            references=[_reference(gold, f"references[{i}]", spans_allowed, here) for i, gold in enumerate(golds)],
        )


def _paragraph(value: Any, where: str) -> dict[str, str]:
    return {key: get_text(as_object(value, where), key, where) for key in ("title", "text")}


def _placed_answers(answers: dict, context: str, report: ReadingReport, where: str) -> dict[str, list]:
    texts = [as_text(text, f"text[{i}]", where) for i, text in enumerate(get(answers, "text", list, where))]
    starts = get(answers, "answer_start", list, where)
    if len(starts) != len(texts) or any(type(start) is not int for start in starts):
        raise Flaw(f"{where}: 'answer_start' must hold an integer for each text, found {shown(starts)}")
    stated = zip(starts, texts, strict=True)
    return squad_answers(texts, [-1 if at == -1 else checked_start(at, text, context, report) for at, text in stated])


def _orb_dataset(name: str, where: str) -> str:
    if name.lower() not in _KNOWN_ORB:
        known = ", ".join(ORB_DATASETS + ORB_SYNTHETIC_DATASETS)
        raise Flaw(f"{where}: unknown dataset name {name!r}; known are {known}")
    return name.lower()


def _reference(gold: Any, key: str, spans_allowed: bool, where: str) -> str | list[str]:
    if not isinstance(gold, list):
        return as_text(gold, key, where)
    if not spans_allowed:
        raise Flaw(f"{where}: {key!r} must be a string; only {', '.join(DROP_GROUP)} have answers of several spans")
    if not gold:
        raise Flaw(f"{where}: {key!r} must hold at least one span, found an empty list")
    return [as_text(span, f"{key}[{i}]", where) for i, span in enumerate(gold)]
