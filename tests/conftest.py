"""What all tests share: their own caches, the material beside the project, and the metric modules."""

import gc
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# Before `evaluate` and `datasets` are imported anywhere: caches of this run alone, and no request for statistics.
_CACHE = tempfile.TemporaryDirectory(prefix="reading-scorers-")
os.environ.update(HF_HOME=_CACHE.name, HF_UPDATE_DOWNLOAD_COUNTS="0", HF_HUB_DISABLE_TELEMETRY="1")
for _variable in ("HF_MODULES_CACHE", "HF_DATASETS_CACHE", "HF_EVALUATE_CACHE", "HF_METRICS_CACHE", "HF_HUB_CACHE"):
    os.environ.pop(_variable, None)

if "PYTEST_XDIST_WORKER" in os.environ:  # the workers keep all processors busy: more threads would only be in the way
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
MODULES = {
    "orb_em_f1": ("default", "official"),
    "drcd_char_f1": ("default", "recipe", "official", "cmrc2018"),
    "beerqa_em_f1": ("default", "official"),
}


@pytest.fixture(scope="module", autouse=True)
def _imported_for_good() -> None:
    """What was imported so far stays; to look through it at each collection, which some code asks for, takes long."""
    gc.freeze()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with golden values and data; a fresh clone has none, and the test is skipped."""
    if not (SHARED / "golden").is_dir():
        pytest.skip("needs ../shared")
    return SHARED


@pytest.fixture(scope="session")
def load() -> Callable[..., Any]:
    """``evaluate.load`` of a metric folder: ``load("orb_em_f1", "official")``."""
    import evaluate

    def load_module(name: str, config: str | None = None, **kwargs: Any) -> Any:
        return evaluate.load(str(ROOT / "metrics" / name), config, **kwargs)

    return load_module


def _has_wordnet() -> bool:
    try:
        from nltk.corpus import wordnet

        wordnet.ensure_loaded()
    except (ImportError, LookupError):
        return False
    return True


@pytest.fixture(scope="session")
def has_wordnet() -> bool:
    """Whether NLTK finds WordNet, which NarrativeQA's METEOR needs."""
    return _has_wordnet()
