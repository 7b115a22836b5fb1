"""Copies the files of ``metrics/shared`` into the metric folders that carry them, which are published alone.

Usage: python scripts/copy_shared.py [--check]
"""

import sys
from pathlib import Path

import click

METRICS = Path(__file__).resolve().parents[1] / "metrics"
SCORING = (
    "answer_shapes.py",
    "answer_values.py",
    "protocol.py",
    "question_batches.py",
    "reading_metric.py",
    "squad_normalization.py",
    "token_bags.py",
)
FILE_SCORING = (
    "best_references.py",
    "file_records.py",
    "gold_files.py",
    "intervals.py",
    "per_question_file.py",
    "prediction_files.py",
    "prediction_rows.py",
    "protocol_scores.py",
    "question.py",
    "question_table.py",
    "results_file.py",
    "robustness.py",
    "scoreboard.py",
    "signature.py",
)
SPACE = (
    *FILE_SCORING,
    "app.py",
    "space_about.py",
    "space_board.py",
    "space_cards.py",
    "space_charts.py",
    "space_file.py",
    "space_marking.py",
    "space_page.py",
    "space_pair.py",
    "space_scoring.py",
    "space_style.css",
    "space_texts.py",
    "space_tracing.py",
    "space_try.py",
)
WORDS = ("token_arrays.py", "token_overlap.py")
CARRIED = {
    "orb_em_f1": (*SCORING, "nltk_words.py", *WORDS, *SPACE),
    "drcd_char_f1": (*SCORING, "nltk_words.py", *SPACE),
    "beerqa_em_f1": (*SCORING, *WORDS, *SPACE),
}
"""The shared files that each metric folder carries."""


def stale_copies(metrics: Path) -> list[Path]:
    """The copies that are missing or differ from their master.

    Args:
        metrics: the folder of the metric folders and of ``shared``.

    Returns:
        Paths of the copies, sorted.
    """
    copies = [
        (metrics / folder / name, metrics / "shared" / name) for folder, names in CARRIED.items() for name in names
    ]
    return sorted(copy for copy, master in copies if not copy.exists() or copy.read_bytes() != master.read_bytes())


@click.command()
@click.option("--check", is_flag=True, help="Change nothing; exit with 1 if a copy is missing or differs.")
def main(check: bool) -> None:
    """Copy the files of metrics/shared into the metric folders that carry them."""
    stale = stale_copies(METRICS)
    for copy in stale:
        click.echo(f"{'differs' if check else 'copied'}: {copy.relative_to(METRICS.parent)}")
        if not check:
            copy.write_bytes((METRICS / "shared" / copy.name).read_bytes())
    sys.exit(1 if check and stale else 0)


if __name__ == "__main__":
    main()
