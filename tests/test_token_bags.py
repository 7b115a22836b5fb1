"""Tokens of many texts in arrays: their numbers, and what two texts share."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metrics.shared import question_batches, token_arrays
from metrics.shared.protocol import Side
from metrics.shared.token_arrays import PAD, TokenArrays, codes_at
from metrics.shared.token_bags import TokenBags, before

token_lists = st.lists(
    st.lists(st.sampled_from([b"a", b"a\0", b"cat", b"x" * 8, b"x" * 9, b"x" * 16, b"x" * 17, b"x" * 8 + b"y" * 9])),
    min_size=1,
    max_size=6,
)


def arrays_of(texts: list[list[bytes]]) -> TokenArrays:
    tokens = [token for text in texts for token in text]
    raw = b"".join(tokens) + PAD
    length = np.array(list(map(len, tokens)), dtype=np.int64)
    count = np.array(list(map(len, texts)), dtype=np.int64)
    return TokenArrays(raw, before(length), length, codes_at(raw, before(length), length), before(count), count)


def all_pairs(texts: list) -> tuple[np.ndarray, np.ndarray, list[tuple]]:
    left, right = (index.ravel() for index in np.indices((len(texts), len(texts))))
    return left, right, [(one, other) for one in texts for other in texts]


@settings(max_examples=200, deadline=None)
@given(texts=token_lists)
@example(texts=[[], []])
@example(texts=[[b"a", b"b", b"a", b"a"], [b"a", b"a"], [], [b"b", b"a", b"a", b"a"]])
@example(texts=[[b"%d" % n for n in range(3_000)] * 2, [b"%d" % n for n in range(0, 9_000, 3)]])
def test_what_texts_share(texts: list[list[bytes]]) -> None:
    left, right, pairs = all_pairs(texts)
    bags = arrays_of(texts).bags()
    assert bags.equal(left, right).tolist() == [one == other for one, other in pairs]
    assert bags.shared_as_bags(left, right).tolist() == [sum((Counter(a) & Counter(b)).values()) for a, b in pairs]
    sets = [(len({*one} & {*other}), len({*one}), len({*other})) for one, other in pairs]
    assert list(zip(*(counts.tolist() for counts in bags.shared_as_sets(left, right)), strict=True)) == sets


def test_numbers_of_many_texts_need_more_bits() -> None:
    number = np.array([0, 0x10FFFF, 0x10FFFF, 0x10FFFF] * 2_000)
    bags = TokenBags(number, np.arange(0, 8_000, 2), np.full(4_000, 2))
    left, right = np.arange(4_000), np.roll(np.arange(4_000), 1)
    assert bags.shared_as_bags(left, right).tolist() == [1] * 4_000
    assert bags.shared_as_sets(left, right)[0].tolist() == [1] * 4_000


@settings(max_examples=50, deadline=None)
@given(texts=token_lists, data=st.data())
def test_only_leaves_the_texts_their_other_tokens(texts: list[list[bytes]], data: st.DataObject) -> None:
    flags = [[data.draw(st.booleans()) for _ in text] for text in texts]
    kept = [[token for token, keep in zip(*both, strict=True) if keep] for both in zip(texts, flags, strict=True)]
    bags = arrays_of([*texts, *kept]).bags()
    keep = np.array([flag for row in flags for flag in row] + [True] * sum(map(len, kept)), dtype=bool)
    left, right = np.arange(len(texts)), np.arange(len(texts), 2 * len(texts))
    assert bags.only(keep).equal(left, right).all()


@pytest.mark.parametrize("rounds", [0, 1, 8])
def test_numbers_are_the_same_whoever_finds_them(rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_arrays, "_ROUNDS", rounds)
    tokens = [b"%d" % (n % 5_000) * (1 + n % 4) for n in range(20_000)]
    number = arrays_of([tokens]).bags().number
    assert len({*number.tolist()}) == len({*tokens})
    assert all(tokens[found] == token for found, token in zip(number.tolist(), tokens, strict=True))


def test_tokens_by_name() -> None:
    arrays = arrays_of([[b"the", b"the\0", b"them", b"noanswer", b"noanswers", b"a"]])
    assert arrays.is_one_of((b"the", b"noanswer")).tolist() == [True, False, False, True, False, False]
    assert not arrays.is_one_of(()).any()


def test_batches_hold_every_question_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(question_batches, "BATCH", 4)
    monkeypatch.setattr(question_batches, "LONGEST_BATCH", 30)
    predictions: list[Side] = ["a", "b" * 40, ["c", "d" * 10], "e", "f", "g"]
    references: list[list[Side]] = [["A"], ["B", "BB"], [["C", "CC"], "CCC"], ["E"], ["F"], ["G", "GG", "GGG"]]
    found = list(question_batches.batches(predictions, references))
    assert [len(batch.first) for batch in found] == [1, 1, 2, 2]
    comparisons = [
        (batch.sides[one], batch.sides[other])
        for batch in found
        for one, other in zip(batch.predicted.tolist(), batch.gold.tolist(), strict=True)
    ]
    assert comparisons == [(one, gold) for one, row in zip(predictions, references, strict=True) for gold in row]
    assert found[-1].first.tolist() == [0, 1]
    assert found[-1].best(np.array([0.5, 0.25, 1.0, 0.75])).tolist() == [0.5, 1.0]
    assert list(question_batches.batches([], [])) == []
