"""Uploaded files, scored within the limits of the demo. No screen and nothing of Gradio here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from .file_records import open_bytes
from .intervals import Progress
from .scoreboard import Scoreboard, score_files
from .space_texts import SpaceContent

MEGABYTE = 2**20
LARGEST_UPLOAD = 20 * MEGABYTE
LARGEST_CONTENT = 100 * MEGABYTE
MOST_QUESTIONS = 50_000


def scored_upload(
    content: SpaceContent,
    predictions: str | None,
    gold: str | None,
    id_column: str | None,
    prediction_column: str | None,
    allow_missing: bool,
    progress: Progress,
) -> Scoreboard:
    """Score uploaded files.

    Args:
        content: the metric's demo.
        predictions: path of the uploaded prediction file, None if there is none.
        gold: path of the uploaded gold file, None if there is none.
        id_column: the column of ids, empty or None for a usual name.
        prediction_column: the column of predictions, empty or None for a usual name.
        allow_missing: score also where predictions are missing or unknown.
        progress: told about what takes time.

    Returns:
        The scoreboard; its files are called as the user called them.

    Raises:
        ValueError: a file is missing, above a limit or not as it should be; files are called by their names alone.
    """
    paths = []
    for path, label in ((predictions, content.labels.predictions_file), (gold, content.labels.gold_file)):
        if not path:
            raise ValueError(f"{label}: no file yet. Upload one, or use the sample files.")
        paths.append(Path(path))
    try:
        for one in paths:
            _check_size(one)
        board = score_files(
            content.protocols,
            content.benchmark,
            *paths,
            allow_missing=allow_missing,
            id_column=(id_column or "").strip() or None,
            prediction_column=(prediction_column or "").strip() or None,
            progress=lambda items, heading: progress(_within_limit(items), heading),
        )
    except (ValueError, ImportError, OSError) as error:
        raise ValueError(_by_name(str(error), paths)) from None
    return replace(board, gold_path=Path(board.gold_path.name), predictions_path=Path(board.predictions_path.name))


def _check_size(path: Path) -> None:
    """Refuse what is too large, also once it is decompressed: a small gzip file may hold any amount of data."""
    if not path.exists():
        raise ValueError(f"{path}: no longer here, upload it again")
    size = path.stat().st_size
    if size > LARGEST_UPLOAD:
        raise ValueError(f"{path}: {size:,} bytes, expected at most {LARGEST_UPLOAD // MEGABYTE} MB")
    if _content_size(path) > LARGEST_CONTENT:
        raise ValueError(
            f"{path}: decompressed, over {LARGEST_CONTENT // MEGABYTE} MB, which is too large for this page"
        )


def _content_size(path: Path) -> int:
    """The decompressed size, beyond the limit only roughly; 0 for a damaged file: reading it will say what is wrong."""
    try:
        with open_bytes(path) as stream:
            head = stream.read(4)
            if head != b"PAR1":
                size = len(head)
                while size <= LARGEST_CONTENT and (chunk := stream.read(MEGABYTE)):
                    size += len(chunk)
                return size
    except ValueError:
        return 0
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_metadata(path)
    except (pa.ArrowException, OSError):
        return 0
    return sum(metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups))


def _within_limit(items: Iterable) -> Iterable:
    """The items, up to as many as there may be questions; those of a list are no questions, but their chunks."""
    return items if hasattr(items, "__len__") else _counted(items)


def _counted(items: Iterable) -> Iterator:
    for number, item in enumerate(items):
        if number == MOST_QUESTIONS:
            raise ValueError(f"over {MOST_QUESTIONS:,} questions, which is too many for this page")
        yield item


def _by_name(message: str, paths: Iterable[Path]) -> str:
    for path in paths:
        message = message.replace(str(path), path.name)
    return message
