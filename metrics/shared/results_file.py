"""A scoreboard as machine-readable results: JSON, the form that ``evaluate.save`` writes, and a model card's YAML.

``results.json``::

    version       the project's version
    benchmark     drcd, beerqa, orb or orb/<dataset>
    split         name of the split, null if it is not known
    gold          file, sha256 (of the content), questions, datasets (questions of each), notes (what reading changed)
    predictions   file, format, left_out (counts of what was not used), missing and unknown: each count and first ids
    bootstrap     resamples, seed, confidence
    protocols     by name:
        description, signature
        unanswered    "zero" or "left out": what becomes of questions without a prediction
        counted       questions that take part
        aggregate     figure -> value in [0, 1]: names and digits as compute() and the official script give them
        scores        list of {key (as in aggregate), row, figure, value, low, high, count}; row is a dataset,
                      "overall", "macro" (mean over datasets) or "average"; low and high are null without an interval
    robustness    null without synthetic variants, else
        gaps          list of {protocol, dataset, kind, figure, pairs, original, synthetic, difference, low, high}
        consistency   list of {protocol, dataset, kind, right, value, low, high}
        unpaired      variants without their original in the gold file
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import asdict
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from pathlib import Path
from typing import Any

from .gold_files import parse_benchmark
from .protocol_scores import ProtocolScores
from .scoreboard import Scoreboard
from .signature import VERSION

_IDS_KEPT = 20
TITLES = {"drcd": "DRCD", "beerqa": "BeerQA", "orb": "ORB"}
"""How the benchmarks write their names."""


def results(board: Scoreboard) -> dict[str, Any]:
    """Everything in the table as plain data, in the form that this module documents."""
    return {
        "version": VERSION,
        "benchmark": board.benchmark,
        "split": board.split,
        "gold": {
            "file": str(board.gold_path),
            "sha256": board.gold_sha256,
            "questions": len(board.questions),
            "datasets": board.datasets,
            "notes": {key: count for key, count in asdict(board.reading).items() if count and type(count) is int},
        },
        "predictions": {
            "file": str(board.predictions_path),
            "format": board.predictions_format,
            "left_out": board.left_out,
            "missing": {"count": len(board.missing), "first_ids": board.missing[:_IDS_KEPT]},
            "unknown": {"count": len(board.unknown), "first_ids": board.unknown[:_IDS_KEPT]},
        },
        "bootstrap": {"resamples": board.resamples, "seed": board.seed, "confidence": 0.95},
        "protocols": {name: _protocol(scores) for name, scores in board.protocols.items()},
        "robustness": None if board.robustness is None else _without_nan(asdict(board.robustness)),
    }


def _protocol(scores: ProtocolScores) -> dict[str, Any]:
    fields = ("key", "row", "figure", "value", "low", "high", "count")
    return {
        "description": scores.protocol.description,
        "signature": scores.signature,
        "unanswered": scores.protocol.unanswered,
        "counted": int(scores.counted.sum()),
        "aggregate": scores.aggregate,
        "scores": [_without_nan({field: getattr(score, field) for field in fields}) for score in scores.scores],
    }


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_without_nan(one) for one in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def evaluate_results(board: Scoreboard) -> dict[str, Any]:
    """The figures in the form that ``evaluate.save`` writes, named ``<protocol>_<figure>``.

    ``evaluate`` itself takes seconds to import and fails where git is not installed, so it is not called.
    """
    figures = {
        f"{name}_{key}": value for name, scores in board.protocols.items() for key, value in scores.aggregate.items()
    }
    try:
        evaluate_version = version("evaluate")
    except PackageNotFoundError:
        evaluate_version = None
    return {
        **figures,
        "_timestamp": datetime.now().isoformat(),
        "_git_commit_hash": _git_commit_hash(),
        "_evaluate_version": evaluate_version,
        "_python_version": sys.version,
        "_interpreter_path": sys.executable,
    }


def _git_commit_hash() -> str | None:
    try:
        found = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True)
    except OSError:
        return None
    return found.stdout.strip() if found.returncode == 0 else None


def model_index(board: Scoreboard, model_name: str) -> str:
    """The figures as the ``model-index`` block of a model card's front matter.

    Args:
        board: a scoreboard.
        model_name: the model's name, as the card shows it.

    Returns:
        YAML.
    """
    from huggingface_hub import EvalResult, ModelCardData

    title = TITLES[parse_benchmark(board.benchmark)[0]]
    evaluated = [
        EvalResult(
            task_type="question-answering",
            dataset_type=board.benchmark,
            dataset_name=title,
            dataset_config=score.row if score.row in board.datasets else None,
            dataset_split=board.split,
            metric_type=score.figure,
            metric_name=f"{score.key} ({name})",
            metric_value=score.value,
            metric_args={"signature": scores.signature},
        )
        for name, scores in board.protocols.items()
        for score in scores.scores
    ]
    return ModelCardData(model_name=model_name, eval_results=evaluated).to_yaml() + "\n"


def write_results(board: Scoreboard, path: str | PathLike[str], model_name: str) -> list[Path]:
    """Write ``results``, and beside it the two other forms.

    Args:
        board: a scoreboard.
        path: where ``results`` goes, ending in ``.json``.
        model_name: the model's name in the model card's block.

    Returns:
        The files that were written: ``path``, then with ``.evaluate.json`` and ``.model-index.yaml`` for its ending.

    Raises:
        OSError: a file cannot be written.
    """
    path = Path(path)
    contents = {
        path: json.dumps(results(board), ensure_ascii=False, indent=2) + "\n",
        path.with_suffix(".evaluate.json"): json.dumps(evaluate_results(board)),
        path.with_suffix(".model-index.yaml"): model_index(board, model_name),
    }
    for file, content in contents.items():
        file.write_text(content, encoding="utf-8")
    return list(contents)
