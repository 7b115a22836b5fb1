"""`scripts/push_to_hub.py` against a Hub of our own: what it pushes, what it refuses to push, what it says."""

import subprocess
import sys
from pathlib import Path

import huggingface_hub.constants
import pytest
import yaml
from click.testing import CliRunner, Result
from huggingface_hub import HfApi

from scripts import push_to_hub
from scripts.dataset_card import write_folder
from scripts.folder_checks import app_problems, dataset_problems, load_problems, metric_problems
from scripts.load_benchmark import load_benchmark
from tests.hub_clients import NAMESPACE, TOKEN, VERSION, client_environment, run_client, tiny_dataset, tiny_metric
from tests.hub_stand_in import HubStandIn

SPACE = {"repo_id": f"{NAMESPACE}/tiny", "repo_type": "space"}
TINY_FILES = {"README.md", "app.py", "requirements.txt", "sample/gold.json", "tiny.py", "tiny_factor.py"}


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """A Hub, a project with one metric of version 1.2.3, and the user's token where the command looks for it."""
    monkeypatch.setattr(push_to_hub, "METRICS", tmp_path / "metrics")
    monkeypatch.setattr(push_to_hub, "ROOT", tmp_path)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True)
    (tmp_path / "setup.cfg").write_text(f"[metadata]\nversion = {VERSION}\n")
    tiny_metric(tmp_path / "metrics")
    with HubStandIn(tmp_path / "hub", {TOKEN: [NAMESPACE], "hf_other": ["other"]}) as hub:
        monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", hub.url)
        yield hub


@pytest.fixture
def unchecked(monkeypatch):
    """Leave out the checks that start processes: they have tests of their own."""
    monkeypatch.setattr(push_to_hub, "metric_problems", lambda folder: [])


@pytest.fixture
def folder(tmp_path):
    """The metric folder to push."""
    return tmp_path / "metrics" / "tiny"


def run(*arguments: object) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(push_to_hub.main, [NAMESPACE, *map(str, arguments)])


def remote_files(hub: HubStandIn, revision: str = "main") -> set[str]:
    """List what the Space holds, but for the file that the Hub itself adds."""
    return set(HfApi(endpoint=hub.url, token=TOKEN).list_repo_files(**SPACE, revision=revision)) - {".gitattributes"}


def refused(result: Result) -> str:
    """The one line of a run that ended as a refused one has to."""
    assert result.exit_code == 2, result.output
    assert TOKEN not in result.output
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: ")
    return line


def test_the_projects_own_metrics_may_be_pushed():
    result = run("--dry-run")
    assert result.exit_code == 0, result.output
    for name in push_to_hub.metric_names():
        assert f"space {NAMESPACE}/{name}" in result.stdout and f"{name}.py" in result.stdout


