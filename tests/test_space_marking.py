"""The demo's marks lead to the same figures as the protocols, and show the texts as they are."""

import math
from dataclasses import astuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metrics.beerqa_em_f1.space_content import SPACE as BEERQA
from metrics.drcd_char_f1.space_content import SPACE as DRCD
from metrics.orb_em_f1.space_content import SPACE as ORB
from metrics.shared.space_marking import Marking, as_bags, as_runs, as_sets, segments
from metrics.shared.space_tracing import TracedText, Unit

WORDS = ("a", "the", "The", "an", "cat", "Cat,", "12", "12.0", "1,000", "5-", "yes", "No", "noanswer", "isn't", "can't")
MARKS = (
    " ",
    "  ",
    "\t",
    "\n",
    "-",
    "《",
    "》",
    "「",
    "，",
    "。",
    "…",
    '"',
    "''",
    ".",
    "|",
    "$",
    "İ",
    "Σ",
    "ﬁ",
    "\u200b",
)
CHINESE = ("臺", "北", "市", "臺北市", "１９", "a臺", "Ⅻ", "é", "e\u0301")
texts = st.one_of(
    st.lists(st.sampled_from(WORDS + MARKS + CHINESE), max_size=12).map("".join),
    st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join),
    st.text(max_size=12),
)
spans = st.one_of(texts, st.lists(texts, min_size=1, max_size=4))
quickly = settings(deadline=None, max_examples=60)


def checked(content, name: str, prediction, answer, dataset: str | None = None) -> Marking:
    """The marking of a pair, after comparing it with what the protocol says and with the texts."""
    protocol = content.protocols[name]
    columns = protocol.score([prediction], [[answer]], dataset and [dataset])
    marking = content.markers[name](prediction, answer, dataset)
    figure = "em" if "em" in columns else "exact_match"
    if marking.f1 is not None:
        assert marking.exact == columns[figure][0]
        assert marking.f1 == pytest.approx(columns["f1"][0], abs=1e-9, nan_ok=True)
    for side, marked in ((prediction, marking.prediction), (answer, marking.answer)):
        originals = [side] if isinstance(side, str) else [" ".join(side)] if len(marked) == 1 else side
        assert ["".join(segment.text for segment in span) for span in marked] == originals
    return marking


def tuples(segments) -> list[tuple[str, str, str]]:
    """Segments as (text, kind, form): each metric folder has a class of its own."""
    return [astuple(segment) for segment in segments]


@pytest.mark.parametrize("name", DRCD.protocols)
@quickly
@given(texts, texts)
@example("", "")
@example("→the→", "→ →")
@example("the World’s a", "World’s")
def test_drcd_marks_lead_to_the_score(name, prediction, answer):
    checked(DRCD, name, prediction, answer)


@pytest.mark.parametrize("name", BEERQA.protocols)
@quickly
@given(texts, texts)
@example("the", "a")
@example("yes", "Yes, it does")
@example("", "")
def test_beerqa_marks_lead_to_the_score(name, prediction, answer):
    checked(BEERQA, name, prediction, answer)


@pytest.mark.parametrize("dataset", ["squad1", "ropes_syn"])
@pytest.mark.parametrize("name", ORB.protocols)
@quickly
@given(texts, texts)
def test_orb_marks_lead_to_the_score(name, dataset, prediction, answer):
    checked(ORB, name, prediction, answer, dataset)


@pytest.mark.parametrize("name", ORB.protocols)
@quickly
@given(spans, spans)
@example(["a", "the"], ["", "an"])
@example("12\tcats", "12")
@example("1_000", "1000")
def test_orb_marks_of_spans_lead_to_the_score(name, prediction, answer):
    checked(ORB, name, prediction, answer, "drop")


@quickly
@given(texts, texts)
def test_free_form_marks_count_as_bleu_1_does(prediction, answer):
    marking = ORB.markers["official"](prediction, answer, "narrativeqa")
    assert marking.f1 is None
    assert "".join(segment.text for segment in marking.prediction[0]) == prediction


def test_what_is_removed_is_shown_as_removed():
    marking = checked(BEERQA, "official", "The St. Mary's", "Mary's")
    assert tuples(marking.prediction[0]) == [
        ("The", "removed", ""),
        (" ", "space", ""),
        ("St", "differ", "st"),
        (".", "removed", ""),
        (" ", "space", ""),
        ("Mary", "match", "marys"),
        ("'", "removed", ""),
        ("s", "match", "marys"),
    ]


def test_numbers_are_shown_as_what_they_count_as():
    marking = checked(ORB, "official", "4 yards", "4.0", "drop")
    assert tuples(marking.prediction[0])[0] == ("4", "match", "4.0")
    assert "numbers" in checked(ORB, "official", "5 yards", "4 yards", "drop").reason


def test_repeated_characters_count_once_in_a_set_and_twice_in_a_bag():
    one_bag = checked(DRCD, "default", "圓圓", "圓")
    one_set = checked(DRCD, "recipe", "圓圓", "圓")
    assert tuples(one_bag.prediction[0]) == [("圓", "match", "圓"), ("圓", "differ", "圓")]
    assert tuples(one_set.prediction[0]) == [("圓", "match", "圓"), ("圓", "repeat", "圓")]


def test_a_pair_without_tokens_is_not_counted_by_beerqas_card():
    marking = checked(BEERQA, "default", " ", "yes")
    assert marking.f1 is not None and math.isnan(marking.f1)


def test_ways_to_match():
    one, other = TracedText.of("abab").characters(), TracedText.of("bax").characters()
    assert as_bags(one, other).prediction == ["match", "match", "differ", "differ"]
    assert as_sets(one, other).prediction == ["match", "match", "repeat", "repeat"]
    assert as_runs(one, other).prediction == ["differ", "match", "match", "differ"]
    assert (as_runs(one, other).same, as_bags(one, other).f1) == (2, pytest.approx(4 / 7))


def test_segments_keep_every_character():
    units = [Unit("x", (1,)), Unit("yz", (3, 4))]
    assert tuples(segments(" x-yz", units, ["match", "differ"])) == [
        (" ", "space", ""),
        ("x", "match", "x"),
        ("-", "removed", ""),
        ("yz", "differ", "yz"),
    ]
