"""Compare systems on one benchmark: is one better than another, by how much, and on which questions?

From the shell: ``python scripts/compare.py --help``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from metrics.shared.intervals import RESAMPLES, SEED
from metrics.shared.question_table import IdsDiffer
from metrics.shared.scoreboard import Scoreboard, score_files
from scripts.comparison import QUESTIONS_SHOWN, compare
from scripts.data_files import SPLITS
from scripts.score import exit_code, gold_file, protocols_of, sample_files, shown_on_terminal
from scripts.significance import TRIALS

EXAMPLES = """
\b
Examples:
  python scripts/compare.py drcd base.json mine.json --split test
  python scripts/compare.py drcd base.json mine.json --split test --protocol official --figure f1
  python scripts/compare.py orb base.json a.json b.json --data orb_dev.jsonl --name base --name A --name B
  python scripts/compare.py beerqa base.csv mine.csv --output comparison.json --latex table.tex --markdown table.md
"""


@click.command(context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXAMPLES)
@click.argument("benchmark")
@click.argument("predictions", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--name", "names", multiple=True, help="A system's name, once a file, in their order; else the file's.")
@click.option("--split", metavar="|".join(SPLITS), help="The authors' split to score against; validation by default.")
@click.option("--data", type=click.Path(path_type=Path), help="A gold file of your own (plain or gzip).")
@click.option("--sample", is_flag=True, help="Score against the sample that ships with the metric.")
@click.option("--protocol", "chosen", multiple=True, help="Compare by this protocol (repeat for more); all by default.")
@click.option("--figure", "figures", multiple=True, help="Compare this figure (repeat for more); all by default.")
@click.option(
    "--questions",
    type=click.IntRange(min=0),
    default=QUESTIONS_SHOWN,
    show_default=True,
    help="Show this many on which a system is the furthest ahead of the first, and as many behind.",
)
@click.option("--output", type=click.Path(path_type=Path), help="Write everything here as JSON (.json).")
@click.option("--latex", type=click.Path(path_type=Path), help="Write the tables here in LaTeX (booktabs).")
@click.option("--markdown", type=click.Path(path_type=Path), help="Write the tables here in Markdown.")
@click.option("--allow-missing", is_flag=True, help="Score also where predictions are missing or for unknown ids.")
@click.option("--id-column", help="The prediction files' column of ids, where it has no usual name.")
@click.option("--prediction-column", help="Their column of predictions, where it has no usual name.")
@click.option("--resamples", type=click.IntRange(min=1), default=RESAMPLES, show_default=True, help="Of the bootstrap.")
@click.option(
    "--trials", type=click.IntRange(min=1), default=TRIALS, show_default=True, help="Of approximate randomisation."
)
@click.option("--seed", type=click.IntRange(min=0), default=SEED, show_default=True, help="Of both.")
def main(
    benchmark: str,
    predictions: tuple[Path, ...],
    names: tuple[str, ...],
    split: str | None,
    data: Path | None,
    sample: bool,
    chosen: tuple[str, ...],
    figures: tuple[str, ...],
    questions: int,
    output: Path | None,
    latex: Path | None,
    markdown: Path | None,
    allow_missing: bool,
    id_column: str | None,
    prediction_column: str | None,
    resamples: int,
    trials: int,
    seed: int,
) -> None:
    """Compare two or more files of PREDICTIONS on BENCHMARK with the first of them.

    BENCHMARK and the files are as for score.py. Prints the scores side by side; of each further system the difference
    to the first with its paired 95 % bootstrap interval, p-values of paired approximate randomisation and, for exact
    match, of McNemar's test (by Holm's method where there are several systems), wins, losses and ties; and the
    questions on which the two differ most.
    """
    try:
        protocols = protocols_of(benchmark)
        if unknown := [name for name in chosen if name not in protocols]:
            raise ValueError(f"unknown protocol {unknown[0]!r}; known are {', '.join(protocols)}")
        if len(predictions) < 2:
            raise click.UsageError(f"name two or more prediction files, found only {predictions[0]}")
        systems = _system_names(predictions, names)
        _check_outputs(output, latex, markdown)
        if sample and (data or split):
            raise click.UsageError("--sample brings its own data; leave out --data and --split")
        gold, its_split = (sample_files(benchmark)[0], "sample") if sample else gold_file(benchmark, split, data)
        boards: dict[str, Scoreboard] = {}
        for system, file in zip(systems, predictions, strict=True):
            boards[system] = score_files(
                {name: protocol for name, protocol in protocols.items() if not chosen or name in chosen},
                benchmark.lower(),
                file,
                gold,
                split=its_split,
                allow_missing=allow_missing,
                id_column=id_column,
                prediction_column=prediction_column,
                keep_texts=questions > 0,
                resamples=resamples,
                seed=seed,
                progress=shown_on_terminal,
            )
        comparison = compare(boards, figures or None, trials, questions, shown_on_terminal)
        from scripts.comparison_markup import to_latex, to_markdown
        from scripts.comparison_results import comparison_results
        from scripts.comparison_tables import print_comparison

        print_comparison(comparison)
        if output:
            text = json.dumps(comparison_results(comparison), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
            output.write_text(text, encoding="utf-8")
        if latex:
            latex.write_text(to_latex(comparison), encoding="utf-8")
        if markdown:
            markdown.write_text(to_markdown(comparison), encoding="utf-8")
        if written := [str(path) for path in (output, latex, markdown) if path]:
            click.echo(f"written: {', '.join(written)}")
    except IdsDiffer as error:
        raise click.ClickException(f"{error} (--allow-missing scores the others)") from None
    except (ValueError, OSError, ImportError) as error:
        raise click.ClickException(str(error)) from None


def _system_names(files: Sequence[Path], names: Sequence[str]) -> list[str]:
    """The name of each system: as given, else its file's without the ending.

    Raises:
        ValueError: Names are not one a file, or two systems have the same.
    """
    if names and len(names) != len(files):
        raise ValueError(f"found {len(names)} names for {len(files)} prediction files; give --name once a file")
    found = list(names) or [(file.with_suffix("") if file.suffix == ".gz" else file).stem for file in files]
    if repeated := [name for i, name in enumerate(found) if name in found[:i]]:
        raise ValueError(f"two systems have the name {repeated[0]!r}; tell them apart with --name, once a file")
    if not all(map(str.strip, found)):
        raise ValueError(f"systems must have names that are not blank, found {found!r}")
    return found


def _check_outputs(output: Path | None, latex: Path | None, markdown: Path | None) -> None:
    """Refuse, before anything is scored, what could not be written."""
    if output and output.suffix.lower() != ".json":
        raise ValueError(f"{output}: a file of results must end in .json")
    for path in (output, latex, markdown):
        if path and not path.parent.is_dir():
            raise ValueError(f"{path}: there is no directory {path.parent}")


def run(arguments: list[str] | None = None) -> int:
    """Compare systems as from the shell, and return the exit code."""
    return exit_code(main, arguments)


if __name__ == "__main__":
    sys.exit(run())
