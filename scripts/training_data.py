"""Training data as the ORB card asks for it: free-form answers as spans, and mixtures that do not forget.

    python scripts/training_data.py spans duorc.parquet --output duorc_spans.parquet --min_rouge_l 0.5 --num_proc 2
    python scripts/training_data.py mixture squad1.parquet duorc_spans.parquet --output mixture.parquet \
        --uniform_examples 50000 --transition_examples 50000 --examples 200000 --seed 13

Both read and write Parquet in the standard columns, as `load_benchmark.py` writes it. From Python:

    from scripts.free_form import label_spans
    from scripts.mixtures import by_dataset, mix

    labelled = label_spans(dataset, min_rouge_l=0.5, num_proc=2)
    mixture = mix(by_dataset(labelled), uniform_examples=50_000, transition_examples=50_000, seed=13)
"""

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import click
import pyarrow.parquet as pq
from datasets import Dataset, concatenate_datasets, disable_progress_bars
from rich.console import Console
from rich.table import Table

from scripts.free_form import FREE_FORM, count_labels, label_spans
from scripts.mixtures import by_dataset, first_examples, sampling_probabilities


class InputError(click.ClickException):
    """Bad input: one line on standard error, exit code 2."""

    exit_code = 2


def _read_parquet(paths: Iterable[Path]) -> Dataset:
    """Reads files with the same columns, in order; a column that some lack is null in their rows."""
    parts = []
    for path in paths:
        try:
            pq.read_schema(path)
            parts.append(Dataset.from_parquet(str(path)))
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}") from error
        except ValueError as error:
            raise InputError(f"{path}: expected a Parquet file: {str(error).splitlines()[0]}") from error
    try:
        return concatenate_datasets(parts)
    except ValueError as error:
        raise InputError(f"the files have columns of different types: {' '.join(str(error).split())}") from error


def _check_output(output: Path) -> None:
    if not output.parent.is_dir():
        raise InputError(f"{output}: there is no directory {output.parent}")


_INPUTS = click.argument("inputs", nargs=-1, required=True, type=click.Path(path_type=Path))
_OUTPUT = click.option("--output", required=True, type=click.Path(path_type=Path), help="The Parquet file to write.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Training data as the ORB card asks for it. Reads and writes Parquet in the standard columns."""
    if not sys.stderr.isatty():
        disable_progress_bars()


@main.command()
@_INPUTS
@_OUTPUT
@click.option(
    "--free_form", multiple=True, default=FREE_FORM, show_default=True, help="A dataset to label; may repeat."
)
@click.option("--max_answer_length", default=30, show_default=True, help="The most tokens a span may have.")
@click.option("--min_rouge_l", default=0.0, show_default=True, help="Below it the answers are left empty.")
@click.option("--num_proc", type=click.IntRange(1), help="Number of processes.")
def spans(
    inputs: tuple[Path, ...],
    output: Path,
    free_form: tuple[str, ...],
    max_answer_length: int,
    min_rouge_l: float,
    num_proc: int | None,
) -> None:
    """Replace free-form answers by the context span with the highest ROUGE-L.

    `answers` gets the span, `rouge_l` what it reached, `references` stay for scoring.

    \b
    Example:
      python scripts/training_data.py spans duorc.parquet --output duorc_spans.parquet --min_rouge_l 0.5 --num_proc 2
    """
    _check_output(output)
    names = [name.lower() for name in free_form]
    try:
        labelled = label_spans(
            _read_parquet(inputs),
            free_form=names,
            max_answer_length=max_answer_length,
            min_rouge_l=min_rouge_l,
            num_proc=num_proc,
        )
    except ValueError as error:
        raise InputError(str(error)) from error
    counts = count_labels(labelled, names)
    if not counts:
        found = ", ".join(sorted(set(labelled["dataset"][:])))
        raise InputError(f"expected questions of {', '.join(names)}, found only {found or 'no question'}")
    labelled.to_parquet(output)

    table = Table("dataset", title=f"Labels of at most {max_answer_length} tokens, ROUGE-L at least {min_rouge_l:g}")
    for header in ("questions", "no answer", "below", "labelled", "mean ROUGE-L", "exact"):
        table.add_column(header, justify="right")
    for name, count in sorted(counts.items()):
        labels = len(count.reached)
        mean = f"{sum(count.reached) / labels:.3f}" if labels else "-"
        whole = str(count.reached.count(1.0))
        table.add_row(name, *map(str, (count.questions, count.unanswered, count.below, labels)), mean, whole)
    Console().print(table)
    others = len(labelled) - sum(count.questions for count in counts.values())
    click.echo(f"{others} questions of other datasets are as they were. Written: {output}")


@main.command()
@_INPUTS
@_OUTPUT
@click.option("--uniform_examples", required=True, type=int, help="Examples drawn with every dataset alike.")
@click.option("--transition_examples", required=True, type=int, help="Over how many more it moves to sizes.")
@click.option("--examples", required=True, type=click.IntRange(1), help="How many examples to write.")
@click.option("--seed", default=13, show_default=True, help="Seed of the draws and orders.")
def mixture(
    inputs: tuple[Path, ...],
    output: Path,
    uniform_examples: int,
    transition_examples: int,
    examples: int,
    seed: int,
) -> None:
    """Write the first examples of a mixture: each dataset alike at first, then by size.

    The datasets are told apart by the column `dataset`. The order of the rows is the schedule: train on them
    unshuffled, or on the endless stream of `scripts.mixtures.mix`.

    \b
    Example:
      python scripts/training_data.py mixture squad1.parquet duorc_spans.parquet --output mixture.parquet \\
          --uniform_examples 50000 --transition_examples 50000 --examples 200000
    """
    _check_output(output)
    schedule = {"uniform_examples": uniform_examples, "transition_examples": transition_examples}
    try:
        datasets = by_dataset(_read_parquet(inputs))
        mixed = first_examples(datasets, examples, **schedule, seed=seed)
    except ValueError as error:
        raise InputError(str(error)) from error
    mixed.to_parquet(output)

    drawn = Counter(mixed["dataset"][:])
    sizes = {name: len(rows) for name, rows in datasets.items()}
    first, last = (sampling_probabilities(sizes, place, **schedule) for place in (0, examples - 1))
    table = Table("dataset", title=f"{examples} examples, seed {seed}")
    for header in ("size", "share at first", "share at last", "drawn", "turns"):
        table.add_column(header, justify="right")
    for name, size in sizes.items():
        turns = f"{drawn[name] / size:.2f}"
        table.add_row(name, str(size), f"{first[name]:.1%}", f"{last[name]:.1%}", str(drawn[name]), turns)
    Console().print(table)
    click.echo(f"Written: {output}")


if __name__ == "__main__":
    main()
