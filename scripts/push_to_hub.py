"""Publish the metrics as Spaces on the Hugging Face Hub, and the benchmark datasets beside them.

    python scripts/push_to_hub.py someone --dry-run
    python scripts/push_to_hub.py someone
    python scripts/push_to_hub.py someone --datasets built/drcd --collection "Reading comprehension"

Each metric folder becomes the Space NAMESPACE/<folder>, from which `evaluate.load("NAMESPACE/<folder>")` reads.
Every folder is checked first, and nothing is pushed if one fails. A second run pushes only what changed.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from configparser import ConfigParser
from dataclasses import dataclass
from importlib.metadata import version
from json import JSONDecodeError
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import click

from scripts.folder_checks import IGNORED, dataset_problems, files_to_push, metric_problems, one_line

if TYPE_CHECKING:
    from huggingface_hub import HfApi

ROOT = Path(__file__).resolve().parents[1]
METRICS = ROOT / "metrics"
MAIN = "main"


@dataclass(frozen=True)
class Publication:
    """A folder and the repository that it is pushed to.

    Attributes:
        folder: The folder.
        repo_id: `NAMESPACE/name`.
        repo_type: `space` for a metric, `dataset` for a benchmark dataset.
    """

    folder: Path
    repo_id: str
    repo_type: str


def metric_names() -> list[str]:
    """List the metric folders.

    Returns:
        The names of the folders that hold a loading script of the same name, sorted.
    """
    return sorted(script.stem for script in METRICS.glob("*/*.py") if script.stem == script.parent.name)


def project_version() -> str:
    """Read the project's version.

    Returns:
        `version` of `setup.cfg`'s `[metadata]`.

    Raises:
        ValueError: It is missing, or it is also the version of `evaluate`, which would then load the tagged commit
            in place of the newest: it asks for the tag of its own version before it asks for `main`.
    """
    settings = ConfigParser()
    settings.read(ROOT / "setup.cfg", encoding="utf-8")
    found = settings.get("metadata", "version", fallback="")
    if not found:
        raise ValueError("setup.cfg: no version under [metadata]")
    if found == version("evaluate"):
        raise ValueError(f"setup.cfg: version {found} is evaluate's own: evaluate.load would never see a later push")
    return found


def check(publications: list[Publication]) -> None:
    """Check every folder.

    Args:
        publications: What is to be pushed.

    Raises:
        ValueError: A line for each problem found, with the folder's name.
    """
    from tqdm import tqdm

    checks = {"space": metric_problems, "dataset": dataset_problems}
    # Each check waits for processes of its own, which two threads keep going side by side.
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda publication: checks[publication.repo_type](publication.folder), publications)
        # `disable=None` shows the bar on a terminal only.
        pairs = tqdm(zip(publications, found, strict=True), "Checking", len(publications), leave=False, disable=None)
        lines = [f"{publication.folder.name}: {problem}" for publication, problems in pairs for problem in problems]
    if lines:
        raise ValueError("\n".join(lines))


def push(api: "HfApi", publication: Publication, revision: str, tag: str) -> str:
    """Make a repository's branch equal its folder, in one commit, and tag it.

    A tag is never moved: what users have pinned stays what it was. Only `main` is tagged, since a branch is for trying.

    Args:
        api: The Hub.
        publication: What to push; its repository exists.
        revision: The branch.
        tag: The tag for `main`.

    Returns:
        A line on what was done.
    """
    repo_id, kind = publication.repo_id, publication.repo_type
    if revision != MAIN:
        api.create_branch(repo_id, repo_type=kind, branch=revision, exist_ok=True)
    before = api.repo_info(repo_id, repo_type=kind, revision=revision).sha
    commit = api.upload_folder(
        repo_id=repo_id,
        repo_type=kind,
        folder_path=publication.folder,
        revision=revision,
        commit_message=f"Update to version {tag.removeprefix('v')}",
        ignore_patterns=list(IGNORED),
        delete_patterns="*",
    )
    done = f"unchanged at {before:.7}" if commit.oid == before else f"pushed as {commit.oid:.7}"
    line = f"{kind} {repo_id}: {done} on {revision}"
    if revision != MAIN:
        return line
    tagged = {ref.name: ref.target_commit for ref in api.list_repo_refs(repo_id, repo_type=kind).tags}
    if tag not in tagged:
        api.create_tag(repo_id, repo_type=kind, tag=tag, revision=commit.oid, exist_ok=True)
    if tagged.get(tag, commit.oid) == commit.oid:
        return f"{line}, tagged {tag}"
    return f"{line}; {tag} stays at {tagged[tag]:.7}: raise the version in setup.cfg to release this"


def create_repositories(api: "HfApi", publications: list[Publication], private: bool) -> None:
    """Create the repositories that are not there yet, before any file is pushed.

    Args:
        api: The Hub.
        publications: What is to be pushed.
        private: Whether new repositories are private.

    Raises:
        ValueError: A private repository is asked for, and one of that name is public.
    """
    for each in publications:
        sdk = "gradio" if each.repo_type == "space" else None
        # `None` leaves it to the namespace's own default, which may be private.
        visibility = True if private else None
        api.create_repo(each.repo_id, repo_type=each.repo_type, space_sdk=sdk, private=visibility, exist_ok=True)
        if private and not api.repo_info(each.repo_id, repo_type=each.repo_type).private:
            raise ValueError(f"{each.repo_id} is public already: make it private on the Hub before a --private push")


def collect(api: "HfApi", publications: list[Publication], title: str, private: bool) -> str:
    """Put the repositories into a Collection, made where there is none of that title.

    Args:
        api: The Hub.
        publications: What was pushed.
        title: The Collection's title.
        private: Whether a new Collection is private.

    Returns:
        A line on what was done.
    """
    namespace = publications[0].repo_id.split("/")[0]
    collection = api.create_collection(title, namespace=namespace, private=private, exists_ok=True)
    for each in publications:
        api.add_collection_item(collection.slug, each.repo_id, each.repo_type, exists_ok=True)  # type: ignore[arg-type]
    return f"collection {title!r}: {collection.url}"


def hub_error(error: Exception, api: "HfApi") -> str:
    """Say on one line what the Hub refused or why it could not be asked.

    Args:
        error: What `huggingface_hub` raised.
        api: The Hub.

    Returns:
        The line, in which no token stands.
    """
    from huggingface_hub import get_token
    from huggingface_hub.errors import HfHubHTTPError, HTTPError, LocalTokenNotFoundError

    if isinstance(error, RuntimeError) and isinstance(error.__cause__, Exception):
        error = error.__cause__  # uploads of large files wrap what went wrong
    if isinstance(error, LocalTokenNotFoundError):
        line = "no Hugging Face token: run `hf auth login`, or set HF_TOKEN"
    elif isinstance(error, HfHubHTTPError):
        status = error.response.status_code
        advice = {
            401: "the token is not accepted: run `hf auth login`, or set HF_TOKEN to a valid one",
            403: "the token may not do this: it needs write access to the namespace",
            409: "the Hub reports a conflict",
            429: "too many requests: try again later",
        }.get(status, "the Hub failed: try again later" if status >= 500 else "the Hub refused")
        request = error.response.request
        asked = f"{request.method} {request.url.path}"
        line = f"{advice} ({status} for {asked}: {one_line(error.server_message or error.response.reason_phrase)})"
    elif isinstance(error, (HTTPError, OSError)):
        line = f"cannot reach the Hub at {api.endpoint}: {one_line(error) or type(error).__name__}"
    elif isinstance(error, JSONDecodeError):
        line = f"{api.endpoint} does not answer as the Hub does: its answer is not JSON"
    else:
        line = one_line(error)
    token = get_token()
    # A proxy or a server may echo what it was sent.
    return line.replace(token, "[token]") if token else line


def publish(publications: list[Publication], revision: str, private: bool, collection: str | None, tag: str) -> None:
    """Push everything, and print a line on each repository.

    Args:
        publications: What is to be pushed.
        revision: The branch.
        private: Whether new repositories are private.
        collection: The title of the Collection to put them into, if any.
        tag: The tag for `main`.

    Raises:
        ValueError: The Hub could not be reached or refused; what was pushed by then has been printed.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HTTPError
    from huggingface_hub.utils import disable_progress_bars, logging

    logging.set_verbosity_error()
    if not sys.stderr.isatty():
        disable_progress_bars()
    api = HfApi()
    doing = "log in"
    try:
        api.whoami()
        doing = "create the repositories"
        create_repositories(api, publications, private)
        for publication in publications:
            doing = f"push {publication.repo_id}"
            click.echo(push(api, publication, revision, tag))
        if collection:
            doing = "make the collection"
            click.echo(collect(api, publications, collection, private))
    except (HTTPError, OSError, ValueError, RuntimeError) as error:
        raise ValueError(f"could not {doing}: {hub_error(error, api)}") from error


