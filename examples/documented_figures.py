"""Trains the documents' programs on the full data and compares what they print with the documents' figures.

    ./bazelw run //image_datasets:fetch && ./bazelw run //examples:documented_figures
    ./bazelw run //examples:documented_figures -- --only=restarted_training --json=figures.json

The figures, with their tolerances and reasons, are in documented_figures.json. It takes 90 s on two cores.
Exit status: 0 all figures are within tolerance; 1 one is not, or a program failed; 2 it could not run.
"""

import argparse
import dataclasses
import json
import re
import subprocess
import sys
import tempfile

from command_line import version_option
from command_line.user_paths import write_reports

FILE = "examples/documented_figures.json"


class ProgramFailed(Exception):
    """A program failed, or did not print the line."""


@dataclasses.dataclass(frozen=True)
class Figure:
    """One number of a document."""

    program: str
    figure: str  # what it is, in words
    line: str  # a regular expression with one group, the number
    which: int  # index among the matching lines: 0 the first, -1 the last
    documented: float
    within: float
    because: str  # reason for the tolerance

    def read(self, output):
        """The number as the program printed it. Errors: ProgramFailed."""
        found = re.findall(self.line, output, re.MULTILINE)
        if not -len(found) <= self.which < len(found):
            raise ProgramFailed(
                "[Figures] %s printed %d lines like '%s', wanted number %d"
                % (self.program, len(found), self.line, self.which)
            )
        return float(found[self.which])

    def holds(self, observed):
        return abs(observed - self.documented) <= self.within


def load(path=FILE):
    with open(path, encoding="utf-8") as stream:
        document = json.load(stream)
    return document["programs"], [Figure(**entry) for entry in document["figures"]]


def output_of(program, arguments):
    """What it prints, shown meanwhile. Errors: ProgramFailed."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["examples/" + program, "--data=full", *(word.format(folder=folder) for word in arguments)]
        print("==", *command, flush=True)
        lines = []
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
            for line in running.stdout:
                print(line, end="", flush=True)
                lines.append(line)
        if running.returncode:
            raise ProgramFailed("[Figures] %s ended with exit status %d" % (program, running.returncode))
    return "".join(lines)


def compare(figures, output):
    """A row for each figure."""
    rows = []
    for figure in figures:
        observed = figure.read(output)
        rows.append({**dataclasses.asdict(figure), "observed": observed, "holds": figure.holds(observed)})
    return rows


def describe(row):
    return "%-5s %s, %s: documented %g, observed %g, within %g" % (
        "ok" if row["holds"] else "OFF",
        row["program"],
        row["figure"],
        row["documented"],
        row["observed"],
        row["within"],
    )


def parse_arguments(arguments, programs):
    parser = argparse.ArgumentParser(
        prog="documented_figures", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    version_option.add(parser)
    parser.add_argument("--only", choices=sorted(programs), help="this program alone")
    parser.add_argument("--json", metavar="FILE", help="write the rows here")
    return parser.parse_args(arguments)


def main(arguments):
    programs, figures = load()
    options = parse_arguments(arguments, programs)
    rows = []
    try:
        for program, words in programs.items():
            if options.only in (None, program):
                mine = [figure for figure in figures if figure.program == program]
                rows += compare(mine, output_of(program, words))
    except ProgramFailed as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print("[Figures] %s: start it by ./bazelw run //examples:documented_figures" % error, file=sys.stderr)
        return 2
    print("\n".join(describe(row) for row in rows))
    write_reports((options.json, lambda: json.dumps({"format": 1, "figures": rows}, indent=2) + "\n"))
    return 0 if all(row["holds"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
