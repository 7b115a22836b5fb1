"""What a generative model is asked for each benchmark.

A prompt is an instruction, examples from the training split, and the question behind its passage:

    Read the passage and answer the question. Copy the shortest span of words that answers it. Write the answer alone,
    on one line, without quotation marks and without an explanation.

    Passage: The Great Barrier Reef is the largest coral reef system in the world. …
    Question: When was the Great Barrier Reef added to the list of World Heritage Sites?
    Answer:

DRCD's is in Traditional Chinese, with 文章, 問題 and 答案. A base model gets this as one text, examples as further
blocks with their answers; a chat model gets every example as a turn of user and assistant, the instruction in front of
the first. ORB's instruction depends on the dataset: where questions may have no answer, ``unanswerable`` is to be
written; in DROP and Quoref several spans are to be separated by ``|``. BeerQA's paragraphs are numbered and titled.

How an output becomes an answer is in ``scripts/answer_cleaning.py``.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from metrics.shared.question import DROP_GROUP, Question
from scripts.reading_input import Paragraphs

NO_ANSWER = "unanswerable"
_ALONE = "Write the answer alone, on one line, without quotation marks and without an explanation."
_READ = "Read the passage and answer the question."
_COPY = "Copy the shortest span of words that answers it."
_SEVERAL = "If several spans answer it together, write all of them, separated by |."
_MAYBE_NOT = f"If the passage does not answer the question, write {NO_ANSWER}."
_FEW_WORDS = "Use as few words as possible. For a question of yes or no, write yes or no."
_ORB = {
    "squad1": f"{_READ} {_COPY}",
    "squad2": f"{_READ} {_COPY} {_MAYBE_NOT}",
    "newsqa": f"{_READ} {_COPY} {_MAYBE_NOT}",
    "duorc": f"{_READ} {_COPY} {_MAYBE_NOT}",
    "quoref": f"{_READ} {_COPY} {_SEVERAL}",
    "drop": f"{_READ} The answer is a number, a date, or a span of the passage. Write a number in digits. {_SEVERAL}",
    "ropes": f"{_READ} Copy the shortest span of words of the passage or of the question that answers it.",
    "narrativeqa": f"{_READ} Use as few words as possible; they need not stand in the passage.",
}
_BEERQA = f"Read the passages and answer the question. {_FEW_WORDS}"
_BEERQA_CLOSED_BOOK = f"Answer the question. {_FEW_WORDS}"
_DRCD = "請閱讀文章並回答問題。請從文章中逐字抄出能回答問題的最短片段。只寫答案，寫在同一行，不要加引號，也不要解釋。"


@dataclass(frozen=True)
class Labels:
    """The words in front of a prompt's parts."""

    passage: str
    question: str
    answer: str

    def block(self, passage: str | None, question: str) -> str:
        """A question behind its passage, up to where the answer stands."""
        first = f"{self.passage}{passage}\n" if passage is not None else ""
        return f"{first}{self.question}{question}\n{self.answer}"


ENGLISH = Labels("Passage: ", "Question: ", "Answer: ")
CHINESE = Labels("文章：", "問題：", "答案：")


@dataclass(frozen=True)
class Prompt:
    """What a model is asked for one question.

    Attributes:
        question_id: The benchmark's id of the question.
        labels: The words in front of the parts.
        instruction: What to do.
        examples: Blocks of other questions and their answers.
        passage: What to read; None in a closed-book prompt.
        question: The question.
        may_lack_answer: Whether ``unanswerable`` is a possible answer.
        may_have_spans: Whether an answer may consist of several spans.
    """

    question_id: str
    labels: Labels
    instruction: str
    examples: tuple[tuple[str, str], ...]
    passage: str | None
    question: str
    may_lack_answer: bool = False
    may_have_spans: bool = False

    def text(self) -> str:
        """The prompt as one text, for base and sequence-to-sequence models and for completions."""
        shots = [block + answer for block, answer in self.examples]
        return "\n\n".join([self.instruction, *shots, self.labels.block(self.passage, self.question)]).rstrip()

    def messages(self) -> list[dict[str, str]]:
        """The prompt as the turns of a chat, without a system message, which some chat templates refuse."""
        turns = []
        for block, answer in self.examples:
            turns += [{"role": "user", "content": block.rstrip()}, {"role": "assistant", "content": answer}]
        turns.append({"role": "user", "content": self.labels.block(self.passage, self.question).rstrip()})
        turns[0]["content"] = f"{self.instruction}\n\n{turns[0]['content']}"
        return turns


