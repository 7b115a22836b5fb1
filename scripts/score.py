"""Score a prediction file under every protocol of its benchmark, with intervals and signatures.

From the shell: ``python scripts/score.py --help``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from metrics.shared.file_records import content_sha256
from metrics.shared.gold_files import parse_benchmark
from metrics.shared.intervals import RESAMPLES, SEED
from metrics.shared.per_question_file import write_per_question, writer_of
from metrics.shared.protocol import Protocol
from metrics.shared.question_table import IdsDiffer
from metrics.shared.scoreboard import score_files
from metrics.shared.space_marking import Marker
from scripts.benchmark_sources import ORB_LEADERBOARD, SOURCES
from scripts.data_files import SPLITS, split_name

METRICS = Path(__file__).resolve().parents[1] / "metrics"
FOLDERS = {"drcd": "drcd_char_f1", "beerqa": "beerqa_em_f1", "orb": "orb_em_f1"}
"""The metric folder of each benchmark."""

_SECONDS_BEFORE_PROGRESS = 1.0


def protocols_of(benchmark: str) -> Mapping[str, Protocol]:
    """The protocols of a benchmark (``orb/drop`` has ORB's), by name.

    Raises:
        ValueError: There is no such benchmark.
    """
    name, _ = parse_benchmark(benchmark)
    return import_module(f"metrics.{FOLDERS[name]}.protocols").PROTOCOLS


def markers_of(benchmark: str) -> Mapping[str, Marker]:
    """How each protocol of a benchmark marks what matches, by the protocols' names."""
    name, _ = parse_benchmark(benchmark)
    return import_module(f"metrics.{FOLDERS[name]}.space_marks").MARKERS


def sample_files(benchmark: str) -> tuple[Path, Path]:
    """The gold and the prediction file of the sample that ships with a benchmark's metric."""
    name, _ = parse_benchmark(benchmark)
    folder = METRICS / FOLDERS[name] / "sample"
    return next(folder.glob("gold.*")), folder / "predictions.json"


def gold_file(benchmark: str, split: str | None, data: Path | None) -> tuple[Path, str | None]:
    """The gold file to score against, and the name of its split.

    Args:
        benchmark: As for ``score_files``.
        split: The split that was asked for, None for ``validation``.
        data: A local gold file, None for the authors', which is downloaded once.

    Returns:
        The file, and the split; None for a local file that is not the authors' of any split.

    Raises:
        ValueError: There is no such split, or the benchmark's files are given on request alone.
        OSError: The file cannot be opened or downloaded.
    """
    name, _ = parse_benchmark(benchmark)
    wanted = split_name(split) if split else None
    published = SOURCES[name].files
    if data is not None:
        if wanted is None and any(file.sha256 for file in published.values()):
            found = content_sha256(data)
            wanted = next((one for one, file in published.items() if file.sha256 == found), None)
        return data, wanted
    if not published:
        raise ValueError(
            f"{benchmark}: its development file is given on request at {ORB_LEADERBOARD}; name it with --data"
        )
    from scripts.load_benchmark import authors_file

    wanted = wanted or "validation"
    try:
        return authors_file(name, wanted), wanted
    except ConnectionError as error:
        url = published[wanted].url
        raise ConnectionError(f"cannot download {url}; fetch it by other means and name it with --data") from error


def shown_on_terminal(items: Iterable, heading: str) -> Iterable:
    """A progress bar for work over a second, where standard error is a terminal."""
    if not sys.stderr.isatty():
        return items
    from tqdm import tqdm

    return tqdm(items, desc=heading, delay=_SECONDS_BEFORE_PROGRESS, leave=False)


EXAMPLES = """
\b
Examples:
  python scripts/score.py drcd --sample
  python scripts/score.py drcd predictions.json --split test --output results.json --report report.html
  python scripts/score.py orb predictions.json --data orb_dev.jsonl --per-question questions.csv
  python scripts/score.py beerqa answers.csv --id-column key --prediction-column answer --allow-missing
"""


@click.command(context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXAMPLES)
@click.argument("benchmark")
@click.argument("predictions", required=False, type=click.Path(path_type=Path))
@click.option("--split", metavar="|".join(SPLITS), help="The authors' split to score against; validation by default.")
@click.option("--data", type=click.Path(path_type=Path), help="A gold file of your own (plain or gzip).")
@click.option("--sample", is_flag=True, help="Score against the sample that ships with the metric.")
@click.option("--output", type=click.Path(path_type=Path), help="Write results here (.json); beside it two more forms.")
@click.option("--model-name", help="The model's name in the model card's block; by default the prediction file's.")
@click.option(
    "--per-question", type=click.Path(path_type=Path), help="Write a row per question (.parquet/.jsonl/.csv)."
)
@click.option("--report", type=click.Path(path_type=Path), help="Write a page to look at, with every question (.html).")
@click.option("--allow-missing", is_flag=True, help="Score also where predictions are missing or for unknown ids.")
@click.option("--id-column", help="The prediction file's column of ids, where it has no usual name.")
@click.option("--prediction-column", help="Its column of predictions, where it has no usual name.")
@click.option("--resamples", type=click.IntRange(min=1), default=RESAMPLES, show_default=True, help="Of the bootstrap.")
@click.option("--seed", type=click.IntRange(min=0), default=SEED, show_default=True, help="Of the bootstrap.")
def main(
    benchmark: str,
    predictions: Path | None,
    split: str | None,
    data: Path | None,
    sample: bool,
    output: Path | None,
    model_name: str | None,
    per_question: Path | None,
    report: Path | None,
    allow_missing: bool,
    id_column: str | None,
    prediction_column: str | None,
    resamples: int,
    seed: int,
) -> None:
    """Score PREDICTIONS on BENCHMARK: drcd, beerqa, orb, or one dataset of ORB (orb/drop).

    Prints a row per dataset and an overall row, every protocol side by side, each figure with its 95 % bootstrap
    interval. PREDICTIONS may have the benchmark's own format, or be JSON Lines, CSV, TSV or Parquet with an id and a
    prediction column, or come from lm-evaluation-harness or Hugging Face's run_qa.py.
    """
    try:
        protocols = protocols_of(benchmark)
        gold_split: str | None
        _check_outputs(output, per_question, report)
        if sample:
            if data or split:
                raise click.UsageError("--sample brings its own data; leave out --data and --split")
            gold, gold_split = sample_files(benchmark)[0], "sample"
            predictions = predictions or sample_files(benchmark)[1]
        elif predictions is None:
            raise click.UsageError("name a prediction file, or use --sample")
        else:
            gold, gold_split = gold_file(benchmark, split, data)
        board = score_files(
            protocols,
            benchmark.lower(),
            predictions,
            gold,
            split=gold_split,
            allow_missing=allow_missing,
            id_column=id_column,
            prediction_column=prediction_column,
            keep_texts=report is not None,
            resamples=resamples,
            seed=seed,
            progress=shown_on_terminal,
        )
        from scripts.score_tables import print_scoreboard

        print_scoreboard(board)
        written = []
        if output:
            from metrics.shared.results_file import write_results

            written += write_results(board, output, model_name or predictions.stem)
        if per_question:
            write_per_question(board, per_question)
            written.append(per_question)
        if report:
            from scripts.report import write_report

            write_report(board, markers_of(benchmark), report, shown_on_terminal)
            written.append(report)
        if written:
            click.echo(f"written: {', '.join(map(str, written))}")
    except IdsDiffer as error:
        raise click.ClickException(f"{error} (--allow-missing scores the others)") from None
    except (ValueError, OSError, ImportError) as error:
        raise click.ClickException(str(error)) from None


def _check_outputs(output: Path | None, per_question: Path | None, report: Path | None) -> None:
    """Refuse, before anything is scored, what could not be written."""
    if output and output.suffix.lower() != ".json":
        raise ValueError(f"{output}: a file of results must end in .json")
    if per_question:
        writer_of(per_question)
    if report and report.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"{report}: a report must end in .html")
    if report and not all(map(find_spec, ("jinja2", "matplotlib"))):
        raise ImportError("--report needs jinja2 and matplotlib: pip install jinja2 matplotlib")
    for path in (output, per_question, report):
        if path and not path.parent.is_dir():
            raise ValueError(f"{path}: there is no directory {path.parent}")


def exit_code(command: click.Command, arguments: list[str] | None = None) -> int:
    """Run a command; an error is one line on standard error.

    Args:
        command: The command.
        arguments: Its arguments, None for the shell's.

    Returns:
        0 done, 2 bad usage or input, 130 interrupted.
    """
    try:
        return command.main(arguments, standalone_mode=False) or 0
    except click.ClickException as error:
        click.echo(f"error: {' '.join(error.format_message().split())}", err=True)
        return 2
    except click.Abort:
        return 130


def run(arguments: list[str] | None = None) -> int:
    """Score a prediction file as from the shell, and return the exit code."""
    return exit_code(main, arguments)


if __name__ == "__main__":
    sys.exit(run())
