"""ORB's eight source datasets, in the columns that they have on the Hub, brought to questions."""

from __future__ import annotations

import pytest
from datasets import Dataset, List, Value

from metrics.shared.question import ORB_DATASETS, Question, ReadingReport
from scripts import hub_sources
from scripts.hub_sources import HUB_SOURCES, HubTable, check_columns, hub_questions, load_tables
from tests.hub_tables import FEATURES, ROWS, duorc_row, squad_row, table


def questions_of(dataset: str, config: str | None = None) -> tuple[list[Question], ReadingReport]:
    report = ReadingReport()
    return list(hub_questions([HubTable(dataset, config, table(dataset, config))], report)), report


def test_the_eight_datasets_are_the_benchmark_s():
    assert tuple(sorted(HUB_SOURCES)) == tuple(sorted(ORB_DATASETS))


def test_squad1():
    (question,), report = questions_of("squad1")
    assert question == Question(
        id="56be",
        dataset="squad1",
        title="Tides",
        question="What?",
        context="The tide turns twice a day.",
        paragraphs=[{"title": "Tides", "text": "The tide turns twice a day."}],
        answers={"text": ["twice", "twice a day"], "answer_start": [15, 15]},
        references=["twice", "twice a day"],
    )
    assert report == ReadingReport(questions=1, datasets={"squad1": 1})


def test_squad2_without_texts_is_unanswerable():
    (answerable, unanswerable), _ = questions_of("squad2")
    assert (answerable.references, answerable.answers) == (["twice"], {"text": ["twice"], "answer_start": [15]})
    assert (unanswerable.references, unanswerable.answers) == ([""], {"text": [], "answer_start": []})


def test_drop_spans_are_one_answer():
    (number, spans), report = questions_of("drop")
    assert (number.id, number.references) == ("f37e", ["30"])
    assert number.answers == {"text": ["30"], "answer_start": [-1]}
    assert number.context == "Ann scored 33 points, Bo scored 3."
    assert (spans.references, spans.answers["answer_start"]) == ([["Ann", "Bo"]], [0, 22])
    assert report.not_in_context == 1


def test_quoref_texts_are_one_answer_and_their_starts_are_repaired():
    (one, several), report = questions_of("quoref")
    assert one.references == ["Ann"]
    assert (several.references, several.answers["answer_start"]) == ([["Ann", "Bo"]], [0, 8])
    assert (report.repaired_starts, report.lost_starts) == (1, 0)


def test_ropes_joins_background_and_situation():
    (question,), _ = questions_of("ropes")
    assert question.context == "Oil floats on water. [SEP] Jar A holds oil, jar B water."
    assert (question.references, question.answers["answer_start"]) == (["Jar A"], [27])


def test_newsqa_takes_the_starts_of_its_labels():
    (labelled, half_labelled), report = questions_of("newsqa")
    assert (labelled.id, labelled.references, labelled.answers["answer_start"]) == ("n1", ["Oslo"], [12])
    assert (half_labelled.references, half_labelled.answers["answer_start"]) == (["Friday", "on Friday"], [20, 17])
    assert (report.repaired_starts, report.lost_starts) == (0, 0)


def test_duorc_without_answer_has_an_empty_gold_answer():
    (free_form, unanswered), report = questions_of("duorc", "SelfRC")
    assert (free_form.references, free_form.answers["answer_start"]) == (["Ada", "the keeper Ada"], [0, -1])
    assert (free_form.title, free_form.context) == ("The Lighthouse", "Ada keeps the light. Ben brings oil.")
    assert (unanswered.references, unanswered.answers["text"]) == ([""], [])
    assert report.not_in_context == 1


def test_narrativeqa_reads_the_summary_and_makes_ids():
    questions, _ = questions_of("narrativeqa")
    assert [question.id for question in questions] == ["9f-0", "9f-1"]
    assert (questions[0].context, questions[0].title) == ("Ada sails home.", "Ada")
    assert questions[0].question == "What does Ada do?"
    assert questions[0].references == ["She sails home", "sails home"]
    assert questions[0].answers["answer_start"] == [-1, 4]


def every_table() -> list[HubTable]:
    return [HubTable(dataset, config, table(dataset, config)) for dataset, config in ROWS]


def test_ids_that_datasets_share_are_told_apart_and_counted():
    report = ReadingReport()
    questions = list(hub_questions(every_table(), report))
    ids = {(question.dataset, question.id) for question in questions}
    assert {("squad1", "56be"), ("squad2", "squad2:56be"), ("squad2", "5ad0")} <= ids
    assert {("duorc", "d1"), ("duorc", "ParaphraseRC:d1")} <= ids
    assert len({question.id for question in questions}) == len(questions) == report.questions == 15
    assert report.renamed_ids == 2
    assert report.datasets["duorc"] == 3


