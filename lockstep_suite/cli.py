"""lockstep COMMAND [ARGUMENTS]: everything that the wheel can do.

    lockstep run                                     all cases, on the bundled reference
    lockstep run --testee=pytorch_ddp                on PyTorch, as this Python has it
    lockstep run --testee="python3 my_testee.py"     on an implementation of your own
    lockstep explain CASE_ID                         one case: its text, source, program and known results
    lockstep doctor                                  what is installed, and what is missing

`lockstep COMMAND --help` has the options and examples of each.
"""

import argparse
import dataclasses
import itertools
import os
import subprocess
import sys

from lockstep_suite import doctor, frameworks, installation


@dataclasses.dataclass(frozen=True)
class Command:
    """A program of the wheel."""

    says: str  # what it does
    program: str  # a path, or a module
    target: str  # what starts it in the source tree: //conformance:run
    first: tuple = ()  # arguments before the user's


_RUN = ("conformance/run", "//conformance:run")
COMMANDS = {
    "run": Command("run the cases against an implementation", *_RUN),
    "list": Command("list the cases that would run", *_RUN, ("--list",)),
    "explain": Command(
        "show a case: its text, source, program and known results", "conformance/explain", "//conformance:explain"
    ),
    "judge": Command("judge the stored answers of a framework, without running it", *_RUN, ("--judge",)),
    "compare": Command(
        "compare two results, and fail on a regression", "reports.conformance_comparison", "//conformance:compare"
    ),
    "matrix": Command(
        "make a page of all cases by all implementations", "reports.conformance_matrix", "//reports:conformance_matrix"
    ),
    "coverage": Command("show which documented statements have cases", "reports.coverage", "//reports:coverage"),
    "porting": Command("show what changes between two frameworks", "reports.porting_guide", "//reports:porting_guide"),
    "bench": Command(
        "train on one and on more replicas, and measure", "benchmarks/scaling_cpu", "//benchmarks:scaling"
    ),
    "gate": Command("fail where a build is slower than before", "benchmarks.gate.gate", "//benchmarks:gate"),
    "report": Command("make a page of benchmark results", "reports.performance.performance", "//reports:performance"),
    "fetch": Command("download Fashion-MNIST or MNIST", "image_datasets/fetch", "//image_datasets:fetch"),
    "testee": Command(
        "be the reference as a testee: the pipe protocol on stdin and stdout",
        "conformance/testees/reference/pipe",
        "//conformance/testees/reference:pipe",
    ),
}
# Packages of the extra [reports], and the commands that need them.
REPORTS = ("jinja2", "jsonschema", "matplotlib", "numpy", "scipy")
NEED_REPORTS = ("compare", "matrix", "coverage", "porting", "gate", "report")


def parse_arguments(arguments):
    width = max(map(len, COMMANDS)) + 2
    lines = [f"  {name:<{width}}{command.says}" for name, command in COMMANDS.items()]
    lines += [f"  {'doctor':<{width}}say what is installed, and what is missing"]
    parser = argparse.ArgumentParser(
        prog="lockstep",
        usage="lockstep COMMAND [ARGUMENTS]",
        description=__doc__.partition("\n\n")[2],
        epilog="commands:\n" + "\n".join(lines),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    parser.add_argument("-h", "--help", action="help", help=argparse.SUPPRESS)
    parser.add_argument("--version", action="version", version="lockstep " + doctor.version(), help=argparse.SUPPRESS)
    parser.add_argument("command", choices=[*COMMANDS, "doctor"], metavar="COMMAND", help=argparse.SUPPRESS)
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def testee_of(arguments):
    """The testee that the arguments of `run` name."""
    for word, following in itertools.pairwise([*arguments, ""]):
        if word == "--testee":
            return following
        if word.startswith("--testee="):
            return word.partition("=")[2]
    return "reference"


def check(name, arguments):
    """Errors: frameworks.Missing, before a program starts that would only fail."""
    if absent := frameworks.missing(REPORTS if name in NEED_REPORTS else ()):
        raise frameworks.Missing(f"[{name}] needs {', '.join(absent)}: pip install 'lockstep-suite[reports]'")
    if name == "run" and "--help" not in arguments:
        frameworks.require(testee_of(arguments))


def for_installation(text):
    """A help text in which every command of the source tree is the wheel's."""
    for name, command in COMMANDS.items():
        for words in (f"./bazelw run {command.target} -- ", f"./bazelw run {command.target}"):
            text = text.replace(words, f"lockstep {name}" + " " * words.endswith(" "))
    return text


def print_help(words):
    ran = subprocess.run(words, env=installation.environment(), capture_output=True, text=True, check=False)
    print(for_installation(ran.stdout + ran.stderr), end="")
    return ran.returncode


def start(name, arguments):
    """Becomes the program."""
    command = COMMANDS[name]
    words = installation.command(command.program, [*command.first, *arguments])
    environment = installation.environment(name)
    os.chdir(installation.FILES)
    if {"-h", "--help"} & set(arguments):
        return print_help(words)
    os.execve(words[0], words, environment)


def main(arguments=None):
    options = parse_arguments(arguments)
    try:
        if options.command == "doctor":
            return doctor.main(options.arguments)
        check(options.command, options.arguments)
    except frameworks.Missing as error:
        print(error, file=sys.stderr)
        return 2
    except BrokenPipeError:  # a reader as `head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return start(options.command, options.arguments)


if __name__ == "__main__":
    sys.exit(main())
