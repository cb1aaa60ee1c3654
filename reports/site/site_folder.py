"""The folder that the site is written to: whole or not at all."""

import os
import shutil

from reports.json_file import ReportError

# Names a folder as one that was written here, and tells GitHub Pages to serve it as it is.
MARK = ".nojekyll"


def write(files, folder):
    """Replaces the folder by these files: path in it -> text.

    Errors: ReportError where the folder has something in it that is no site; OSError.
    """
    folder = os.path.abspath(folder)
    _check(folder)
    aside, old = f"{folder}.tmp-{os.getpid()}", f"{folder}.old-{os.getpid()}"
    try:
        for path, text in {**files, MARK: ""}.items():
            _write(os.path.join(aside, path), text)
        if os.path.isdir(folder):
            os.rename(folder, old)
        os.rename(aside, folder)
    finally:
        for rest in (aside, old):
            shutil.rmtree(rest, ignore_errors=True)


def _check(folder):
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise ReportError(f"[site] {folder} is no folder")
    if os.path.isdir(folder) and os.listdir(folder) and MARK not in os.listdir(folder):
        raise ReportError(f"[site] {folder} has other files than a site's: name a new folder")


def _write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