def test_ids_must_be_unique_within_a_table():
    rows = Dataset.from_list([duorc_row("d1", ["Ada"])] * 2, features=FEATURES["duorc"])
    with pytest.raises(ValueError, match="question 'd1': this id occurs twice"):
        list(hub_questions([HubTable("duorc", "SelfRC", rows)], ReadingReport()))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (squad_row("a", "Ann.", ["Ann"], []), r"squad1, row 0: 1 answers, but 0 starts"),
        (squad_row("a", None, ["Ann"], [0]), r"squad1, row 0: column 'context' holds null"),
        (squad_row("a", "Ann.", [None], [0]), r"squad1, row 0: column 'answers.text\[\]' holds null"),
        (squad_row("a", "Ann.", ["Ann"], None), r"squad1, row 0: column 'answers.answer_start\[\]' holds null"),
        (squad_row("a", "Ann.", [], []) | {"answers": None}, r"squad1, row 0: column 'answers.text\[\]' holds null"),
        (squad_row("", "Ann.", ["Ann"], [0]), r"squad1, row 0: 'id' must not be empty"),
        (squad_row("a", "Ann.", [], []), r"question 'a': key 'answers' is missing or empty"),
    ],
)
def test_bad_rows(row, message):
    rows = Dataset.from_list([row], features=FEATURES["squad1"])
    with pytest.raises(ValueError, match=message):
        list(hub_questions([HubTable("squad1", None, rows)], ReadingReport()))


READ_COLUMNS = [(name, column) for name, source in HUB_SOURCES.items() for column in source.columns]


@pytest.mark.parametrize("name", sorted(HUB_SOURCES))
def test_listed_columns_are_enough(name):
    check_columns(name, FEATURES[name])


@pytest.mark.parametrize(("name", "column"), READ_COLUMNS)
def test_missing_column_names_dataset_column_and_what_was_found(name, column):
    first = column.split(".")[0].removesuffix("[]")
    features = {key: feature for key, feature in FEATURES[name].items() if key != first}
    with pytest.raises(ValueError) as error:
        check_columns(name, features)
    assert str(error.value).startswith(f"{name} ({HUB_SOURCES[name].hub_id}): column '{first}")
    assert str(error.value).endswith(", ".join(f"{key}: {feature}" for key, feature in features.items()))


@pytest.mark.parametrize(
    ("name", "changed", "column"),
    [
        ("squad1", {"answers": List({"text": Value("string"), "answer_start": Value("int32")})}, "answers.text[]"),
        ("squad1", {"answers": {"text": Value("string"), "answer_start": List(Value("int32"))}}, "answers.text[]"),
        ("newsqa", {"labels": {"start": List(Value("int32"))}}, "labels[].start[]"),
        ("narrativeqa", {"answers": List(Value("string"))}, "answers[].text"),
    ],
)
def test_columns_nested_in_another_way(name, changed, column):
    with pytest.raises(ValueError) as error:
        check_columns(name, {**FEATURES[name], **changed})
    assert f"column {column!r} is missing; found " in str(error.value)


def test_tables_are_loaded_by_hub_name_and_config(monkeypatch):
    asked = []

    def load_dataset(hub_id, config=None, **options):
        asked.append((hub_id, config, options["split"]))
        (name,) = (name for name, source in HUB_SOURCES.items() if source.hub_id == hub_id)
        return table(name, config)

    monkeypatch.setattr(hub_sources, "load_dataset", load_dataset)
    tables = load_tables(["squad2", "duorc"], "validation", "cache")
    assert asked == [
        ("rajpurkar/squad_v2", None, "validation"),
        ("ibm-research/duorc", "SelfRC", "validation"),
        ("ibm-research/duorc", "ParaphraseRC", "validation"),
    ]
    assert [(one.dataset, one.config, len(one.rows)) for one in tables] == [
        ("squad2", None, 2),
        ("duorc", "SelfRC", 2),
        ("duorc", "ParaphraseRC", 1),
    ]


def test_dataset_published_as_a_script_is_read_from_its_parquet_export(monkeypatch):
    def load_dataset(hub_id, config=None, revision=None, **options):
        if revision is None:
            raise RuntimeError("Dataset scripts are no longer supported, but found quoref.py")
        assert revision == "refs/convert/parquet"
        return table("quoref")

    monkeypatch.setattr(hub_sources, "load_dataset", load_dataset)
    (loaded,) = load_tables(["quoref"], "validation", "cache")
    assert len(loaded.rows) == 2


def test_dataset_that_the_hub_lacks_is_named(monkeypatch):
    def load_dataset(*_, **__):
        raise FileNotFoundError("it is not there")

    monkeypatch.setattr(hub_sources, "load_dataset", load_dataset)
    message = r"^duorc: cannot load ibm-research/duorc \(SelfRC\) from the Hugging Face Hub: it is not there$"
    with pytest.raises(ConnectionError, match=message):
        load_tables(["duorc"], "train", "cache")


def test_split_that_the_hub_lacks_is_named(monkeypatch):
    def load_dataset(*_, **__):
        raise ValueError('Unknown split "validation".')

    monkeypatch.setattr(hub_sources, "load_dataset", load_dataset)
    with pytest.raises(ValueError, match=r'^ropes: allenai/ropes: Unknown split "validation".$'):
        load_tables(["ropes"], "validation", "cache")
