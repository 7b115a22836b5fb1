"""Names and verbs by rules, and what a spaCy pipeline adds and takes away. And the judged variants."""

import csv
import importlib.util
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from metrics.shared.gold_files import read_gold
from scripts.augmentations import KINDS
from scripts.augmentations import grammar as grammars
from scripts.augmentations.english import is_plural, key, sentences
from scripts.augmentations.names import names_by_rules
from scripts.augmentations.passage import Passage
from scripts.augmentations.verbs import PARTICIPLE, PAST, lemma, third_person

DATA = Path(__file__).parent / "data" / "augment"


def test_names_are_typed_only_where_a_clue_or_a_list_says_so() -> None:
    text = (
        "The surgeon, Dr. Josiah Pell, left Lisbon for Karsia. Zerbina waited in Tamsk. The Hawks met Orm. "
        "Arden College is near the River Ash. Queen Astrid of Holmar wept. The novel Hamlet lay there on Monday."
    )
    found = {name: known.type for name, known in names_by_rules(text).items()}
    assert found == {
        "Josiah Pell": "person",
        "Lisbon": "city",
        "Tamsk": "city",
        "Hawks": "group",
        "Arden College": "group",
        "River Ash": "river",
        "Astrid of Holmar": "person",
    }
    assert names_by_rules(text)["Josiah Pell"].roles == {"surgeon"}
    assert names_by_rules(text)["Josiah Pell"].title == "Dr."


def test_contradicting_clues_leave_a_name_without_type() -> None:
    assert "Paris" not in names_by_rules("The sculptor Paris lives in Rome.")


def test_sentences_do_not_end_at_titles_and_initials() -> None:
    text = "Dr. J. M. Pell saw St. Ives. He wept! It was 3.5 km away."
    assert sentences(text) == ["Dr. J. M. Pell saw St. Ives.", "He wept!", "It was 3.5 km away."]


@pytest.mark.parametrize(
    ("base", "past", "participle", "third"),
    [
        ("write", "wrote", "written", "writes"),
        ("found", "founded", "founded", "founds"),
        ("find", "found", "found", "finds"),
        ("plan", "planned", "planned", "plans"),
        ("marry", "married", "married", "marries"),
        ("teach", "taught", "taught", "teaches"),
        ("play", "played", "played", "plays"),
    ],
)
def test_verb_forms(base: str, past: str, participle: str, third: str) -> None:
    assert (PAST[base], PARTICIPLE[base], third_person(base)) == (past, participle, third)
    if base != "found":  # as a form, "found" is of find
        assert {lemma(form) for form in (base, past, participle, third)} == {base}


def test_related_words_share_a_key() -> None:
    assert key("marries") == key("marriage") == key("Married")
    assert key("wrote") == key("writer")
    assert key("direct") == key("director's")
    assert [is_plural(noun) for noun in ("yards", "people", "gas", "glass", "water")] == [
        True,
        True,
        False,
        False,
        False,
    ]


def _stub(entities: dict[str, str], verbs: set[str]):
    def pipeline(text: str):
        ents = [SimpleNamespace(text=name, label_=label) for name, label in entities.items() if name in text]
        tokens = [SimpleNamespace(idx=text.find(verb), pos_="VERB") for verb in verbs if verb in text]

        class Document(list):
            pass

        document = Document(tokens)
        document.ents = ents  # type: ignore[attr-defined]
        return document

    pipeline.meta = {"version": "0"}  # type: ignore[attr-defined]
    return pipeline


def test_spacy_adds_people_and_takes_away_what_it_contradicts(monkeypatch: pytest.MonkeyPatch) -> None:
    entities = {"Zora Quill": "PERSON", "Dalton": "PERSON", "Josiah Pell": "ORG", "Tamsk": "GPE"}
    monkeypatch.setattr(grammars, "_pipeline", lambda: _stub(entities, {"found"}))
    spacy = grammars.grammar("spacy")
    assert spacy.name == "spacy (en_core_web_sm 0)"
    found = spacy.names("Zora Quill saw Dr. Josiah Pell in Tamsk. Dalton slept.")
    assert {name: known.type for name, known in found.items()} == {"Zora Quill": "person", "Tamsk": "city"}
    passage = Passage("Eva Stone found a coin. Eva Stone lost a ring.", spacy)
    made = [v.question for v in KINDS["implication"].variants("Who found a coin?", ["Eva Stone"], passage)]
    assert made == ["What did Eva Stone find?"]
    assert not list(KINDS["implication"].variants("Who lost a ring?", ["Eva Stone"], passage))


def test_auto_falls_back_to_rules_and_spacy_must_be_there_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise OSError("no model")

    monkeypatch.setattr(grammars, "_pipeline", missing)
    assert grammars.grammar("auto").name == "rules"
    with pytest.raises(ValueError, match="not installed"):
        grammars.grammar("spacy")


@pytest.mark.skipif(importlib.util.find_spec("en_core_web_sm") is None, reason="needs spaCy's English model")
def test_the_real_pipeline_finds_a_person_whom_no_list_has() -> None:
    assert "Zora Hartwell" in grammars.grammar("spacy").names("Yesterday Zora Hartwell met Bill Gates in London.")


def test_judged_variants_are_still_made_and_nine_in_ten_are_right() -> None:
    questions = {question.id: question for question in read_gold("orb", DATA / "questions.jsonl")}
    passages: dict[str, Passage] = {}
    verdicts: Counter[tuple[str, str]] = Counter()
    with (DATA / "judged.tsv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            question = questions[row["original_qid"]]
            passage = passages.setdefault(question.context, Passage(question.context))
            made = KINDS[row["kind"]].variants(question.question, question.references, passage)
            assert (row["question"], row["answer"]) in [(v.question, v.references[0]) for v in made], row
            assert bool(row["reason"]) == (row["verdict"] == "wrong"), row
            verdicts[row["kind"], row["verdict"]] += 1
    for kind in KINDS:
        assert verdicts[kind, "right"] + verdicts[kind, "wrong"] == 100
        assert verdicts[kind, "right"] >= 90
