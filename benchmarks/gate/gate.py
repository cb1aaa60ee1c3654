"""Judges whether a candidate is slower than a baseline: runs both in turns, or takes recordings of such runs.

./bazelw run //benchmarks:gate -- --help shows how.
"""

import argparse
import os
import re
import sys

from benchmarks.gate import recording_file, verdict
from benchmarks.gate.live import calibrate, session
from benchmarks.gate.process.budget import Interrupted
from benchmarks.gate.recording import METRICS, TARGET
from benchmarks.gate.report import history_report, verdict_report
from command_line import version_option
from command_line.own_command import own_command, program_name
from command_line.user_paths import user_path
from reports import command

EXAMPLES = """
Examples:
  GATE --baseline=origin/main
      builds that commit next to the working tree, and gates the tree against it
  GATE --baseline=old/scaling --candidate=bazel-bin/benchmarks/scaling
      both train in turns of 15 steps, at one and two replicas; at most 3 minutes
  GATE --baseline=old/scaling --candidate=new/scaling --arguments='--data=embedded --replicas=2 --epochs=4 --steps=75'
  GATE --baseline='python3 old/train.py' --candidate='python3 train.py' --arguments= --turn=5
      any program that takes --pace, --json and --report=none (docs/formats.md)
  GATE --baseline=old/kernels_benchmark --candidate=new/kernels_benchmark --entry=^MaxPool2D --cpu_field=own_us
  GATE --baseline=old/scaling --candidate=new/scaling --record=r.json
  GATE --baseline=old/scaling --candidate=new/scaling --record=r.json --again
      continues a gate that ran out of time, until its looks are used up
  GATE --baseline=v1.0 --candidate=HEAD --history=nightly.jsonl
  GATE --history=nightly.jsonl --html=nightly.html
      every night against a fixed anchor; and where the ratios to it changed
  GATE --calibrate --baseline=bazel-bin/benchmarks/scaling
      measures how exact a gate is on this machine, for later gates
  GATE --judge=r.json --markdown=comment.md --html=gate.html
      judges the recordings again, with the same text, and also as a comment and a page
"""
DESCRIPTION = """Is a candidate slower than a baseline? Both run in turns, so that they meet the same machine, and
each entry and metric is judged by Student's t on the recordings' log ratios.

Exit status: 0 fine, 1 regression, 3 undecided or a required metric not judged, 2 usage, a run that failed or a file
that cannot be judged; 130 after Ctrl-C.
"""
# Larger ones would let anything pass.
LARGEST_PERCENT = 50
# Seconds.
BUDGET, CALIBRATION_BUDGET = 180.0, 600.0
CANNOT_JUDGE = 2


def judge_file(path):
    """(Verdict, Recordings, Calibration or None) of a file."""
    taken, calibration = recording_file.load(path if path == "-" else user_path(path))
    return verdict.judge(taken, calibration), taken, calibration


def run(options):
    """Runs and reports what the options say; the exit status, as shells have it after an interrupt."""
    if is_history(options):
        return history_report.write(options)
    files = verdict_report.ReportFiles(options)
    record = command.output(options.record)
    try:
        if options.calibrate:
            return calibrate.run(options, os.environ, record)
        judged = session.run(options, os.environ, record) if options.judge is None else judge_file(options.judge)
    except Interrupted as interrupted:
        print(f"[gate] stopped by {interrupted}", file=sys.stderr)
        return interrupted.exit_status
    files.write_all(*judged)
    return judged[0].exit_status


def main(arguments=None):
    """Exit status, as --help says; errors go to stderr."""
    options = parse(arguments)
    return command.run(lambda: run(options), on_error=CANNOT_JUDGE)