def test_push_makes_a_tagged_space_of_the_folder(hub, unchecked, folder):
    for name in (".env", "__pycache__/tiny.cpython-311.pyc", "sample/.cache/x", "sample/__pycache__/y.pyc"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("not for the Hub")
    result = run()
    assert result.exit_code == 0, result.output
    assert remote_files(hub) == remote_files(hub, f"v{VERSION}") == TINY_FILES
    space = hub.repositories.all["spaces", SPACE["repo_id"]]
    assert space.sdk == "gradio" and not space.private
    assert len(space.commits) == 2, "the Hub's own first commit, and one for the whole folder"
    assert result.stdout == f"space someone/tiny: pushed as {space.branches['main']:.7} on main, tagged v1.2.3\n"
    assert TOKEN not in result.output


def test_second_push_of_the_same_changes_nothing(hub, unchecked):
    run("--collection", "All of it")
    commits = dict(hub.repositories.all["spaces", SPACE["repo_id"]].commits)
    result = run("--collection", "All of it")
    assert result.exit_code == 0, result.output
    assert "unchanged at" in result.stdout and "tagged v1.2.3" in result.stdout
    assert hub.repositories.all["spaces", SPACE["repo_id"]].commits == commits
    (collection,) = hub.collections.values()
    assert [item["id"] for item in collection["items"]] == ["someone/tiny"]


def test_second_push_removes_what_is_gone_and_leaves_the_tag(hub, unchecked, folder):
    run()
    released = hub.repositories.all["spaces", SPACE["repo_id"]].branches["main"]
    (folder / "sample" / "gold.json").unlink()
    (folder / "tiny_factor.py").write_text("FACTOR = 0.5\n")
    result = run()
    space = hub.repositories.all["spaces", SPACE["repo_id"]]
    assert remote_files(hub) == TINY_FILES - {"sample/gold.json"}
    assert remote_files(hub, f"v{VERSION}") == TINY_FILES
    assert len(space.commits) == 3 and space.tags == {"v1.2.3": released}
    assert f"v1.2.3 stays at {released:.7}: raise the version" in result.stdout


def test_branch_is_pushed_without_touching_main_or_tags(hub, unchecked):
    for _ in range(2):
        assert run("--revision", "trial").exit_code == 0
    assert remote_files(hub, "trial") == TINY_FILES
    assert remote_files(hub) == set()
    assert hub.repositories.all["spaces", SPACE["repo_id"]].tags == {}


def test_private_space_is_closed_to_others(hub, unchecked):
    assert run("--private").exit_code == 0
    assert hub.repositories.all["spaces", SPACE["repo_id"]].private
    assert HfApi(endpoint=hub.url, token=TOKEN).repo_exists(**SPACE)
    assert not HfApi(endpoint=hub.url, token="hf_other").repo_exists(**SPACE)
    assert not HfApi(endpoint=hub.url, token=False).repo_exists(**SPACE)


def test_private_push_to_a_public_space_is_refused(hub, unchecked, folder):
    run()
    (folder / "tiny_factor.py").write_text("FACTOR = 0.5\n")
    assert "could not create the repositories: someone/tiny is public already" in refused(run("--private"))
    assert len(hub.repositories.all["spaces", SPACE["repo_id"]].commits) == 2


def test_dataset_and_metric_in_one_collection_and_the_dataset_loads(hub, unchecked, tmp_path):
    sample = Path(__file__).parents[1] / "metrics" / "drcd_char_f1" / "sample" / "gold.json"
    splits = load_benchmark("drcd", data_files={"validation": str(sample)}, cache_dir=tmp_path / "cache")
    data = tmp_path / "drcd"
    write_folder(splits, "drcd", data)
    result = run("tiny", "--datasets", data, "--collection", "Reading comprehension")
    assert result.exit_code == 0, result.output
    (collection,) = hub.collections.values()
    items = [(item["type"], item["id"]) for item in collection["items"]]
    assert items == [("space", "someone/tiny"), ("dataset", "someone/drcd")]
    code = "import datasets, json; print(json.dumps(datasets.load_dataset('someone/drcd', split='validation')[:]))"
    assert run_client(code, hub.url, tmp_path / "home") == splits["validation"][:]


def test_datasets_alone_push_no_metric(hub, tmp_path):
    assert run("--datasets", tiny_dataset(tmp_path)).exit_code == 0
    assert list(hub.repositories.all) == [("datasets", "someone/tiny_questions")]


def test_dry_run_lists_files_with_sizes_and_asks_the_hub_nothing(hub, unchecked, folder):
    (folder / "sample" / "gold.json").write_text("x" * 2500)
    result = run("--dry-run")
    assert result.exit_code == 0, result.output
    assert "2.5 kB" in next(line for line in result.stdout.splitlines() if "sample/gold.json" in line)
    assert all(name in result.stdout for name in TINY_FILES)
    assert "6 files" in result.stdout and "space someone/tiny" in result.stdout
    assert hub.requests == []


def test_nothing_is_pushed_where_one_folder_fails(hub, unchecked, tmp_path):
    data = tiny_dataset(tmp_path)
    (data / "test.parquet").write_bytes(b"PAR1 but no more")
    assert "tiny_questions: test.parquet: not Parquet" in refused(run("tiny", "--datasets", data))
    assert hub.requests == [] and hub.repositories.all == {}


@pytest.mark.parametrize(
    ("call", "status", "said"),
    [
        (("GET", "/whoami"), 401, "the token is not accepted"),
        (("GET", "/whoami"), 503, "the Hub failed: try again later (503 for GET /api/whoami-v2"),
        (("POST", "/create"), 403, "could not create the repositories: the token may not do this"),
        (("POST", "/commit/"), 409, "could not push someone/tiny: the Hub reports a conflict"),
        (("POST", "/tag/"), 500, "the Hub failed: try again later"),
        (("POST", "/collections"), 429, "could not make the collection: too many requests"),
    ],
)
def test_refusal_of_the_hub_is_one_line_without_the_token(hub, unchecked, call, status, said):
    hub.failures[call] = (status, "no,\nnot with {authorization}")
    line = refused(run("--collection", "All"))
    assert said in line
    assert str(status) in line


def test_namespace_of_another_is_refused(hub, unchecked):
    result = CliRunner().invoke(push_to_hub.main, ["other"])
    assert "needs write access to the namespace" in refused(result)
    assert hub.repositories.all == {}


def test_unknown_token_and_no_token(hub, unchecked, monkeypatch, tmp_path):
    monkeypatch.setattr(huggingface_hub.constants, "HF_TOKEN_PATH", str(tmp_path / "token"))
    monkeypatch.setenv("HF_TOKEN", "hf_unknown")
    assert "the token is not accepted" in refused(run())
    monkeypatch.delenv("HF_TOKEN")
    assert "no Hugging Face token: run `hf auth login`, or set HF_TOKEN" in refused(run())
    (tmp_path / "token").write_text(TOKEN)
    assert run().exit_code == 0, "the token that `hf auth login` saved"


def test_hub_that_cannot_be_reached(hub, unchecked, monkeypatch):
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", "http://127.0.0.1:9")
    assert "could not log in: cannot reach the Hub at http://127.0.0.1:9: " in refused(run())


def test_failed_upload_of_a_large_file(hub, tmp_path):
    hub.failures["PUT", "/lfs/"] = (403, "quota exceeded")
    line = refused(run("--datasets", tiny_dataset(tmp_path)))
    assert "could not push someone/tiny_questions" in line and "quota exceeded" in line


def test_answer_that_is_not_the_hubs(hub, unchecked):
    hub.failures["GET", "/whoami"] = (200, "<html>Log in to the wireless network</html>")
    assert "does not answer as the Hub does: its answer is not JSON" in refused(run())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["someone", "tinny"], "no metric tinny: there are tiny"),
        (["some one"], "some one/tiny"),
        (["someone/more"], "someone/more/tiny"),
    ],
)
def test_wrong_arguments(hub, unchecked, arguments, said):
    assert said in refused(CliRunner().invoke(push_to_hub.main, arguments))
    assert hub.requests == []


