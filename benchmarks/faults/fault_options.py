"""The command line of the faults program."""

import argparse
import re

from benchmarks.faults.implementations import MAKERS
from benchmarks.faults.injection import FAULTS
from command_line import version_option

DESCRIPTION = """Measures how a job survives when one of its workers dies, stops, gets slow or is cut off.

Each round starts the workers of a job, injects a fault into one of them at a random moment, waits until all others
have ended, and restarts the job, which must finish. Checked in each: all end in time and with the right error;
every step's loss and the last weights are those of a run that was not interrupted, bit by bit; the latest checkpoint
is whole and the one that was saved last; no process, no listening port and no file is left. Measured: the time until
the fault is noticed, the time until the job continues, and the steps that are lost."""
EXAMPLES = """
Examples:
  ./bazelw run //benchmarks/faults
      20 rounds of ours, 2 and 3 workers, all faults
  ./bazelw run //benchmarks/faults -- --rounds=1000 --seed=1 --faults=killed
      many rounds
  ./bazelw run //benchmarks/faults -- --seed=1 --only=123
      one of these rounds again
  ./bazelw run //benchmarks/faults -- --implementation=lockstep,tensorflow,pytorch --workers=2 --rounds=10 --timeout=0
      next to others, in turns, each with its own timeouts; after 60 s another one counts as hung
  ./bazelw run //benchmarks/faults -- --worker='python3 my_worker.py' --limit=20
      any program with the same protocol (docs/formats.md)
  ./bazelw run //benchmarks/faults:parameter_servers -- 200 1
      a job with parameter servers: 200 rounds of killed and stopped workers and killed servers, from seed 1

Exit status: 0 all rounds passed, 1 a round failed, 2 it could not run; 130 after Ctrl-C.
"""
MOST_WORKERS = 16
EVENTS = ("started", "joined", "step", "saving", "saved", "trained")
# Of implementations without a stated timeout.
LONGEST = 60.0


def parse(arguments=None):
    """The options; usage errors end the program with status 2."""
    parser = argparse.ArgumentParser(
        prog="faults",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    version_option.add(parser)
    add = parser.add_argument
    add(
        "--implementation",
        type=_names(MAKERS),
        default=["lockstep"],
        metavar="NAME,...",
        help=f"whose workers: {', '.join(MAKERS)} (lockstep); several take turns",
    )
    add("--worker", metavar="COMMAND", help="a worker program in place of the implementation's")
    add("--rounds", type=_whole(1), default=20, metavar="N", help="(%(default)s)")
    add("--only", type=_whole(1), metavar="N", help="this round alone")
    add("--seed", type=_whole(0), default=1, metavar="N", help="draws what happens in each round (%(default)s)")
    add(
        "--workers",
        type=_workers,
        default=[2, 3],
        metavar="N,...",
        help="numbers of workers, one of them drawn for the start and one for the restart (2,3)",
    )
    add(
        "--faults",
        type=_names(FAULTS),
        default=list(FAULTS),
        metavar="NAME,...",
        help=f"what is drawn among: {', '.join(FAULTS)} (all)",
    )
    add(
        "--after",
        choices=EVENTS,
        help="injects the fault when the worker has reported one of these events, in place of a moment "
        "that is drawn evenly over the run",
    )
    add("--epochs", type=_whole(1), default=3, metavar="N", help="of 16 steps (%(default)s)")
    add("--save_every", type=_whole(1), default=8, metavar="N", help="steps (%(default)s)")
    _add_times(add)
    add("--json", metavar="FILE", help="result file")
    options = parser.parse_args(arguments)
    if options.worker is not None and len(options.implementation) != 1:
        parser.error("--worker goes with one implementation")
    return options


def _add_times(add):
    add(
        "--timeout",
        type=_seconds,
        default=1.0,
        metavar="SECONDS",
        help="how long a worker waits for one that does not answer; 0: as the implementation has it (%(default)g)",
    )
    add(
        "--join_timeout",
        type=_seconds,
        default=3.0,
        metavar="SECONDS",
        help="how long workers wait for one that has not come yet, in the job with the fault (%(default)g)",
    )
    add(
        "--limit",
        type=_seconds,
        metavar="SECONDS",
        help="a worker that has not ended so long after the fault hangs "
        "(default: what follows from the times above, and 10 s for a busy machine; "
        f"{LONGEST:g} where an implementation states none)",
    )


def _whole(least):
    def read(text):
        if not re.fullmatch(r"\d{1,7}", text) or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r}; wanted a whole number from {least} on")
        return int(text)

    return read


def _seconds(text):
    if not re.fullmatch(r"\d{1,4}(\.\d+)?", text):
        raise argparse.ArgumentTypeError(f"{text!r}; wanted seconds, 0 to 9999")
    return float(text)


def _workers(text):
    numbers = [_whole(2)(word) for word in text.split(",")]
    if max(numbers) > MOST_WORKERS:
        raise argparse.ArgumentTypeError(f"{text!r}; wanted {MOST_WORKERS} workers at most")
    return numbers


def _names(known):
    def read(text):
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name!r}; there are {', '.join(known)}")
        return names

    return read
