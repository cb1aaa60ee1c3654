"""Checks every message of a testee under development, and says what is wrong, where, and what to do.

It starts the testee, has it declare itself, puts small programs of the built-in cases to it (some
for each step it declares), then a step that does not exist, a program that fails, stop, a command
that does not exist and a runner that is gone. Whether answers are right is not its question: that
is //conformance:run's.

  ./bazelw run //conformance:probe -- --testee='python3 my_testee.py'
  ./bazelw run //conformance:probe -- --testee=tensorflow --verbose
  ./bazelw run //conformance:probe -- --testee=./my_testee --deadline=5

Exit status: 0 when all is well, 1 when something is wrong, 2 when it could not run.
"""
import argparse
import json
import os
import pathlib
import sys

from conformance.probe import programs
from conformance.probe import testee_command
from conformance.probe.conversation import Conversation
from conformance.probe.message_check import MessageSchemas
from conformance.probe.probing import Probing
from conformance.probe.report import Report

FOLDER = pathlib.Path(__file__).parent.parent


def seconds(text):
    """A time that a clock can be asked to wait."""
    value = float(text)
    if not 0.001 <= value <= 1e6:
        raise argparse.ArgumentTypeError(f"wanted a number from 0.001 to 1000000, got {text}")
    return value


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog="./bazelw run //conformance:probe --", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--testee", required=True, metavar="NAME|'COMMAND ...'",
        help="a name of testees.json, or a command: something with a space or a slash in it")
    parser.add_argument(
        "--start_deadline", type=seconds, default=120, metavar="S",
        help="seconds until it has declared itself (default %(default)s)")
    parser.add_argument(
        "--deadline", type=seconds, default=60, metavar="S",
        help="seconds for each program, and for the end after stop (default %(default)s)")
    parser.add_argument(
        "--verbose", action="store_true", help="show every line in both directions")
    return parser.parse_args(arguments)


def load_conventions():
    """Convention -> the set of its values."""
    conventions = json.loads((FOLDER / "conventions.json").read_text(encoding="utf-8"))
    return {convention["id"]: {value["id"] for value in convention["values"]}
            for convention in conventions["conventions"]}


def main(arguments=None, out=sys.stdout):
    options = parse_arguments(arguments)
    try:
        command = testee_command.resolve(options.testee, FOLDER / "testees.json", os.environ)
        report = Report(out)
        conversation = Conversation(
            command, MessageSchemas(FOLDER / "schemas" / "pipe"), report,
            start_deadline=options.start_deadline, deadline=options.deadline,
            verbose=options.verbose)
        Probing(
            conversation, report, cases=programs.FIRST_CASES + programs.load_cases(FOLDER / "cases"),
            described=programs.described_steps(FOLDER / "operations.md"),
            conventions=load_conventions()).run()
    except (OSError, testee_command.Unknown) as error:
        print(f"[Probe] {error}", file=sys.stderr)
        return 2
    report.close()
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
