"""Records of a JSON, JSON Lines or Parquet file, each with where it stands, and their values, checked by type.

Files may be gzipped and start with a byte order mark. Large ones are streamed. Every flaw is named with its place.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO, Any

# Up to this many bytes a JSON file is parsed as a whole, which tells line and column of a flaw; above, as a stream,
# which keeps memory flat.
WHOLE_FILE_BYTES = 32 * 2**20
_HEAD_BYTES = 2**20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_KINDS = {dict: "an object", list: "a list", str: "a string", int: "an integer"}

Record = tuple[str, Any]  # where it stands in its file, and what stands there


class Flaw(ValueError):
    """What is wrong with a file's content, and where in it."""


class Breakage(Flaw):
    """The file itself cannot be read any further: truncated, damaged, not UTF-8 or not JSON."""


@contextmanager
def open_bytes(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for reading bytes, decompressing gzip (known by its first bytes, not by its name).

    Args:
        path: The file.

    Yields:
        The stream.

    Raises:
        Breakage: While the stream is read: its gzip data are truncated or damaged.
        OSError: The file cannot be opened.
    """
    with open(path, "rb") as plain:
        compressed = plain.read(2) == b"\x1f\x8b"
        plain.seek(0)
        if not compressed:
            yield plain
            return
        try:
            with gzip.open(plain, "rb") as stream:
                yield stream  # type: ignore[misc]
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise Breakage(f"truncated or damaged gzip data: {error}") from None


def content_sha256(path: str | PathLike[str]) -> str:
    """SHA-256 of a file's content, of a gzip file's decompressed content.

    Args:
        path: The file.

    Returns:
        64 hexadecimal digits.

    Raises:
        ValueError: Its gzip data are truncated or damaged.
        OSError: The file cannot be opened.
    """
    digest = hashlib.sha256()
    try:
        with open_bytes(path) as stream:
            while chunk := stream.read(2**20):
                digest.update(chunk)
    except Breakage as breakage:
        raise ValueError(f"{path}: {breakage}") from None
    return digest.hexdigest()


def head_of(path: str | PathLike[str]) -> bytes:
    """The first megabyte of a file's content, without byte order mark."""
    with open_bytes(path) as stream:
        return stream.read(_HEAD_BYTES).removeprefix(_BYTE_ORDER_MARK)


def list_items(path: Path, key: str) -> Iterator[Record]:
    """The items of the list that a JSON object holds under a key."""
    with open_bytes(path) as stream:
        content = stream.read(WHOLE_FILE_BYTES + 1)
    if len(content) > WHOLE_FILE_BYTES:
        del content
        yield from _streamed_items(path, key)
        return
    document = parsed(content, "")
    for index, item in enumerate(get(as_object(document, "the file"), key, list, "the file")):
        yield f"{key}[{index}]", item


def _streamed_items(path: Path, key: str) -> Iterator[Record]:
    """As ``list_items``, but an escaped high surrogate that stands alone reads as ``?`` (ijson's parser does that)."""
    import ijson

    where = "the start"
    with open_bytes(path) as stream:
        if stream.read(len(_BYTE_ORDER_MARK)) != _BYTE_ORDER_MARK:
            stream.seek(0)
        try:
            for index, item in enumerate(ijson.items(stream, f"{key}.item", use_float=True)):
                where = f"{key}[{index}]"
                yield where, item
        except (ijson.JSONError, UnicodeDecodeError) as error:
            reason = " ".join(str(error).split())[:120]
            raise Breakage(f"truncated or not JSON behind {where}: {reason}") from None


def json_lines(path: Path) -> Iterator[Record]:
    """The values of a JSON Lines file."""
    with open_bytes(path) as stream:
        for number, line in enumerate(stream, start=1):
            if line.strip():
                yield f"line {number}", parsed(line, f"line {number}: ")


def parquet_rows(path: Path, columns: tuple[str, ...]) -> Iterator[Record]:
    """The rows of a Parquet file, as dicts of these columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as table:
            found = table.schema_arrow.names
            for name in columns:
                if name not in found:
                    raise Flaw(f"column {name!r} is missing; found {', '.join(found)}")
            number = 0
            for batch in table.iter_batches(batch_size=1000, columns=list(columns)):
                for row in batch.to_pylist():
                    yield f"row {number}", row
                    number += 1
    except (pa.ArrowException, OSError) as error:
        raise Breakage(f"truncated or damaged Parquet: {error}") from None


def parsed(content: bytes, where: str) -> Any:
    """The value that UTF-8 bytes of JSON stand for; ``where`` begins the message of an error."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Breakage(f"{where}not UTF-8: byte {error.start} is {content[error.start]:#04x}") from None
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        # The last record that began before the break, where its id stands in the usual place.
        ids = re.findall(r'"id"\s*:\s*("[^"]*"|\d+)\s*,\s*"(?:src|question)"', text[: error.pos])
        near = f", in or behind question {ids[-1]}" if ids else ""
        reason = f"{error.msg} at line {error.lineno}, column {error.colno}{near}"
        raise Breakage(f"{where}truncated or not JSON: {reason}") from None
    except RecursionError:
        raise Breakage(f"{where}nested too deep") from None


def as_object(value: Any, where: str) -> dict:
    """The value, which must be an object."""
    if type(value) is not dict:
        raise Flaw(f"{where}: must be an object, found {shown(value)}")
    return value


def get(record: dict, key: str, kind: type, where: str) -> Any:
    """The value under a key, which must be there and of this type."""
    try:
        value = record[key]
    except KeyError:
        raise Flaw(f"{where}: key {key!r} is missing; found {', '.join(map(str, record)) or 'none'}") from None
    if type(value) is not kind:
        raise Flaw(f"{where}: {key!r} must be {_KINDS[kind]}, found {shown(value)}")
    return value


def get_list(record: dict, key: str, where: str) -> list:
    """The list under a key; an empty one where the key is missing."""
    return get(record, key, list, where) if key in record else []


def get_text(record: dict, key: str, where: str) -> str:
    """The text under a key, which must be there."""
    return as_text(get(record, key, str, where), key, where)


def as_text(value: Any, key: str, where: str) -> str:
    """The value, which must be a string without lone surrogates."""
    if type(value) is not str:
        raise Flaw(f"{where}: {key!r} must be a string, found {shown(value)}")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise Flaw(f"{where}: {key!r} holds a lone surrogate at character {error.start}") from None
    return value


def get_id(record: Any, key: str, where: str) -> str:
    """The id under a key of an object: a string, or a whole number, which becomes one."""
    value = as_object(record, where).get(key)
    if type(value) is int:
        return str(value)
    if get_text(record, key, where):
        return record[key]
    raise Flaw(f"{where}: {key!r} must not be empty")


def shown(value: Any) -> str:
    """A value in at most 60 characters, for a message."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
