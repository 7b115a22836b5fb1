"""Ids and predictions in the rows of JSON Lines, CSV, TSV, Parquet and lm-evaluation-harness files.

Which columns hold them is told from the first row or the header. Everything is read as a stream; values are handed on
as they stand in the file.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from .file_records import open_bytes, shown

Row = dict[str, Any]
PlacedRow = tuple[str, Row]  # where it stands in its file ("line 5"), and the row
RawPrediction = tuple[str, Any, Any]  # where it stands in its file, id, prediction

ID_COLUMNS = ("id", "_id", "qid", "question_id", "query_id", "example_id", "qas_id")
# One of the first group is taken even where one of the second, then likely the gold answer, stands beside it.
PREDICTION_COLUMNS = (
    ("prediction", "prediction_text", "predicted_answer", "predicted", "pred", "best_span_str"),
    ("answer", "output", "text", "response", "completion", "generated_text", "model_output", "model_answer"),
)
_FIELD_SIZE = 2**31 - 1  # the csv module's default, 131,072 characters, is less than some models write


class Columns(NamedTuple):
    """The columns that the caller named; None where a usual name is looked for."""

    id: str | None = None
    prediction: str | None = None

    def found_in(self, names: Iterable[str]) -> tuple[str, str]:
        """The id and the prediction column among these names; a ValueError when one is missing or ambiguous."""
        names = list(names)
        return (
            found_column("id", self.id, (ID_COLUMNS,), names),
            found_column("prediction", self.prediction, PREDICTION_COLUMNS, names),
        )


def found_column(kind: str, given: str | None, usual: tuple[tuple[str, ...], ...], names: list[str]) -> str:
    """The column the caller named, or the one with a usual name; a ValueError when it is missing or ambiguous.

    Args:
        kind: ``id`` or ``prediction``.
        given: The caller's name for it, or None.
        usual: Groups of usual names in lower case; the first group that occurs decides.
        names: The columns of the file.
    """
    listed = ", ".join(map(repr, names))
    if given is not None:
        if given not in names:
            raise ValueError(f"no {kind} column {given!r}; found the columns {listed}")
        return given
    option = f"name it with {kind}_column (--{kind}-column)"
    for group in usual:
        found = [name for name in names if name.lower() in group]
        if len(found) > 1:
            several = " or ".join(map(repr, found))
            raise ValueError(f"the {kind} column may be {several}: {option}; found the columns {listed}")
        if found:
            return found[0]
    expected = ", ".join(chain(*usual))
    raise ValueError(f"no {kind} column: {option}, or call it one of {expected}; found the columns {listed}")


def column_predictions(rows: Iterable[PlacedRow], id_name: str, prediction_name: str) -> Iterator[RawPrediction]:
    """The two columns of each row, which must have both."""
    for where, row in rows:
        for name in (id_name, prediction_name):
            if name not in row:
                raise ValueError(f"{where}: key {name!r} is missing; found {', '.join(map(repr, row))}")
        yield where, row[id_name], row[prediction_name]


# JSON.


def json_line_rows(path: Path) -> Iterator[PlacedRow]:
    """The values of a JSON Lines file."""
    with open_bytes(path) as stream:
        for number, line in enumerate(stream, 1):
            try:
                if text := line.decode("utf-8-sig").strip():
                    value, end = first_json_value(text)
                    if end < len(text):
                        raise ValueError(f"not JSON: {shown(text[end : end + 60])} follows the first value")
                    yield f"line {number}", value
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from None


def first_json_value(text: str) -> tuple[Any, int]:
    """The JSON value that begins a text without leading white space, and where it ends."""
    try:
        return _DECODER.raw_decode(text)
    except json.JSONDecodeError as error:
        truncated = error.pos >= len(text) or error.msg.startswith("Unterminated string")
        flaw = "truncated JSON" if truncated else "not JSON"
        raise ValueError(f"{flaw}: {error.msg} at line {error.lineno}, column {error.colno}") from None


def _unique_keys(pairs: list[tuple[str, Any]]) -> Row:
    """The pairs of an object; json by itself would silently keep the last of several equal keys."""
    row = dict(pairs)
    if len(row) < len(pairs):
        key = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"the key {key!r} occurs twice in one object; expected each id or key once")
    return row


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys)


# Tables.


def delimited_rows(path: Path, delimiter: str) -> Iterator[PlacedRow]:
    """The rows of a CSV or TSV file with a header; quoted as spreadsheets quote, line breaks in quotes included."""
    earlier_limit = csv.field_size_limit(_FIELD_SIZE)
    try:
        with open_bytes(path) as stream:
            text = io.TextIOWrapper(stream, "utf-8-sig", newline="")
            reader = csv.DictReader(text, delimiter=delimiter, strict=True)
            names = list(reader.fieldnames or ())
            if repeated := [name for name, count in Counter(names).items() if count > 1]:
                raise ValueError(f"line 1: the column {repeated[0]!r} occurs twice")
            for row in reader:
                if None in row or None in row.values():
                    raise ValueError(f"line {reader.line_num}: expected {len(names)} fields, as in the header")
                yield f"line {reader.line_num}", row
    except csv.Error as error:
        raise ValueError(f"line {reader.reader.line_num}: truncated or badly quoted: {error}") from None
    finally:
        csv.field_size_limit(earlier_limit)


def parquet_predictions(path: Path, columns: Columns) -> Iterator[RawPrediction]:
    """The two columns of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with open_bytes(path) as stream, pq.ParquetFile(stream) as table:
            names = columns.found_in(table.schema_arrow.names)
            for batch in table.iter_batches(batch_size=10_000, columns=list(names)):
                ids, predictions = (batch.column(name).to_pylist() for name in names)
                for id_, prediction in zip(ids, predictions, strict=True):
                    yield f"row {number}", id_, prediction
                    number += 1
    except (pa.ArrowException, OSError) as error:
        reason = " ".join(str(error).split())[:120]
        raise ValueError(f"truncated or damaged Parquet after {number} rows: {reason}") from None


