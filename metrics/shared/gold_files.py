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

import gzip
import hashlib
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import IO, Any

BENCHMARKS = ("drcd", "orb", "beerqa")
ORB_DATASETS = ("squad1", "squad2", "drop", "newsqa", "quoref", "ropes", "narrativeqa", "duorc")
ORB_SYNTHETIC_DATASETS = ("squad1_syn", "drop_syn", "newsqa_syn", "quoref_syn", "ropes_syn", "duorc_syn")
DROP_GROUP = frozenset({"drop", "quoref", "drop_syn", "quoref_syn"})
COLUMNS = ("id", "dataset", "title", "question", "context", "paragraphs", "answers", "references")

_TITLES = {"drcd": "DRCD", "orb": "ORB", "beerqa": "BeerQA"}
_KNOWN_ORB = frozenset(ORB_DATASETS + ORB_SYNTHETIC_DATASETS)
# Below this many bytes a whole file is parsed at once (several times faster); above, as a stream (flat memory).
_WHOLE_FILE_BYTES = 64 * 2**20
_HEAD_BYTES = 2**20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Record = tuple[str, Any]  # where it stands in its file, and what stands there


@dataclass(slots=True)
class Question:
    """One question of a benchmark.

    Attributes:
        id: The benchmark's own id.
        dataset: ``drcd``; BeerQA's source; ORB's dataset name in lower case.
        title: Title of the article; of BeerQA's paragraphs, joined by ``"; "``; empty in ORB.
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
        unread_spans: Elements after the first of ORB's gold answers, which by ORB's rules do not count.
    """

    questions: int = 0
    datasets: Counter[str] = field(default_factory=Counter)
    repaired_starts: int = 0
    lost_starts: int = 0
    not_in_context: int = 0
    unread_spans: int = 0


class _Flaw(ValueError):
    """What is wrong with a file; ``read_gold`` puts the file's name in front."""


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
    last_id = None
    try:
        for last_id, question in _checked(_questions(benchmark, Path(path), report), report, need_answers):
            yield question
    except _Flaw as flaw:
        raise ValueError(f"{path}: {flaw}") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        after = f" after record {last_id!r}" if last_id is not None else ""
        raise ValueError(f"{path}: truncated or damaged gzip data{after}: {error}") from None


def detect_benchmark(path: str | PathLike[str]) -> str | None:
    """The benchmark whose own format a file has, by the keys that only it uses.

    Args:
        path: A JSON or JSON Lines file, plain or gzip.

    Returns:
        ``drcd`` (SQuAD's nesting), ``orb``, ``beerqa``, or None where the first megabyte shows none of their keys.
    """
    return _benchmark_of(_head(Path(path)))


def content_sha256(path: str | PathLike[str]) -> str:
    """SHA-256 of a file's content in hexadecimal digits; of a gzip file's decompressed content."""
    digest = hashlib.sha256()
    with open_plain_or_gzip(Path(path)) as stream:
        while chunk := stream.read(2**20):
            digest.update(chunk)
    return digest.hexdigest()


def open_plain_or_gzip(path: Path) -> IO[bytes]:
    """Open a file for reading bytes, decompressing gzip (known by its first bytes, not by its name)."""
    with path.open("rb") as stream:
        compressed = stream.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rb") if compressed else path.open("rb")  # type: ignore[return-value]


# What is checked of every file, whatever its format.


def _checked(
    questions: Iterable[Question], report: ReadingReport, need_answers: bool
) -> Iterator[tuple[str, Question]]:
    seen: set[str] = set()
    first_answered: bool | None = None
    for question in questions:
        if question.id in seen:
            raise _Flaw(f"question {question.id!r}: this id occurs twice")
        seen.add(question.id)
        answered = bool(question.references)
        if need_answers and not answered:
            raise _Flaw(f"question {question.id!r}: key 'answers' is missing or empty; only a test split may lack it")
        if first_answered is None:
            first_answered = answered
        elif answered != first_answered:
            has, others = ("has", "has none") if answered else ("lacks", "has some")
            raise _Flaw(f"question {question.id!r}: {has} 'answers', but the first question of the file {others}")
        report.questions += 1
        report.datasets[question.dataset] += 1
        yield question.id, question
    if not seen:
        raise _Flaw("holds no questions")