def parse(arguments=None):
    """The options; usage errors end the program with status 2."""
    parser = argparse.ArgumentParser(
        prog=program_name() or "gate",
        description=DESCRIPTION,
        epilog=EXAMPLES.replace("GATE ", own_command("//benchmarks:gate") + " "),
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    version_option.add(parser)
    parser.add_argument("--judge", metavar="FILE", help="recordings to judge (docs/formats.md); - for standard input")
    _add_sides(parser)
    _add_rules(parser)
    parser.add_argument(
        "--record", metavar="FILE", help="file for the recordings; does not replace others of the same two programs"
    )
    parser.add_argument("--again", action="store_true", help="continue with the recordings in that file")
    parser.add_argument(
        "--calibrate",
        action="store_true",
        help="measures how exact a gate of --baseline against itself is here, and keeps that for gates on this machine",
    )
    parser.add_argument(
        "--calibration",
        metavar="FILE",
        help="the calibration to make or to use, or none (default: a file in the user's cache folder for each machine)",
    )
    _add_reports(parser)
    options = parser.parse_args(arguments)
    _check(parser, options)
    return options


def is_history(options):
    """Whether a history is asked for and no gate."""
    return options.history is not None and (options.judge, options.baseline, options.candidate) == (None, None, None)


def _add_sides(parser):
    parser.add_argument(
        "--baseline",
        metavar="SIDE",
        help="what is taken as it is: a command, a commit of the "
        "repository here (HEAD~1, a branch, a tag), which is built, or a result (FILE.json), which "
        "gives a suspicion at most",
    )
    parser.add_argument(
        "--candidate",
        metavar="SIDE",
        help="what must not be slower: a command or a commit; with a "
        "commit as baseline it is the working tree unless named",
    )
    parser.add_argument(
        "--target",
        default=TARGET,
        type=_label,
        metavar="LABEL",
        help="the program that is built of commits (%(default)s)",
    )
    parser.add_argument(
        "--arguments",
        metavar="WORDS",
        help="arguments for both, after the gate's own (default: those of //benchmarks:scaling for a short run)",
    )
    parser.add_argument("--entry", metavar="REGEX", help="both are programs of Google Benchmark: these benchmarks")
    parser.add_argument(
        "--cpu_field",
        metavar="NAME",
        help="what counts as the CPU time of a benchmark: a counter, or "
        "cpu_time (the default), which is that of one thread unless the program says otherwise",
    )
    parser.add_argument("--turn", type=_whole(1), metavar="N", help="steps a turn (15); of benchmarks repetitions (5)")
    parser.add_argument("--warmup", type=_whole(0), metavar="N", help="steps of an entry before anything counts (20)")
    parser.add_argument(
        "--looks",
        type=_looks,
        metavar="N,...",
        help="numbers of recordings at which the gate may "
        "stop (4,6,9,13,19,28; of programs that take no turns 8,16,24,32)",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="draws who goes first (default: drawn and printed)")
    parser.add_argument("--budget", type=_seconds, metavar="SECONDS", help="the most it takes (180; --calibrate: 600)")


def _add_rules(parser):
    parser.add_argument("--delta", type=_percent, metavar="PERCENT", help="smallest slowdown that counts (3)")
    parser.add_argument("--metrics", type=_metrics, metavar="M,...", help="cpu, wall or both (cpu,wall)")
    parser.add_argument(
        "--require",
        type=_metrics,
        metavar="M,...",
        help="metrics without which nothing is fine (cpu, or what --metrics says)",
    )


def _add_reports(parser):
    reports = parser.add_argument_group("reports", "FILE - is the standard output, in the place of the text.")
    reports.add_argument("--json", metavar="FILE", help="write the verdict for programs (docs/formats.md)")
    reports.add_argument("--markdown", metavar="FILE", help="write it as Markdown, for a comment on a pull request")
    reports.add_argument("--html", metavar="FILE", help="write it as a page with plots")
    reports.add_argument(
        "--history",
        metavar="FILE",
        type=_regular,
        help="add it to the history of gates; without a gate: print it and where it changed",
    )
    reports.add_argument(
        "--note",
        metavar="TEXT",
        default="",
        help="a note on this gate for the history, such as why a slowdown is accepted",
    )


def _check(parser, options):
    for name, value in vars(options).items():
        if value in ([], "--"):  # argparse's values of --baseline=--, before Python 3.13 and since
            parser.error(f"--{name} has no value")
    if options.calibrate:
        _check_calibrate(parser, options)
    elif options.judge is not None:
        given = [name for name in ("baseline", "candidate", "record") if getattr(options, name) is not None]
        if given:
            parser.error(f"--judge judges a file; --{given[0]} runs something")
    elif is_history(options):
        if options.record is not None:
            parser.error("--record records a gate; --history alone is none")
    elif options.baseline is None:
        parser.error("wanted --baseline, or --judge, or --history alone")
    options.budget = options.budget or (CALIBRATION_BUDGET if options.calibrate else BUDGET)
    _check_reports(parser, options)
    if not set(options.require or ()) <= set(options.metrics or METRICS):
        parser.error("--require names a metric that --metrics leaves out")
    if options.again and options.record is None:
        parser.error("--again goes on with the recordings of --record")


def _check_reports(parser, options):
    if options.note and (not options.history or is_history(options)):
        parser.error("--note is a note in a --history, on a gate")
    if options.json is not None and is_history(options):
        parser.error("--json writes a verdict, and a history alone has none")


def _check_calibrate(parser, options):
    """A program is compared with itself, so there is no verdict to report."""
    for name in ("judge", "candidate", "json", "markdown", "html", "history"):
        if getattr(options, name) is not None:
            parser.error(f"--calibrate holds --baseline against itself; --{name} is for a gate")
    if options.baseline is None:
        parser.error("--calibrate wanted --baseline")
    if options.again:
        parser.error("--calibrate starts from scratch; --again continues a gate")
    options.candidate = options.baseline


def _whole(least):
    def read(text):
        if not re.fullmatch(r"\d{1,6}", text) or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r}; wanted a whole number from {least} on")
        return int(text)

    return read


def _number(text, unit, least, most):
    match = re.fullmatch(r"(\d+(?:\.\d+)?)" + f"{unit}?", text)
    if not match or not least <= float(match.group(1)) <= most:
        raise argparse.ArgumentTypeError(f"{text!r}; wanted a number from {least:g} to {most:g}")
    return float(match.group(1))


def _seconds(text):
    return _number(text, "s", 1, 86400)


def _percent(text):
    return _number(text, "%", 0.1, LARGEST_PERCENT) / 100


def _metrics(text):
    chosen = text.split(",")
    if not set(chosen) <= set(METRICS):
        raise argparse.ArgumentTypeError(f"{text!r}; wanted some of {','.join(METRICS)}")
    return tuple(metric for metric in METRICS if metric in chosen)


def _label(text):
    if not re.fullmatch(r"//[\w./+-]*(:[\w./+-]+)?", text):
        raise argparse.ArgumentTypeError(f"{text!r}; wanted the label of a program, as {TARGET}")
    return text


def _looks(text):
    sizes = tuple(int(each) if each.isdigit() else 0 for each in text.split(","))
    if sizes[0] < 2 or list(sizes) != sorted(set(sizes)):
        raise argparse.ArgumentTypeError(f"{text!r}; wanted rising numbers from 2 on, as 4,6,9,12")
    return sizes


def _regular(path):
    if path in ("", "-"):
        raise argparse.ArgumentTypeError(f"{path!r}; wanted the name of a file")
    return path


if __name__ == "__main__":
    sys.exit(main())
