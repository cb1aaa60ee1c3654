"""Writes what the README shows of the stored answers: a table and docs/conformance.png.

Examples:
  ./bazelw run //conformance:summary               into the checkout it is called from
  ./bazelw build //conformance:matrix              the whole matrix, bazel-bin/conformance/matrix.html
"""

import os
import sys

from conformance.answers import results
from reports import badge, conformance_result, output_file
from reports.matrix_table import MatrixTable

REFERENCE = "reference.json"
README, PICTURE = "README.md", "docs/conformance.png"
CALLS = "Calls of TensorFlow's API, for those that have any:"
BEGIN, END = "<!-- made by //conformance:summary -->\n", "<!-- end -->\n"


def load(root):
    """The MatrixTable of the results that were built into the tree, the reference's first."""
    folder = os.path.join(root, results.FOLDER)
    names = sorted(os.listdir(folder), key=lambda name: (name != REFERENCE, name))
    return MatrixTable([conformance_result.load(os.path.join(folder, name)) for name in names])


def markdown(table):
    """Two tables: of each implementation what became of the promise, and of the calls of TensorFlow's API."""
    lines = [
        "| implementation | version | answered on | promise kept | by convention | broken | unsupported |",
        "|---|---|---|---:|---:|---:|---:|",
    ]
    for column in table.columns:
        day = column["result"]["started"][:10] if column["key"] + ".json" != REFERENCE else "every build"
        version = column["version"] or "this checkout"
        promise = column["promise"]
        kept = _share(promise.kept, sum(promise))
        others = f"{promise.departed} | {promise.broken} | {promise.unsupported}"
        lines.append(f"| {column['name']} | {version} | {day} | {kept} | {others} |")
    lines += [
        "",
        CALLS,
        "",
        "| implementation | calls that do as documented | by convention | otherwise | unsupported |",
    ]
    lines += ["|---|---:|---:|---:|---:|"]
    for column in table.columns:
        calls, total = column["calls"], sum(column["calls"].values())
        passed, departed, unsupported = calls["passed"], calls["departed"], calls["unsupported"]
        if passed or len(calls) > 1:
            others = f"{departed} | {total - passed - departed - unsupported} | {unsupported}"
            lines.append(f"| {column['name']} | {_share(passed, total)} | {others} |")
    return "\n".join(lines) + "\n"


def _share(held, total):
    """No number where all hold, as with the reference: with one case more the README stays true."""
    return "all" if held == total else f"{held} of {total}"


def with_table(readme, table):
    """The README's text with the table of now. Errors: ValueError where it has no place for it."""
    before, _, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"[Summary] {README} has no lines {BEGIN.strip()} and {END.strip()}")
    return before + BEGIN + "\n" + markdown(table) + "\n" + END + after


def main():
    root = os.environ.get("BUILD_WORKSPACE_DIRECTORY", os.getcwd())
    table = load(os.getcwd())
    place = os.path.join(root, README)
    with open(place, encoding="utf-8") as stream:
        readme = with_table(stream.read(), table)
    output_file.OutputFile(place).write(readme)
    output_file.OutputFile(os.path.join(root, PICTURE)).write(badge.draw(table.columns))
    print(f"wrote the table of {README}, and {PICTURE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
