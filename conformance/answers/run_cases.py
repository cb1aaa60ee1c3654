"""Runs //conformance:run, and says how far it is."""

import os
import subprocess
import sys
import time

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
    with _start([*arguments, "--verbose"], environment) as judge:
        try:
            said = follow(judge.stdout, wanted, title)
        except BaseException:
            _end(judge)
            raise
    if judge.returncode not in JUDGED:
        raise NotRun("".join(said[-20:]).strip() or "%s ended with %d" % (JUDGE, judge.returncode))


def own_environment():
    """This process's, without the folder that `bazel run` names: it would take the place of ours."""
    return {key: value for key, value in os.environ.items() if key != "BUILD_WORKING_DIRECTORY"}


def list_ids(arguments, environment):
    """The ids of the cases that these arguments choose. Errors: NotRun."""
    with _start([*arguments, "--list"], environment) as judge:
        said = judge.stdout.read()
    if judge.returncode:
        raise NotRun(said.strip())
    return {line.split()[0] for line in said.splitlines()}


def follow(lines, wanted, title):
    """Tells how many of the cases the lines have told of, as it goes on where a person looks; returns the lines."""
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


def _start(arguments, environment):
    return subprocess.Popen(
        [os.path.join(ROOT, JUDGE), *arguments],
        cwd=ROOT,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def _end(judge):
    judge.terminate()
    try:
        judge.communicate(timeout=GRACE)
    except subprocess.TimeoutExpired:
        judge.kill()
