"""What a reader of BeerQA reads, and how often an answer stands in it.

Three settings: the gold paragraphs of the benchmark's file; paragraphs that the user retrieved; none (closed-book).
Retrieved paragraphs come as JSON Lines, a question a line, the best paragraph first:

    {"id": "…", "paragraphs": [{"title": "Mount Kilimanjaro", "text": "…"}, …]}

A paragraph may also be a pair ``[title, text]``, as in BeerQA's own files, or a text alone. Examples from the training
split are read with their gold paragraphs, or closed-book where the questions are.

Answer recall at k is the share of questions with an answer in one of their first k paragraphs. An acceptable answer
stands in a paragraph when its tokens stand there as neighbours, in their order, inside the paragraph's text (its title
does not count), after SQuAD's normalisation of both: lower case, no ASCII punctuation, no articles, split at white
space. So "The U.S. Army" stands in "He joined the US army.", "art" does not stand in "an artist", and an answer
without tokens stands nowhere. Left out, and counted, are questions whose acceptable answers are all yes, no or
noanswer, which no paragraph has to spell out, or that have none at all. A question with fewer than k paragraphs counts
with those that it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from metrics.shared.file_records import Flaw, as_object, as_text, get, get_id, json_lines, shown
from metrics.shared.question import Question, spans_of
from metrics.shared.squad_normalization import squad_normalised

RECALL_AT = (1, 5, 10, 20)
_NOT_IN_TEXT = frozenset(("yes", "no", "noanswer"))

Paragraphs = list[dict[str, str]]


def gold_paragraphs(questions: Sequence[Question]) -> dict[str, Paragraphs]:
    """The paragraphs of the benchmark's own file by question id.

    Raises:
        ValueError: A question has none, as in BeerQA's test file.
    """
    for question in questions:
        if not question.paragraphs:
            raise ValueError(
                f"question {question.id!r} has no gold paragraphs: read retrieved ones (--paragraphs FILE.jsonl), or "
                "none (--paragraphs none)"
            )
    return {question.id: question.paragraphs for question in questions}


def retrieved_paragraphs(path: str | PathLike[str], questions: Sequence[Question]) -> tuple[dict[str, Paragraphs], int]:
    """Read ranked paragraphs.

    Args:
        path: JSON Lines as described above, plain or gzip.
        questions: The questions that will be asked.

    Returns:
        The paragraphs of each question, best first, by question id; and how many other ids the file holds.

    Raises:
        ValueError: A line is not as described, an id occurs twice, or a question is not there. Names file and line.
        OSError: The file cannot be opened.
    """
    wanted = {question.id for question in questions}
    found: dict[str, Paragraphs] = {}
    others = 0
    try:
        for where, record in json_lines(Path(path)):
            id_ = get_id(record, "id", where)
            here = f"{where}, id {id_!r}"
            ranked = get(record, "paragraphs", list, here)
            if id_ in found:
                raise Flaw(f"{here}: this id occurs twice")
            if id_ in wanted:
                found[id_] = [_paragraph(value, f"paragraphs[{rank}]", here) for rank, value in enumerate(ranked)]
            else:
                others += 1
    except Flaw as flaw:
        raise ValueError(f"{path}: {flaw}") from None
    if missing := [question.id for question in questions if question.id not in found]:
        first = ", ".join(map(repr, missing[:3]))
        raise ValueError(f"{path}: holds no paragraphs for {len(missing)} of {len(questions)} questions: {first} …")
    return found, others


def _paragraph(value: Any, key: str, where: str) -> dict[str, str]:
    if isinstance(value, str):
        return {"title": "", "text": as_text(value, key, where)}
    if isinstance(value, list):
        if len(value) != 2:
            raise Flaw(f"{where}: {key!r} must be a pair of title and text, found {shown(value)}")
        title, text = value
    else:
        record = as_object(value, f"{where}: {key!r}")
        title, text = record.get("title", ""), get(record, "text", str, f"{where}, {key}")
    return {"title": as_text(title, f"{key}.title", where), "text": as_text(text, f"{key}.text", where)}


def answer_recall(questions: Iterable[Question], paragraphs: Mapping[str, Paragraphs]) -> dict[str, float | int] | None:
    """How often an acceptable answer stands in the first k paragraphs, as defined above.

    Args:
        questions: The questions, with ``references``.
        paragraphs: Of each question id, best first.

    Returns:
        ``answer_recall_at_1`` … ``_20`` in [0, 1], ``questions`` that they are means over, ``left_out`` of them, and
        ``paragraphs_min`` and ``paragraphs_max`` of a question. None where no question could be counted, as in a test
        split without answers.
    """
    ranks: list[int | None] = []
    numbers: list[int] = []
    left_out = 0
    for question in questions:
        answers = [squad_normalised(answer) for answer in spans_of(question.references)]
        if _NOT_IN_TEXT.issuperset(answers):
            left_out += 1
            continue
        ranked = paragraphs[question.id]
        numbers.append(len(ranked))
        ranks.append(_rank_of_first(answers, ranked))
    if not ranks:
        return None
    recall: dict[str, float | int] = {
        f"answer_recall_at_{k}": sum(rank is not None and rank <= k for rank in ranks) / len(ranks) for k in RECALL_AT
    }
    return recall | {
        "questions": len(ranks),
        "left_out": left_out,
        "paragraphs_min": min(numbers),
        "paragraphs_max": max(numbers),
    }


def _rank_of_first(answers: Sequence[str], ranked: Paragraphs) -> int | None:
    """The rank, from 1, of the first paragraph with one of these normalised answers."""
    for rank, paragraph in enumerate(ranked[: max(RECALL_AT)], 1):
        text = f" {squad_normalised(paragraph['text'])} "
        if any(answer and f" {answer} " in text for answer in answers):
            return rank
    return None
