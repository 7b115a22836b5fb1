"""A comparison as machine-readable results.

``comparison.json``::

    version       the project's version
    benchmark     drcd, beerqa, orb or orb/<dataset>
    split         name of the split, null if it is not known
    baseline      the name of the system that the others are compared with
    systems       by name, the baseline first: what score.py writes as results.json
    tests         trials (of approximate randomisation), seed, adjustment (of p-values, for the number of systems)
    signatures    of each protocol's numbers, by its name
    differences   list of {protocol, row, figure, system, value, low, high, p, p_holm, mcnemar_p, mcnemar_p_holm,
                  wins, losses, ties, not_compared}, each the system against the baseline; low and high end the paired
                  interval; mcnemar_p is null but for exact match over questions; not_compared counts questions that
                  count for one of the two alone
    questions     on which a system is the furthest ahead of the baseline, then the furthest behind: list of {system,
                  id, dataset, question, references, baseline_prediction, prediction, difference, figures}; figures by
                  protocol and name are [baseline's, system's], null where the question is not counted
"""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from metrics.shared.results_file import results
from metrics.shared.signature import VERSION
from scripts.comparison import Comparison, Difference


def comparison_results(comparison: Comparison) -> dict[str, Any]:
    """Everything that the tables show as plain data, in the form that this module documents."""
    board = comparison.baseline_board
    return {
        "version": VERSION,
        "benchmark": board.benchmark,
        "split": board.split,
        "baseline": comparison.baseline,
        "systems": {system: results(one) for system, one in comparison.boards.items()},
        "tests": {"trials": comparison.trials, "seed": board.seed, "adjustment": "holm"},
        "signatures": comparison.signatures,
        "differences": [
            {"protocol": one.protocol, "row": one.row, "figure": one.figure, "system": system, **_plain(difference)}
            for one in comparison.scores
            for system, difference in one.differences.items()
        ],
        "questions": [asdict(question) for question in comparison.questions],
    }


def _plain(difference: Difference) -> dict[str, Any]:
    fields = asdict(difference)
    fields.update(fields.pop("tally"))
    return {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in fields.items()}
