"""A server in a process of its own for the tests of the page and its interface, and the browser that looks at it."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.browsing import browser_path


@contextlib.contextmanager
def running_server(folder: Path, *options: str) -> Iterator[str]:
    """The address of a server on a free port; what it says on stderr is kept in ``server.err``."""
    errors = folder / "server.err"
    command = [sys.executable, "-m", "pocketzero", "serve", "--port", "0", "--no-browser"]
    command += ["--games", str(folder / "games.sqlite"), "--runs", str(folder / "runs"), *options]
    with errors.open("w") as file:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=file, text=True)
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"http://\S+/", line)
            assert found, f"The server did not start: {line!r} {errors.read_text()}"
            yield found[0].rstrip("/")
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout:
                process.stdout.close()
    assert "Traceback" not in errors.read_text(), errors.read_text()


def check_browser() -> None:
    """Without Chromium tests of the page are skipped, but never where everything is to be tested."""
    if browser_path() is None:
        if os.environ.get("CI"):
            pytest.fail("Chromium is missing; .ci/run installs it.")
        pytest.skip("No Chromium on this machine: the tests of the page in a browser are left out.")
