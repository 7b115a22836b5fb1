"""A gold file and a prediction file become one table: every protocol, every dataset, with intervals and signatures.

Everything here is data and arithmetic; tables, reports and files are made from a ``Scoreboard`` elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from .file_records import content_sha256
from .gold_files import read_gold
from .intervals import RESAMPLES, SEED, Progress, unseen
from .prediction_files import read_predictions
from .protocol import Protocol
from .protocol_scores import MACRO, OVERALL, ProtocolScores, score_protocol
from .question import ReadingReport
from .question_table import IdsDiffer, QuestionTable, check_spans, compare_ids, question_table
from .robustness import Robustness, robustness
from .signature import signature


@dataclass(frozen=True)
class Scoreboard:
    """One prediction file under every protocol of its benchmark.

    Attributes:
        benchmark: ``drcd``, ``beerqa``, ``orb`` or one dataset of ORB, as in ``orb/drop``.
        split: the split's name, None if it is not known.
        gold_path: the gold file.
        gold_sha256: SHA-256 of its content.
        reading: what was counted while it was read.
        predictions_path: the prediction file.
        predictions_format: the format in which it was read, in words.
        left_out: what the prediction file held beyond one prediction a question: counts by description.
        questions: the questions with predictions and answers.
        datasets: questions of each dataset, in the order of the gold file.
        missing: ids of questions without a prediction.
        unknown: ids of predictions without a question.
        protocols: what each protocol says, by its name.
        robustness: what ORB's synthetic variants show beside their originals; None where there are none.
        resamples: of the bootstrap.
        seed: of the bootstrap.
    """

    benchmark: str
    split: str | None
    gold_path: Path
    gold_sha256: str
    reading: ReadingReport
    predictions_path: Path
    predictions_format: str
    left_out: dict[str, int]
    questions: QuestionTable
    datasets: dict[str, int]
    missing: list[str]
    unknown: list[str]
    protocols: dict[str, ProtocolScores]
    robustness: Robustness | None
    resamples: int
    seed: int

    @property
    def rows(self) -> list[str]:
        """The rows of the table: datasets, "overall" and, with several datasets, "macro" and ORB's "average"."""
        with_numbers = dict.fromkeys(score.row for one in self.protocols.values() for score in one.scores)
        means = [row for row in with_numbers if row not in self.datasets and row != OVERALL]
        return [*self.datasets, OVERALL, *(means if len(self.datasets) > 1 else [])]


def score_files(
    protocols: Mapping[str, Protocol],
    benchmark: str,
    predictions: str | PathLike[str],
    gold: str | PathLike[str],
    *,
    split: str | None = None,
    allow_missing: bool = False,
    id_column: str | None = None,
    prediction_column: str | None = None,
    keep_texts: bool = False,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    progress: Progress = unseen,
) -> Scoreboard:
    """Score a prediction file under every protocol of a benchmark.

    Args:
        protocols: the benchmark's protocols by name (``PROTOCOLS`` of its metric folder).
        benchmark: ``drcd``, ``beerqa``, ``orb`` or one dataset of ORB, as in ``orb/drop``.
        predictions: a file in any format of ``read_predictions``.
        gold: a file in any format of ``read_gold``, with answers.
        split: the split's name, for the signature.
        allow_missing: score also where predictions are missing or unknown.
        id_column: the prediction file's column of ids, where it has no usual name.
        prediction_column: its column of predictions, where it has no usual name.
        keep_texts: keep questions and contexts in the table.
        resamples: of the bootstrap.
        seed: of the bootstrap.
        progress: told about what takes time.

    Returns:
        The scoreboard.

    Raises:
        IdsDiffer: predictions are missing or unknown, unless that is allowed; or none is for a question.
        ValueError: a file does not hold what it should, or several spans are predicted where one text belongs.
        OSError: a file cannot be opened.
        ImportError: a protocol needs a package or corpus that is missing; the message says how to install it.
    """
    found = read_predictions(predictions, benchmark, id_column, prediction_column)
    reading = ReadingReport()
    questions = progress(read_gold(benchmark, gold, reading, need_answers=True), "reading questions")
    table = question_table(questions, found, keep_texts)
    if names := {OVERALL, MACRO} & {*reading.datasets}:
        raise ValueError(f"{gold}: a dataset must not be named {names.pop()!r}, which is a row of the table")
    try:
        missing, unknown = compare_ids(table, found, allow_missing)
    except IdsDiffer as error:
        raise IdsDiffer(f"{predictions}: {error}") from None
    check_spans(table)
    sha256 = content_sha256(gold)
    scored = {
        name: score_protocol(
            protocol,
            table,
            signature(
                benchmark=benchmark,
                split=split,
                data_sha256=sha256,
                protocol=name,
                references=table.references,
                resamples=resamples,
                seed=seed,
            ),
            resamples,
            seed,
            progress,
        )
        for name, protocol in protocols.items()
    }
    return Scoreboard(
        benchmark=benchmark,
        split=split,
        gold_path=Path(gold),
        gold_sha256=sha256,
        reading=reading,
        predictions_path=Path(predictions),
        predictions_format=found.format,
        left_out=dict(found.left_out),
        questions=table,
        datasets=dict(reading.datasets),
        missing=missing,
        unknown=unknown,
        protocols=scored,
        robustness=robustness(table, scored, resamples, seed, progress),
        resamples=resamples,
        seed=seed,
    )