# lm-evaluation-harness: one row a question and filter, {"doc_id", "doc", "resps", "filtered_resps", "filter", ...}.


def is_harness_row(row: Row) -> bool:
    """Whether a row is one of lm-evaluation-harness's logged samples."""
    return isinstance(row.get("doc"), dict) and ("filtered_resps" in row or "resps" in row)


def harness_predictions(
    first: Row, rows: Iterable[PlacedRow], columns: Columns, left_out: Counter[str]
) -> Iterator[RawPrediction]:
    """The first generated text of each row.

    Args:
        first: The first row.
        rows: All rows, the first included.
        columns: ``id``: a key of ``doc``, or else of the row. ``prediction``: None or ``filtered_resps`` for a file
            with one filter, a filter's name, or ``resps`` for the raw responses.
        left_out: Where rows of other filters and further responses are counted.
    """
    id_in_row = columns.id in first and columns.id not in first["doc"]
    id_name = found_column("id", columns.id, (ID_COLUMNS,), list(first if id_in_row else first["doc"]))
    only_filter = columns.prediction in (None, "filtered_resps")
    key = "resps" if columns.prediction == "resps" else "filtered_resps"
    chosen = first.get("filter") if only_filter or key == "resps" else columns.prediction
    filters: set[Any] = set()
    for where, row in rows:
        name = row.get("filter")
        filters.add(name)
        if name != chosen and only_filter:
            option = "choose one with prediction_column (--prediction-column)"
            raise ValueError(f"{where}: the file has rows of several filters, {chosen!r} and {name!r}: {option}")
        if name != chosen:
            left_out["rows of other filters"] += 1
            continue
        holder = row if id_in_row else row.get("doc")
        if not isinstance(holder, dict) or id_name not in holder or key not in row:
            found = ", ".join(map(repr, row))
            raise ValueError(f"{where}: expected {key!r}, and {id_name!r} as in the first row; found the keys {found}")
        texts = list(_generated_texts(row[key]))
        if not texts:
            raise ValueError(f"{where}: expected a generated text under {key!r}, found {shown(row[key])}")
        if len(texts) > 1:
            left_out["responses after the first"] += len(texts) - 1
        yield where, holder[id_name], texts[0]
    if chosen not in filters:
        found = ", ".join(map(repr, filters))
        raise ValueError(f"no rows of the filter {chosen!r}; found the filters {found}")


def _generated_texts(responses: Any) -> Iterator[str]:
    """The texts in nested lists of responses, without the [log-likelihood, is greedy] pairs of other requests."""
    if isinstance(responses, str):
        yield responses
    elif isinstance(responses, list) and not (len(responses) == 2 and responses[1] in ("True", "False")):
        for response in responses:
            yield from _generated_texts(response)
