"""Puts the conformance cases to past versions of a framework, and shows where verdicts change.

pip installs each version into a folder of its own, in front of the one environment that has TensorFlow, PyTorch
and JAX (a few seconds and 2 to 54 MB a version, once); the framework's testee then answers with that version. Lists of
deviations are of the newest version: what an older one does differently is no error here.

Examples:
  ./bazelw run //conformance:versions -- keras 3.4.1 3.5.0 3.7.0 3.8.0 3.15.1
  ./bazelw run //conformance:versions -- keras 3.7.0 3.8.0 --filter='loss/*' --html=keras.html --json=keras.json
  ./bazelw run //conformance:versions -- keras 3.4.1 3.5.0 --results=kept
  ./bazelw run //conformance:versions -- keras kept/keras-3.4.1.json 3.15.1     one of them is there already
  ./bazelw run //conformance:versions -- my_package 1.0 1.1 --testee='{python} my_testee.py' --with=psutil==7.2.2
  ./bazelw run //conformance:versions -- keras 3.4.1 3.5.0 --script=defect.py   runs that, in place of cases
  ./bazelw run //conformance:versions -- keras 3.4.1 3.5.0 --publish       keeps what changed
"""

import argparse
import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import sys

from command_line import user_paths, version_option
from command_line.user_paths import user_path
from conformance.answers import run_cases
from conformance.versions import framework_table, publish, report, version_run
from conformance.versions.version_folders import NotInstalled, VersionFolders
from conformance.versions.version_table import VersionTable
from reports import command
from reports.json_file import ReportError

COMMAND = "./bazelw run //conformance:versions --"
MAKE_VENV = "third_party/frameworks/make_venv.py"
EXIT_STATUS = """\
Frameworks: {names}; any other with --testee.

Exit status: 0 every version ran; 1 one could not be installed or run, or the run was interrupted, and the
rest is reported; 2 a wrong command line, no version could be run, not every one that is to be
published, or a file cannot be read or written."""
# What //conformance:run takes too, and means by it.
PASSED_ON = (
    ("--filter", "ids of cases, with * and ? [*]"),
    ("--level", "levels of cases, separated by commas [all]"),
    ("--area", "areas of cases, separated by commas [all]"),
    ("--deadline", "seconds that a testee has for an answer [60]"),
)


