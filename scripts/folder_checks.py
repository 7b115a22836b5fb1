"""What must hold of a folder before it is pushed to the Hub.

Nothing here talks to the Hub. Each check takes a folder and returns its problems, one line each; an empty list means
that the folder may be pushed. Both kinds of folder are covered: a metric's, which becomes a Space, and a benchmark
dataset's as `load_benchmark.py --output` writes it.
"""

import ast
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from huggingface_hub.utils import filter_repo_objects
from packaging.requirements import InvalidRequirement, Requirement

from scripts.card_checks import one_line, read_front_matter, space_card_problems, split_patterns

# Folders are checked side by side, and CPython 3.11 loses count of the depth when two threads parse at once.
_PARSING = threading.Lock()

ROOT = Path(__file__).resolve().parents[1]
# Hidden files are left out as a kind: caches of tools, but also an `.env` that someone keeps beside the code.
IGNORED = [".*", "*/.*", "__pycache__/*", "*/__pycache__/*", "*.pyc"]
SECONDS_TO_IMPORT = 300
# Prints the sibling files that `evaluate` will copy along with the script, then loads it. Where transformers and SciPy
# are installed, `evaluate` imports them for its evaluators, which takes seconds and which no metric needs.
LOAD_METRIC = """
import sys
sys.modules |= {"transformers": None, "scipy": None}
import evaluate
from evaluate.loading import get_imports
del sys.modules["transformers"], sys.modules["scipy"]
folder, script = sys.argv[1:]
print(*(name for kind, name, *_ in get_imports(script) if kind == "internal"), flush=True)
evaluate.load(folder)
"""
IMPORT_APP = "import importlib, sys; importlib.import_module(sys.argv[1])"


def files_to_push(folder: Path) -> dict[str, int]:
    """List what a push of `folder` uploads.

    Args:
        folder: A metric or dataset folder.

    Returns:
        The size in bytes of each file, by its path in the repository, in the order of the paths.
    """
    sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    return {path: sizes[path] for path in filter_repo_objects(sorted(sizes), ignore_patterns=IGNORED)}


def metric_problems(folder: Path) -> list[str]:
    """Check a metric folder: its card, its imports, and that both the module and the app start from a copy alone.

    Args:
        folder: A folder that holds `<folder name>.py`, the loading script, and the Space's files.

    Returns:
        The problems found, one line each. The module and the app are started only when reading the files found none.
    """
    if not (folder / f"{folder.name}.py").is_file():
        return [f"no loading script {folder.name}.py"]
    card, problems = read_front_matter(folder)
    siblings, import_problems = sibling_imports(folder)
    problems += space_card_problems(card, folder) + requirement_problems(folder) + import_problems
    return problems or load_problems(folder, siblings) + app_problems(folder, str(card["app_file"]))


def dataset_problems(folder: Path) -> list[str]:
    """Check a benchmark dataset's folder: its card, and that each split it names is there and is Parquet.

    Args:
        folder: A folder as `load_benchmark.py --output` writes it.

    Returns:
        The problems found, one line each.
    """
    import pyarrow
    import pyarrow.parquet

    card, problems = read_front_matter(folder)
    tables = sorted(folder.rglob("*.parquet"))
    if not tables:
        problems.append("no Parquet file")
    for pattern in split_patterns(card):
        if not any(folder.glob(pattern)):
            problems.append(f"README.md: `configs` names {pattern}, and no file matches it")
    for table in tables:
        try:
            pyarrow.parquet.read_metadata(table)
        except (pyarrow.ArrowException, OSError) as error:
            problems.append(f"{table.relative_to(folder).as_posix()}: not Parquet: {one_line(error)}")
    return problems


def requirement_problems(folder: Path) -> list[str]:
    """Check that requirements.txt is there and that pip can read each line of it.

    Args:
        folder: The folder.

    Returns:
        The problems found.
    """
    path = folder / "requirements.txt"
    if not path.is_file():
        return ["no requirements.txt"]
    problems = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        wanted = line.split("#")[0].strip()
        try:
            if wanted:
                Requirement(wanted)
        except InvalidRequirement:
            problems.append(f"requirements.txt:{number}: {wanted!r} is not a requirement")
    return problems


