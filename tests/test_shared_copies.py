"""Files that several metric folders carry are equal to their master, and each folder names what it needs."""

import ast
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import MODULES, ROOT

from scripts import copy_shared


def test_copies_are_equal_to_their_masters() -> None:
    assert copy_shared.stale_copies(copy_shared.METRICS) == []
    assert CliRunner().invoke(copy_shared.main, ["--check"]).exit_code == 0


def test_a_stale_copy_is_found_and_mended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder, names in copy_shared.CARRIED.items():
        (tmp_path / "metrics" / folder).mkdir(parents=True)
        for name in names:
            master = tmp_path / "metrics" / "shared" / name
            master.parent.mkdir(exist_ok=True)
            master.write_text(name)
    monkeypatch.setattr(copy_shared, "METRICS", tmp_path / "metrics")
    missing = sum(len(names) for names in copy_shared.CARRIED.values())
    assert len(copy_shared.stale_copies(tmp_path / "metrics")) == missing
    checked = CliRunner().invoke(copy_shared.main, ["--check"])
    assert checked.exit_code == 1 and checked.output.count("differs: ") == missing
    assert CliRunner().invoke(copy_shared.main).output.count("copied: ") == missing
    assert copy_shared.stale_copies(tmp_path / "metrics") == []


def relative_imports(script: Path) -> set[str]:
    tree = ast.parse(script.read_text(encoding="utf-8"))
    return {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level and node.module}


@pytest.mark.parametrize("module", MODULES)
def test_the_loading_script_names_every_file_that_scoring_needs(module: str) -> None:
    folder = ROOT / "metrics" / module
    named = relative_imports(folder / f"{module}.py")
    needed, new = set(named), set(named)
    while new:
        new = {other for name in new for other in relative_imports(folder / f"{name}.py")} - needed
        needed |= new
    assert needed == named


def test_no_copy_without_a_master() -> None:
    masters = {path.name for path in (ROOT / "metrics" / "shared").glob("*.*")}
    for folder, names in copy_shared.CARRIED.items():
        assert set(names) <= masters
        carried = {path.name for path in (ROOT / "metrics" / folder).glob("*.*")} & masters
        assert carried == set(names)
