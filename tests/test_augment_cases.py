"""Hand-made cases of every kind of variants: the exact questions and answers, and questions to be left alone."""

import json
from pathlib import Path

import pytest

from scripts.augmentations import KINDS
from scripts.augmentations.passage import Passage
from scripts.augmentations.sear import RULES

DATA = Path(__file__).parent / "data" / "augment"


def cases() -> list:
    found = []
    for kind in KINDS:
        content = json.loads((DATA / f"cases_{kind}.json").read_text(encoding="utf-8"))
        for case in content["cases"]:
            context = content["contexts"][case["context"]]
            found.append(pytest.param(kind, context, case, id=f"{kind}: {case['because']}"))
    return found


@pytest.mark.parametrize(("kind", "context", "case"), cases())
def test_gives_exactly_the_expected_variants(kind: str, context: str, case: dict) -> None:
    made = list(KINDS[kind].variants(case["question"], case["answers"], Passage(context)))
    if KINDS[kind].answer == "same":
        assert all(variant.references == case["answers"] for variant in made)
    if kind == "sear":
        assert sorted((v.question, v.rule) for v in made) == sorted(map(tuple, case["expected"]))
    elif KINDS[kind].answer == "same":
        assert [v.question for v in made] == [question for question, _ in case["expected"]]
    else:
        assert sorted((v.question, *v.references) for v in made) == sorted(map(tuple, case["expected"]))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_has_enough_cases(kind: str) -> None:
    found = json.loads((DATA / f"cases_{kind}.json").read_text(encoding="utf-8"))["cases"]
    assert len(found) >= 25
    assert any(not case["expected"] for case in found)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_each_rewording_does_what_its_example_says(rule) -> None:
    answers = ["1901"] if rule.name == "when_year" else ["an answer"]
    assert rule.apply(rule.example, answers, Passage("A passage.")) == rule.reworded


def test_the_guide_lists_every_kind_and_every_rewording() -> None:
    guide = (Path(__file__).parents[1] / "scripts" / "augmentations" / "README.md").read_text(encoding="utf-8")
    assert all(f"| `{kind}` |" in guide for kind in KINDS)
    assert all(f"| `{rule.name}` | {rule.example} | {rule.reworded} |" in guide for rule in RULES)
