"""Takes each step and each option of the vocabulary away from the reference, and says which case notices.

    ./bazelw run //conformance/less:run
    ./bazelw run //conformance/less:run -- --only='dataset.*' --json=less.json --markdown=less.md

removal.py says what is taken out, and how. A required or recommended case has to notice each, or unnoticed.json
lists it with the reason.
Exit status: 0 if so; 1 if not, or if the list names a removal that a case notices; 2 if it could not run.
"""

import argparse
import collections
import fnmatch
import json
import multiprocessing.pool
import os
import sys
import time

from command_line import version_option
from command_line.user_paths import write_reports
from conformance.less import case_runs, examine, unnoticed, vocabulary
from conformance.less.removal import all_removals
from conformance.mutants.case_results import RunFailed

REFERENCE = "conformance/testees/reference/pipe"


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog="less:run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    version_option.add(parser)
    parser.add_argument("--only", default="*", metavar="NAMES", help="what to take out, with * and ?; by commas")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time [%(default)s]")
    parser.add_argument("--json", metavar="FILE", help="write what was found here")
    parser.add_argument("--markdown", metavar="FILE", help="write it here as a table")
    return parser.parse_args(arguments)


def examine_all(removals, examiner, jobs):
    """A Finding for each, in their order, each printed when it is there. Errors: RunFailed."""
    findings = []
    start = time.monotonic()
    with multiprocessing.pool.ThreadPool(jobs) as pool:
        for finding in pool.imap(examiner.examine, removals):
            findings.append(finding)
            left = (time.monotonic() - start) / len(findings) * (len(removals) - len(findings))
            print("[%d/%d, %d s left] %s" % (len(findings), len(removals), left, finding.describe()), flush=True)
    return findings


def summary(findings):
    counts = collections.Counter(finding.result for finding in findings)
    return "%d steps and options: %s" % (
        len(findings),
        ", ".join(
            "%d %s" % (counts[result], words)
            for result, words in (
                (examine.NOTICED, "noticed by a required or recommended case"),
                (examine.MISSED, "not noticed"),
                (examine.NOT_TRIED, "not tried"),
            )
        ),
    )


def to_json(findings):
    return {"format": 1, "summary": summary(findings), "removals": [vars(finding) for finding in findings]}


def to_markdown(findings):
    lines = ["# The reference less a step or an option", "", summary(findings) + ".", ""]
    lines += ["| taken out | result | first noticed by, or why not |", "|---|---|---|"]
    lines += [
        "| %s | %s | %s |" % (one.name, one.result, "%s (%s)" % (one.case, one.level) if one.case else one.because)
        for one in findings
    ]
    return "\n".join(lines) + "\n"


def main(arguments):
    options = parse_arguments(arguments)
    try:
        listed = unnoticed.load(".")
        steps = vocabulary.read_steps(".")
        patterns = options.only.split(",")
        removals = [one for one in all_removals(steps) if any(fnmatch.fnmatch(one.name, p) for p in patterns)]
        examiner = examine.Examiner(case_runs.load_cases("."), REFERENCE)
        findings = examine_all(removals, examiner, options.jobs)
        write_reports(
            (options.json, lambda: json.dumps(to_json(findings), indent=2) + "\n"),
            (options.markdown, lambda: to_markdown(findings)),
        )
    except (RunFailed, unnoticed.ListError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    complaints = unnoticed.complaints(listed, findings, {one.name for one in all_removals(steps)})
    print("\n".join([*complaints, summary(findings)]))
    return 1 if complaints or not findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