def sibling_imports(folder: Path) -> tuple[dict[str, set[str]], list[str]]:
    """Read which file of a folder imports which, and check that they import nothing that is left behind.

    Args:
        folder: A metric folder.

    Returns:
        For each file, by its name without `.py`, the siblings that it imports relatively; and the problems found.
    """
    problems = []
    siblings: dict[str, set[str]] = {}
    project = {path.name for path in ROOT.iterdir() if path.is_dir()}
    for path in sorted(folder.glob("*.py")):
        try:
            with _PARSING:
                tree = ast.parse(path.read_bytes(), path.name)
        except SyntaxError as error:
            problems.append(f"{path.name}:{error.lineno}: {error.msg}")
            continue
        relative, absolute, unusable = imports_of(tree)
        siblings[path.stem] = set(relative)
        problems += [f"{path.name}:{line}: {what}" for what, line in unusable.items()]
        for name, line in relative.items():
            if not (folder / f"{name}.py").is_file():
                problems.append(f"{path.name}:{line}: imports .{name}, and there is no {name}.py in the folder")
        for name, line in absolute.items():
            if name in project:
                problems.append(f"{path.name}:{line}: imports {name}, a part of the project outside the folder")
    return siblings, problems


def imports_of(tree: ast.Module) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """Collect the imports of one file, those inside functions included.

    Args:
        tree: The parsed file.

    Returns:
        Three dicts to line numbers: the sibling files imported relatively, the top-level names imported absolutely,
        and a description of each import that cannot work once the file is copied.
    """
    relative: dict[str, int] = {}
    absolute: dict[str, int] = {}
    unusable: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            absolute.update({alias.name.split(".")[0]: node.lineno for alias in node.names})
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            absolute[str(node.module).split(".")[0]] = node.lineno
        elif isinstance(node, ast.ImportFrom) and node.level == 1 and node.module and "." not in node.module:
            relative[node.module] = node.lineno
        elif isinstance(node, ast.ImportFrom):
            source = "." * node.level + (node.module or "")
            unusable[f"`from {source} import` leaves the folder or is not followed by evaluate"] = node.lineno
    return relative, absolute, unusable


def load_problems(folder: Path, siblings: dict[str, set[str]]) -> list[str]:
    """Load the module in a fresh process, from a copy of its folder, with empty caches and without network.

    `evaluate` copies the loading script and the files that the script itself imports relatively, nothing further
    down: a file that only another file imports must be named in the script too.

    Args:
        folder: A metric folder.
        siblings: What each of its files imports relatively.

    Returns:
        The problems found: files that the script must name, else the error that loading ended in.
    """
    with tempfile.TemporaryDirectory() as work:
        copy = copy_alone(folder, Path(work) / folder.name)
        (Path(work) / "elsewhere").mkdir()
        arguments = [LOAD_METRIC, str(copy), str(copy / f"{folder.name}.py")]
        output, error = run_alone(arguments, Path(work) / "elsewhere", Path(work) / "home")
    needed, waiting = {folder.name}, [folder.name]
    while waiting:
        found = siblings[waiting.pop()] - needed
        needed |= found
        waiting += sorted(found)
    unnamed = sorted(needed - {folder.name} - set(output.split())) if output else []
    if unnamed:
        return [
            f"{folder.name}.py must itself import .{name}: evaluate copies only the files it names" for name in unnamed
        ]
    return [f"does not load from a copy: {error}"] if error else []


def app_problems(folder: Path, app_file: str) -> list[str]:
    """Import the app in a fresh process, from a copy of its folder under another name, as a Space has it.

    Args:
        folder: A metric folder.
        app_file: The app's file, as the front matter names it.

    Returns:
        The problem, if it cannot be imported.
    """
    with tempfile.TemporaryDirectory() as work:
        copy = copy_alone(folder, Path(work) / "app")
        _, error = run_alone([IMPORT_APP, Path(app_file).stem], copy, Path(work) / "home")
    return [f"{app_file} does not import from a copy: {error}"] if error else []


def copy_alone(folder: Path, target: Path) -> Path:
    """Copy what would be pushed, and nothing else.

    Args:
        folder: The folder.
        target: Where the copy goes.

    Returns:
        `target`.
    """
    for name in files_to_push(folder):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / name, target / name)
    return target


def run_alone(arguments: list[str], directory: Path, home: Path) -> tuple[str, str]:
    """Run Python code where the project, the user's caches, the network and the user's token are out of reach.

    Args:
        arguments: The code, and its arguments.
        directory: The working directory.
        home: An empty directory for every cache of Hugging Face's libraries.

    Returns:
        What it printed, and on one line what went wrong, or an empty string.
    """
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("HF_", "HUGGING", "PYTHONPATH"))}
    offline = {"HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    environment = {**kept, **offline, "HF_HOME": str(home), "GRADIO_ANALYTICS_ENABLED": "False"}
    try:
        done = subprocess.run(
            [sys.executable, "-c", *arguments],
            cwd=directory,
            env=environment,
            capture_output=True,
            text=True,
            timeout=SECONDS_TO_IMPORT,
        )
    except subprocess.TimeoutExpired:
        return "", f"not done after {SECONDS_TO_IMPORT} seconds"
    last_words = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
    return done.stdout, last_words[0] if done.returncode else ""
