"""Measures the scorers: speed beside plain transcriptions, ``compute()`` beside scoring alone, memory at full size.

Usage: python scripts/benchmark.py [--questions 100000] [--memory-questions 1000000]

Each ratio is taken within one run, as the median over several rounds in which both sides take turns, because absolute
times drift with the machine. The questions are made: words of four-letter to ten-letter syllables and articles for the
English benchmarks, runs of Chinese characters for DRCD, numbers and several spans for ORB's DROP group; a third of the
predictions equals an answer, the rest shares some or no words with one.
"""

import multiprocessing
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import click

METRICS = Path(__file__).resolve().parents[1] / "metrics"
Columns = dict[str, list[Any]]
CASES = {
    "orb default": ("orb_em_f1", "default", "squad1"),
    "orb official, extractive": ("orb_em_f1", "official", "squad1"),
    "orb official, DROP group": ("orb_em_f1", "official", "drop"),
    "drcd default": ("drcd_char_f1", "default", None),
    "drcd recipe": ("drcd_char_f1", "recipe", None),
    "drcd official": ("drcd_char_f1", "official", None),
    "drcd cmrc2018": ("drcd_char_f1", "cmrc2018", None),
    "beerqa default": ("beerqa_em_f1", "default", "squad"),
    "beerqa official": ("beerqa_em_f1", "official", "squad"),
}
"""Row of the table -> module, config, dataset of the questions."""

GOALS = {
    "orb default": 2.5,
    "orb official, extractive": 8.0,
    "orb official, DROP group": 12.0,
    "drcd default": 2.5,
    "drcd recipe": 2.5,
    "drcd official": 6.0,
    "beerqa default": 2.5,
    "beerqa official": 8.0,
}
"""Row of the table -> how many times as fast as the plain transcription it is meant to be, at least."""


class AnswerMaker:
    """Makes answers like the benchmarks' own, and predictions that match them wholly, in part or not at all."""

    def __init__(self, kind: str) -> None:
        self.random = random.Random(20191912)
        self.kind = kind
        syllables = [onset + vowel for onset in "bdfgklmnprstvw" for vowel in "aeiou"]
        self.words = ["".join(self.random.choices(syllables, k=self.random.randint(2, 5))) for _ in range(20_000)]
        self.words += [word.capitalize() for word in self.words[:8_000]]
        self.articles = ["the", "a", "an", "The", "of", "in", "and"]
        self.characters = [chr(code) for code in range(0x4E00, 0x4E00 + 3_000)]

    def answer(self) -> str:
        draw = self.random.random()
        if self.kind == "drcd":
            text = "".join(self.random.choices(self.characters, k=self.random.choice((2, 2, 3, 3, 4, 5, 6, 8, 12))))
            return f"《{text}》" if draw < 0.05 else f"{text}{self.random.randint(1, 2000)}年" if draw < 0.15 else text
        if self.kind == "drop" and draw < 0.6:
            return str(self.random.randint(0, 2_000)) if draw < 0.5 else f"{self.random.random() * 100:.1f}"
        words = self.random.choices(self.words, k=self.random.choice((1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 8)))
        if draw > 0.7:
            words.insert(self.random.randint(0, len(words)), self.random.choice(self.articles))
        return " ".join(words) + ("." if 0.6 < draw < 0.65 else "")

    def question(self) -> tuple[Any, list[Any]]:
        answers: list[Any] = [self.answer(), self.answer()]
        draw = self.random.random()
        prediction: Any = answers[0]
        if draw > 0.8:
            prediction = self.answer()
        elif draw > 0.33:
            cut = self.random.randint(1, max(1, len(prediction) - 1))
            prediction = prediction[:cut] if self.kind == "drcd" else f"{prediction} {self.answer()}"
        if self.kind == "drop" and self.random.random() < 0.1:
            prediction, answers = [prediction, self.answer()], [[answers[0], self.answer()], answers[1]]
        return prediction, answers


def made_questions(row: str, count: int) -> Columns:
    """Questions for a row of the table, with two answers each."""
    module, config, dataset = CASES[row]
    maker = AnswerMaker("drop" if dataset == "drop" else module.split("_")[0])
    predictions, references = (list(column) for column in zip(*(maker.question() for _ in range(count)), strict=True))
    columns = {"predictions": predictions, "references": references}
    if config == "official" and dataset is not None:
        columns["datasets"] = [dataset] * count
    return columns


def plain_scorer(row: str) -> Callable[[Any, list[Any]], Any]:
    """The transcription of the protocol that the tests use as their oracle."""
    import plain_protocols

    module, config, dataset = CASES[row]
    if (module, config) == ("orb_em_f1", "official"):
        return plain_protocols.orb_drop if dataset == "drop" else plain_protocols.orb_extractive
    return plain_protocols.PLAIN[module, config]


def seconds(work: Callable[[], Any]) -> float:
    """Processor time, which waiting for a busy machine does not lengthen; all of the work runs in one thread."""
    start = time.process_time()
    work()
    return time.process_time() - start


