"""What must hold of the front matter of a README.md that is pushed to the Hub."""

from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml
from packaging.version import InvalidVersion, Version

# What the Hub accepts: https://huggingface.co/docs/hub/spaces-config-reference
SPACE_COLOURS = ("red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray")
LONGEST_SHORT_DESCRIPTION = 60


def read_front_matter(folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Read the YAML block at the head of a folder's README.md.

    Args:
        folder: The folder.

    Returns:
        The metadata, empty where it cannot be read, and the problems found.
    """
    try:
        lines = (folder / "README.md").read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        return {}, ["no README.md"]
    except UnicodeDecodeError as error:
        return {}, [f"README.md: not UTF-8: {error}"]
    if not lines or lines[0].rstrip() != "---" or "---" not in (line.rstrip() for line in lines[1:]):
        return {}, ["README.md: no front matter (YAML between two lines of `---` at the top)"]
    end = next(number for number, line in enumerate(lines[1:], 1) if line.rstrip() == "---")
    try:
        card = yaml.safe_load("\n".join(lines[1:end]))
    except yaml.YAMLError as error:
        return {}, [f"README.md: the front matter is not YAML: {one_line(error)}"]
    if not isinstance(card, dict):
        return {}, [f"README.md: the front matter is {type(card).__name__}, expected a mapping"]
    return card, []


def space_card_problems(card: dict[str, Any], folder: Path) -> list[str]:
    """Check the metadata of a Space.

    Args:
        card: The metadata; nothing is reported of an empty one, which `read_front_matter` has reported.
        folder: The folder, for the files that the metadata names.

    Returns:
        The problems found.
    """
    if not card:
        return []
    missing = [key for key in ("title", "sdk", "sdk_version", "app_file", "tags") if not card.get(key)]
    if missing:
        return [f"README.md: the front matter lacks {', '.join(missing)}"]
    problems = []
    if card["sdk"] != "gradio":
        problems.append(f"README.md: sdk is {card['sdk']!r}, expected 'gradio'")
    problems += sdk_version_problems(card["sdk_version"])
    if not (folder / str(card["app_file"])).is_file():
        problems.append(f"README.md: app_file names {card['app_file']}, which is not there")
    if not isinstance(card["tags"], list) or not {"evaluate", "metric"} <= set(map(str, card["tags"])):
        problems.append(f"README.md: tags are {card['tags']!r}, expected a list with 'evaluate' and 'metric'")
    for key in ("colorFrom", "colorTo"):
        if key in card and card[key] not in SPACE_COLOURS:
            problems.append(f"README.md: {key} is {card[key]!r}, expected one of {', '.join(SPACE_COLOURS)}")
    if len(str(card.get("short_description", ""))) > LONGEST_SHORT_DESCRIPTION:
        problems.append(f"README.md: short_description has over {LONGEST_SHORT_DESCRIPTION} characters")
    return problems


def sdk_version_problems(sdk_version: object) -> list[str]:
    """Check that a Space will run the Gradio that its app was written and tested with.

    Args:
        sdk_version: The front matter's value.

    Returns:
        The problems found: a value that is no full version, or one of another major version than is installed.
    """
    try:
        # YAML reads `6.31` as a number and `6.10` as 6.1: only three parts are sure to stay a string.
        wanted = Version(sdk_version) if isinstance(sdk_version, str) else None
    except InvalidVersion:
        wanted = None
    if wanted is None or len(wanted.release) != 3:
        return [f"README.md: sdk_version is {sdk_version!r}, expected a version in three parts, such as 6.0.0"]
    installed = Version(version("gradio"))
    if wanted.major != installed.major:
        return [f"README.md: sdk_version is {wanted}, but the app was checked with Gradio {installed}"]
    return []


def split_patterns(card: dict[str, Any]) -> list[str]:
    """List the file patterns that a dataset card's `configs` name.

    Args:
        card: The card's metadata.

    Returns:
        The patterns, in the card's order.
    """
    patterns: list[str] = []
    for config in card.get("configs") or []:
        data_files = (config.get("data_files") if isinstance(config, dict) else None) or []
        for entry in [data_files] if isinstance(data_files, str) else data_files:
            path = entry.get("path") if isinstance(entry, dict) else entry
            patterns += [path] if isinstance(path, str) else list(path or [])
    return patterns


def one_line(error: object) -> str:
    """Join a message's lines.

    Args:
        error: An exception or a message.

    Returns:
        The message on one line.
    """
    return " ".join(str(error).split())