def show_files(publications: list[Publication]) -> None:
    """Print each file and its size, by repository.

    Args:
        publications: What would be pushed.
    """
    from rich.console import Console
    from rich.filesize import decimal
    from rich.table import Table

    for each in publications:
        sizes = files_to_push(each.folder)
        table = Table("file", title=f"{each.repo_type} {each.repo_id}", title_justify="left", show_footer=True)
        table.columns[0].footer = f"{len(sizes)} files"
        table.add_column("size", decimal(sum(sizes.values())), justify="right")
        for path, size in sizes.items():
            table.add_row(path, decimal(size))
        Console().print(table)


@click.command(epilog=f"Metrics: {', '.join(metric_names())}. The token is HF_TOKEN, or the one `hf auth login` saved.")
@click.argument("namespace")
@click.argument("modules", nargs=-1, metavar="[MODULE]...")
@click.option(
    "--datasets",
    "dataset_folders",
    multiple=True,
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Push a folder that load_benchmark.py --output wrote, as a dataset of the folder's name. May be repeated.",
)
@click.option("--collection", metavar="TITLE", help="Put all that is pushed into this Collection of NAMESPACE.")
@click.option("--dry-run", is_flag=True, help="Check the folders and list each file and its size; push nothing.")
@click.option("--private", is_flag=True, help="Create private repositories.")
@click.option("--revision", default=MAIN, show_default=True, help="The branch to push to; only main is tagged.")
def main(
    namespace: str,
    modules: tuple[str, ...],
    dataset_folders: tuple[Path, ...],
    collection: str | None,
    dry_run: bool,
    private: bool,
    revision: str,
) -> None:
    """Push metrics and benchmark datasets to NAMESPACE (a user or an organisation) on the Hub.

    Without MODULE every metric is pushed, unless --datasets is given: then only what is named.
    """
    from huggingface_hub.utils import validate_repo_id

    try:
        folders = [(METRICS / name, "space") for name in modules or ([] if dataset_folders else metric_names())]
        folders += [(folder.resolve(), "dataset") for folder in dataset_folders]
        publications = [Publication(folder, f"{namespace}/{folder.name}", kind) for folder, kind in folders]
        for publication in publications:
            validate_repo_id(publication.repo_id)
        unknown = sorted(set(modules) - set(metric_names()))
        if unknown:
            raise ValueError(f"no metric {', '.join(unknown)}: there are {', '.join(metric_names())}")
        tag = f"v{project_version()}"
        check(publications)
        if dry_run:
            show_files(publications)
        else:
            publish(publications, revision, private, collection, tag)
    except ValueError as error:
        click.echo("\n".join(f"Error: {line}" for line in str(error).splitlines()), err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
