"""The three demos as they are published, each served from a copy of its folder alone, and a browser to use them."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import runpy
import shutil
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SECONDS = 40  # at most, for what takes a second or two on a machine that has nothing else to do

# Importing Gradio takes longer than everything else here: it is done once, in a process from which the demos fork.
_processes = multiprocessing.get_context("forkserver")


def copied_alone(folder: str, work: Path) -> Path:
    """A copy of a metric folder under the name that a Space gives it."""
    copy = work / folder / "app"
    shutil.copytree(ROOT / "metrics" / folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def variables(work: Path) -> dict[str, str]:
    """Environment of a demo that keeps its files in ``work`` and tells nobody that it runs."""
    return {"GRADIO_ANALYTICS_ENABLED": "False", "GRADIO_TEMP_DIR": str(work / "temporary"), "HF_HUB_OFFLINE": "1"}


@contextmanager
def served(folder: str, work: Path) -> Iterator[str]:
    """Run a folder's ``app.py`` as a program in a process of its own, from a copy elsewhere.

    Args:
        folder: name of a metric folder.
        work: an empty directory for the copy, the log and the demo's temporary files.

    Yields:
        The demo's address.

    Raises:
        RuntimeError: the demo ends or does not answer; the message holds what it printed.
    """
    app = copied_alone(folder, work) / "app.py"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    _processes.set_forkserver_preload(["gradio"])
    log = work / "log.txt"
    process = _processes.Process(target=_run, args=(app, log, {**variables(work), "GRADIO_SERVER_PORT": str(port)}))
    process.start()
    try:
        address = f"http://127.0.0.1:{port}/"
        end = time.monotonic() + 200
        while not _answers(address):
            if not process.is_alive() or time.monotonic() > end:
                raise RuntimeError(f"{folder} does not start: {log.read_text() if log.exists() else ''}")
            time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        process.join()


def _run(app: Path, log: Path, environment: dict[str, str]) -> None:
    """What the process of a demo does: ``python app.py``, with its output in a file."""
    os.environ.update(environment)
    os.chdir(log.parent)
    with log.open("w", buffering=1) as stream, contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
        sys.argv = [str(app)]
        runpy.run_path(str(app), run_name="__main__")


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5):
            return True
    except (urllib.error.URLError, OSError):
        return False


def on_fork(function: Callable[[Path], None], work: Path, environment: dict[str, str]) -> int | None:
    """Call a function in a process of its own, with these variables; its exit code, 0 if nothing was raised."""
    _processes.set_forkserver_preload(["gradio"])
    process = _processes.Process(target=_call, args=(function, work, environment))
    process.start()
    process.join()
    return process.exitcode


def _call(function: Callable[[Path], None], work: Path, environment: dict[str, str]) -> None:
    os.environ.update(environment)
    function(work)
