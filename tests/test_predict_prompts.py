"""Prompts, examples, what BeerQA's readers read, and how outputs become answers."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from metrics.shared.gold_files import read_gold
from metrics.shared.question import ORB_DATASETS, ORB_SYNTHETIC_DATASETS, Question
from scripts.answer_cleaning import answer_line, clean_answer
from scripts.predict import main
from scripts.prompts import Prompt, draw_examples, examples_for, make_prompt
from scripts.reading_input import answer_recall, gold_paragraphs, retrieved_paragraphs

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = {
    "drcd": ROOT / "metrics/drcd_char_f1/sample/gold.json",
    "orb": ROOT / "metrics/orb_em_f1/sample/gold.jsonl",
    "beerqa": ROOT / "metrics/beerqa_em_f1/sample/gold.json",
}
INSTRUCTION = (
    "Read the passage and answer the question. Copy the shortest span of words that answers it. Write the answer "
    "alone, on one line, without quotation marks and without an explanation."
)


def question(id_: str = "q", dataset: str = "squad1", **fields: Any) -> Question:
    given: dict[str, Any] = {
        "title": "",
        "question": "What is it?",
        "context": "It is a cat.\nIt sleeps.",
        "paragraphs": [{"title": "Cat", "text": "It is a cat.\nIt sleeps."}],
        "answers": {"text": [], "answer_start": []},
        "references": ["a cat"],
    }
    return Question(id=id_, dataset=dataset, **given | fields)


def prompt_of(dataset: str, benchmark: str = "orb", **fields: Any) -> Prompt:
    one = question(dataset=dataset, **fields)
    return make_prompt(benchmark, one, one.paragraphs)


# Prompts.


def test_a_prompt_in_full() -> None:
    one, example = question(), question("e", question="Why?", references=["because"])
    prompt = make_prompt("orb", one, one.paragraphs, [(example, example.paragraphs)])
    passage = "Passage: It is a cat.\nIt sleeps.\n"
    assert prompt.text() == (
        f"{INSTRUCTION}\n\n{passage}Question: Why?\nAnswer: because\n\n{passage}Question: What is it?\nAnswer:"
    )
    assert prompt.messages() == [
        {"role": "user", "content": f"{INSTRUCTION}\n\n{passage}Question: Why?\nAnswer:"},
        {"role": "assistant", "content": "because"},
        {"role": "user", "content": f"{passage}Question: What is it?\nAnswer:"},
    ]


def test_beerqa_numbers_paragraphs_and_asks_closed_book() -> None:
    one = question(dataset="hotpotqa")
    paragraphs = [{"title": "Cat", "text": "An animal."}, {"title": "", "text": "No title."}]
    assert (
        "Passage: [1] Cat: An animal.\n[2] No title.\nQuestion: What is it?"
        in make_prompt("beerqa", one, paragraphs).text()
    )
    closed_book = make_prompt("beerqa", one, None).text()
    assert closed_book.startswith("Answer the question. Use as few words as possible.")
    assert closed_book.endswith("explanation.\n\nQuestion: What is it?\nAnswer:")


@pytest.mark.parametrize("benchmark", SAMPLES)
def test_every_question_of_the_samples_gets_a_prompt(benchmark: str) -> None:
    for one in read_gold(benchmark, SAMPLES[benchmark]):
        text = make_prompt(benchmark, one, one.paragraphs).text()
        assert one.question in text
        assert all(paragraph["text"] in text for paragraph in one.paragraphs)
        assert text.endswith("答案：" if benchmark == "drcd" else "\nAnswer:")


def test_orb_says_what_each_dataset_allows() -> None:
    prompts = {name: prompt_of(name) for name in ORB_DATASETS + ORB_SYNTHETIC_DATASETS}
    may_lack = {name for name, prompt in prompts.items() if prompt.may_lack_answer}
    assert may_lack == {"squad2", "newsqa", "duorc", "newsqa_syn", "duorc_syn"}
    assert {name for name, prompt in prompts.items() if "unanswerable" in prompt.text()} == may_lack
    may_have_spans = {name for name, prompt in prompts.items() if prompt.may_have_spans}
    assert may_have_spans == {"drop", "quoref", "drop_syn", "quoref_syn"}
    assert {name for name, prompt in prompts.items() if "separated by |" in prompt.text()} == may_have_spans


@pytest.mark.parametrize(
    ("references", "written"), [([""], "unanswerable"), ([["Emily", "Anne"]], "Emily | Anne"), (["x", "y"], "x")]
)
def test_answers_of_examples_read_as_a_model_should_write_them(references: list, written: str) -> None:
    example = question("e", references=references)
    messages = make_prompt("orb", question(), [], [(example, example.paragraphs)]).messages()
    assert messages[1] == {"role": "assistant", "content": written}


# Examples.


def test_the_draw_depends_on_nothing_but_seed_and_ids() -> None:
    training = [question(f"{name}-{i}", name) for name in ("squad1", "drop", "ropes") for i in range(40)]
    drawn = draw_examples(training, 4, seed=1)
    assert {name: len(group) for name, group in drawn.items()} == {"squad1": 4, "": 4, "drop": 4, "ropes": 4}
    assert all(one.dataset == name for name, group in drawn.items() if name for one in group)
    random.Random(2).shuffle(training)
    assert draw_examples(training, 4, seed=1) == drawn
    assert draw_examples(training, 4, seed=2) != drawn
    assert draw_examples(training, 5, seed=1)["drop"][:4] == drawn["drop"]


def test_examples_are_of_the_dataset_else_of_its_origin_else_of_all() -> None:
    drawn = draw_examples([question("a", "drop"), question("b", "squad1"), question("c", references=[])], 2, seed=1)
    assert [one.id for one in examples_for(question(dataset="drop_syn"), drawn)] == ["a"]
    assert {one.id for one in examples_for(question(dataset="ropes"), drawn)} == {"a", "b"}
    assert examples_for(question(), {}) == []


# Cleaning.


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        (" a cat", "a cat"),
        ("a cat\nQuestion: And now?\nAnswer: a dog", "a cat"),
        ("\n\n  a cat \r\n", "a cat"),
        ("Answer: a cat", "a cat"),
        ("answer:\na cat", "a cat"),
        ("The answer is: a cat", "a cat"),
        ("The final answer is a cat", "a cat"),
        ("**Answer:** a cat", "a cat"),
        ("What is it?\na cat", "a cat"),
        ("Question: What is it? Answer: a cat", "a cat"),
        ("QUESTION:  what is IT?\nANSWER: a cat", "a cat"),
        ("Passage: It is a cat.\nIt sleeps.\nQuestion: What is it?\nAnswer: a cat", "a cat"),
        ("It sleeps.", "It sleeps."),
        (f"{INSTRUCTION}\na cat", "a cat"),
        ("\n\nQuestion: Something else?\nAnswer: a dog", ""),
        ("Passage: Another one.\na dog", ""),
        ('"a cat"', "a cat"),
        ("“a cat”", "a cat"),
        ("'\"a cat\"'", "a cat"),
        ("「「貓」」", "貓"),
        ("**a cat**", "a cat"),
        ("`a cat`", "a cat"),
        ('"a cat" and "a dog"', '"a cat" and "a dog"'),
        ("「貓」和「狗」", "「貓」和「狗」"),
        ("the cats'", "the cats'"),
        ('"', '"'),
        ("《貓》", "《貓》"),
        ("a cat.", "a cat."),
        ("<think>\nIt says:\na dog?</think>\n\na cat", "a cat"),
        ("<think>\nIt says", ""),
        ("unanswerable", "unanswerable"),
        ("a | b", "a | b"),
        ("answering machine", "answering machine"),
        ("", ""),
    ],
)
def test_the_cleaning_rule(output: str, answer: str) -> None:
    assert clean_answer(output, prompt_of("squad1")) == answer


def test_answers_that_only_some_datasets_know() -> None:
    for output in ("unanswerable", "Unanswerable.", '"unanswerable"'):
        assert clean_answer(output, prompt_of("squad2")) == ""
    assert clean_answer("an unanswerable riddle", prompt_of("duorc")) == "an unanswerable riddle"
    assert clean_answer('"Emily" | Anne |', prompt_of("quoref")) == ["Emily", "Anne"]
    assert clean_answer("| Emily", prompt_of("drop_syn")) == "Emily"
    assert clean_answer(" | ", prompt_of("drop")) == ""


@pytest.mark.parametrize(
    "output", ["答案：貓", "答案是「貓」", "問題：什麼？\n答案：貓", "問題：什麼？ 貓", "貓\n問題：誰？"]
)
def test_cleaning_in_chinese(output: str) -> None:
    assert clean_answer(output, prompt_of("drcd", "drcd", question="什麼？")) == "貓"


def test_a_line_is_complete_once_nothing_can_change_it() -> None:
    prompt = prompt_of("squad1")
    output = "\nQuestion: What is it?\nAnswer: a cat\nQuestion: And now?"
    complete = [answer_line(output[:size], prompt)[1] for size in range(len(output) + 1)]
    first = complete.index(True)
    assert output[:first] == "\nQuestion: What is it?\nAnswer: a cat\n"
    assert all(complete[first:])
    assert {clean_answer(output[:size], prompt) for size in range(first, len(output) + 1)} == {"a cat"}


# What is read.


def paragraphs_file(tmp_path: Path, *records: Any) -> Path:
    path = tmp_path / "retrieved.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return path


def test_three_forms_of_paragraphs(tmp_path: Path) -> None:
    forms = ["x", ["T", "y"], {"title": "U", "text": "z", "score": 1.5}, {"text": "w"}]
    path = paragraphs_file(tmp_path, {"id": "q", "paragraphs": forms}, {"id": "other", "paragraphs": []})
    found, others = retrieved_paragraphs(path, [question()])
    assert others == 1
    assert found["q"] == [{"title": t, "text": x} for t, x in (("", "x"), ("T", "y"), ("U", "z"), ("", "w"))]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([{"id": "q"}], "line 1, id 'q': key 'paragraphs' is missing"),
        ([{"id": "q", "paragraphs": [3]}], r"line 1, id 'q': 'paragraphs\[0\]': must be an object, found 3"),
        ([{"id": "q", "paragraphs": ["x", ["T"]]}], r"'paragraphs\[1\]' must be a pair of title and text"),
        ([{"id": "q", "paragraphs": [{"title": "T"}]}], "key 'text' is missing"),
        ([{"id": "q", "paragraphs": []}, {"id": "q", "paragraphs": []}], "line 2, id 'q': this id occurs twice"),
        ([{"id": "r", "paragraphs": []}], "holds no paragraphs for 1 of 1 questions: 'q'"),
        ([["q"]], "line 1: must be an object"),
    ],
)
def test_flawed_paragraphs(tmp_path: Path, records: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        retrieved_paragraphs(paragraphs_file(tmp_path, *records), [question()])


def test_gold_paragraphs_must_be_there() -> None:
    with pytest.raises(ValueError, match="question 'r' has no gold paragraphs: read retrieved ones"):
        gold_paragraphs([question(), question("r", paragraphs=[])])


def ranked(*texts: str) -> list[dict[str, str]]:
    return [{"title": "the answer", "text": text} for text in texts]


def test_answer_recall_by_hand() -> None:
    no = "nothing"
    questions = [
        question("first", references=["The U.S. Army", "never"]),
        question("third", references=["never", "cat"]),
        question("sixth", references=["New York"]),
        question("twentieth", references=["4"]),
        question("beyond", references=["5"]),
        question("inside a word", references=["art"]),
        question("across paragraphs", references=["one two"]),
        question("title", references=["the answer"]),
        question("no tokens", references=["the"]),
        question("nothing read", references=["x"]),
        question("yes", references=["Yes", "no."]),
        question("no reference", references=[]),
    ]
    read = {
        "first": ranked("He joined the US army."),
        "third": ranked(no, "cats", "A cat!", "cat"),
        "sixth": ranked(*[no] * 5, "in new\nyork."),
        "twentieth": ranked(*[no] * 19, "4"),
        "beyond": ranked(*[no] * 20, "5"),
        "inside a word": ranked("smart", "artist"),
        "across paragraphs": ranked("one", "two"),
        "title": ranked(no),
        "no tokens": ranked("the"),
        "nothing read": [],
        "yes": ranked("yes"),
        "no reference": ranked("x"),
    }
    assert answer_recall(questions, read) == {
        "answer_recall_at_1": 0.1,
        "answer_recall_at_5": 0.2,
        "answer_recall_at_10": 0.3,
        "answer_recall_at_20": 0.4,
        "questions": 10,
        "left_out": 2,
        "paragraphs_min": 0,
        "paragraphs_max": 21,
    }
    assert answer_recall(questions[-1:], read) is None


def test_gold_paragraphs_of_the_sample_hold_its_answers() -> None:
    questions = list(read_gold("beerqa", SAMPLES["beerqa"]))
    recall = answer_recall(questions, gold_paragraphs(questions))
    assert recall is not None
    assert recall["answer_recall_at_1"] < recall["answer_recall_at_5"] == recall["answer_recall_at_20"] <= 1
    assert recall["questions"] + recall["left_out"] == len(questions)


# The command, before any model is loaded.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "expected either --model_name_or_path or --base_url"),
        (["--base_url", "http://localhost/v1"], "--base_url and --model go together"),
        (["--model_name_or_path", "m", "--paragraphs", "none"], "--paragraphs is for beerqa, found drcd"),
        (["--model_name_or_path", "m", "--benchmark", "squad"], "unknown benchmark 'squad'"),
        (["--model_name_or_path", "m", "--num_paragraphs", "0"], "--num_paragraphs: expected a number above 0"),
        (["--model_name_or_path", "m", "--temperature", "-1"], "--temperature: expected a number of at least 0"),
        (["--model_name_or_path", "m", "--fewshot_data", "x"], "--fewshot_data needs --num_fewshot"),
        (["--model_name_or_path", "m", "--data", "nowhere.json"], "nowhere.json"),
        (["--model_name_or_path", "m", "--data", str(SAMPLES["orb"])], "this is a file in ORB's format"),
    ],
)
def test_arguments_that_do_not_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert main(["--benchmark", "drcd", "--output_dir", str(tmp_path / "out"), *options]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert message in error
    assert not (tmp_path / "out").exists()
