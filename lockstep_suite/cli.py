"""lockstep COMMAND [ARGUMENTS]: everything that the wheel can do.

    lockstep run                                     all cases, on the bundled reference
    lockstep run --testee=pytorch_ddp                on PyTorch, as this Python has it
    lockstep new my_testee.py                        write a testee to start from
    lockstep run --testee="python3 my_testee.py"     on an implementation of your own
    lockstep explain CASE_ID                         one case: its text, source, program and known results
    lockstep doctor                                  what is installed, and what is missing

`lockstep COMMAND --help` has the options and examples of each.
"""

import argparse
import difflib
import itertools
import os
import re
import subprocess
import sys

from lockstep_suite import commands, doctor, frameworks, installation, job, new, results

HELP = {"-h", "--help"}
# Commands that this package does itself: what each does, and the function.
OWN = {
    "job": ("run the cases as a job of a build server, and compare with the run before", job.main),
    "new": ("write a testee to start from", new.main),
    "doctor": ("say what is installed, and what is missing", doctor.main),
}
NAMES = (*commands.COMMANDS, *OWN)
MOST_JOBS = 4


def command_name(word):
    """Errors: argparse.ArgumentTypeError, with similar names."""
    if word in NAMES:
        return word
    similar = difflib.get_close_matches(word, NAMES)
    hint = f"did you mean {' or '.join(similar)}?" if similar else f"wanted one of {', '.join(NAMES)}"
    raise argparse.ArgumentTypeError(f"there is no command '{word}'; {hint}")


def parse_arguments(arguments):
    width = max(map(len, NAMES)) + 2
    says = {name: command.says for name, command in commands.COMMANDS.items()}
    says |= {name: text for name, (text, _) in OWN.items()}
    parser = argparse.ArgumentParser(
        prog="lockstep",
        usage="lockstep COMMAND [ARGUMENTS]",
        description=__doc__.partition("\n\n")[2],
        epilog="commands:\n" + "\n".join(f"  {name:<{width}}{text}" for name, text in says.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    parser.add_argument("-h", "--help", action="help", help=argparse.SUPPRESS)
    parser.add_argument("--version", action="version", version="lockstep " + doctor.version(), help=argparse.SUPPRESS)
    parser.add_argument("command", type=command_name, metavar="COMMAND", help=argparse.SUPPRESS)
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def value_of(option, arguments):
    """The value of `--option=VALUE` or `--option VALUE`; None without it."""
    for word, following in itertools.pairwise([*arguments, ""]):
        if word == option:
            return following
        if word.startswith(option + "="):
            return word.partition("=")[2]
    return None


def testee_of(arguments):
    """The testee that the arguments of `run` name."""
    return value_of("--testee", arguments) or "reference"


def needs_packages(command, arguments):
    option, _, value = command.needs_nothing_with.partition("=")
    if not option:
        return True
    return value_of(option, arguments) != value and not HELP & set(arguments)


def check(name, arguments):
    """Errors: frameworks.Missing, before a program starts that would only fail."""
    command = commands.COMMANDS[name]
    if (absent := frameworks.missing(command.needs)) and needs_packages(command, arguments):
        raise frameworks.Missing(f"[{name}] needs {', '.join(absent)}: {commands.advice(command)}")
    if name == "run" and not HELP & set(arguments):
        frameworks.require(testee_of(arguments))
        results.check_command(testee_of(arguments))


def for_installation(text, name):
    """The help text of a command in which every command of the source tree is the wheel's."""
    text = re.sub(r"(?m)^([Uu]sage:) (?!lockstep )\S+", rf"\1 lockstep {name}", text, count=1)
    for other, command in commands.COMMANDS.items():
        for words in (f"./bazelw run {command.target} -- ", f"./bazelw run {command.target}", command.target):
            text = text.replace(words, f"lockstep {other}" + " " * words.endswith(" "))
    return text


def print_help(name, words, environment):
    ran = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    print(for_installation(ran.stdout + ran.stderr, name), end="")
    return ran.returncode


def with_testee_command(arguments):
    """`--testee=my_testee.py` as the command that starts it."""
    option = "--testee="
    return [
        option + results.testee_command(word.removeprefix(option)) if word.startswith(option) else word
        for word in arguments
    ]


def with_jobs(name, arguments):
    """The bundled reference is small: by default it runs on each core. A framework may need all memory for one."""
    own = {"--jobs", "--list", "--probe", *HELP}
    given = any(word.partition("=")[0] in own for word in arguments)
    if name != "run" or given or testee_of(arguments) != "reference":
        return arguments
    return [*arguments, f"--jobs={min(os.cpu_count() or 1, MOST_JOBS)}"]


def start(name, arguments):
    """Becomes the program."""
    command = commands.COMMANDS[name]
    arguments = with_jobs(name, with_testee_command(arguments))
    words = installation.command(command.program, [*command.first, *arguments])
    environment = installation.environment(name)
    os.chdir(installation.FILES)
    if HELP & set(arguments):
        return print_help(name, words, environment)
    try:
        os.execve(words[0], words, environment)
    except OSError as error:
        raise installation.CannotRun(
            f"[{name}] cannot start {words[0]}: {error.strerror}; install the wheel again"
        ) from error


def main(arguments=None):
    options = parse_arguments(arguments)
    try:
        if options.command in OWN:
            _, function = OWN[options.command]
            return function(options.arguments)
        check(options.command, options.arguments)
        return start(options.command, options.arguments)
    except (frameworks.Missing, installation.CannotRun) as error:
        print(error, file=sys.stderr)
        return 2
    except BrokenPipeError:  # a reader as `head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())
