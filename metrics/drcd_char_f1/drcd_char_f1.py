"""Character-level exact match and F1 for DRCD, a Traditional Chinese reading-comprehension dataset."""

import evaluate

# `evaluate` fetches only the files that import lines of this script name, so those of other files are named here too.
from .answer_shapes import checked_rows
from .answer_values import ShapeRules
from .characters import longest_common_run
from .cmrc2018 import cmrc_tokens
from .nltk_words import word_tokenize
from .protocol import Protocol
from .protocols import PROTOCOLS
from .question_batches import batches
from .reading_metric import ReadingMetric
from .squad_normalization import squad_normalised
from .token_bags import TokenBags

_DESCRIPTION = """
Exact match and character-level F1 of answers to the questions of DRCD (Delta Reading Comprehension Dataset, Traditional
Chinese). Configs: "default" (the benchmark card: bag of characters), "recipe" (the card's recipe as its code reads: set
of characters), "official" (what the dataset's authors ran) and "cmrc2018" (the CMRC 2018 script, with which the authors
of BERT-wwm and its successors report DRCD).
"""

_CITATION = """
@misc{shao2018drcd,
  title = {{DRCD}: a {C}hinese Machine Reading Comprehension Dataset},
  author = {Chih Chieh Shao and Trois Liu and Yuting Lai and Yiying Tseng and Sam Tsai},
  year = {2018},
  eprint = {1806.00920},
  archivePrefix = {arXiv}
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: list of strings; or, in SQuAD's form, of dicts with the keys "id" and "prediction_text".
    references: list of strings, or of lists of acceptable answers; or, in SQuAD's form, of dicts with the keys "id" and
        "answers" (itself a dict with the lists "text" and "answer_start", or a list of dicts with "text").
    datasets: optional, for `compute` only: one name per question; adds the figures of each and their macro means.
    use_aggregator: if False, `compute` returns one value per question instead of means.
Returns:
    exact_match: share of questions whose prediction equals an acceptable answer, from 0.0 to 1.0.
    f1: mean F1 of characters, from 0.0 to 1.0.
Examples:

    >>> drcd = evaluate.load("metrics/drcd_char_f1")
    >>> drcd.compute(predictions=["臺北市。"], references=["臺北市"])
    {'exact_match': 1.0, 'f1': 1.0}
    >>> drcd.compute(predictions=["市北臺", "高雄"], references=[["臺北市", "臺北"], ["高雄港"]])
    {'exact_match': 0.0, 'f1': 0.9}
    >>> cmrc2018 = evaluate.load("metrics/drcd_char_f1", "cmrc2018")
    >>> cmrc2018.compute(
    ...     predictions=["市北臺", "高雄"], references=[["臺北市", "臺北"], ["高雄港"]], use_aggregator=False
    ... )
    {'exact_match': [0.0, 0.0], 'f1': [0.4, 0.8]}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class DrcdCharF1(ReadingMetric, evaluate.Metric):
    """The metric that `evaluate.load` returns."""

    protocols = PROTOCOLS
    rules = ShapeRules()

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=self.input_features(),
            homepage="https://github.com/DRCKnowledgeTeam/DRCD",
            codebase_urls=["https://github.com/DRCKnowledgeTeam/DRCD"],
            reference_urls=["https://arxiv.org/abs/1806.00920"],
            license="Apache-2.0",
        )
