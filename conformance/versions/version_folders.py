"""Versions of packages side by side, each in a folder that Python looks into before the environment's own.

    folders = VersionFolders("frameworks-0123/bin/python")
    found = folders.find(["keras==3.5.0"])     # installs it where it is not there yet
    subprocess.run([...], env={"PYTHONPATH": found.path, ...})

They are beside the environment: frameworks-0123-versions/keras-3.5.0. A folder gets that name when all of it is
there; a process that needs one that another is installing waits for it.
"""

import contextlib
import dataclasses
import fcntl
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from processes import process_group

PIP = ("-m", "pip", "install", "--no-deps", "--no-input", "--disable-pip-version-check", "--progress-bar=off")


class NotInstalled(Exception):
    """The text is the end of what pip said."""


@dataclasses.dataclass(frozen=True)
class Found:
    """A version's folder; seconds: what it took to install, 0 where it was there."""

    path: str
    seconds: float = 0


class VersionFolders:
    """Of the environment whose Python this is; its pip installs."""

    def __init__(self, python):
        self._python = str(python)
        environment = pathlib.Path(python).parent.parent
        self._folder = environment.with_name(environment.name + "-versions")

    def find(self, requirements):
        """Found, of these pinned packages and none that they depend on. Errors: NotInstalled, OSError."""
        place = self._folder / "+".join(requirements).replace("==", "-")
        self._folder.mkdir(parents=True, exist_ok=True)
        with open(f"{place}.lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if place.exists():
                return Found(str(place))
            started = time.monotonic()
            self._install(requirements, place)
            return Found(str(place), time.monotonic() - started)

    def _install(self, requirements, place):
        unfinished = place.with_name(place.name + ".unfinished")
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(unfinished)
        try:
            _run_pip([self._python, *PIP, "--target", str(unfinished), *requirements])
            os.rename(unfinished, place)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)


def _run_pip(command):
    """Errors: NotInstalled. Whatever ends this early ends pip and all that it started."""
    with tempfile.NamedTemporaryFile() as said:
        status = process_group.run(command, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT)
        if status:
            raise NotInstalled("\n".join(process_group.last_lines(said.name)) or f"pip ended with {status}")