def _questions(benchmark: str, path: Path, report: ReadingReport) -> Iterator[Question]:
    head = _head(path)
    if not head.removeprefix(_BYTE_ORDER_MARK).strip():
        raise _Flaw("the file is empty")
    if head.startswith(b"PAR1"):
        return _from_columns(benchmark, _parquet_rows(path))
    found = _benchmark_of(head)
    if found is None and b'"references"' in head:
        return _from_columns(benchmark, _json_lines(path))
    if found not in (None, benchmark):
        raise _Flaw(f"this is a file in {_TITLES[found]}'s format, not in {_TITLES[benchmark]}'s")
    if benchmark == "orb":
        return _from_orb(_json_lines(path), report)
    return (_from_drcd if benchmark == "drcd" else _from_beerqa)(_json_data(path), report)


def _head(path: Path) -> bytes:
    with open_plain_or_gzip(path) as stream:
        return stream.read(_HEAD_BYTES)


def _benchmark_of(head: bytes) -> str | None:
    # Inside a JSON string these quotes would be escaped, so only keys can match.
    for key, benchmark in ((b'"qa_pairs"', "orb"), (b'"qas"', "drcd"), (b'"src"', "beerqa")):
        if key in head:
            return benchmark
    return None


# Records of a file, with where they stand.


def _json_data(path: Path) -> Iterator[Record]:
    """The items of a JSON object's ``data`` list."""
    with open_plain_or_gzip(path) as stream:
        content = stream.read(_WHOLE_FILE_BYTES + 1)
    if len(content) > _WHOLE_FILE_BYTES:
        yield from _streamed_data(path)
        return
    document = _parsed(content, "")
    for index, item in enumerate(_get(_object(document, "the file"), "data", list, "the file")):
        yield f"data[{index}]", item


def _streamed_data(path: Path) -> Iterator[Record]:
    import ijson

    where = "before the first record"
    with open_plain_or_gzip(path) as stream:
        if stream.read(len(_BYTE_ORDER_MARK)) != _BYTE_ORDER_MARK:
            stream.seek(0)
        try:
            for index, item in enumerate(ijson.items(stream, "data.item", use_float=True)):
                where = f"data[{index}]"
                yield where, item
        except ijson.JSONError as error:
            reason = " ".join(str(error).split())[:120]
            raise _Flaw(f"truncated or not JSON after {where}: {reason}") from None


def _json_lines(path: Path) -> Iterator[Record]:
    with open_plain_or_gzip(path) as stream:
        for number, line in enumerate(stream, start=1):
            if line.strip():
                yield f"line {number}", _parsed(line, f"line {number}: ")


def _parquet_rows(path: Path) -> Iterator[Record]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as table:
            missing = [name for name in COLUMNS if name not in table.schema_arrow.names]
            if missing:
                raise _Flaw(f"column {missing[0]!r} is missing; found {', '.join(table.schema_arrow.names)}")
            number = 0
            for batch in table.iter_batches(batch_size=1000, columns=list(COLUMNS)):
                for row in batch.to_pylist():
                    if isinstance(row["references"], str):
                        row["references"] = _parsed(row["references"].encode(), f"row {number}: ")
                    yield f"row {number}", row
                    number += 1
    except (pa.ArrowException, OSError) as error:
        raise _Flaw(f"truncated or damaged Parquet: {error}") from None


def _parsed(content: bytes, where: str) -> Any:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _Flaw(f"{where}not UTF-8: byte {error.start} is {content[error.start]:#04x}") from None
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        ids = re.findall(r'"q?id"\s*:\s*("[^"]*"|\d+)', text[: error.pos])
        after = f", after record {ids[-1]}" if ids else ""
        reason = f"{error.msg} at line {error.lineno}, column {error.colno}{after}"
        raise _Flaw(f"{where}truncated or not JSON: {reason}") from None
    except RecursionError:
        raise _Flaw(f"{where}not of this format: nested too deep") from None


# Questions of each format.