def test_version_must_be_there_and_not_be_that_of_evaluate(hub, unchecked, tmp_path):
    (tmp_path / "setup.cfg").write_text("[metadata]\nname = tiny\n")
    assert "no version under [metadata]" in refused(run())
    (tmp_path / "setup.cfg").write_text(f"[metadata]\nversion = {push_to_hub.version('evaluate')}\n")
    assert "evaluate.load would never see a later push" in refused(run())


def test_command_runs_as_a_process_of_its_own(hub, tmp_path):
    script = Path(__file__).parents[1] / "scripts" / "push_to_hub.py"
    command = [sys.executable, str(script), NAMESPACE, "--datasets", str(tiny_dataset(tmp_path))]
    environment = client_environment(hub.url, tmp_path / "home", TOKEN) | {"HF_HUB_DISABLE_XET": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    assert "dataset someone/tiny_questions: pushed as" in done.stdout


def replace(name: str, old: str, new: str):
    """A change of one file of the metric folder."""

    def change(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda folder: (folder / "tiny.py").unlink(), "no loading script tiny.py"),
        (lambda folder: (folder / "README.md").unlink(), "no README.md"),
        (lambda folder: (folder / "README.md").write_bytes(b"---\n\xff\n---\n"), "README.md: not UTF-8"),
        (replace("README.md", "---\ntitle", "title"), "no front matter"),
        (replace("README.md", "title: Tiny", "title: [Tiny"), "the front matter is not YAML"),
        (replace("README.md", "title: Tiny\n", ""), "lacks title"),
        (replace("README.md", "sdk: gradio", "sdk: docker"), "sdk is 'docker'"),
        (replace("README.md", "6.0.0", "5.0.0"), "sdk_version is 5.0.0, but the app was checked with Gradio 6"),
        (replace("README.md", "6.0.0", "6.10"), "sdk_version is 6.1, expected a version in three parts"),
        (replace("README.md", "app.py", "main.py"), "app_file names main.py"),
        (replace("README.md", "- metric\n", ""), "tags are ['evaluate']"),
        (replace("README.md", "title: Tiny", "title: Tiny\ncolorTo: mauve"), "colorTo is 'mauve'"),
        (replace("README.md", "title: Tiny", f"title: Tiny\nshort_description: {'x' * 61}"), "over 60 characters"),
        (lambda folder: (folder / "requirements.txt").unlink(), "no requirements.txt"),
        (replace("requirements.txt", "evaluate>=0.4", "evaluate >= four"), "requirements.txt:1: 'evaluate >= four'"),
        (lambda folder: (folder / "tiny_factor.py").unlink(), "tiny.py:5: imports .tiny_factor, and there is no"),
        (replace("tiny_factor.py", "1.0", "1.0 +"), "tiny_factor.py:1: invalid syntax"),
        (
            replace("tiny_factor.py", "FACTOR", "from metrics.shared import x\nFACTOR"),
            "imports metrics, a part of the project",
        ),
        (
            replace("tiny_factor.py", "FACTOR", "from ..shared import x\nFACTOR"),
            "`from ..shared import` leaves the folder",
        ),
        (replace("tiny.py", "from .tiny_factor import FACTOR", "from . import tiny_factor"), "`from . import`"),
    ],
)
def test_reading_the_folder_finds(tmp_path, change, said):
    folder = tiny_metric(tmp_path)
    change(folder)
    (problem,) = metric_problems(folder)
    assert said in problem


