"""Runs //conformance:run, and says how far it is."""

import os
import subprocess
import sys
import time

from processes.process_group import ProcessGroup

# Of the files that Bazel laid out for the program.
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
JUDGE = "conformance/run"
# Its exit status where every case was put: all is as expected, or not.
JUDGED = (0, 1)
# A framework computes with threads of its own, and on a crowded machine its answers come too late.
JOBS = max(1, (os.cpu_count() or 1) // 2)
# In seconds: what the judge has to kill its testees and to write what it has.
GRACE = 20


class NotRun(Exception):
    """The cases could not be put; the text is the end of what the judge said."""


def run(arguments, wanted, title, environment):
    """Puts the cases whose ids are `wanted`, which these arguments choose.

    How far it is goes to stderr, behind `title`, in a single line where that is no terminal. Whatever ends this early
    ends the judge and its testees too. Errors: NotRun.
    """
    status, said = _ask([*arguments, "--verbose"], environment, lambda judge: follow(judge.stdout, wanted, title))
    if status not in JUDGED:
        raise NotRun("".join(said[-20:]).strip() or "%s ended with %d" % (JUDGE, status))


def list_ids(arguments, environment):
    """The ids of the cases that these arguments choose. Errors: NotRun."""
    status, said = _ask([*arguments, "--list"], environment, lambda judge: judge.stdout.read())
    if status:
        raise NotRun(said.strip())
    return {line.split()[0] for line in said.splitlines()}


def follow(lines, wanted, title):
    """Returns the lines, and shows on a terminal how many of the cases have finished."""
    started, done, said = time.monotonic(), 0, []

    def tell(lead, end):
        print(
            "%s%s: %d of %d cases, %d s" % (lead, title, done, len(wanted), time.monotonic() - started),
            end=end,
            file=sys.stderr,
            flush=True,
        )

    looked_at = sys.stderr.isatty()
    for line in lines:
        said.append(line)
        done += line.split(":")[0] in wanted
        if looked_at:
            tell("\r", "")
    tell("\r" * looked_at, "\n")
    return said


def _ask(arguments, environment, read):
    """(exit status, what read(judge) gives), of the judge with these arguments."""
    judge = ProcessGroup(
        [os.path.join(ROOT, JUDGE), *arguments],
        cwd=ROOT,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        said = read(judge)
        judge.has_ended()
    finally:
        status, _ = judge.end(GRACE)
    return status, said
