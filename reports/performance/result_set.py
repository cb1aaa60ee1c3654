"""Reads many result files as one set: what they measured, and what is to be said of it."""

import dataclasses
import json
import os

from reports.json_file import ReportError
from reports.performance import file_entries, result_file, source

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schemas", "result.schema.json")


@dataclasses.dataclass
class ResultSet:
    """`sources`: a Source a file, by date; `series`: in the files' order; `notes`: (source's name, what to know)."""

    sources: list
    series: list
    notes: list


def load(paths):
    """The ResultSet of files and folders, a folder being all .json files in and below it.

    Errors: ReportError for a named file that is no result or contradicts itself, for a folder without .json files,
    and where nothing has a figure. A file that was only found in a folder and is no result is a note.
    """
    files = _files(paths)
    names = short_names([path for path, _ in files])
    taken, seen = ResultSet([], [], []), {}
    for (path, found), name in zip(files, names):
        try:
            result = result_file.load(path, SCHEMA)
            origin = source.read(result, path, name)
            series, notes = file_entries.read(result, origin, path)
        except ReportError as error:
            if not found:
                raise
            taken.notes.append((name, f"left out: {error}"))
            continue
        content = json.dumps(result, sort_keys=True)
        if content in seen:
            taken.notes.append((name, f"left out: the same result as {seen[content]}"))
            continue
        seen[content] = name
        taken.sources.append(origin)
        taken.series += series
        taken.notes += [(name, note) for note in notes]
    if not taken.series:
        raise ReportError(
            "[performance] no entry with a figure in "
            + ", ".join(paths)
            + _reasons(taken.notes)
            + "; give results of //benchmarks:scaling, of //benchmarks/micro or of compare.py"
        )
    taken.sources.sort(key=lambda origin: (origin.date, origin.name))
    return taken


def short_names(paths):
    """What tells the files apart: as many last parts of each path as it takes, without '.json'."""
    for count in range(1, max((path.count(os.sep) for path in paths), default=0) + 2):
        names = [os.sep.join(path.split(os.sep)[-count:]).removesuffix(".json") for path in paths]
        if len(set(names)) == len(names):
            break
    return names


def _files(paths):
    """[(path, whether only a folder was named)], each file once."""
    files, seen = [], set()
    for path in paths:
        is_folder = os.path.isdir(path)
        for file in _in_folder(path) if is_folder else [path]:
            if os.path.realpath(file) not in seen:
                seen.add(os.path.realpath(file))
                files.append((file, is_folder))
    return files


def _in_folder(folder):
    found = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name.endswith(".json")]
    if not found:
        raise ReportError(f"[performance] {folder}: no .json file in this folder or below it")
    return sorted(found)


def _reasons(notes):
    return "".join(f" ({name}: {note})" for name, note in notes[:3])
