"""A JSON Lines file of answers that survives being killed at any moment, and knows what it already holds."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any

from filelock import FileLock, Timeout

from metrics.shared.file_records import Breakage, Flaw, get, get_id, parsed


class AnswerJournal:
    """Answers, a line each, appended whole and forced to disk before the next step.

    A line counts once it ends in a line break and is JSON. A last line that is not was torn by a kill: it is cut off
    when the file is opened, so that its question is asked again. While a journal is open no other process can open it.

    Attributes:
        answered: The digest of the request that was answered, by question id.
        torn_bytes: What was cut off.
    """

    def __init__(self, path: Path) -> None:
        """Open a journal, or begin one.

        Args:
            path: The file; its directory must be there.

        Raises:
            ValueError: Another process has it open; a line that is not the last is damaged; an id occurs twice.
            OSError: The file cannot be opened.
        """
        self.path = path
        self.answered: dict[str, str] = {}
        self.torn_bytes = 0
        self._lock = FileLock(path.with_name(path.name + ".lock"))
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            raise ValueError(f"{path}: another process is writing to this file") from None
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            self._end = self._read()
            self.torn_bytes = os.fstat(self._file).st_size - self._end
            os.ftruncate(self._file, self._end)
            os.fsync(self._file)
            _force_entry(path.parent)
        except BaseException:
            self.close()
            raise

    def _read(self) -> int:
        """Read what was answered; returns where the last whole line ends."""
        end = 0
        with open(self.path, "rb") as lines:
            for number, line in enumerate(lines, 1):
                where = f"line {number}"
                try:
                    if not line.endswith(b"\n"):
                        raise Breakage(f"{where}: no line break at its end")
                    record = parsed(line, f"{where}: ")
                except Breakage as breakage:
                    if not lines.read(1):
                        break
                    raise ValueError(f"{self.path}: {breakage}") from None
                try:
                    id_, digest = get_id(record, "id", where), get(record, "request", str, where)
                except Flaw as flaw:
                    raise ValueError(f"{self.path}: {flaw}") from None
                if id_ in self.answered:
                    raise ValueError(f"{self.path}: {where}: the id {id_!r} occurs twice")
                self.answered[id_] = digest
                end += len(line)
        return end

    def append(self, id_: str, digest: str, **fields: Any) -> None:
        """Add the answer to a question and wait until it is on disk.

        Args:
            id_: The question's id.
            digest: Tells the request that was answered from any other.
            **fields: What else belongs on the line.

        Raises:
            OSError: The line could not be written; the file is as it was before.
        """
        line = json.dumps({"id": id_, **fields, "request": digest}, ensure_ascii=False).encode() + b"\n"
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
            os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, self._end)
            raise
        self._end += len(line)
        self.answered[id_] = digest

    def close(self) -> None:
        """Let other processes open the file."""
        os.close(self._file)
        self._lock.release()

    def __enter__(self) -> AnswerJournal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _force_entry(directory: Path) -> None:
    """Force to disk that a directory holds a new file; not every platform can open one."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
