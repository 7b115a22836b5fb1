"""Which local file belongs to which split of a benchmark."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path

SPLITS = ("train", "validation", "test")
# Words by which the names of the authors' files, and of those written here, tell their split.
_SPLIT_WORDS = {
    "train": "train",
    "training": "train",
    "dev": "validation",
    "validation": "validation",
    "test": "test",
}

File = str | PathLike[str]
DataFiles = File | Sequence[File] | Mapping[str, File | Sequence[File]]


def split_name(split: str) -> str:
    """The name of a split in standard columns; the authors' ``dev`` is ``validation``.

    Raises:
        ValueError: There is no such split.
    """
    name = "validation" if split == "dev" else str(split)
    if name not in SPLITS:
        raise ValueError(f"unknown split {str(split)!r}; known are {', '.join(SPLITS)} and dev, which is validation")
    return name


def files_by_split(data_files: DataFiles, wanted: str | None) -> dict[str, list[Path]]:
    """Sort local files by split.

    Args:
        data_files: A file, several, or a dict from split to either.
        wanted: The only split to return; files without a split of their own belong to it.

    Returns:
        The files of each split. Without ``wanted``, a file that is given without its split belongs to the one that its
        name tells, else, with a warning, to ``train``, as in ``datasets.load_dataset``.

    Raises:
        ValueError: A split is unknown, named twice, or not there.
    """
    by_split: dict[str, list[Path]] = {}
    if not isinstance(data_files, Mapping):
        for path in _paths(data_files):
            by_split.setdefault(wanted or _split_of_file_name(path), []).append(path)
        return by_split
    for split, files in data_files.items():
        if split_name(split) in by_split:
            raise ValueError(f"data_files names the split {split_name(split)!r} twice")
        by_split[split_name(split)] = _paths(files)
    if wanted is None:
        return by_split
    if wanted not in by_split:
        raise ValueError(f"data_files has no split {wanted!r}, only {', '.join(by_split) or 'none at all'}")
    return {wanted: by_split[wanted]}


def files_of_arguments(arguments: Sequence[str]) -> DataFiles | None:
    """Undo ``[SPLIT=]FILE``; an argument that is the name of a file as a whole is that file.

    Raises:
        ValueError: A split is unknown, or named for some of the files only.
    """
    files: list[str] = []
    by_split: dict[str, list[File]] = {}
    for argument in arguments:
        split, equals, file = argument.partition("=")
        if equals and not Path(argument).exists():
            by_split.setdefault(split_name(split), []).append(file)
        else:
            files.append(argument)
    if files and by_split:
        raise ValueError("name the split of every file, or of none")
    return files or by_split or None


def _paths(files: File | Sequence[File]) -> list[Path]:
    paths = [Path(files)] if isinstance(files, (str, PathLike)) else [Path(file) for file in files]
    if not paths:
        raise ValueError("data_files names no file")
    return paths


def _split_of_file_name(path: Path) -> str:
    words = re.split(r"[^a-z]+", path.name.lower())
    found = {_SPLIT_WORDS[word] for word in words if word in _SPLIT_WORDS}
    if len(found) == 1:
        return found.pop()
    warnings.warn(
        f"{path}: no split was named, so it is called train; name it with split= or data_files={{split: file}} "
        "(--split on the command line)",
        stacklevel=4,
    )
    return "train"