def _from_drcd(articles: Iterable[Record], report: ReadingReport) -> Iterator[Question]:
    for where, article in articles:
        title = _text(_object(article, where), "title", where)
        for p, paragraph in enumerate(_get(article, "paragraphs", list, where)):
            at = f"{where}.paragraphs[{p}]"
            context = _text(_object(paragraph, at), "context", at)
            for q, qa in enumerate(_get(paragraph, "qas", list, at)):
                id_, here = _identified(qa, "id", f"{at}.qas[{q}]")
                texts, starts = [], []
                for a, answer in enumerate(_optional_list(qa, "answers", here)):
                    spot = f"{here}.answers[{a}]"
                    texts.append(_text(_object(answer, spot), "text", spot))
                    starts.append(_checked_start(_get(answer, "answer_start", int, spot), texts[-1], context, report))
                yield Question(
                    id=id_,
                    dataset="drcd",
                    title=title,
                    question=_text(qa, "question", here),
                    context=context,
                    paragraphs=[{"title": title, "text": context}],
                    answers=_squad_answers(texts, starts),
                    references=texts,
                )


def _from_beerqa(records: Iterable[Record], report: ReadingReport) -> Iterator[Question]:
    for where, record in records:
        id_, here = _identified(record, "id", where)
        paragraphs = []
        for p, pair in enumerate(_optional_list(record, "context", here)):
            if not (isinstance(pair, list) and len(pair) == 2):
                raise _Flaw(f"{here}: 'context[{p}]' must be [title, paragraph], found {_shown(pair)}")
            title, text = (_valid_text(part, f"context[{p}][{i}]", here) for i, part in enumerate(pair))
            paragraphs.append({"title": title, "text": text})
        context = "\n".join(paragraph["text"] for paragraph in paragraphs)
        texts = [_valid_text(a, f"answers[{i}]", here) for i, a in enumerate(_optional_list(record, "answers", here))]
        dataset = _text(record, "src", here)
        if not dataset:
            raise _Flaw(f"{here}: 'src' must name the question's source, found an empty string")
        yield Question(
            id=id_,
            dataset=dataset,
            title="; ".join(dict.fromkeys(paragraph["title"] for paragraph in paragraphs)),
            question=_text(record, "question", here),
            context=context,
            paragraphs=paragraphs,
            answers=located_answers(texts, context, report),
            references=texts,
        )


def _from_orb(passages: Iterable[Record], report: ReadingReport) -> Iterator[Question]:
    for where, passage in passages:
        context = _text(_object(passage, where), "context", where)
        for q, pair in enumerate(_get(passage, "qa_pairs", list, where)):
            id_, here = _identified(pair, "qid", f"{where}: qa_pairs[{q}]")
            dataset = _orb_dataset(_text(pair, "dataset", here), here)
            references = []
            for a, gold in enumerate(_optional_list(pair, "answers", here)):
                if not (isinstance(gold, list) and gold):
                    raise _Flaw(f"{here}: 'answers[{a}]' must be a non-empty list, found {_shown(gold)}")
                report.unread_spans += len(gold) - 1
                references.append(_reference(gold[0], f"answers[{a}][0]", dataset in DROP_GROUP, here))
            yield Question(
                id=id_,
                dataset=dataset,
                title="",
                question=_text(pair, "question", here),
                context=context,
                paragraphs=[{"title": "", "text": context}],
                answers=located_answers(spans_of(references), context, report),
                references=references,
                kind=_text(pair, "kind", here) if "kind" in pair else None,
                original_qid=_identified(pair, "original_qid", here)[0] if "original_qid" in pair else None,
            )


def _from_columns(benchmark: str, rows: Iterable[Record]) -> Iterator[Question]:
    for where, row in rows:
        id_, here = _identified(row, "id", where)
        dataset = _text(row, "dataset", here)
        if benchmark == "orb":
            dataset = _orb_dataset(dataset, here)
        elif (dataset == "drcd") != (benchmark == "drcd") or dataset in _KNOWN_ORB:
            raise _Flaw(f"{here}: dataset {dataset!r} is not one of {_TITLES[benchmark]}'s")
        spans_allowed = dataset in DROP_GROUP and benchmark == "orb"
        golds = _get(row, "references", list, here)
        yield Question(
            id=id_,
            dataset=dataset,
            title=_text(row, "title", here),
            question=_text(row, "question", here),
            context=_text(row, "context", here),
            paragraphs=_get(row, "paragraphs", list, here),
            answers=_get(row, "answers", dict, here),
            references=[_reference(gold, f"references[{i}]", spans_allowed, here) for i, gold in enumerate(golds)],
        )


