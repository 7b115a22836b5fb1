"""The repositories of the Hub's stand-in: kept on disk, a file of JSON each, and the contents of all files beside."""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException

LFS_FROM_BYTES = 10_000_000


@dataclass
class Repository:
    """A repository: its commits, and the branches and tags that point at them."""

    repo_id: str
    kind: str
    private: bool
    sdk: str | None
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    # commit id -> path -> {"oid", "size", "lfs"}
    commits: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)

    def commit(self, branch: str, files: dict[str, dict[str, Any]], title: str) -> str:
        """Add a commit to a branch and return its id."""
        content = json.dumps([self.repo_id, len(self.commits), title, files], sort_keys=True)
        oid = hashlib.sha1(content.encode()).hexdigest()
        self.commits[oid] = files
        self.branches[branch] = oid
        return oid

    def find(self, revision: str) -> str:
        """Return the id of the commit that a branch, a tag or a commit id names."""
        revision = revision.removeprefix("refs/heads/").removeprefix("refs/tags/")
        oid = self.branches.get(revision) or self.tags.get(revision) or revision
        if oid not in self.commits:
            raise refusal(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return oid


class Repositories:
    """All repositories, by kind (`spaces`, `datasets`) and id.

    Args:
        directory: Where they are kept; what is there already is read.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.blobs = directory / "blobs"
        self.blobs.mkdir(parents=True, exist_ok=True)
        read = (Repository(**json.loads(path.read_text())) for path in directory.glob("*.json"))
        self.all = {(repository.kind, repository.repo_id): repository for repository in read}

    def save(self, repository: Repository) -> None:
        """Write a repository's state to disk, a new one's too."""
        self.all[repository.kind, repository.repo_id] = repository
        name = f"{repository.kind}--{repository.repo_id.replace('/', '--')}.json"
        (self.directory / name).write_text(json.dumps(asdict(repository)))

    def store(self, content: bytes, *, lfs: bool = False) -> dict[str, Any]:
        """Keep a file's content, and return what a commit says of it."""
        header = b"" if lfs else b"blob %d\0" % len(content)
        oid = (hashlib.sha256 if lfs else hashlib.sha1)(header + content).hexdigest()
        (self.blobs / oid).write_bytes(content)
        return {"oid": oid, "size": len(content), "lfs": lfs}


def is_large(path: str, size: int) -> bool:
    """Whether a file goes through Git LFS."""
    return path.endswith(".parquet") or size >= LFS_FROM_BYTES


def tree_entry(path: str, file: dict[str, Any]) -> dict[str, Any]:
    """Describe a file as the tree and paths-info calls do."""
    entry = {"type": "file", "path": path, "oid": file["oid"], "size": file["size"]}
    if file["lfs"]:
        entry["lfs"] = {"oid": file["oid"], "size": file["size"], "pointerSize": 134}
    return entry


def refusal(status: int, message: str, code: str = "") -> HTTPException:
    """Make the Hub's form of an error."""
    return HTTPException(status, message, {"X-Error-Message": message, **({"X-Error-Code": code} if code else {})})
