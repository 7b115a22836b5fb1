"""Exact match and F1 for ORB, the Open Reading Benchmark: eight English datasets and their synthetic variants."""

import evaluate

# `evaluate` fetches only the files that import lines of this script name, so those of other files are named here too.
from .answer_shapes import checked_rows
from .answer_values import ShapeRules
from .drop import score_drop
from .drop_normalization import normalised_span
from .narrativeqa import fetch_wordnet
from .nltk_words import word_tokenize
from .protocol import Protocol
from .protocols import DATASETS, DROP_GROUP, PROTOCOLS
from .question_batches import batches
from .reading_metric import ReadingMetric
from .squad_normalization import squad_normalised
from .token_arrays import TokenArrays
from .token_bags import TokenBags
from .token_overlap import batches_of_overlap

_DESCRIPTION = """
Exact match and F1 of answers to the questions of ORB (Open Reading Benchmark: DROP, SQuAD 1.1, SQuAD 2.0, NewsQA,
Quoref, ROPES, NarrativeQA, DuoRC and synthetic variants). Configs: "default" (the benchmark card) and "official" (the
evaluator of allennlp-models, the leaderboard's numbers: each dataset by its own rules).
"""

_CITATION = """
@inproceedings{dua2019orb,
  title = {{ORB}: An Open Reading Benchmark for Comprehensive Evaluation of Machine Reading Comprehension},
  author = {Dheeru Dua and Ananth Gottumukkala and Alon Talmor and Sameer Singh and Matt Gardner},
  booktitle = {Proceedings of the Second Workshop on Machine Reading for Question Answering},
  year = {2019},
  note = {arXiv:1912.12598}
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: list, one entry per question: a string; a list of strings, the spans of one answer (datasets of the
        DROP group); a dict {"context", "start", "end"}, a span of white-space tokens with both ends included; or, in
        SQuAD's form, a dict with the keys "id" and "prediction_text".
    references: list, one entry per question: a string, or a list of acceptable answers, each a string or a list of
        spans; or, in SQuAD's form, a dict with the keys "id" and "answers" (itself a dict with the lists "text" and
        "answer_start", or a list of dicts with "text").
    datasets: one dataset name per question, in any case: drop, quoref, squad1, squad2, newsqa, ropes, duorc,
        narrativeqa, drop_syn, quoref_syn, squad1_syn, newsqa_syn, ropes_syn or duorc_syn. An input column of
        "official"; optional in "default", where `compute` adds the figures of each dataset and their macro means.
    use_aggregator: if False, `compute` returns one value per question instead of means.
Returns:
    exact_match: from 0.0 to 1.0: share of exact matches; in "official" the mean of the datasets' shares.
    f1: from 0.0 to 1.0: mean F1 of tokens; in "official" the mean of the datasets' means.
    In "official" also average_f1 and, for each dataset, <dataset>_exact_match and <dataset>_f1 (NarrativeQA:
    narrativeqa_bleu_1, _bleu_4, _meteor, _rouge_f, _rouge_p and _rouge_r), rounded to four decimals as the script does.
Examples:

    >>> orb = evaluate.load("metrics/orb_em_f1")
    >>> orb.compute(predictions=["the cat", "12"], references=["The cat", ["12.0", "twelve"]])
    {'exact_match': 0.5, 'f1': 0.5}
    >>> official = evaluate.load("metrics/orb_em_f1", "official")
    >>> figures = official.compute(
    ...     predictions=["12", "Paris", ["Ann", "Bo"]],
    ...     references=[["12.0", "twelve"], ["Paris, France"], [["Bo", "Ann"], ["Ann"]]],
    ...     datasets=["drop", "squad1", "quoref"],
    ... )
    >>> figures["drop_f1"], figures["squad1_f1"], figures["quoref_exact_match"], figures["average_f1"]
    (1.0, 0.6667, 1.0, 0.8889)
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class OrbEmF1(ReadingMetric, evaluate.Metric):
    """The metric that `evaluate.load` returns."""

    protocols = PROTOCOLS
    rules = ShapeRules(span_datasets=DROP_GROUP, token_spans=True, datasets=DATASETS, case_insensitive=True)
    needs_datasets = ("official",)

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=self.input_features(),
            homepage="https://leaderboard.allenai.org/orb",
            codebase_urls=["https://github.com/allenai/allennlp-models"],
            reference_urls=["https://arxiv.org/abs/1912.12598"],
            license="Apache-2.0",
        )

    def _download_and_prepare(self, dl_manager):
        if self.config_name == "official":
            fetch_wordnet()