def test_file_that_evaluate_would_not_copy_is_named(tmp_path):
    folder = tiny_metric(tmp_path)
    (folder / "tiny_factor.py").write_text("FACTOR = 1.0\n\n\ndef late():\n    from .deeper import ONE\n")
    (folder / "deeper.py").write_text("ONE = 1\n")
    assert metric_problems(folder) == ["tiny.py must itself import .deeper: evaluate copies only the files it names"]


def test_module_and_app_must_start_from_a_copy(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    folder = tiny_metric(tmp_path)
    (folder / "tiny_factor.py").write_text("import os\n\nFACTOR = open('sample/gold.json')\n")
    (problem,) = load_problems(folder, {"tiny": {"tiny_factor"}, "tiny_factor": set()})
    assert problem.startswith("does not load from a copy: FileNotFoundError")
    (folder / "app.py").write_text("import os\n\nraise ValueError(os.environ.get('HF_TOKEN', 'no token here'))\n")
    assert app_problems(folder, "app.py") == ["app.py does not import from a copy: ValueError: no token here"]


def test_citation_names_the_version_that_is_pushed():
    citation = yaml.safe_load((push_to_hub.ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == push_to_hub.project_version()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda folder: (folder / "README.md").unlink(), "no README.md"),
        (
            lambda folder: (folder / "test.parquet").rename(folder / "dev.parquet"),
            "`configs` names test.parquet, and no",
        ),
        (lambda folder: (folder / "test.parquet").write_text("id\n"), "test.parquet: not Parquet: "),
    ],
)
def test_checking_a_dataset_finds(tmp_path, change, said):
    folder = tiny_dataset(tmp_path)
    assert dataset_problems(folder) == []
    change(folder)
    (problem,) = dataset_problems(folder)
    assert said in problem
