"""Read a prediction file in any of the usual formats into ``{id: prediction}``.

The format is told from the content; CSV and TSV alone are told from the file's ending. Every format may be plain or
gzipped, start with a byte order mark and end its lines with CRLF:

- a JSON object ``{id: text}``: DRCD, BeerQA, and ``predict_predictions.json`` of Hugging Face's ``run_qa.py``;
- ORB's ``{qid: [text]}``, where of each list only the first element counts, which may itself be a list of spans;
- BeerQA's ``{"answer": {id: text}}``;
- rows with an id and a prediction column: JSON Lines, a JSON list (SQuAD's ``[{"id", "prediction_text"}]``), CSV, TSV
  and Parquet. In a row, a list holds the spans of one answer;
- ``samples_<task>_<date>.jsonl`` of lm-evaluation-harness (``--log_samples``), the id taken from each row's ``doc``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from os import PathLike
from pathlib import Path
from typing import IO, Any, NamedTuple

from .file_records import open_bytes, shown
from .prediction_rows import (
    Columns,
    PlacedRow,
    RawPrediction,
    column_predictions,
    delimited_rows,
    first_json_value,
    harness_predictions,
    is_harness_row,
    json_line_rows,
    parquet_predictions,
)

Prediction = str | list[str]

_DELIMITED = {".csv": ("CSV", ","), ".tsv": ("TSV", "\t")}
# Up to this size a JSON document is parsed at once, which spares small files the import of ijson; above, as a stream.
_WHOLE_FILE_BYTES = 16 * 2**20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Predictions(dict[str, Prediction]):
    """The predictions of one system by question id: a text, or (ORB) a list of two or more spans.

    Attributes:
        format: The format that was recognised, in words.
        left_out: What the file held beyond one prediction a question: counts by description.
    """

    def __init__(self, format: str, left_out: Counter[str]) -> None:
        super().__init__()
        self.format = format
        self.left_out = left_out


def read_predictions(
    path: str | PathLike[str],
    benchmark: str | None = None,
    id_column: str | None = None,
    prediction_column: str | None = None,
) -> Predictions:
    """Read a prediction file.

    Args:
        path: A file in one of the module's formats.
        benchmark: ``orb`` (or ``orb/drop`` …), ``drcd`` or ``beerqa``; only ORB's predictions may be lists. None:
            lists are taken too.
        id_column: The column of ids, where it has no usual name; in an lm-evaluation-harness file a key of ``doc`` or
            of the row itself.
        prediction_column: The column of predictions, where it has no usual name; in an lm-evaluation-harness file
            ``filtered_resps`` (the default), ``resps``, or the name of one of its filters.

    Returns:
        The predictions in the order of the file. Ids that are whole numbers have become strings; texts are untouched;
        a list of one span has become that span.

    Raises:
        ValueError: The file is empty, truncated, damaged, not UTF-8 or of no known format; a column is missing or
            ambiguous; an id is missing, repeated or of the wrong type; a prediction is null or of the wrong type.
            The message names file and record and says what was expected.
        OSError: The file cannot be opened.
    """
    lists_allowed = benchmark is None or benchmark.partition("/")[0] == "orb"
    try:
        return _collected(_source(Path(path), Columns(id_column, prediction_column)), lists_allowed)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8: byte {error.start} is {error.object[error.start]:#04x}") from None
    except RecursionError:
        raise ValueError(f"{path}: nested too deep; expected ids and predictions") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


class _Source(NamedTuple):
    format: str
    predictions: Iterator[RawPrediction]
    left_out: Counter[str]  # complete once the predictions are read
    wrapped: bool = False  # ORB's own files: of a list, the first element is the prediction


# What is checked of every prediction, whatever its format.


def _collected(source: _Source, lists_allowed: bool) -> Predictions:
    collected = Predictions(source.format, source.left_out)
    for where, id_, value in source.predictions:
        if type(id_) is int:
            id_ = str(id_)
        elif type(id_) is not str or not id_:
            raise ValueError(f"{where}: the id must be a text or a whole number, found {shown(id_)}")
        if id_ in collected:
            raise ValueError(f"{where}: the id {id_!r} occurs twice; expected one prediction a question")
        try:
            if type(value) is list:
                value = _spans(value, source.wrapped, source.left_out, lists_allowed)
            elif type(value) is not str:
                raise ValueError(f"the prediction must be a text, found {shown(value)}")
            for text in (id_, value) if type(value) is str else (id_, *value):
                if not text.isascii():
                    text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"{where}, id {id_!r}: a lone surrogate at character {error.start}") from None
        except ValueError as error:
            raise ValueError(f"{where}, id {id_!r}: {error}") from None
        collected[id_] = value
    if not collected:
        raise ValueError("holds no predictions")
    return collected


def _spans(value: list[Any], wrapped: bool, left_out: Counter[str], lists_allowed: bool) -> Prediction:
    if value and type(value[0]) is dict:
        raise ValueError(f"the prediction must be one text, found {shown(value)}, as in an n-best file")
    if not lists_allowed:
        raise ValueError(f"the prediction must be a text (only ORB's may be lists), found {shown(value)}")
    spans = value
    if value and (wrapped or type(value[0]) is list):
        if len(value) > 1:
            left_out["list elements after the first"] += len(value) - 1
        spans = value[0] if type(value[0]) is list else value[:1]
    if not spans or not all(type(span) is str for span in spans):
        raise ValueError(f"the prediction must be a text or a list of one or more texts, found {shown(value)}")
    return spans[0] if len(spans) == 1 else spans


# Which format a file has.


def _source(path: Path, columns: Columns) -> _Source:
    with open_bytes(path) as stream:
        content = stream.read(_WHOLE_FILE_BYTES + 1)
    large = len(content) > _WHOLE_FILE_BYTES
    content = content.removeprefix(_BYTE_ORDER_MARK)
    if content.startswith(b"PAR1"):
        return _Source("Parquet", parquet_predictions(path, columns), Counter())
    if not content.strip():
        raise ValueError("the file is empty; expected predictions")
    ending = Path(path.stem if path.suffix.lower() == ".gz" else path.name).suffix.lower()
    if ending == ".parquet":
        raise ValueError("not a Parquet file, though its name ends in .parquet")
    if ending in _DELIMITED:
        format, delimiter = _DELIMITED[ending]
        return _row_source(format, delimited_rows(path, delimiter), columns)
    if content.lstrip()[:1] not in (b"{", b"["):
        raise ValueError("neither JSON nor Parquet; expected one of these, or a name that ends in .csv or .tsv")
    if large:
        return _large_json_source(path, content, columns)
    text = content.decode().strip()
    document, end = first_json_value(text)
    if end < len(text):
        return _row_source("JSON Lines", json_line_rows(path), columns)
    return _document_source(document, columns)


def _document_source(document: dict[str, Any] | list[Any], columns: Columns) -> _Source:
    if isinstance(document, list):
        return _row_source("JSON list", _entries(document), columns)
    if isinstance(document.get("data"), list):
        raise ValueError("found a list under 'data', as in a gold file; expected predictions")
    if isinstance(document.get("answer"), dict):
        return _object_source(document["answer"].items(), columns, nested=True)
    if is_harness_row(document) or _has_columns(document, columns):
        return _row_source("JSON Lines", iter([("line 1", document)]), columns)
    return _object_source(document.items(), columns, nested=False)


def _has_columns(row: dict[str, Any], columns: Columns) -> bool:
    try:
        columns.found_in(row)
    except ValueError:
        return False
    return True


def _large_json_source(path: Path, head: bytes, columns: Columns) -> _Source:
    import ijson

    first_line, line_end, _ = head.lstrip().partition(b"\n")
    try:
        first_json_value(first_line.decode() if line_end else "")
    except ValueError:  # the first line alone is no JSON value: a document over several lines, or one long line
        shape = [event for _, event, _ in islice(_streamed(path, ijson.parse), 3)]
    else:
        return _row_source("JSON Lines", json_line_rows(path), columns)
    if shape[0] == "start_array":
        items = _streamed(path, partial(ijson.items, prefix="item", use_float=True))
        return _row_source("JSON list", _entries(items), columns)
    nested = shape[2:] == ["start_map"]
    pairs = _streamed(path, partial(ijson.kvitems, prefix="answer" if nested else "", use_float=True))
    return _object_source(pairs, columns, nested)


def _streamed(path: Path, parser: Callable[[IO[bytes]], Iterable[Any]]) -> Iterator[Any]:
    """What a function of ijson yields for a file."""
    import ijson

    count = 0
    with open_bytes(path) as stream:
        if stream.read(len(_BYTE_ORDER_MARK)) != _BYTE_ORDER_MARK:
            stream.seek(0)
        try:
            for count, item in enumerate(parser(stream), 1):  # noqa: B007
                yield item
        except ijson.JSONError as error:
            reason = " ".join(str(error).split())[:120]
            raise ValueError(f"truncated or not JSON after entry {count}: {reason}") from None


def _object_source(pairs: Iterable[tuple[str, Any]], columns: Columns, nested: bool) -> _Source:
    if columns != Columns():
        raise ValueError("one JSON object {id: prediction} has no columns; name none")
    format = 'JSON object {"answer": {id: prediction}}' if nested else "JSON object {id: prediction}"
    predictions = ((f"entry {number}", id_, value) for number, (id_, value) in enumerate(pairs, 1))
    return _Source(format, predictions, Counter(), wrapped=True)


def _entries(items: Iterable[Any]) -> Iterator[PlacedRow]:
    return ((f"entry {number}", item) for number, item in enumerate(items, 1))


def _row_source(format: str, rows: Iterator[PlacedRow], columns: Columns) -> _Source:
    rows = _checked(rows)
    first = next(rows, None)
    if first is None:
        raise ValueError("holds no predictions")
    rows = chain([first], rows)
    left_out: Counter[str] = Counter()
    if is_harness_row(first[1]):
        predictions = harness_predictions(first[1], rows, columns, left_out)
        return _Source("lm-evaluation-harness samples", predictions, left_out)
    return _Source(format, column_predictions(rows, *columns.found_in(first[1])), left_out)


def _checked(rows: Iterable[tuple[str, Any]]) -> Iterator[PlacedRow]:
    for where, row in rows:
        if type(row) is not dict:
            raise ValueError(f"{where}: expected an object with an id and a prediction, found {shown(row)}")
        yield where, row
