"""Runs every case against the reference with each of the planted bugs, and reports which cases notice.

    ./bazelw run //conformance/mutants:run
    ./bazelw run //conformance/mutants:run -- --only='lost_*' --json=kills.json --html=kills.html

A bug that no case notices is a case that is missing. With every bug (no --only) it also tells, for each case,
what kills it, from the reference on one replica and the null testees too (by_case.py). For each bug Bazel compiles one
file and links one
program, when something of it has changed; on two idle cores all of that and the runs take some minutes.
Exit status: 0 every mutant is killed by the cases it names, every required case by something, and no case is
passed for nothing; 1 not; 2 it could not run.
"""

import argparse
import fnmatch
import json
import multiprocessing.pool
import os
import subprocess
import sys

from command_line import version_option
from command_line.user_paths import write_reports
from conformance.mutants import by_case, case_results, kill_matrix, mutant

REFERENCE = "conformance/testees/reference/pipe"
PROGRAMS = "conformance/mutants"
ONE_REPLICA = "conformance/testees/miniatures/one_replica_pipe"
NULLS = "conformance/testees/miniatures/nulls.py"
# The longest case takes a third of a second, and a bug that hangs does so in many cases.
DEADLINE_S = 5


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog="mutants:run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    version_option.add(parser)
    parser.add_argument("--only", default="*", metavar="NAME", help="mutants to run, with * and ?")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs at a time [%(default)s]")
    parser.add_argument("--json", help="write the kill matrix here as JSON")
    parser.add_argument("--html", help="write the kill matrix here as a page")
    parser.add_argument("--markdown", help="write the kill matrix here as Markdown")
    return parser.parse_args(arguments)


def run_cases(program, *arguments):
    """Case id -> its Result. Errors: RunFailed."""
    testee = " ".join([os.path.abspath(program), *arguments])
    return {
        case["id"]: kill_matrix.Result(case["level"], case["verdict"], case["matches"])
        for case in case_results.results_of(testee, DEADLINE_S)
    }


def examine_mutants(mutants, baseline, jobs):
    """A row for each mutant, in their order. Errors: RunFailed."""
    rows = []
    with multiprocessing.pool.ThreadPool(jobs) as pool:
        found = pool.imap(run_cases, [os.path.join(PROGRAMS, planted.name) for planted in mutants])
        for planted, results in zip(mutants, found):
            rows.append(kill_matrix.compare(planted, baseline, results))
            print("[%d/%d] %s" % (len(rows), len(mutants), kill_matrix.describe(rows[-1])), flush=True)
    return rows


def examine_nulls(jobs):
    """Name of a null testee -> its results. Errors: RunFailed."""
    listed = subprocess.run([sys.executable, NULLS, "--list"], stdout=subprocess.PIPE, text=True, check=True)
    names = listed.stdout.split()
    with multiprocessing.pool.ThreadPool(jobs) as pool:
        found = pool.starmap(run_cases, [(sys.executable, "-S", os.path.abspath(NULLS), name) for name in names])
    return dict(zip(names, found))


def examine_all(mutants, options):
    """(rows of the kill matrix, views of the cases). Errors: RunFailed."""
    baseline = run_cases(REFERENCE)
    rows = examine_mutants(mutants, baseline, options.jobs)
    if options.only != "*":
        return rows, []
    return rows, by_case.view(baseline, rows, run_cases(ONE_REPLICA), examine_nulls(options.jobs))


def main(arguments):
    options = parse_arguments(arguments)
    try:
        mutants = [m for m in mutant.load_all(".") if fnmatch.fnmatch(m.name, options.only)]
        if not mutants:
            raise mutant.MutantError("[Mutants] none is called like %r" % options.only)
        rows, views = examine_all(mutants, options)
        document = kill_matrix.to_json(rows) | {"cases": by_case.to_json(views)}
        write_reports(
            (options.json, lambda: json.dumps(document, indent=2) + "\n"),
            (options.html, lambda: kill_matrix.to_html(rows, views)),
            (options.markdown, lambda: kill_matrix.to_markdown(rows) + by_case.to_markdown(views)),
        )
    except (mutant.MutantError, case_results.RunFailed, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    complaints = by_case.complaints(views)
    print("\n".join([*complaints, kill_matrix.summary(rows), *by_case.summaries(views)]))
    return 0 if all(row.as_named for row in rows) and not complaints else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
