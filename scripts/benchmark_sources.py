"""Where the benchmarks come from: the authors' files with what is published about them, and how they are cited."""

from __future__ import annotations

from dataclasses import dataclass, field

DRCD_SITE = "https://raw.githubusercontent.com/DRCKnowledgeTeam/DRCD/master"
BEERQA_SITE = "https://nlp.stanford.edu/projects/beerqa"
ORB_LEADERBOARD = "https://leaderboard.allenai.org/orb"


@dataclass(frozen=True)
class SourceFile:
    """An authors' file: its address and, as published, its questions, those of each dataset, and its SHA-256."""

    url: str
    questions: int
    datasets: dict[str, int] = field(default_factory=dict)
    sha256: str | None = None


@dataclass(frozen=True)
class Benchmark:
    """What a dataset card says of a benchmark.

    Attributes:
        title: Its name in prose.
        summary: One sentence.
        language: ISO 639-1 code.
        licence: The Hub's identifier of the licence.
        licence_note: What the licence is of.
        homepage: Where the authors present it.
        citation: BibTeX.
        files: The authors' file of each split; none where the authors give their files on request alone.
    """

    title: str
    summary: str
    language: str
    licence: str
    licence_note: str
    homepage: str
    citation: str
    files: dict[str, SourceFile]


SOURCES = {
    "drcd": Benchmark(
        title="DRCD",
        summary="The Delta Reading Comprehension Dataset: span-based reading comprehension in Traditional Chinese.",
        language="zh",
        licence="cc-by-sa-3.0",
        licence_note="The authors publish DRCD under CC BY-SA 3.0.",
        homepage="https://github.com/DRCKnowledgeTeam/DRCD",
        citation="""@misc{shao2018drcd,
  title={DRCD: a Chinese Machine Reading Comprehension Dataset},
  author={Shao, Chih Chieh and Liu, Trois and Lai, Yuting and Tseng, Yiying and Tsai, Sam},
  year={2018},
  note={arXiv:1806.00920}
}""",
        files={
            "train": SourceFile(f"{DRCD_SITE}/DRCD_training.json", 26_936),
            "validation": SourceFile(
                f"{DRCD_SITE}/DRCD_dev.json",
                3_524,
                sha256="e236df03861ba241bd7b29628cd48b3b8e339c60137e041a4358b5320ed61928",
            ),
            "test": SourceFile(
                f"{DRCD_SITE}/DRCD_test.json",
                3_493,
                sha256="d9de0b4d247a8391ac8daee6c02c2c8272b75562a1e2377b50ae04ecc09a7438",
            ),
        },
    ),
    "beerqa": Benchmark(
        title="BeerQA",
        summary="Open-domain questions over Wikipedia that take one, two, or three and more steps of reasoning.",
        language="en",
        licence="cc-by-sa-4.0",
        licence_note="SQuAD, HotpotQA and BeerQA's own questions are published under CC BY-SA 4.0.",
        homepage="https://beerqa.github.io",
        citation="""@misc{qi2020answering,
  title={Answering Open-Domain Questions of Varying Reasoning Steps from Text},
  author={Qi, Peng and Lee, Haejun and Sido, Oghenetegiri "TG" and Manning, Christopher D.},
  year={2020},
  note={arXiv:2010.12527}
}""",
        files={
            "train": SourceFile(
                f"{BEERQA_SITE}/beerqa_train_v1.0.json", 134_043, {"squad": 59_285, "hotpotqa": 74_758}
            ),
            "validation": SourceFile(
                f"{BEERQA_SITE}/beerqa_dev_v1.0.json", 14_121, {"squad": 8_132, "hotpotqa": 5_989}
            ),
            "test": SourceFile(
                f"{BEERQA_SITE}/beerqa_test_questions_v1.0.json", 14_932, {"squad": 8_424, "hotpotqa": 5_978}
            ),
        },
    ),
    "orb": Benchmark(
        title="ORB",
        summary="An Open Reading Benchmark: eight English reading comprehension datasets and synthetic variants.",
        language="en",
        licence="other",
        licence_note="Each source dataset keeps its own licence; some do not allow their texts to be passed on.",
        homepage=ORB_LEADERBOARD,
        citation="""@misc{dua2019orb,
  title={ORB: An Open Reading Benchmark for Comprehensive Evaluation of Machine Reading Comprehension},
  author={Dua, Dheeru and Gottumukkala, Ananth and Talmor, Alon and Singh, Sameer and Gardner, Matt},
  year={2019},
  note={arXiv:1912.12598}
}""",
        files={},
    ),
}
