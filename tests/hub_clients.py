"""Fresh processes that use the Hub's real clients, and small folders to push."""

import json
import os
import subprocess
import sys
from pathlib import Path

TOKEN = "hf_theTokenThatNobodyMaySee"
NAMESPACE = "someone"
VERSION = "1.2.3"

CARD = """---
title: Tiny
sdk: gradio
sdk_version: 6.0.0
app_file: app.py
tags:
- evaluate
- metric
---
# Tiny
"""
SCRIPT = '''"""A metric: the share of predictions that are right, times a factor."""
import datasets
import evaluate

from .tiny_factor import FACTOR


class Tiny(evaluate.Metric):
    def _info(self):
        features = datasets.Features({"predictions": datasets.Value("string"), "references": datasets.Value("string")})
        return evaluate.MetricInfo(description="", citation="", inputs_description="", features=features)

    def _compute(self, predictions, references):
        return {"right": FACTOR * sum(map(str.__eq__, predictions, references)) / len(predictions)}
'''
# Where transformers and SciPy are installed, evaluate imports them for its evaluators, which takes seconds.
LIGHT_EVALUATE = """
import json, sys
sys.modules |= {"transformers": None, "scipy": None}
import evaluate
del sys.modules["transformers"], sys.modules["scipy"]
"""


def tiny_metric(directory: Path) -> Path:
    """Write a metric folder with every part that a real one has.

    Args:
        directory: Where the folder `tiny` is made.

    Returns:
        The folder.
    """
    folder = directory / "tiny"
    (folder / "sample").mkdir(parents=True)
    texts = {
        "README.md": CARD,
        "tiny.py": SCRIPT,
        "tiny_factor.py": "FACTOR = 1.0\n",
        "app.py": "import json\n",
        "requirements.txt": "evaluate>=0.4\n",
        "sample/gold.json": "{}\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def tiny_dataset(directory: Path) -> Path:
    """Write a dataset folder in the form that `load_benchmark.py --output` writes.

    Args:
        directory: Where the folder `tiny_questions` is made.

    Returns:
        The folder.
    """
    import datasets

    folder = directory / "tiny_questions"
    folder.mkdir()
    (folder / "README.md").write_text(
        "---\nconfigs:\n- config_name: default\n  data_files:\n  - split: test\n    path: test.parquet\n---\n# Tiny\n"
    )
    datasets.Dataset.from_dict({"id": ["a", "b"], "question": ["誰？", "Where?"]}).to_parquet(folder / "test.parquet")
    return folder


def client_environment(endpoint: str, home: Path, token: str | None = None) -> dict[str, str]:
    """Make the environment of a process whose Hub is `endpoint` and whose caches are all under `home`.

    Args:
        endpoint: The Hub's address.
        home: The directory of the caches.
        token: The token, where the process is to have one.

    Returns:
        The environment.
    """
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("HF_", "HUGGING", "PYTHONPATH"))}
    settings = {"HF_ENDPOINT": endpoint, "HF_HOME": str(home), "HF_UPDATE_DOWNLOAD_COUNTS": "0"}
    return {**kept, **settings, **({"HF_TOKEN": token} if token else {})}


def run_client(
    code: str,
    endpoint: str,
    home: Path,
    *arguments: str,
    token: str | None = None,
    python: str = sys.executable,
    directory: Path | None = None,
) -> object:
    """Run code in a fresh process, away from the project.

    Args:
        code: Python code that prints JSON on its last line.
        endpoint: The Hub's address.
        home: The directory of the caches.
        *arguments: The code's `sys.argv[1:]`.
        token: The token, where the process is to have one.
        python: The interpreter.
        directory: The working directory, from which the code can import; `home` if left out.

    Returns:
        What the code printed.

    Raises:
        RuntimeError: The process failed; the message is the last line it wrote to standard error.
    """
    home.mkdir(exist_ok=True)
    done = subprocess.run(
        [python, "-c", code, *arguments],
        cwd=directory or home,
        env=client_environment(endpoint, home, token),
        capture_output=True,
        text=True,
        timeout=300,
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return json.loads(done.stdout.splitlines()[-1])
