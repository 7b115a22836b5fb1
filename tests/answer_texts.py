"""Strategies for texts of the kinds that answers hold, weighted towards what normalisations treat differently."""

import string

from hypothesis import strategies as st

WORDS = (
    *("a", "an", "the", "The", "A", "yes", "no", "noanswer", "cat", "cats", "Paris", "twelve", "internationalisation"),
    *("12", "12.0", "1,000", "-3", "1e5", "1_000", "nan", "inf", "infinity", "３", "½", "0x1", "19th-century", "--"),
    *(
        "臺北",
        "臺北市",
        "「臺北」",
        "。",
        "、",
        "…",
        "é",
        "İstanbul",
        "ΟΔΟΣ",
        "ß",
        "ﬁ",
        "ﬂ",
        "e\u0301",
        "\u200b",
        "😀",
        "👩‍🚀",
    ),
    *("שלום", "مرحبا", "I'm", "o'clock", "U.S.", "cannot", "gonna", "wanna", "x" * 9, "x" * 16, "x" * 17, "x" * 40),
)
SPACES = (
    " ",
    " ",
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "\v",
    "\f",
    "\x1c",
    "\x85",
    "\u00a0",
    "\u3000",
    "-",
    "\0",
    "\x07",
    "\x7f",
)
_pieces = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(WORDS),
    st.text(alphabet=string.ascii_letters + string.digits + string.punctuation, max_size=5),
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=3),
)
texts = st.builds(
    lambda pieces, spaces, edge: (
        "".join(f"{piece}{space}" for piece, space in zip(pieces, spaces, strict=False)) + edge
    ),
    st.lists(_pieces, max_size=5),
    st.lists(st.sampled_from(SPACES), min_size=5, max_size=5),
    st.sampled_from(("", "", "the", ".", "市")),
)
answers = st.lists(texts, min_size=1, max_size=3)
rows = st.lists(st.tuples(texts, answers), min_size=1, max_size=4)


@st.composite
def related_rows(draw: st.DrawFn) -> list[tuple[str, list[str]]]:
    """Questions whose prediction is made from one of their answers, so that scores between 0 and 1 occur."""
    questions = []
    for _, acceptable in draw(rows):
        source = draw(st.sampled_from(acceptable))
        tokens = source.split(" ")
        changed = draw(st.permutations(tokens))
        kept = changed[: draw(st.integers(0, len(changed)))] + draw(st.lists(st.sampled_from(WORDS), max_size=2))
        prediction = draw(st.sampled_from((source, " ".join(kept), source.upper(), f"the {source}", source + source)))
        questions.append((prediction, acceptable))
    return questions