def make_prompt(
    benchmark: str,
    question: Question,
    paragraphs: Paragraphs | None,
    examples: Sequence[tuple[Question, Paragraphs | None]] = (),
) -> Prompt:
    """The prompt of one question.

    Args:
        benchmark: ``drcd``, ``orb`` or ``beerqa``.
        question: The question.
        paragraphs: What to read, each with title and text; None for a closed-book prompt (BeerQA).
        examples: Answered questions, in this order, and what is read for each.

    Returns:
        The prompt.
    """
    dataset = question.dataset.removesuffix("_syn")
    instruction = _instruction(benchmark, dataset, closed_book=paragraphs is None)
    labels = CHINESE if benchmark == "drcd" else ENGLISH
    return Prompt(
        question_id=question.id,
        labels=labels,
        instruction=instruction,
        examples=tuple(
            (labels.block(_passage(benchmark, read), example.question), _written(example.references[0]))
            for example, read in examples
        ),
        passage=_passage(benchmark, paragraphs),
        question=question.question,
        may_lack_answer=NO_ANSWER in instruction,
        may_have_spans=benchmark == "orb" and dataset in DROP_GROUP,
    )


def _instruction(benchmark: str, dataset: str, closed_book: bool) -> str:
    if benchmark == "drcd":
        return _DRCD
    if benchmark == "orb":
        return f"{_ORB[dataset]} {_ALONE}"
    return f"{_BEERQA_CLOSED_BOOK if closed_book else _BEERQA} {_ALONE}"


def _passage(benchmark: str, paragraphs: Paragraphs | None) -> str | None:
    if paragraphs is None:
        return None
    if benchmark != "beerqa":
        return "\n".join(paragraph["text"] for paragraph in paragraphs)
    titled = (f"{p['title']}: {p['text']}" if p["title"] else p["text"] for p in paragraphs)
    return "\n".join(f"[{number}] {text}" for number, text in enumerate(titled, 1))


def _written(reference: str | list[str]) -> str:
    """An acceptable answer as a model should write it."""
    return " | ".join(reference) if isinstance(reference, list) else reference or NO_ANSWER


def draw_examples(questions: Iterable[Question], number: int, seed: int) -> dict[str, list[Question]]:
    """Draw answered questions of each dataset, whatever the order in which they come.

    Args:
        questions: The training split.
        number: How many to draw from each dataset, and from all together.
        seed: Of the draw: the questions with the lowest SHA-256 of seed and id are taken.

    Returns:
        The questions by dataset; under ``""`` those drawn from all together.
    """

    def rank(question: Question) -> bytes:
        return sha256(f"{seed} {question.id}".encode()).digest()

    by_dataset: dict[str, list[Question]] = {}
    for question in questions:
        if question.references:
            for name in (question.dataset, ""):
                drawn = by_dataset.setdefault(name, [])
                insort(drawn, question, key=rank)
                del drawn[number:]
    return by_dataset


def examples_for(question: Question, drawn: dict[str, list[Question]]) -> list[Question]:
    """The examples of a question: of its dataset, else of the dataset that it is a variant of, else from all."""
    names = (question.dataset, question.dataset.removesuffix("_syn"), "")
    return next((drawn[name] for name in names if name in drawn), [])
