"""What holds for every variant, over all the questions at hand, and over any text at all."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.shared.gold_files import ORB_DATASETS, Question, read_gold
from metrics.shared.squad_normalization import squad_normalised
from scripts.augmentations import KINDS
from scripts.augmentations.grammar import RuleGrammar
from scripts.augmentations.passage import Passage
from scripts.augmentations.variants import Yield, as_row, by_passage, candidates, chosen

ROOT = Path(__file__).resolve().parents[1]
QUESTIONS = Path(__file__).parent / "data" / "augment" / "questions.jsonl"
SOURCES = [
    ("orb", QUESTIONS),
    ("orb", ROOT / "metrics" / "orb_em_f1" / "sample" / "gold.jsonl"),
    ("beerqa", ROOT / "metrics" / "beerqa_em_f1" / "sample" / "gold.json"),
    ("drcd", ROOT / "metrics" / "drcd_char_f1" / "sample" / "gold.json"),
    ("orb", ROOT.parent / "shared" / "data" / "orb_sample_input.jsonl"),
]


def _read(benchmark: str, path: Path) -> list[Question]:
    if not path.exists() and path.parent.parent.name == "shared":
        pytest.skip("needs ../shared")
    return list(read_gold(benchmark, path))


def _made(questions: list[Question]) -> Iterator[tuple[Question, str, Any, Passage]]:
    for group in by_passage(questions):
        passage = Passage(group[0].context)
        for question in group:
            for name, kind in KINDS.items():
                for variant in kind.variants(question.question, question.references, passage):
                    yield question, name, variant, passage


every_source = pytest.mark.parametrize(("benchmark", "path"), SOURCES, ids=lambda value: getattr(value, "name", value))


def test_there_are_at_least_300_questions_in_the_styles_of_all_eight_datasets() -> None:
    questions = _read("orb", QUESTIONS)
    assert len(questions) >= 300
    assert {question.dataset for question in questions} == set(ORB_DATASETS)
    assert len({(question.context, question.question) for question in questions}) == len(questions)


def test_the_answers_of_the_written_questions_stand_in_their_passages() -> None:
    for question in _read("orb", QUESTIONS):
        (first, *_) = question.references
        free = question.dataset == "narrativeqa" or first == "" or first[0].isdigit()
        text = f"{question.context}\n{question.question}".lower()
        assert free or any(reference.lower() in text for reference in question.references), question.id


@every_source
def test_every_candidate_keeps_what_its_kind_promises(benchmark: str, path: Path) -> None:
    for question, kind, variant, passage in _made(_read(benchmark, path)):
        promise, where = KINDS[kind].answer, (kind, question.question, variant)
        assert variant.question != question.question, where
        assert variant.question.strip() == variant.question and "  " not in variant.question.replace(
            question.question, ""
        )
        if promise == "same":
            assert variant.references == question.references, where
        elif promise == "none":
            assert variant.references == [""], where
            changed = set(variant.question.split()) - set(question.question.split())
            assert all(word.strip("?'s.") in passage.text for word in changed), where
        elif promise == "span of the question":
            (answer,) = variant.references
            assert answer in question.question, where
            assert squad_normalised(answer) in squad_normalised(passage.text), where
            assert squad_normalised(answer) not in map(squad_normalised, question.references), where
        else:
            (answer,) = variant.references
            assert promise == "other choice"
            assert answer.lower() in f"{question.question}\n{passage.text}".lower(), where
            assert squad_normalised(answer) not in map(squad_normalised, question.references), where


@pytest.mark.parametrize("most", [1, 5])
@every_source
def test_chosen_variants_repeat_nothing_and_are_numbered(benchmark: str, path: Path, most: int) -> None:
    groups = by_passage(_read(benchmark, path))
    rows = [candidates(as_row(group), sorted(KINDS), 7, RuleGrammar()) for group in groups]
    in_data = {squad_normalised(question.question) for group in groups for question in group}
    taken = {question.id for group in groups for question in group}
    ids: list[str] = []
    for group, pairs in zip(groups, chosen(groups, rows, most, Yield()), strict=True):
        asked = [
            " ".join(text.casefold().split()) for text in [q.question for q in group] + [p["question"] for p in pairs]
        ]
        originals = {question.id: question for question in group}
        assert len(asked) == len(set(asked))
        for pair in pairs:
            original = originals[pair["original_qid"]]
            stem = f"{original.id}-{pair['kind']}-"
            number = int(pair["qid"].removeprefix(stem))
            assert 1 <= number <= most + sum(id_.startswith(stem) for id_ in taken)
            assert pair["dataset"] == f"{original.dataset}_syn"
            if pair["kind"] == "no_answer":
                assert squad_normalised(pair["question"]) not in in_data
                assert pair["answers"] == [[""]]
        ids += [pair["qid"] for pair in pairs]
    assert len(ids) == len(set(ids)) and taken.isdisjoint(ids)


def test_the_seed_decides_and_the_neighbours_do_not() -> None:
    groups = by_passage(_read("orb", QUESTIONS))

    def of(some: list, seed: int) -> dict[str, str]:
        rows = [candidates(as_row(group), sorted(KINDS), seed, RuleGrammar()) for group in some]
        return {pair["qid"]: pair["question"] for pairs in chosen(some, rows, 1, Yield()) for pair in pairs}

    assert of(groups, 1) == of(groups[::-1], 1)
    assert of(groups, 1) != of(groups, 2)
    alone = of(groups[:1], 1)
    assert alone.items() <= of(groups, 1).items()


def test_a_name_that_makes_a_question_of_the_data_is_not_taken() -> None:
    text = "Anna Brook discovered a comet. The sky was dark. It rained. Carl Munro sings. A dog barks. Eva Stone rows."
    other = "Carl Munro discovered a rock. It was heavy."

    def question(id_: str, text: str, context: str, answer: str) -> Question:
        return Question(id_, "squad1", "", text, context, [], {}, [answer])

    def asked(*questions: Question) -> set[str]:
        groups = by_passage(questions)
        rows = [candidates(as_row(group), ["no_answer"], 0, RuleGrammar()) for group in groups]
        return {pair["question"] for pairs in chosen(groups, rows, 9, Yield()) for pair in pairs}

    first = question("1", "What did Anna Brook discover?", text, "a comet")
    assert asked(first) == {"What did Carl Munro discover?", "What did Eva Stone discover?"}
    assert asked(first, question("2", "What did Carl Munro discover?", other, "a rock")) == {
        "What did Eva Stone discover?"
    }


def test_questions_of_datasets_without_a_counterpart_are_counted_and_left_out() -> None:
    groups = by_passage(_read("orb", QUESTIONS))
    rows = [candidates(as_row(group), ["sear"], 0, RuleGrammar()) for group in groups]
    report = Yield()
    made = [pair for pairs in chosen(groups, rows, 1, report) for pair in pairs]
    datasets = [question.dataset for group in groups for question in group]
    assert report.left_out == {name: datasets.count(name) for name in ("squad2", "narrativeqa")}
    assert report.questions.total() + report.left_out.total() == len(datasets)
    assert report.variants.total() == len(made)
    assert {pair["dataset"] for pair in made} <= {
        f"{name}_syn" for name in ("drop", "squad1", "quoref", "newsqa", "ropes", "duorc")
    }


_WORDS = sorted(
    {word for line in QUESTIONS.open(encoding="utf-8") for word in json.loads(line)["context"].split()[:40]}
)
_PHRASES = st.lists(
    st.sampled_from(
        [*_WORDS, "Who", "What", "Which", "When", "did", "was", "or", ",", "the", "more", "first", "of", "?"]
    ),
    max_size=14,
).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(
    question=st.one_of(_PHRASES, _PHRASES.map(lambda text: text + "?"), st.text(max_size=40)),
    references=st.lists(
        st.one_of(_PHRASES, st.text(max_size=10), st.lists(st.text(max_size=5), min_size=1)), min_size=1, max_size=3
    ),
    context=st.one_of(_PHRASES, st.text(max_size=80)),
)
def test_any_text_is_taken(question: str, references: list, context: str) -> None:
    for kind in KINDS.values():
        for variant in kind.variants(question, references, Passage(context)):
            assert variant.question != question
            assert variant.references