# Answers and where they stand.


def spans_of(references: Iterable[str | list[str]]) -> list[str]:
    """All spans of acceptable answers in one list."""
    return [span for gold in references for span in ([gold] if isinstance(gold, str) else gold)]


def located_answers(texts: list[str], context: str, report: ReadingReport) -> dict[str, list]:
    """Answers in SQuAD's form, each at its first occurrence as whole words, else at -1 (which is counted)."""
    starts = [_first_whole_occurrence(text, context) for text in texts]
    report.not_in_context += sum(start < 0 and text != "" for text, start in zip(texts, starts))
    return _squad_answers(texts, starts)


def _first_whole_occurrence(text: str, context: str) -> int:
    start = context.find(text)
    while start >= 0:
        end = start + len(text)
        inside = text[:1].isalnum() and context[start - 1 : start].isalnum()
        if not inside and not (text[-1:].isalnum() and context[end : end + 1].isalnum()):
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


def _squad_answers(texts: list[str], starts: list[int]) -> dict[str, list]:
    kept = [(text, start) for text, start in zip(texts, starts) if text]
    return {"text": [text for text, _ in kept], "answer_start": [start for _, start in kept]}


def _reference(gold: Any, key: str, spans_allowed: bool, where: str) -> str | list[str]:
    if not isinstance(gold, list):
        return _valid_text(gold, key, where)
    if not spans_allowed:
        raise _Flaw(f"{where}: {key!r} must be a string (only {', '.join(sorted(DROP_GROUP))} have several spans)")
    if not gold:
        raise _Flaw(f"{where}: {key!r} must hold at least one span, found an empty list")
    return [_valid_text(span, f"{key}[{i}]", where) for i, span in enumerate(gold)]


def _orb_dataset(name: str, where: str) -> str:
    if name.lower() not in _KNOWN_ORB:
        known = ", ".join(ORB_DATASETS + ORB_SYNTHETIC_DATASETS)
        raise _Flaw(f"{where}: unknown dataset name {name!r} under key 'dataset'; known are {known}")
    return name.lower()


# Values under keys, of the type they must have.

_KINDS = {dict: "an object", list: "a list", str: "a string", int: "an integer"}


def _object(value: Any, where: str) -> dict:
    if not isinstance(value, dict):
        raise _Flaw(f"{where}: must be an object, found {_shown(value)}")
    return value


def _get(record: dict, key: str, kind: type, where: str) -> Any:
    try:
        value = record[key]
    except KeyError:
        raise _Flaw(f"{where}: key {key!r} is missing; found {', '.join(record) or 'none'}") from None
    if type(value) is not kind:
        raise _Flaw(f"{where}: {key!r} must be {_KINDS[kind]}, found {_shown(value)}")
    return value


def _optional_list(record: dict, key: str, where: str) -> list:
    return _get(record, key, list, where) if key in record else []


def _text(record: dict, key: str, where: str) -> str:
    return _valid_text(_get(record, key, str, where), key, where)


def _valid_text(value: Any, key: str, where: str) -> str:
    if type(value) is not str:
        raise _Flaw(f"{where}: {key!r} must be a string, found {_shown(value)}")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise _Flaw(f"{where}: {key!r} holds a lone surrogate at character {error.start}") from None
    return value


def _identified(record: Any, key: str, where: str) -> tuple[str, str]:
    """A record's id as a string, and how errors name the record."""
    value = _object(record, where).get(key)
    if type(value) is int:
        value = str(value)
    elif type(value) is not str or not value:
        _get(record, key, str, where)
        raise _Flaw(f"{where}: {key!r} must not be empty")
    _valid_text(value, key, where)
    return value, f"question {value!r}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
