"""Runs the cases as a job of a build server, and compares with the result that you accepted last.

    lockstep job --testee="python3 my_testee.py" --accept=accepted.json
    lockstep job --testee="python3 my_testee.py" --old=accepted.json --only-regressions

Options that are not below are those of `lockstep run`. It writes to the folder:

    conformance.json     the result
    conformance.xml      the list of tests, as JUnit; with --only-regressions only a regression is a failure
    conformance.md       a summary
    accepted.json        the result in short: commit it to accept it
    badge.svg            a badge for a README
    changes.md, .json    what changed since OLD; changes.md fits in a comment on a pull request

Where GITHUB_STEP_SUMMARY is set, the Markdown files are added to the file that it names, the changes first. The last
line says why the job failed, or that all is well.
Exit status: 0 fine; 1 a case is not as expected, regressed, or passed in OLD and did not run; 2 the job could not run.
"""

import argparse
import os
import shlex
import shutil
import subprocess

from lockstep_suite import commands, frameworks, installation, job_files, job_verdict, results

COMPARE = commands.COMMANDS["compare"].program


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
    parser.add_argument("--old", default="", help="the accepted result, or conformance.json of the run before")
    parser.add_argument("--first", action="store_true", help="OLD does not exist yet: compare with nothing")
    parser.add_argument("--accept", default="", metavar="FILE", help="write accepted.json to FILE, and exit with 0")
    parser.add_argument(
        "--only-regressions", action="store_true", help="fail only where a case is worse than in OLD, not on others"
    )
    options, run_options = parser.parse_known_args(arguments)
    check(parser, options, run_options)
    return options, run_options


def check(parser, options, run_options):
    if options.accept and options.old:
        parser.error("--accept takes the result as it is: leave out --old")
    if (options.only_regressions or options.first) and not options.old:
        parser.error(f"--{'first' if options.first else 'only-regressions'} needs --old=FILE")
    for name, ending in job_files.OF_RUN.items():
        if any(word.partition("=")[0] == f"--{name}" for word in run_options):
            parser.error(f"the job itself writes --{name}, as conformance.{ending} in --folder; leave it out")


def run_program(name, arguments):
    """Its exit status."""
    print("== " + shlex.join(["lockstep", name, *arguments]), flush=True)
    return start(commands.COMMANDS[name].program, name, arguments).returncode


def run_quietly(program, arguments):
    """Errors: CannotRun, with what it says, where it ends with 2."""
    ran = start(program, "compare", arguments, capture_output=True, text=True)
    if ran.returncode not in results.FINISHED:
        raise installation.CannotRun(ran.stderr.strip() or f"[job] {program} ended with {ran.returncode}")


def start(program, name, arguments, **output):
    """What subprocess.run returns. `name`: what it calls itself."""
    words, environment = installation.command(program, arguments), installation.environment(name)
    return subprocess.run(words, cwd=installation.FILES, env=environment, check=False, **output)


def check_old(options, old):
    """Errors: CannotRun where OLD is missing, damaged or where the job writes, before anything runs."""
    if os.path.dirname(old) == options.folder:
        raise installation.CannotRun(f"[job] {old} is in the folder to write to: name another --folder, or move it")
    if options.first:
        if os.path.exists(old):
            raise installation.CannotRun(f"[job] --first is for the first run, and {old} exists: leave out --first")
        return
    if not os.path.exists(old):
        raise installation.CannotRun(
            f"[job] there is no {old} to compare with. If the name is right, make it with --accept={options.old}, or"
            " add --first to run without it"
        )
    run_quietly(COMPARE, [old, old])


def check_testee(options):
    """Errors: CannotRun, frameworks.Missing."""
    frameworks.require(options.testee)
    results.check_command(options.testee)


def check_packages(options):
    """Errors: frameworks.Missing, before anything runs."""
    if options.old and (absent := frameworks.missing(commands.COMPARISON)):
        advice = commands.advice(commands.COMMANDS["compare"])
        raise frameworks.Missing(f"[job] needs {', '.join(absent)} to compare with --old: {advice}")


def run_cases(options, run_options):
    """The runner's exit status."""
    files = [f"--{option}={options.folder}/conformance.{ending}" for option, ending in job_files.OF_RUN.items()]
    return run_program("run", [f"--testee={results.testee_command(options.testee)}", *run_options, *files])


def compare(options, old):
    """What changed since OLD, as docs/formats.md has it; None in a first run."""
    new = f"{options.folder}/conformance.json"
    words = [old or new, new]
    if enforced := job_files.read(new)["options"]["enforce"]:
        words.append(f"--enforce={','.join(enforced)}")
    if options.only_regressions:
        words.append(f"--junit={options.folder}/conformance.xml")
    if not old:
        run_quietly(COMPARE, words)
        return None
    files = [f"--{kind}={options.folder}/changes.{ending}" for kind, ending in (("markdown", "md"), ("json", "json"))]
    if run_program("compare", [*words, *files]) not in results.FINISHED:
        raise installation.CannotRun("[job] the results cannot be compared, for the reason above")
    return job_files.read(f"{options.folder}/changes.json")


def write_more(options):
    """The accepted form of the result, and the badge."""
    result = f"{options.folder}/conformance.json"
    run_quietly(commands.ACCEPT, [result, f"{options.folder}/accepted.json"])
    if options.accept:
        shutil.copyfile(f"{options.folder}/accepted.json", options.accept)
    if frameworks.missing(commands.COMPARISON):
        print(f"No badge.svg: {commands.advice(commands.COMMANDS['compare'])}")
    else:
        run_quietly(commands.COMMANDS["matrix"].program, [result, f"--svg={options.folder}/badge.svg"])


def main(arguments=None):
    options, run_options = parse_arguments(arguments)
    check_packages(options)
    check_testee(options)
    options.folder = os.path.abspath(options.folder)
    old = options.old and os.path.abspath(options.old)
    if old:
        check_old(options, old)
    try:
        job_files.prepare(options.folder)
        if run_cases(options, run_options) not in results.FINISHED:
            return 2
        write_more(options)
        changes = compare(options, "" if options.first else old) if old else None
    except OSError as error:
        raise installation.CannotRun(f"[job] {error.filename}: {error.strerror}") from error
    verdict = job_verdict.of(job_files.read(f"{options.folder}/conformance.json"), changes, options)
    job_files.summarize(options.folder, verdict, os.environ)
    print(verdict)
    return verdict.exit_status
