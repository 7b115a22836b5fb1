"""The span search against a search of every span."""

from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scripts.span_labels import SpanLabel, TokenIndex, best_span, tokenise

# Few words, so that they repeat, in several spellings, between separators that make offsets hard to guess.
WORDS = st.sampled_from(["a", "A", "b", "c", "d", "İ", "Straße", "é", "١٢", "𝔘"])
SEPARATORS = st.sampled_from([" ", ", ", "_", "\n\t", "’", "😀", "—“"])
LONG_DOCUMENT = " ".join(f"filler{number % 97}" for number in range(20_000))


def texts(longest: int) -> st.SearchStrategy[str]:
    pieces = st.lists(st.tuples(SEPARATORS, WORDS), max_size=longest)
    return st.builds(lambda found, tail: "".join(map("".join, found)) + tail, pieces, SEPARATORS)


def common_subsequence(left: list[str], right: list[str]) -> int:
    """The textbook dynamic programme."""
    row = [0] * (len(right) + 1)
    for token in left:
        above = row[:]
        for column, other in enumerate(right, 1):
            row[column] = above[column - 1] + 1 if token == other else max(above[column], row[column - 1])
    return row[-1]


def best_span_by_brute_force(context: str, answers: list[str], max_tokens: int) -> SpanLabel | None:
    """Every span against every answer; ties by the words of the definition."""
    extents, tokens, begin = [], [], None
    for place, character in enumerate(context + " "):
        if character.isalnum() and begin is None:
            begin = place
        elif not character.isalnum() and begin is not None:
            extents.append((begin, place))
            tokens.append(context[begin:place].lower())
            begin = None
    found = []
    for answer in map(tokenise, answers):
        for first in range(len(tokens)):
            for last in range(first, min(first + max_tokens, len(tokens))):
                lcs = common_subsequence(tokens[first : last + 1], answer)
                if lcs:
                    precision, recall = Fraction(lcs, last + 1 - first), Fraction(lcs, len(answer))
                    rouge_l = 2 * precision * recall / (precision + recall)
                    found.append((-rouge_l, last - first, first, last))
    if not found:
        return None
    rouge_l, _, first, last = min(found)
    return SpanLabel(extents[first][0], extents[last][1], float(-rouge_l))


@settings(max_examples=300, deadline=None)
@given(texts(18), st.lists(texts(7), max_size=3), st.integers(1, 20))
@example("a b c d", ["d c b a"], 4)
@example("b a a b a", ["a b", "b a"], 2)
@example("c a d b d", ["a b c"], 5)
def test_the_span_is_the_one_that_brute_force_finds(context: str, answers: list[str], max_tokens: int) -> None:
    assert best_span(context, answers, max_tokens) == best_span_by_brute_force(context, answers, max_tokens)


@settings(max_examples=60, deadline=None)
@given(texts(40), texts(20), st.integers(1, 45))
def test_long_answers_and_spans(context: str, answer: str, max_tokens: int) -> None:
    assert best_span(context, [answer], max_tokens) == best_span_by_brute_force(context, [answer], max_tokens)


@pytest.mark.parametrize(
    ("context", "answers", "max_tokens", "span", "rouge_l"),
    [
        ("He flew to New York City.", ["new york"], 30, "New York", 1.0),
        ("Marcus's brother", ["the brother of Marcus"], 30, "Marcus", 2 / 5),
        ("red car, red car", ["red car"], 30, "red car", 1.0),
        ("one x two", ["one two"], 30, "one x two", 4 / 5),
        ("one x two", ["one two"], 2, "one", 2 / 3),
        ("one two three", ["three two"], 30, "two", 2 / 3),
        ("He said: “No.”", ["no!"], 30, "No", 1.0),
        ("one two", ["two one two zero", "one"], 30, "one", 1.0),
    ],
)
def test_cases_by_hand(context: str, answers: list[str], max_tokens: int, span: str, rouge_l: float) -> None:
    found = best_span(context, answers, max_tokens)
    assert found is not None
    assert context[found.start : found.end] == span
    assert found.start == context.index(span)
    assert found.rouge_l == pytest.approx(rouge_l, abs=1e-12)


@pytest.mark.parametrize(
    ("context", "answers"),
    [("", ["a"]), ("a", []), ("a", [""]), ("a b", ["c"]), ("?!", ["?!"]), ("a", ["_"])],
)
def test_nothing_shared_gives_no_span(context: str, answers: list[str]) -> None:
    assert best_span(context, answers, 30) is None


def test_of_equals_the_shorter_then_the_earlier() -> None:
    # "a x x b c x x d" shares 4 of 8 tokens, 8/12; both "b c" share 2 of 2, 4/6.
    context = "a x x b c x x d. And b c!"
    assert best_span(context, ["a b c d"], 30) == SpanLabel(6, 9, 2 / 3)
    # Over several answers too: "x x" matches one answer as well as "b c" matches the other.
    assert best_span(context, ["a b c d", "x x y z"], 30) == SpanLabel(2, 5, 2 / 3)


def test_a_whole_document_is_searched() -> None:
    context = f"{LONG_DOCUMENT} The old grey wolf ran home. {LONG_DOCUMENT}"
    found = best_span(context, ["An old wolf ran home", "filler5 filler4 filler3"], 30)
    assert found is not None
    assert context[found.start : found.end] == "old grey wolf ran home"
    assert found.rouge_l == pytest.approx(8 / 10)


def test_a_span_needs_room_for_a_token() -> None:
    with pytest.raises(ValueError, match="max_tokens: expected at least 1, found 0"):
        best_span("a", ["a"], 0)


def test_tokens_are_lowercased_one_by_one_so_that_offsets_hold() -> None:
    assert tokenise("It’s Ünder_scored, 3.5 — İX") == ["it", "s", "ünder", "scored", "3", "5", "i̇x"]
    assert TokenIndex("İİ x").extents == [(0, 2), (3, 4)]
