"""Load DRCD, BeerQA or ORB to one set of standard columns, as ``datasets`` and as Parquet with a dataset card.

From Python: ``load_benchmark("drcd", split="validation")``.
From the shell: ``python scripts/load_benchmark.py --help``.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import aiohttp
import click
import datasets
from datasets import Dataset, DatasetDict, DownloadConfig, DownloadManager, Features, Json, List, NamedSplit, Value
from datasets.exceptions import DatasetGenerationError
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from metrics.shared import file_records, gold_files, question
from metrics.shared.file_records import content_sha256
from metrics.shared.gold_files import parse_benchmark, read_gold
from metrics.shared.question import Question, ReadingReport
from scripts import hub_sources
from scripts.benchmark_sources import ORB_LEADERBOARD, SOURCES, SourceFile
from scripts.data_files import DataFiles, File, files_by_split, files_of_arguments, split_name
from scripts.dataset_card import push_folder, write_folder
from scripts.hub_sources import HUB_SOURCES, HUB_SPLITS, hub_questions, load_tables

FEATURES = Features(
    {
        "id": Value("string"),
        "dataset": Value("string"),
        "title": Value("string"),
        "question": Value("string"),
        "context": Value("string"),
        "paragraphs": List({"title": Value("string"), "text": Value("string")}),
        "answers": {"text": List(Value("string")), "answer_start": List(Value("int32"))},
        # ORB mixes answers of one span (a string) and of several (a list); Json keeps both, and one type for all three.
        "references": Json(),
    }
)

Questions = Callable[[ReadingReport], Iterator[Question]]


def load_benchmark(
    name: str,
    split: str | None = None,
    data_files: DataFiles | None = None,
    cache_dir: File | None = None,
    source: str | None = None,
) -> Dataset | DatasetDict:
    """Load a benchmark to its standard columns.

    Args:
        name: ``drcd``, ``beerqa``, ``orb``, or one dataset of ORB, as in ``orb/drop``.
        split: ``train``, ``validation`` (or ``dev``) or ``test``; all there are if left out.
        data_files: Local files to read instead of the authors': one, several, or a dict from split to either. In the
            benchmark's own format or in standard columns, plain or gzip. Without ``split`` a file belongs to the split
            that its name tells, else to ``train``, as in ``datasets.load_dataset``.
        cache_dir: Where downloads and read datasets are kept; by default the cache of ``datasets``.
        source: ``hub`` builds ORB from its eight source datasets on the Hugging Face Hub. This is not the sample that
            ORB's leaderboard uses.

    Returns:
        One split as a ``Dataset``, or all as a ``DatasetDict``, with the columns of ``FEATURES``. ``references`` is
        empty in a test split without answers.

    Raises:
        ValueError: An argument is unknown, or a file does not hold what it should; names file, record and key.
        OSError: A file cannot be opened or downloaded; says which file to put where.

    Warns:
        UserWarning: The number of questions is not as published, an ``answer_start`` was wrong, and the like.
    """
    benchmark, subset = parse_benchmark(name)
    wanted = None if split is None else split_name(split)
    cache = Path(cache_dir or datasets.config.HF_DATASETS_CACHE)
    if source not in (None, "hub"):
        raise ValueError(f"source must be 'hub' or None, found {source!r}")
    if source == "hub":
        if benchmark != "orb" or data_files is not None:
            raise ValueError("source='hub' goes with orb and its datasets, and without data_files")
        splits = {one: _from_hub(subset, one, cache) for one in _hub_splits(wanted)}
    elif data_files is not None:
        files = files_by_split(data_files, wanted)
        splits = {one: _from_files(name, one, paths, cache) for one, paths in files.items()}
    else:
        splits = {one: _from_authors(benchmark, one, cache) for one in _published_splits(benchmark, wanted)}
    return DatasetDict(splits) if wanted is None else splits[wanted]


def _published_splits(benchmark: str, wanted: str | None) -> Sequence[str]:
    files = SOURCES[benchmark].files
    if not files:
        raise ValueError(
            f"{benchmark}: its development file is given on request at {ORB_LEADERBOARD}; read it with data_files "
            "(--data-files on the command line), or build ORB from its source datasets with source='hub' (--source hub)"
        )
    return [wanted] if wanted else list(files)


def _hub_splits(wanted: str | None) -> Sequence[str]:
    if wanted == "test":
        raise ValueError(
            f"orb has no test split on the Hub (its answers are hidden); there are {', '.join(HUB_SPLITS)}"
        )
    return [wanted] if wanted else HUB_SPLITS


def authors_file(benchmark: str, split: str, cache_dir: File | None = None) -> Path:
    """The authors' file of a split: from the cache, else downloaded; its checksum compared where one is published.

    Args:
        benchmark: ``drcd`` or ``beerqa``.
        split: ``train``, ``validation`` or ``test``.
        cache_dir: As in ``load_benchmark``.

    Raises:
        ValueError: The benchmark's files are given on request alone, or the file is not the one that was published.
        OSError: It cannot be downloaded; says which file to put where.
    """
    _published_splits(benchmark, split)
    file = SOURCES[benchmark].files[split]
    path = _downloaded(file.url, split, Path(cache_dir or datasets.config.HF_DATASETS_CACHE))
    if file.sha256 and (found := content_sha256(path)) != file.sha256:
        raise ValueError(f"{path}: its SHA-256 is {found}, published is {file.sha256} {_downloaded_from(file)}")
    return path


def _downloaded_from(file: SourceFile) -> str:
    return f"(downloaded from {file.url}; delete that file to download it again)"


def _from_authors(benchmark: str, split: str, cache: Path) -> Dataset:
    path = authors_file(benchmark, split, cache)
    try:
        return _from_files(benchmark, split, [path], cache)
    except ValueError as error:
        raise ValueError(f"{error} {_downloaded_from(SOURCES[benchmark].files[split])}") from None


def _downloaded(url: str, split: str, cache: Path) -> Path:
    # The addresses name a version, so a file that was downloaded once is read again without asking the network.
    config = DownloadConfig(cache_dir=cache / "downloads", use_etag=False)
    try:
        return Path(DownloadManager(download_config=config).download(url))
    except (OSError, aiohttp.ClientError) as error:
        name = url.rpartition("/")[2]
        raise ConnectionError(
            f"cannot download {url}: {error.__cause__ or error}. Bring that file to {Path.cwd() / name} by other "
            f"means, and pass data_files={{{split!r}: {name!r}}} (on the command line: --data-files {split}={name})"
        ) from error


def _from_files(name: str, split: str, paths: Sequence[Path], cache: Path) -> Dataset:
    benchmark, _ = parse_benchmark(name)
    checksums = [content_sha256(path) for path in paths]

    def questions(report: ReadingReport) -> Iterator[Question]:
        return _read_files(name, paths, report, need_answers=split != "test")

    dataset, report = _built(name, split, checksums, questions, cache)
    if published := SOURCES[benchmark].files.get(split):
        _warn_of_sizes(f"{name} {split}", published, report, checksums)
    return dataset


def _read_files(name: str, paths: Sequence[Path], report: ReadingReport, need_answers: bool) -> Iterator[Question]:
    seen: set[str] = set()
    for path in paths:
        for one in read_gold(name, path, report, need_answers):
            if len(paths) > 1:
                if one.id in seen:
                    raise ValueError(f"{path}: question {one.id!r}: this id occurs in an earlier file too")
                seen.add(one.id)
            yield one


def _from_hub(subset: str | None, split: str, cache: Path) -> Dataset:
    names = [subset] if subset else list(HUB_SOURCES)
    if subset and subset not in HUB_SOURCES:
        raise ValueError(f"orb/{subset} is not on the Hub, only {', '.join(HUB_SOURCES)}")
    try:
        tables = load_tables(names, split, str(cache))
    except ConnectionError as error:
        raise ConnectionError(
            f"{error}. A file in ORB's own format (given on request at {ORB_LEADERBOARD}) needs no network: "
            f"data_files={{{split!r}: FILE}} (on the command line: --data-files {split}=FILE)"
        ) from error

    def questions(report: ReadingReport) -> Iterator[Question]:
        return hub_questions(tables, report)

    name = f"orb/{subset}" if subset else "orb"
    dataset, _ = _built(name, split, [table.rows._fingerprint for table in tables], questions, cache)
    warnings.warn(
        f"{name} {split}: built from whole source datasets on the Hugging Face Hub; this is not the sample that ORB's "
        "leaderboard uses, so scores on it are not comparable with the leaderboard's",
        stacklevel=4,
    )
    return dataset


def _built(
    name: str, split: str, contents: Sequence[str], questions: Questions, cache: Path
) -> tuple[Dataset, ReadingReport]:
    """Write questions to the cache one by one; or, where the same contents were read before, take them from there."""
    code = (content_sha256(str(module.__file__)) for module in (file_records, gold_files, question, hub_sources))
    fingerprint = sha256("\n".join([name, split, *contents, *code]).encode()).hexdigest()[:32]
    report_file = cache / "reading_reports" / f"{fingerprint}.json"

    def rows() -> Iterator[dict]:
        report = ReadingReport()
        for one in questions(report):
            yield one.columns()
        report_file.parent.mkdir(parents=True, exist_ok=True)
        report_file.write_text(json.dumps(asdict(report)), encoding="utf-8")

    try:
        dataset = Dataset.from_generator(
            rows, features=FEATURES, cache_dir=str(cache), split=NamedSplit(split), fingerprint=fingerprint
        )
    except DatasetGenerationError as error:
        if isinstance(error.__cause__, (ValueError, OSError)):
            raise error.__cause__ from None
        raise
    if not report_file.exists():
        for _ in rows():  # the questions were kept, but not their counts: count again
            pass
    report = ReadingReport(**json.loads(report_file.read_text(encoding="utf-8")))
    benchmark = SOURCES[parse_benchmark(name)[0]]
    dataset.info.description = _described(name, split, report)
    dataset.info.citation, dataset.info.license = benchmark.citation, benchmark.licence
    dataset.info.homepage = benchmark.homepage
    if report.repaired_starts or report.lost_starts:
        warnings.warn(dataset.info.description, stacklevel=5)
    return dataset, report


def _described(name: str, split: str, report: ReadingReport) -> str:
    """What was read, and everything about it that was changed, left out or could not be placed."""
    notes = {
        "repaired answer_start (the text stands in the context exactly once)": report.repaired_starts,
        "wrong answer_start set to -1 (the text stands there never or repeatedly)": report.lost_starts,
        "answers that do not stand in the context (answer_start -1)": report.not_in_context,
        "further elements of gold answers, of which only the first counts": report.unread_answers,
        "ids that two datasets share, told apart by a name in front": report.renamed_ids,
    }
    counted = "".join(f"; {count:,} {what}" for what, count in notes.items() if count)
    return f"{name} {split}: {report.questions:,} questions{counted}"


def _warn_of_sizes(name: str, published: SourceFile, report: ReadingReport, checksums: Sequence[str]) -> None:
    sizes = [("questions", report.questions, published.questions)]
    sizes += [(f"questions of {one}", report.datasets.get(one, 0), size) for one, size in published.datasets.items()]
    differing = [f"{found:,} {what}, published are {size:,}" for what, found, size in sizes if found != size]
    if differing:
        warnings.warn(f"{name}: {'; '.join(differing)}", stacklevel=4)
    elif published.sha256 and published.sha256 not in checksums:
        warnings.warn(f"{name}: SHA-256 is {checksums[0]}, published is {published.sha256}", stacklevel=4)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("name")
@click.option("--split", help="train, validation (or dev) or test; all there are if left out.")
@click.option(
    "--data-files", multiple=True, metavar="[SPLIT=]FILE", help="Read this local file (plain or gzip); may be repeated."
)
@click.option("--source", type=click.Choice(["hub"]), help="Build ORB from its source datasets on the Hub.")
@click.option("--cache-dir", type=click.Path(path_type=Path), help="Where downloads and read datasets are kept.")
@click.option(
    "--output", type=click.Path(path_type=Path, file_okay=False), help="Write Parquet files and a dataset card here."
)
@click.option("--push-to-hub", metavar="USER/NAME", help="Push the same to this dataset repository of the Hub.")
@click.option("--private", is_flag=True, help="Create that repository as a private one.")
def main(
    name: str,
    split: str | None,
    data_files: tuple[str, ...],
    source: str | None,
    cache_dir: Path | None,
    output: Path | None,
    push_to_hub: str | None,
    private: bool,
) -> None:
    """Load a benchmark to standard columns: drcd, beerqa, orb, or one dataset of ORB (orb/drop).

    \b
    python scripts/load_benchmark.py drcd --output drcd
    python scripts/load_benchmark.py beerqa --split dev --data-files beerqa_dev_v1.0.json.gz
    python scripts/load_benchmark.py orb --data-files validation=orb_dev.jsonl --push-to-hub me/orb
    python scripts/load_benchmark.py orb/squad2 --source hub --split validation
    """
    if not sys.stderr.isatty():
        datasets.disable_progress_bars()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            loaded = load_benchmark(name, split, files_of_arguments(data_files), cache_dir, source)
        for warning in caught:
            if issubclass(warning.category, UserWarning):
                click.echo(f"warning: {warning.message}", err=True)
        splits = loaded if isinstance(loaded, DatasetDict) else DatasetDict({str(loaded.split): loaded})
        _print_table(splits)
        if output:
            write_folder(splits, name, output)
            click.echo(f"written to {output}")
        if push_to_hub:
            with TemporaryDirectory() as folder:
                write_folder(splits, name, Path(folder))
                click.echo(f"pushed to {push_folder(Path(folder), push_to_hub, private)}")
    except (ValueError, OSError) as error:
        click.echo(f"error: {' '.join(str(error).split())}", err=True)
        sys.exit(2)


def _print_table(splits: DatasetDict) -> None:
    table = Table("split", "dataset", "questions", "without answers")
    for column in table.columns[2:]:
        column.justify = "right"
    for split, dataset in splits.items():
        counts: Counter[str] = Counter()
        unanswered: Counter[str] = Counter()
        for batch in dataset.select_columns(["dataset", "references"]).iter(batch_size=10_000):
            counts.update(batch["dataset"])
            unanswered.update(
                one for one, golds in zip(batch["dataset"], batch["references"], strict=True) if not golds
            )
        for name, count in counts.items():
            table.add_row(split, name, f"{count:,}", f"{unanswered[name]:,}")
    Console().print(table)
    for dataset in splits.values():
        click.echo(dataset.info.description)


if __name__ == "__main__":
    main()
