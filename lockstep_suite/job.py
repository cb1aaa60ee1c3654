"""Runs the cases as a job of a build server, and compares with the run before.

    lockstep job --testee=pytorch_ddp --area=equivalence
    lockstep job --testee="python3 my_testee.py" --old=accepted.json --only-regressions

Options that are not below are those of `lockstep run`. It writes to the folder:

    conformance.json     the result, to compare the next run with
    conformance.xml      the list of tests, as JUnit
    conformance.md       a summary
    changes.md, .json    what changed since OLD

Where GITHUB_STEP_SUMMARY is set, the two Markdown files are added to the file that it names.
Exit status: 0 fine; 1 a case is not as expected, or one regressed; 2 the job could not run.
"""

import argparse
import os
import shlex
import subprocess

from lockstep_suite import commands, frameworks, installation, results

SUMMARY = "GITHUB_STEP_SUMMARY"


def parse_arguments(arguments):
    """The job's options, and those of `lockstep run`."""
    parser = argparse.ArgumentParser(
        prog="lockstep job",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--testee", default="reference", help="a name, a program in Python, or a command [reference]")
    parser.add_argument("--folder", default="results", help="where to write [results]")
    parser.add_argument("--old", default="", help="conformance.json of the run before; may not exist yet")
    parser.add_argument(
        "--only-regressions", action="store_true", help="fail only where a case is worse than in OLD, not on others"
    )
    return parser.parse_known_args(arguments)


def run_program(name, arguments):
    """Its exit status."""
    words = installation.command(commands.COMMANDS[name].program, arguments)
    print("== " + shlex.join(["lockstep", name, *arguments]), flush=True)
    return subprocess.run(words, cwd=installation.FILES, env=installation.environment(name), check=False).returncode


def run_cases(options, run_options, folder):
    written = {"json": "json", "junit": "xml", "markdown": "md"}
    files = [f"--{option}={folder}/conformance.{ending}" for option, ending in written.items()]
    return run_program("run", [f"--testee={results.testee_command(options.testee)}", *run_options, *files])


def compare(old, folder):
    """The comparison's exit status; 0 where there is nothing to compare with."""
    new = f"{folder}/conformance.json"
    if not os.path.exists(old):
        print(f"There is no {old} yet: nothing to compare with. Keep this run's {new} there.")
        return 0
    return run_program("compare", [old, new, f"--markdown={folder}/changes.md", f"--json={folder}/changes.json"])


def summarize(folder, summary):
    """Adds the Markdown files that were written to the file `summary`."""
    with open(summary, "a", encoding="utf-8") as stream:
        for name in ("conformance.md", "changes.md"):
            path = os.path.join(folder, name)
            if os.path.exists(path):
                with open(path, encoding="utf-8") as text:
                    stream.write(text.read() + "\n")


def forget(folder):
    """Removes what an earlier job wrote, so that no report is an old one."""
    for name in ("conformance.json", "conformance.xml", "conformance.md", "changes.md", "changes.json"):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            os.remove(path)


def check_packages(options):
    """Errors: frameworks.Missing, before anything runs."""
    frameworks.require(options.testee)
    if options.old and (absent := frameworks.missing(commands.REPORTS)):
        advice = commands.advice(commands.COMMANDS["compare"])
        raise frameworks.Missing(f"[job] needs {', '.join(absent)} to compare with --old: {advice}")


def main(arguments=None):
    options, run_options = parse_arguments(arguments)
    check_packages(options)
    folder = os.path.abspath(options.folder)
    old = options.old and os.path.abspath(options.old)
    if old and os.path.dirname(old) == folder:
        raise installation.CannotRun(f"[job] {old} is in the folder to write to: name another --folder, or move it")
    os.makedirs(folder, exist_ok=True)
    forget(folder)
    status = run_cases(options, run_options, folder)
    if status not in results.FINISHED:
        return 2
    statuses = [0 if options.only_regressions else status]
    if old:
        statuses.append(compare(old, folder))
    if summary := os.environ.get(SUMMARY):
        summarize(folder, summary)
    return max(statuses)