def measured(row: str, count: int, rounds: int) -> dict[str, float]:
    """Seconds of scoring, and the ratios of the table, each the median over the rounds."""
    from importlib import import_module

    import evaluate

    module, config, _ = CASES[row]
    columns = made_questions(row, count)
    protocol = import_module(f"metrics.{module}.protocols").PROTOCOLS[config]
    metric = evaluate.load(str(METRICS / module), config)
    plain, plain_count = plain_scorer(row), max(1, count // 10)
    texts = [text for side in (columns["predictions"], *columns["references"]) for text in flat(side)]
    datasets = columns.get("datasets")

    def score() -> None:
        columns_of_figures = protocol.score(columns["predictions"], columns["references"], datasets)
        protocol.aggregate(columns_of_figures, datasets)

    def score_plainly() -> None:
        for prediction, answers in zip(columns["predictions"][:plain_count], columns["references"], strict=False):
            plain(prediction, answers)

    def split_words() -> None:
        for text in texts:
            text.lower().split()

    found: dict[str, list[float]] = {"seconds": [], "plain": [], "split": [], "compute": []}
    for _ in range(rounds):
        found["seconds"].append(seconds(score))
        found["plain"].append(seconds(score_plainly) * count / plain_count / found["seconds"][-1])
        found["split"].append(found["seconds"][-1] / seconds(split_words))
        found["compute"].append(seconds(lambda: metric.compute(**columns)) / found["seconds"][-1])
    return {name: statistics.median(values) for name, values in found.items()}


def flat(side: Any) -> list[str]:
    """The texts of a prediction or of acceptable answers, spans included."""
    return [side] if isinstance(side, str) else [text for part in side for text in flat(part)]


def memory_and_growth(row: str, count: int) -> dict[str, float]:
    """What the input takes, in MB, the peak while scoring and in ``compute()`` beside it, and the growth of time.

    Runs in a process of its own, on Linux, whose ``/proc`` knows a process's present and highest memory. The growth is
    the time per question beside that of a tenth of the questions.
    """
    from importlib import import_module

    import evaluate

    module, config, _ = CASES[row]
    protocol = import_module(f"metrics.{module}.protocols").PROTOCOLS[config]
    metric = evaluate.load(str(METRICS / module), config)

    def score(columns: Columns) -> None:
        datasets = columns.get("datasets")
        protocol.aggregate(protocol.score(columns["predictions"], columns["references"], datasets), datasets)

    metric.compute(**made_questions(row, 2_000))  # imports, tables and caches
    empty = memory("VmRSS")
    columns = made_questions(row, count)
    given = memory("VmRSS") - empty
    few = seconds(lambda: score({name: values[: count // 10] for name, values in columns.items()}))

    def peak(work: Callable[[], Any]) -> tuple[float, float]:
        Path("/proc/self/clear_refs").write_text("5")  # the highest memory so far becomes the present one
        taken = seconds(work)
        return (memory("VmHWM") - empty) / given, taken

    scoring, many = peak(lambda: score(columns))
    compute, _ = peak(lambda: metric.compute(**columns))
    return {"input": given, "scoring": scoring, "compute": compute, "growth": many / few / 10}


def memory(name: str) -> float:
    """A line of ``/proc/self/status``, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{name}:"))


@click.command()
@click.option("--questions", default=100_000, show_default=True, help="Questions for the speed table.")
@click.option("--memory-questions", default=1_000_000, show_default=True, help="Questions for memory; 0: no table.")
@click.option("--rounds", default=5, show_default=True, help="Rounds, of which the median is printed.")
@click.option("--only", default="", help="Only rows whose name holds this text.")
def main(questions: int, memory_questions: int, rounds: int, only: str) -> None:
    """Print questions per second, ratios to plain code, and memory, for each protocol."""
    from rich.console import Console
    from rich.table import Table

    console = Console(width=120)
    rows = [row for row in CASES if only in row]
    table = Table(title=f"{questions:,} questions with two answers each, median of {rounds} rounds")
    for heading in ("protocol", "questions/s", "× plain", "goal", "÷ lower().split()", "compute() ÷ scoring"):
        table.add_column(heading, justify="left" if heading == "protocol" else "right")
    for row in rows:
        found = measured(row, questions, rounds)
        goal = f"≥ {GOALS[row]:g}" if row in GOALS else ""
        speed, plain = f"{questions / found['seconds']:,.0f}", f"{found['plain']:.1f}"
        table.add_row(row, speed, plain, goal, f"{found['split']:.2f}", f"{found['compute']:.2f}")
    console.print(table)
    if memory_questions:
        table = Table(title=f"Peak memory, input included, for {memory_questions:,} questions")
        headings = ("protocol", "input, MB", "scoring ÷ input", "compute() ÷ input", "time per question ÷ at a tenth")
        for heading in headings:
            table.add_column(heading, justify="left" if heading == "protocol" else "right")
        for row in rows:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                peak = pool.apply(memory_and_growth, (row, memory_questions))
            ratios = (f"{peak[name]:.2f}" for name in ("scoring", "compute", "growth"))
            table.add_row(row, f"{peak['input']:,.0f}", *ratios)
        console.print(table)


if __name__ == "__main__":
    main()
