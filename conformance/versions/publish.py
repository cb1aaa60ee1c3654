"""Writes what versions of a framework answered into the source tree, for all users."""

import os

from command_line.user_paths import without_folder
from conformance.answers import run_cases
from conformance.versions import found_table
from reports.json_file import ReportError
from tools import source_tree


def write(framework, entries, table):
    """Writes found/<framework>.json, and says so.

    framework: a framework_table.Framework; entries: [version_run.VersionResult]; table: their VersionTable
    Errors: ReportError, where not every version answered all cases and nothing is written; OSError.
    """
    try:
        ids = run_cases.list_ids([], without_folder(os.environ))
    except run_cases.NotRun as error:
        raise ReportError(str(error)) from error
    found = found_table.of(framework, entries, table, ids)
    root = source_tree.find_root()
    place = os.path.join(root, found_table.FOLDER, f"{framework.name}.json")
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "w", encoding="utf-8") as file:
        file.write(found_table.dump(found))
    print(f"wrote {os.path.relpath(place, root)}")