def parse_arguments(arguments, known):
    parser = argparse.ArgumentParser(
        prog=COMMAND,
        description=__doc__,
        epilog=EXIT_STATUS.format(names=", ".join(known)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    version_option.add(parser)
    parser.add_argument("framework", metavar="FRAMEWORK", help="one of those below, or what pip calls another")
    parser.add_argument(
        "versions", metavar="VERSION", nargs="+", type=_version, help="in the order to show; or a file of --results"
    )
    parser.add_argument(
        "--testee", metavar="NAME|'COMMAND ...'", help="what answers, as for //conformance:run [the framework's own]"
    )
    parser.add_argument(
        "--with",
        dest="together",
        metavar="PACKAGE==VERSION,...",
        type=_packages,
        help="what each version needs in addition [what the table of frameworks says]",
    )
    parser.add_argument("--cases", metavar="PATH", help="file or folder of cases [all of the project]")
    for name, text in PASSED_ON:
        parser.add_argument(name, help=text)
    parser.add_argument(
        "--jobs", type=int, default=run_cases.JOBS, metavar="N", help="processes of the testee at a time [%(default)s]"
    )
    parser.add_argument("--script", metavar="FILE", help="run this Python program with each version, and no case")
    parser.add_argument("--results", metavar="FOLDER", help="keep each version's result here")
    parser.add_argument("--markdown", metavar="FILE", help="write the report as Markdown")
    parser.add_argument("--html", metavar="FILE", help="write it as a page that needs nothing else")
    parser.add_argument("--json", metavar="FILE", help="write it for programs")
    parser.add_argument("--publish", action="store_true", help="write, into this checkout, the verdicts that change")
    options = parser.parse_args(arguments)
    if options.framework not in known and not (options.testee or options.script):
        parser.error(
            f"there is no framework '{options.framework}', wanted one of {', '.join(known)},"
            " or --testee with what answers for it"
        )
    if len(set(options.versions)) < len(options.versions):
        parser.error("a version is there twice")
    if options.publish and (others := _own_ways(options)):
        parser.error(
            f"what is published is of all cases, put as the table of frameworks says: no {others[0]} with --publish"
        )
    return options


def _own_ways(options):
    """The options given by which a run is not what anyone else's would be."""
    names = ("testee", "with", "cases", "script", *(name[2:] for name, _ in PASSED_ON))
    values = vars(options) | {"with": options.together}
    return [f"--{name}" for name in names if values[name] is not None]


def _version(text):
    if not (text.endswith(".json") or framework_table.VERSION.fullmatch(text)):
        raise argparse.ArgumentTypeError(f"wanted a version such as 3.4.1, or a file of results, got '{text}'")
    return text


def _packages(text):
    packages = tuple(text.split(","))
    for package in packages:
        if not framework_table.PACKAGE.fullmatch(package):
            raise argparse.ArgumentTypeError(f"wanted a package such as psutil==7.2.2, got '{package}'")
    return packages


def _framework(options, known):
    """What the table has, or nothing but a name, changed as the command line says."""
    found = known.get(options.framework) or framework_table.Framework(options.framework, options.framework, "")
    together = found.together
    if options.together is not None:
        together = (framework_table.Together("*", options.together),)
    return dataclasses.replace(found, testee=options.testee or found.testee, together=together)


def _full_path(path):
    """Of a file that a person named; //conformance:run starts elsewhere."""
    return os.path.abspath(user_path(path))


def _run_arguments(options):
    """Those of //conformance:run that choose cases and say how they are put."""
    chosen = [f"{name}={value}" for name, _ in PASSED_ON if (value := getattr(options, name[2:])) is not None]
    return chosen + ([f"--cases={_full_path(options.cases)}"] if options.cases else [])


def _environment(options):
    """Ours; of a person's own testee the folder that its relative paths are meant in."""
    # Files there would take the place of ours.
    own = {user_paths.FOLDER: user_paths.users_folder(os.environ)} if options.testee else {}
    return user_paths.without_folder(os.environ) | own


def _python():
    """The Python of the frameworks' environment, which is made where there is none. Errors: ReportError."""
    made = subprocess.run(
        ["python3", os.path.join(run_cases.ROOT, MAKE_VENV)], stdout=subprocess.PIPE, text=True, check=False
    )
    if made.returncode:
        raise ReportError("[versions] the frameworks' environment could not be made, see above")
    return made.stdout.strip()


def _tell(text):
    print(text, file=sys.stderr, flush=True)


def run_all(options, framework):
    """VersionResults, until an interruption ends the list. Errors: ReportError, run_cases.NotRun, OSError."""
    arguments, environment = _run_arguments(options), _environment(options)
    wanted = run_cases.list_ids(arguments, environment)
    keep = options.results and _full_path(options.results)
    if keep:
        os.makedirs(keep, exist_ok=True)
    there = {path: version_run.read(user_path(path)) for path in options.versions if path.endswith(".json")}
    entries = []
    with contextlib.suppress(KeyboardInterrupt):
        run = version_run.VersionRun(
            framework, VersionFolders(_python()), [*arguments, f"--jobs={options.jobs}"], wanted, environment, keep
        )
        for number, version in enumerate(options.versions, 1):
            title = f"[{number}/{len(options.versions)}] {framework.name} {version}"
            entries.append(there.get(version) or run.ask(version, title, _tell))
            if entries[-1].problem:
                _tell(f"{title} {entries[-1].problem}")
    return entries + [
        version_run.VersionResult(version, problem="was not run: the run was interrupted")
        for version in options.versions[len(entries) :]
    ]


def run_script(options, framework):
    """Runs the script with each version; 1 where one could not be installed or failed, else 0. Errors: as run_all."""
    python, failed = _python(), False
    folders = VersionFolders(python)
    for version in options.versions:
        print(f"{framework.name} {version}:", flush=True)
        try:
            found = folders.find(framework.requirements(version))
        except NotInstalled as error:
            print(f"cannot be installed: {error}", flush=True)
            failed = True
            continue
        variables = version_run.in_front(found.path, dict(os.environ))
        variables |= framework.variables(version)
        done = subprocess.run([python, _full_path(options.script)], env=variables, check=False)
        failed |= done.returncode != 0
    return int(failed)


def make(options, known):
    """Runs the versions, prints, and writes what the options name; the exit status. Errors: ReportError, OSError."""
    if options.script:
        return run_script(options, _framework(options, known))
    markdown, html, as_json = map(command.output, (options.markdown, options.html, options.json))
    framework = _framework(options, known)
    try:
        entries = run_all(options, framework)
    except run_cases.NotRun as error:
        raise ReportError(str(error)) from error
    answered = [entry for entry in entries if entry.result]
    if not answered:
        raise ReportError(f"[versions] no version of {framework.name} could be run")
    table = VersionTable(
        [entry.version for entry in answered],
        [entry.result for entry in answered],
        lambda version: f"{COMMAND} {framework.name} {version}",
    )
    if "-" not in (options.markdown, options.html, options.json):
        print(report.build("txt", framework.name, entries, table), end="")
    markdown.write(report.build("md", framework.name, entries, table))
    html.write(report.build("html", framework.name, entries, table))
    as_json.write(json.dumps(report.as_json(framework.name, entries, table), indent=1, ensure_ascii=False) + "\n")
    if options.publish:
        publish.write(framework, entries, table)
    return 1 if len(answered) < len(entries) else 0


def _interrupt(*unused):
    raise KeyboardInterrupt


def main(arguments=None):
    """The exit status; for 2 with a line on stderr that says what is wrong."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    known = framework_table.load()
    options = parse_arguments(arguments, known)
    try:
        return command.run(lambda: make(options, known), on_error=2)
    except KeyboardInterrupt:  # before or after versions ran
        return 1


if __name__ == "__main__":
    sys.exit(main())
