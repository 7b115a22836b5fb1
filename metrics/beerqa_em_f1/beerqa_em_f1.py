"""Exact match and F1 for BeerQA, open-domain questions of one to three hops."""

import evaluate

# `evaluate` fetches only the files that import lines of this script name, so those of other files are named here too.
from .answer_shapes import checked_rows
from .answer_values import ShapeRules
from .protocol import Protocol
from .protocols import DATASETS, PROTOCOLS
from .question_batches import batches
from .reading_metric import ReadingMetric
from .squad_normalization import squad_normalised
from .token_arrays import TokenArrays
from .token_bags import TokenBags
from .token_overlap import batches_of_overlap

_DESCRIPTION = """
Exact match and unigram F1 of answers to the questions of BeerQA (open-domain questions of varying reasoning steps).
Configs: "default" (the benchmark card's recipe) and "official" (the evaluation script of beerqa/IRRR, the leaderboard's
numbers).
"""

_CITATION = """
@inproceedings{qi2021answering,
  title = {Answering Open-Domain Questions of Varying Reasoning Steps from Text},
  author = {Peng Qi and Haejun Lee and Oghenetegiri "TG" Sido and Christopher D. Manning},
  booktitle = {Proceedings of EMNLP},
  year = {2021},
  note = {arXiv:2010.12527}
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: list of strings; or, in SQuAD's form, of dicts with the keys "id" and "prediction_text".
    references: list of strings, or of lists of acceptable answers; or, in SQuAD's form, of dicts with the keys "id" and
        "answers" (itself a dict with the lists "text" and "answer_start", or a list of dicts with "text").
    datasets: one source per question: "squad", "hotpotqa" or "3+ hop". An input column of "official"; optional in
        "default", where `compute` adds the figures of each source and their macro means.
    use_aggregator: if False, `compute` returns one value per question instead of means (NaN: not in the mean).
Returns:
    exact_match: share of questions whose prediction equals an acceptable answer, from 0.0 to 1.0.
    f1: mean F1 of tokens, from 0.0 to 1.0.
    In "official" also em, prec, recall and, for each source and "macro", <source>_em, _f1, _prec and _recall.
Examples:

    >>> beerqa = evaluate.load("metrics/beerqa_em_f1")
    >>> beerqa.compute(predictions=["The Beatles", "in 1969"], references=["Beatles", ["1969", "the year 1969"]])
    {'exact_match': 0.0, 'f1': 0.6666666666666666}
    >>> official = evaluate.load("metrics/beerqa_em_f1", "official")
    >>> figures = official.compute(
    ...     predictions=["The Beatles", "in 1969"],
    ...     references=["Beatles", ["1969", "the year 1969"]],
    ...     datasets=["squad", "hotpotqa"],
    ... )
    >>> figures["em"], figures["squad_f1"], figures["hotpotqa_f1"], figures["macro_f1"]
    (0.5, 1.0, 0.6666666666666666, 0.8333333333333333)
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class BeerqaEmF1(ReadingMetric, evaluate.Metric):
    """The metric that `evaluate.load` returns."""

    protocols = PROTOCOLS
    rules = ShapeRules(datasets=DATASETS)
    needs_datasets = ("official",)

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=self.input_features(),
            homepage="https://beerqa.github.io",
            codebase_urls=["https://github.com/beerqa/IRRR"],
            reference_urls=["https://arxiv.org/abs/2010.12527"],
            license="Apache-2.0",
        )
