"""A file with a row per question: prediction, best acceptable answer, and the figures of every protocol."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from .best_references import best_references
from .protocol import Side
from .scoreboard import Scoreboard


def per_question_columns(board: Scoreboard) -> dict[str, list[Any]]:
    """One list per column, one entry per question of the gold file.

    Args:
        board: a scoreboard.

    Returns:
        ``id``, ``dataset``, for ORB with variants ``kind`` and ``original_qid``, where texts were kept ``question``;
        ``prediction`` (None where there is none), ``references``, ``best_reference`` (by the benchmark card's
        protocol), and ``<protocol>_<figure>`` (None where the protocol does not count the question).
    """
    table = board.questions
    columns: dict[str, list[Any]] = {"id": table.ids, "dataset": table.datasets}
    if any(table.originals):
        columns |= {"kind": table.kinds, "original_qid": table.originals}
    if table.questions:
        columns["question"] = table.questions
    card = next(iter(board.protocols.values())).protocol
    columns |= {
        "prediction": table.predictions,
        "references": table.references,
        "best_reference": best_references(table, card),
    }
    for name, scores in board.protocols.items():
        for figure, values in scores.columns.items():
            columns[f"{name}_{figure}"] = [None if math.isnan(value) else value for value in values.tolist()]
    return columns


def write_per_question(board: Scoreboard, path: str | PathLike[str]) -> None:
    """Write the columns of ``per_question_columns`` as Parquet, JSON Lines or CSV, by the path's ending.

    Where a format's column takes texts alone (Parquet, CSV), several spans, and the list of references, stand as JSON.

    Raises:
        ValueError: The ending is none of ``.parquet``, ``.jsonl`` and ``.csv``.
        OSError: The file cannot be written.
    """
    writer_of(path)(per_question_columns(board), Path(path))


def writer_of(path: str | PathLike[str]) -> Callable[[dict[str, list[Any]], Path], None]:
    """What writes columns to a file with this ending; a ``ValueError`` if nothing does."""
    writers = {".parquet": _write_parquet, ".jsonl": _write_json_lines, ".csv": _write_csv}
    try:
        return writers[Path(path).suffix.lower()]
    except KeyError:
        raise ValueError(f"{path}: a file of questions must end in {', '.join(writers)}") from None


def _write_parquet(columns: dict[str, list[Any]], path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({name: _as_texts(name, values) for name, values in columns.items()}), path)


def _write_json_lines(columns: dict[str, list[Any]], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for row in _rows(columns):
            stream.write(json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) + "\n")


def _write_csv(columns: dict[str, list[Any]], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(columns)
        writer.writerows(_rows({name: _as_texts(name, values) for name, values in columns.items()}))


def _rows(columns: dict[str, list[Any]]) -> Iterator[tuple]:
    return zip(*columns.values(), strict=True)


def _as_texts(name: str, values: list[Any]) -> list[Any]:
    if name == "references":
        return [json.dumps(value, ensure_ascii=False) for value in values]
    return [_as_text(value) for value in values] if name in ("prediction", "best_reference") else values


def _as_text(side: Side | None) -> str | None:
    return json.dumps(side, ensure_ascii=False) if isinstance(side, list) else side
