"""Writes a run's summary: summary.json, and summary.md to read."""

import collections
import json
import os

from tools.gpu_check.run_results import SUMMARY


def row(*cells):
    """A line of a Markdown table."""
    return "| %s |" % " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells)


def table(head, rows):
    return [row(*head), "|" + "---|" * len(head), *rows]


def count(entries, key):
    """'2 met, 1 not met': how often each value occurs under the key."""
    counts = collections.Counter(entry[key] for entry in entries)
    return ", ".join("%d %s" % (number, value) for value, number in counts.items())


def verdict_table(verdicts):
    return table(
        ("verdict", "wanted", "got", "file"),
        [row("**%s**" % line["verdict"], line["wanted"], line["got"], line["file"]) for line in verdicts],
    )


def program_table(results):
    return table(
        ("program", "result", "seconds", "cases", "failed", "skipped", "why"),
        [
            row(
                result["name"],
                result["result"],
                "%.1f" % result["seconds"],
                *(result.get(key, "") for key in ("cases", "failed_cases", "skipped_cases")),
                result.get("why", ""),
            )
            for result in results
        ],
    )


def text(summary):
    """The page."""
    lines = ["# GPU check of %s" % summary["commit"], ""]
    if "refused" in summary:
        lines += ["**Nothing was run**: " + summary["refused"], ""]
    lines += ["Promises for GPUs: %s." % count(summary["verdicts"], "verdict"), ""]
    lines += verdict_table(summary["verdicts"])
    lines += ["", "On:", "", *("- " + gpu for gpu in summary["machine"]["gpus"]), ""]
    return "\n".join(lines + program_table(summary["results"])) + "\n"


def machine_text(summary, nvidia_smi):
    """The context of a run, printed at its beginning."""
    libraries = ["  %s in %s" % item for item in sorted(summary["libraries"].items())]
    return "\n".join(
        [
            "commit %s, %d GPUs" % (summary["commit"], summary["gpus"]),
            "driver in %s" % summary["driver"],
            "libraries:",
            *libraries,
            nvidia_smi,
        ]
    )


def replace(path, content):
    """Writes the file whole or not at all."""
    with open(path + ".part", "w", encoding="utf-8") as stream:
        stream.write(content)
    os.replace(path + ".part", path)


def write(output, summary):
    replace(os.path.join(output, SUMMARY), json.dumps(summary, indent=2) + "\n")
    replace(os.path.join(output, "summary.md"), text(summary))


def totals(summary):
    """The verdicts and how many programs ended how, for the end of a run."""
    lines = [""]
    for line in summary["verdicts"]:
        lines += ["%-12s  %s" % (line["verdict"], line["wanted"]), "%-12s  %s" % ("", line["got"])]
    return "\n".join(
        [
            *lines,
            "",
            "promises: " + count(summary["verdicts"], "verdict"),
            "programs: " + (count(summary["results"], "result") or "nothing was run"),
        ]
    )
