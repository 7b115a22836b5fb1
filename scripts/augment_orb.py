"""Make ORB's synthetic variants of questions: reworded with the same answer, or new with another one.

\b
    python scripts/augment_orb.py dev.jsonl --output dev_syn.jsonl

The kinds, their preconditions and their measured precision: scripts/augmentations/README.md.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import gzip
import json
import os
from collections.abc import Iterator
from functools import partial
from typing import Any

import click

from metrics.shared.gold_files import ORB_SYNTHETIC_DATASETS, read_gold
from scripts.augmentations import KINDS
from scripts.augmentations.grammar import RuleGrammar, grammar
from scripts.augmentations.variants import Group, Yield, as_row, by_passage, candidates, chosen, original_pair


class Refusal(click.ClickException):
    """Bad input: one line on standard error, exit code 2."""

    exit_code = 2


@click.command(help=__doc__)
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="ORB's format; .gz compresses.",
)
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(sorted(KINDS)), help="Only these kinds; may be repeated."
)
@click.option(
    "--variants", "most", default=1, show_default=True, type=click.IntRange(1), help="Most of a kind for a question."
)
@click.option("--seed", default=0, show_default=True, help="Decides which candidates are taken.")
@click.option("--num-proc", default=os.cpu_count() or 1, show_default=True, type=click.IntRange(1), help="Processes.")
@click.option(
    "--grammar", "grammar_name", default="auto", show_default=True, type=click.Choice(["auto", "rules", "spacy"])
)
@click.option("--keep-originals", is_flag=True, help="Write the original questions into the same file.")
def main(
    source: Path,
    output: Path,
    kinds: tuple[str, ...],
    most: int,
    seed: int,
    num_proc: int,
    grammar_name: str,
    keep_originals: bool,
) -> None:
    if output.exists() and output.samefile(source):
        raise Refusal(f"{output} is the input; it would be overwritten")
    try:
        english = grammar(grammar_name)
        groups = by_passage(read_gold("orb", source, need_answers=True))
    except ValueError as error:
        raise Refusal(" ".join(str(error).split())) from None
    names = sorted(kinds) if kinds else sorted(KINDS)
    report = Yield()
    rows = candidate_rows(groups, names, seed, english, num_proc)
    passages = [
        {"context": group[0].context, "qa_pairs": [original_pair(q) for q in group if keep_originals] + pairs}
        for group, pairs in zip(groups, chosen(groups, rows, most, report), strict=True)
    ]
    if not report.variants:
        raise Refusal(f"{source}: none of its questions gave a variant; nothing was written")
    write_orb(output, (passage for passage in passages if passage["qa_pairs"]))
    print_yield(report, names, f"seed {seed}, at most {most} of a kind for a question, grammar: {english.name}")
    click.echo(f"{report.variants.total():,} variants written to {output}")


def candidate_rows(
    groups: list[Group], kinds: list[str], seed: int, english: RuleGrammar, num_proc: int
) -> Iterator[dict[str, Any]]:
    """The candidates of each passage, made in several processes; their number does not change the result."""
    import datasets

    if not sys.stderr.isatty():
        datasets.disable_progress_bars()
    rows = datasets.Dataset.from_list([as_row(group) for group in groups])
    make = partial(candidates, kinds=kinds, seed=seed, grammar=english)
    processes = min(num_proc, len(groups))
    return iter(
        rows.map(make, remove_columns=rows.column_names, num_proc=processes if processes > 1 else None, desc="variants")
    )


def write_orb(path: Path, passages: Iterator[dict[str, Any]]) -> None:
    """Write passages in ORB's format, one a line."""
    opener: Any = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", encoding="utf-8") as stream:
        for passage in passages:
            stream.write(json.dumps(passage, ensure_ascii=False) + "\n")


def print_yield(report: Yield, kinds: list[str], settings: str) -> None:
    """Print how many variants each dataset and kind gave, and what was left out."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title="Variants, and the share of the questions that have one", caption=settings)
    table.add_column("dataset")
    table.add_column("questions", justify="right")
    for kind in kinds:
        table.add_column(kind, justify="right")
    for dataset in sorted(report.questions):
        total = report.questions[dataset]
        made = [(report.variants[dataset, kind], report.questions_with[dataset, kind]) for kind in kinds]
        table.add_row(
            dataset, f"{total:,}", *(f"{variants:,} ({questions / total:.0%})" for variants, questions in made)
        )
    console = Console(width=None if sys.stdout.isatty() else 110)
    console.print(table)
    for dataset, count in sorted(report.left_out.items()):
        why = "is synthetic already" if dataset in ORB_SYNTHETIC_DATASETS else "has no synthetic counterpart in ORB"
        click.echo(f"left out: {count:,} questions of {dataset}, which {why}")
    if report.repeats:
        click.echo(f"not taken: {report.repeats:,} candidates that the data or another variant already ask")


if __name__ == "__main__":
    main()
