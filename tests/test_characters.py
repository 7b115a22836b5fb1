"""DRCD's text processing, piece by piece."""

import pytest
from answer_texts import texts
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_protocols import _cmrc_tokens, _longest_common_run, drcd_cmrc2018

from metrics.drcd_char_f1 import characters, cmrc2018, protocols


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab臺", max_size=12), st.text(alphabet="ab臺", max_size=12))
def test_longest_common_run_both_ways_is_the_plain_one(one: str, other: str) -> None:
    expected = _longest_common_run(list(one), list(other))
    assert characters.longest_common_run(one, other) == expected
    assert characters._longest_common_run_of_long(one, other) == expected


def test_longest_common_run_of_long_texts() -> None:
    assert characters.longest_common_run("x" + "ab" * 5_000, "ba" * 5_000 + "y" * 100) == 9_999


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [("「臺北」。", "臺北"), ("a-b c", "ab c"), ("$1+1=2", "112"), ("", ""), ("…·", ""), ("A　B", "A　B"), ("€", "€")],
)
def test_without_punctuation(text: str, cleaned: str) -> None:
    assert characters.without_punctuation(text) == cleaned
    arrays = characters.characters_without_punctuation([text, f"{text}\n{text}", "", text])
    assert "".join(map(chr, arrays.number)) == f"{cleaned}{cleaned}\n{cleaned}{cleaned}"
    assert arrays.count.tolist() == [len(cleaned), 2 * len(cleaned) + 1, 0, len(cleaned)]
    assert arrays.first.tolist() == [0, len(cleaned), 3 * len(cleaned) + 1, 3 * len(cleaned) + 1]


@pytest.mark.parametrize(
    ("text", "normalised"),
    [
        ("《臺北》 市。", "臺北 市"),
        ("The  臺北", "臺北"),
        ("「臺北」", "「臺北」"),
        ("A\u3000B\n c", "b c"),
        ("，", ""),
    ],
)
def test_normalised_as_authors(text: str, normalised: str) -> None:
    assert characters.normalised_as_authors([text]) == [normalised]
    assert characters.normalised_as_authors(["x", text, "y"]) == ["x", normalised, "y"]


@pytest.mark.parametrize("text", ["臺北101大樓", "U.S. 臺 gonna go. .", "it's 3.5-km", "", " 。 a 。", "cannot 市"])
def test_cmrc_tokens(text: str) -> None:
    assert list(cmrc2018.cmrc_tokens(cmrc2018.without_marks(text))) == _cmrc_tokens(text)


@settings(max_examples=100, deadline=None)
@given(st.lists(texts, min_size=1, max_size=4))
def test_marks_leave_many_texts_as_they_leave_one(several: list[str]) -> None:
    assert cmrc2018.texts_without_marks(several) == [cmrc2018.without_marks(text) for text in several]


@pytest.mark.parametrize(
    ("prediction", "answer", "f1"),
    [
        ("臺北", "臺北市", 0.8),
        ("臺市", "臺北市", 0.4),
        ("市", "臺北市", 0.5),
        ("高雄", "臺北市", 0.0),
        ('a"', "''", 2 / 3),  # NLTK writes a closing quotation mark as two apostrophes
        ("1998年", "1998", 2 / 3),
        ("。 。", "。 。", 0.0),
        ("臺 北", "臺北", 1.0),
    ],
)
def test_f1_of_the_longest_run(prediction: str, answer: str, f1: float) -> None:
    found = protocols.score_cmrc2018([prediction], [[answer]])["f1"].tolist()
    assert found == [pytest.approx(f1)] == [pytest.approx(drcd_cmrc2018(prediction, [answer])["f1"])]


def test_token_lists_as_strings_keep_lengths_and_equality() -> None:
    one, other = cmrc2018.as_strings([["ab", "臺", "ab"], "臺北"])
    assert (len(one), len(other)) == (3, 2)
    assert one[0] == one[2] != one[1] == other[0] != other[1]
    assert cmrc2018.as_strings(["臺北", "北"]) == ["臺北", "北"]
