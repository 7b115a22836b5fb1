"""The documents: their examples run, and the metric cards have every section that the Hub's template has."""

import doctest
import re
from pathlib import Path

import pytest
from conftest import MODULES, ROOT

CARDS = [ROOT / "metrics" / module / "README.md" for module in MODULES]
SECTIONS = (
    *("Metric description", "How to use", "Inputs", "Output values", "Values from popular papers", "Examples"),
    *("Limitations and bias", "Citation", "Further references"),
)


@pytest.mark.parametrize("document", [*CARDS, ROOT / "README.md"], ids=lambda path: path.parent.name)
def test_examples_run(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    examples = doctest.DocTestParser().get_doctest(document.read_text(encoding="utf-8"), {}, str(document), None, 0)
    assert len(examples.examples) >= 4
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(examples).failed == 0


@pytest.mark.parametrize("card", CARDS, ids=lambda path: path.parent.name)
def test_metric_cards_have_every_section_filled(card: Path) -> None:
    text = card.read_text(encoding="utf-8").split("---", 2)[2]
    filled = dict(re.findall(r"^#+ (.+)\n+((?:(?!^#).*\n?)*)", text, re.MULTILINE))
    for section in SECTIONS:
        assert section in filled
        assert filled[section].strip() or section in ("How to use",)
    for config in MODULES[card.parent.name]:
        assert f"`{config}`" in text
