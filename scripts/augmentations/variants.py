"""From questions to their variants: all candidates of a passage, then the choice among them."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from metrics.shared.gold_files import ORB_SYNTHETIC_DATASETS, Question
from metrics.shared.squad_normalization import squad_normalised

from .grammar import RuleGrammar
from .passage import Passage
from .registry import KINDS, Variant

# One passage with its questions, in the order of the file.
Group = list[Question]


@dataclass(slots=True)
class Yield:
    """What became of the questions.

    Attributes:
        questions: Questions of each dataset that could have variants.
        left_out: Questions of each dataset that has no synthetic counterpart in ORB, or is one.
        questions_with: Of each (dataset, kind), how many questions got a variant.
        variants: Of each (dataset, kind), how many variants were made.
        repeats: Candidates not taken because the data or another variant ask the same.
    """

    questions: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    questions_with: Counter[tuple[str, str]] = field(default_factory=Counter)
    variants: Counter[tuple[str, str]] = field(default_factory=Counter)
    repeats: int = 0


def by_passage(questions: Iterable[Question]) -> list[Group]:
    """Gather the questions of each passage, in the order in which the passages first occur."""
    groups: dict[str, Group] = {}
    for question in questions:
        groups.setdefault(question.context, []).append(question)
    return list(groups.values())


def synthetic_dataset(dataset: str) -> str | None:
    """``squad1`` -> ``squad1_syn``; None where ORB's evaluator knows no such dataset."""
    name = f"{dataset}_syn"
    return name if name in ORB_SYNTHETIC_DATASETS else None


def as_row(group: Group) -> dict[str, str]:
    """A passage and what its variants need, as one row of a ``datasets.Dataset``."""
    questions = [[q.id, q.question, q.references] for q in group if synthetic_dataset(q.dataset)]
    return {"context": group[0].context, "questions": json.dumps(questions)}


def candidates(row: dict[str, str], kinds: list[str], seed: int, grammar: RuleGrammar) -> dict[str, str]:
    """Every variant of the questions of a passage. The order depends on the seed and the question's id alone.

    Args:
        row: What :func:`as_row` gives.
        kinds: Names of the kinds.
        seed: The seed.
        grammar: What finds names and confirms verbs.

    Returns:
        ``candidates``: JSON of one list for each question: [kind, question, references, rule] of each candidate.
    """
    passage = Passage(row["context"], grammar)
    found = []
    for id_, question, references in json.loads(row["questions"]):
        of_question = []
        for name in kinds:
            made = list(KINDS[name].variants(question, references, passage))
            random.Random(f"{seed}\t{id_}\t{name}").shuffle(made)
            of_question += [[name, v.question, v.references, v.rule] for v in made]
        found.append(of_question)
    return {"candidates": json.dumps(found)}


def chosen(
    groups: list[Group], rows: Iterable[dict[str, str]], most: int, report: Yield
) -> Iterator[list[dict[str, Any]]]:
    """Take of each question and kind the first candidates that ask something new.

    Args:
        groups: The passages with their questions.
        rows: The candidates of each passage, as :func:`candidates` gives them.
        most: How many variants of one kind a question may have.
        report: Filled with counts.

    Yields:
        Of each passage, its variants as ORB's ``qa_pairs``.
    """
    in_data = {squad_normalised(question.question) for group in groups for question in group}
    ids = {question.id for group in groups for question in group}
    for group, row in zip(groups, rows, strict=True):
        asked = {_folded(question.question) for question in group}
        made = iter(json.loads(row["candidates"]))
        pairs: list[dict[str, Any]] = []
        for question in group:
            dataset = synthetic_dataset(question.dataset)
            if dataset is None:
                report.left_out[question.dataset] += 1
                continue
            report.questions[question.dataset] += 1
            numbers: Counter[str] = Counter()
            for kind, text, references, rule in next(made):
                if numbers[kind] == most:
                    continue
                if _folded(text) in asked or (KINDS[kind].answer == "none" and squad_normalised(text) in in_data):
                    report.repeats += 1
                    continue
                asked.add(_folded(text))
                numbers[kind] += 1
                free = (f"{question.id}-{kind}-{number}" for number in count(numbers[kind]))
                qid = next(one for one in free if one not in ids)
                ids.add(qid)
                pairs.append(_pair(Variant(text, references, rule), dataset, question.id, kind, qid))
            report.variants.update({(question.dataset, kind): count for kind, count in numbers.items()})
            report.questions_with.update((question.dataset, kind) for kind, count in numbers.items() if count)
        yield pairs


def original_pair(question: Question) -> dict[str, Any]:
    """A question as one of ORB's ``qa_pairs``, with what a synthetic one says of its origin."""
    answers = [[reference] for reference in question.references]
    pair = {"question": question.question, "answers": answers, "dataset": question.dataset, "qid": question.id}
    origin = {"kind": question.kind, "original_qid": question.original_qid}
    return pair | {key: value for key, value in origin.items() if value}


def _pair(variant: Variant, dataset: str, original_qid: str, kind: str, qid: str) -> dict[str, Any]:
    pair = {
        "question": variant.question,
        "answers": [[reference] for reference in variant.references],
        "dataset": dataset,
        "qid": qid,
        "kind": kind,
        "original_qid": original_qid,
    }
    return pair | {"rule": variant.rule} if variant.rule else pair


def _folded(question: str) -> str:
    return " ".join(question.casefold().split())
