"""Runs implementations again where their stored answers are missing or stale.

Examples:
  ./bazelw run //conformance:ask                          all frameworks, what is stale
  ./bazelw run //conformance:ask -- keras jax             these only
  ./bazelw run //conformance:ask -- --all                 every case, whether it is stale or not
  ./bazelw run //conformance:ask -- --list                what is stale and why; runs nothing

What they answer goes to conformance/answers/<testee>/<version>.json. Every case of all frameworks takes half an hour on
two cores, and the first time some minutes more for the frameworks' environment (3.7 GB). Exit status: 0 all ran,
with --list also where something is stale; 2 one could not be run.
"""

import argparse
import subprocess
import sys

from command_line import version_option
from conformance.answers import frameworks, results
from reports import conformance_result

RUN = "conformance/run"
# Exit statuses of //conformance:run where every case was put: all is as expected, or not.
RAN = (0, 1)


def parse_arguments(arguments, known):
    parser = argparse.ArgumentParser(
        prog="ask", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    version_option.add(parser)
    parser.add_argument("testees", nargs="*", metavar="TESTEE", help=f"of {', '.join(sorted(known))} [all]")
    parser.add_argument("--all", action="store_true", help="every case")
    parser.add_argument("--list", action="store_true", help="say what is stale, and run nothing")
    parser.add_argument("--jobs", type=int, default=1, help="processes of a testee at a time [1]")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.testees) - set(known)):
        parser.error(f"no framework of conformance/testees.json: {', '.join(unknown)}")
    options.testees = options.testees or sorted(known)
    return options


def stale(name, known):
    """Lines that say how many cases of a testee are stale for which reason; `known`: results by testee."""
    if name not in known:
        return [f"{name}: it never ran"]
    reasons = conformance_result.stale(known[name])
    return [f"{name}: {count} case{'s' if count > 1 else ''} {reason}" for reason, count in reasons]


def ask(name, options):
    """Whether the testee ran."""
    print(f"== {name}", flush=True)
    command = [RUN, f"--testee={name}", "--record", f"--jobs={options.jobs}"]
    return subprocess.run(command + ["--stale"] * (not options.all), check=False).returncode in RAN


def main(arguments=None):
    options = parse_arguments(arguments, frameworks.load("."))
    if options.list:
        known = results.load_all()
        lines = [line for name in options.testees for line in stale(name, known)]
        print("\n".join(lines or ["every stored answer is what would be answered today"]))
        return 0
    failed = [name for name in options.testees if not ask(name, options)]
    if failed:
        print(f"[Ask] could not run {', '.join(failed)}: see above", file=sys.stderr)
    return 2 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
