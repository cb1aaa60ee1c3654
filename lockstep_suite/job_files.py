"""The files that a job writes."""

import json
import os

SUMMARY = "GITHUB_STEP_SUMMARY"
# Option of the runner -> ending of the file conformance.*.
OF_RUN = {"json": "json", "junit": "xml", "markdown": "md"}
NAMES = (
    *(f"conformance.{ending}" for ending in OF_RUN.values()),
    "accepted.json",
    "badge.svg",
    "changes.md",
    "changes.json",
)


def prepare(folder):
    """Makes the folder, and removes what an earlier job wrote, so that no report is an old one. Errors: OSError."""
    os.makedirs(folder, exist_ok=True)
    for name in NAMES:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            os.remove(path)


def read(path):
    """Parsed JSON that a program of the suite wrote."""
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


def summarize(folder, verdict, environment):
    """Adds the verdict, the changes and, folded, the result to the file that GITHUB_STEP_SUMMARY names."""
    if not environment.get(SUMMARY):
        return
    parts = [f"**{verdict}**\n"]
    for name in ("changes.md", "conformance.md"):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as stream:
                parts.append(stream.read())
    *first, last = parts
    parts = [*first, f"<details><summary>All results</summary>\n\n{last}\n</details>\n"]
    with open(environment[SUMMARY], "a", encoding="utf-8") as stream:
        stream.write("\n".join(parts) + "\n")
