"""Small tables with exactly the columns that ORB's source datasets have on the Hugging Face Hub."""

from __future__ import annotations

from datasets import Dataset, Features, List, Value

TEXT, NUMBER = Value("string"), Value("int32")

SQUAD = Features(
    {
        "id": TEXT,
        "title": TEXT,
        "context": TEXT,
        "question": TEXT,
        "answers": {"text": List(TEXT), "answer_start": List(NUMBER)},
    }
)
FEATURES = {
    "squad1": SQUAD,
    "squad2": SQUAD,
    "drop": Features(
        {
            "section_id": TEXT,
            "query_id": TEXT,
            "passage": TEXT,
            "question": TEXT,
            "answers_spans": {"spans": List(TEXT), "types": List(TEXT)},
        }
    ),
    "quoref": SQUAD,
    "ropes": Features(
        {"id": TEXT, "background": TEXT, "situation": TEXT, "question": TEXT, "answers": {"text": List(TEXT)}}
    ),
    "newsqa": Features(
        {
            "context": TEXT,
            "question": TEXT,
            "answers": List(TEXT),
            "key": TEXT,
            "labels": List({"start": List(NUMBER), "end": List(NUMBER)}),
        }
    ),
    "duorc": Features(
        {
            "plot_id": TEXT,
            "title": TEXT,
            "plot": TEXT,
            "question_id": TEXT,
            "question": TEXT,
            "answers": List(TEXT),
            "no_answer": Value("bool"),
        }
    ),
    "narrativeqa": Features(
        {
            "document": {"id": TEXT, "kind": TEXT, "summary": {"text": TEXT, "title": TEXT}, "text": TEXT},
            "question": {"text": TEXT},
            "answers": List({"text": TEXT}),
        }
    ),
}


def squad_row(id_: str, context: str | None, texts: list, starts: list | None) -> dict:
    """A row in SQuAD's form."""
    answers = {"text": texts, "answer_start": starts}
    return {"id": id_, "title": "Tides", "context": context, "question": "What?", "answers": answers}


def duorc_row(id_: str, answers: list[str], no_answer: bool = False) -> dict:
    """A row of DuoRC."""
    return {
        "plot_id": "/m/1",
        "title": "The Lighthouse",
        "plot": "Ada keeps the light. Ben brings oil.",
        "question_id": id_,
        "question": "Who?",
        "answers": answers,
        "no_answer": no_answer,
    }


def narrativeqa_row(id_: str, answers: list[str]) -> dict:
    """A row of NarrativeQA."""
    summary = {"text": "Ada sails home.", "title": "Ada"}
    return {
        "document": {"id": id_, "kind": "gutenberg", "summary": summary, "text": "Chapter one. " * 100},
        "question": {"text": "What does Ada do?"},
        "answers": [{"text": answer} for answer in answers],
    }


# The rows of each dataset and config.
ROWS: dict[tuple[str, str | None], list[dict]] = {
    ("squad1", None): [squad_row("56be", "The tide turns twice a day.", ["twice", "twice a day"], [15, 15])],
    ("squad2", None): [
        squad_row("56be", "The tide turns twice a day.", ["twice"], [15]),
        squad_row("5ad0", "The tide turns twice a day.", [], []),
    ],
    ("drop", None): [
        {
            "section_id": "nfl_1",
            "query_id": "f37e",
            "passage": "Ann scored 33 points, Bo scored 3.",
            "question": "How many more?",
            "answers_spans": {"spans": ["30"], "types": ["number"]},
        },
        {
            "section_id": "nfl_1",
            "query_id": "ac6b",
            "passage": "Ann scored 33 points, Bo scored 3.",
            "question": "Who scored?",
            "answers_spans": {"spans": ["Ann", "Bo"], "types": ["span", "span"]},
        },
    ],
    ("quoref", None): [
        squad_row("q1", "Ann met Bo. She sang.", ["Ann"], [0]),
        squad_row("q2", "Ann met Bo. She sang.", ["Ann", "Bo"], [0, 9]),  # the second starts at 8
    ],
    ("ropes", None): [
        {
            "id": "310",
            "background": "Oil floats on water.",
            "situation": "Jar A holds oil, jar B water.",
            "question": "Which floats?",
            "answers": {"text": ["Jar A"]},
        }
    ],
    ("newsqa", None): [
        {
            "context": "A storm hit Oslo on Friday.",
            "question": "Where?",
            "answers": ["Oslo"],
            "key": "n1",
            "labels": [{"start": [12], "end": [15]}],
        },
        {
            "context": "A storm hit Oslo on Friday.",
            "question": "When?",
            "answers": ["Friday", "on Friday"],
            "key": "n2",
            "labels": [{"start": [20], "end": [25]}],
        },
    ],
    ("duorc", "SelfRC"): [duorc_row("d1", ["Ada", "the keeper Ada"]), duorc_row("d2", [], no_answer=True)],
    ("duorc", "ParaphraseRC"): [duorc_row("d1", ["Ben"])],
    ("narrativeqa", None): [narrativeqa_row("9f", ["She sails home", "sails home"]), narrativeqa_row("9f", ["Sails"])],
}


def table(dataset: str, config: str | None = None) -> Dataset:
    """The rows of one dataset and config, under its columns."""
    return Dataset.from_list(ROWS[dataset, config], features=FEATURES[dataset])
