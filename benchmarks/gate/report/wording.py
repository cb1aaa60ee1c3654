"""The wording of a verdict, the same on the terminal, in a comment and on a page: its headline, its tests, what it
rests on, and the command that repeats it."""

import dataclasses
import math
import shlex
import statistics

from benchmarks.gate import ratios
from benchmarks.gate import verdict as verdicts
from benchmarks.gate.recording import (
    CHANGED,
    SIDES,
    TARGET,
    USUAL_CPU_FIELD,
    USUAL_SCHEDULES,
    WHOLE_METHODS,
    Recordings,
)
from benchmarks.gate.verdict import Outcome
from command_line.own_command import own_command

STOPPED = {
    "budget": "the time that it may take (--budget) was over; go on with --record=FILE --again, or raise --budget",
    "interrupted": "it was interrupted",
    "failed": "a run failed",
}
TIMES = {"cpu": "CPU time", "wall": "wall time"}
METHODS = {
    "paced": "paced: two processes that handed the machine over after every {turn} steps",
    "fresh": "fresh: new processes, one at a time",
    "benchmark": "benchmark: Google Benchmark programs, one at a time",
    "stored": "stored: new processes of the candidate, against a result that was there: nothing was interleaved",
}
# Seconds. Of shorter runs without turns a difference of a few percent is lost in what the machine does beside.
SHORTEST_RUN = 2.0
# Characters of a commit or digest that tell it from others.
SHORT = 12
WALL_TIME = (
    "Wall time that is not judged is not fine: while others use the machine it says nothing of a quiet one, "
    "and CPU time does not see waits."
)


def title(metric):
    """'Wall time'."""
    return TIMES[metric][0].upper() + TIMES[metric][1:]


def in_percent(log_ratio):
    """A log ratio as the change of a time in percent."""
    return 100 * math.expm1(log_ratio)


def percent(log_ratio):
    """The same in words, with its sign: '+5.6'."""
    return f"{in_percent(log_ratio):+.1f}"


def size(estimate, lower, upper):
    """'+5.6 % [+3.9, +7.3]' of log ratios."""
    return f"{percent(estimate)} % [{percent(lower)}, {percent(upper)}]"


def size_of(test):
    """As `size`; '' where there are no numbers."""
    return size(*dataclasses.astuple(test.interval)) if test.interval else ""


def delta(test, taken):
    """'3 %', and whether it is more than Recordings ask for."""
    return f"{100 * test.delta:.3g} %" + (" (raised)" if is_raised(test, taken) else "")


def is_raised(test, taken):
    return test.delta > taken.delta


def answer(test):
    """'REGRESSION', or another word for a test's outcome."""
    if test.outcome == Outcome.NOT_JUDGED:
        return f"NOT JUDGED: {test.reason}"
    if test.outcome == Outcome.FINE:
        return f"FINE: {'faster' if is_faster(test) else no_slowdown(test.delta)}"
    return test.outcome.value.upper() + (f": {test.reason}" if test.reason else "")


def is_faster(test):
    """Whether the candidate takes less time by delta or more, with certainty that it takes less."""
    interval = test.interval
    return interval is not None and interval.upper < 0 and interval.estimate <= -math.log1p(test.delta)


def no_slowdown(share):
    """What a fine test says, and no more: a slowdown below 2 delta may be there."""
    return f"no slowdown of {200 * share:.3g} % or more"


def headline(verdict, taken):
    """The verdict in one line that stands alone: 'Regression: Train/a takes 5.6 % more CPU time'."""
    return f"{verdict.outcome.value.capitalize()}: {_HEADLINES[verdict.outcome](verdict, taken)}"


def _regression(verdict, _):
    slower = [test for test in verdict.tests if test.outcome == Outcome.REGRESSION]
    worst = max(slower, key=lambda test: test.interval.estimate)
    others = f", the most of {len(slower)} slowdowns" if len(slower) > 1 else ""
    more = percent(worst.interval.estimate).lstrip("+")
    return f"{worst.entry} takes {more} % more {TIMES[worst.metric]}{others}"


def _fine(verdict, taken):
    outcomes = {metric: _weakest(verdict, metric) for metric in taken.metrics}
    fine = [metric for metric, outcome in outcomes.items() if outcome == Outcome.FINE]
    share = max(test.delta for test in verdict.tests if test.metric in fine)
    rest = [f"{TIMES[metric]} {outcome.value}" for metric, outcome in outcomes.items() if metric not in fine]
    return "; ".join([f"{no_slowdown(share)} in {' and '.join(TIMES[metric] for metric in fine)}", *rest])


def _weakest(verdict, metric):
    """The sentence on a metric whose entries are not all fine."""
    outcomes = [test.outcome for test in verdict.tests if test.metric == metric]
    return next((each for each in (Outcome.NOT_JUDGED, Outcome.UNDECIDED) if each in outcomes), Outcome.FINE)


def _undecided(verdict, taken):
    stopped = f"; {STOPPED.get(taken.stopped, taken.stopped)}" if taken.stopped else ""
    return _why_undecided(verdict, taken) + _short_runs(taken) + stopped


def _short_runs(taken):
    """What to do about runs without turns that are too short; '' where they are not."""
    halves = [half for each in taken.recordings for half in (each.baseline, each.candidate)]
    if taken.method != "fresh" or not halves:
        return ""
    seconds = statistics.median(half.elapsed for half in halves)
    if seconds >= SHORTEST_RUN:
        return ""
    return f"; the runs take {seconds:.2g} s: use {SHORTEST_RUN:g} s or more, or turns (docs/formats.md)"


def _why_undecided(verdict, taken):
    if taken.method == "stored" and verdict.looked_at:
        return verdicts.SUSPECT if any(test.reason == verdicts.SUSPECT for test in verdict.tests) else verdicts.UNPROVEN
    if not verdict.looked_at:
        return verdict.tests[0].reason if verdict.tests else "nothing was recorded"
    blind = [test for test in verdict.tests if test.metric in taken.required and test.outcome == Outcome.NOT_JUDGED]
    if blind:
        return f"{TIMES[blind[0].metric]} is required and could not be judged"
    wide = [test for test in verdict.tests if test.outcome == Outcome.UNDECIDED]
    return f"after {verdict.looked_at} recordings the bounds are too wide for {len(wide)} of {len(verdict.tests)} tests"


_HEADLINES = {Outcome.REGRESSION: _regression, Outcome.FINE: _fine, Outcome.UNDECIDED: _undecided}


def facts(verdict, taken, calibration=None):
    """[(label, text)] of a Verdict on Recordings, by a Calibration or none."""
    found = [
        ("recordings", _recordings(verdict, taken)),
        ("others' share", load(verdict, taken)),
        ("method", METHODS[taken.method].format(turn=taken.schedule.turn)),
        ("seed", str(taken.seed)),
        ("baseline", side(taken.baseline)),
        ("candidate", side(taken.candidate)),
        ("arguments", shlex.join(taken.arguments) or "none"),
        ("machine", machine(taken.machine)),
        ("calibration", _calibration(verdict, calibration)),
    ]
    if taken.method == "benchmark":
        found += [("benchmarks", taken.entry or "all"), ("CPU time", taken.cpu_field)]
    if taken.is_same_program():
        found.append(("both sides", "the same program (A/A)"))
    if taken.stopped:
        found.append(("stopped", STOPPED.get(taken.stopped, taken.stopped)))
    found += [("delta", text) for text in _raised(verdict, taken)]
    if any(test.metric == "wall" and test.outcome == Outcome.NOT_JUDGED for test in verdict.tests):
        found.append(("wall time", WALL_TIME))
    return found


def load(verdict, taken):
    """Other programs' use of the machine, in words."""
    known = ratios.known_shares(verdict.seen(taken), taken.machine["cores"])
    if not known:
        return "unknown"
    return (
        f"median {100 * statistics.median(known):.0f} % of the cores, {100 * min(known):.0f} to "
        f"{100 * max(known):.0f} %; quiet is up to {100 * ratios.QUIET:.0f} %"
    )


def name(side_):
    """A side's short name: its commit, or its program's digest, or its command."""
    if side_.commit:
        return side_.commit.removesuffix(CHANGED)[:SHORT] + (CHANGED if side_.is_changed else "")
    return f"program {side_.program[:SHORT]}" if side_.program else shlex.join(side_.command)


def _calibration(verdict, calibration):
    """Its half-widths, for the tests that it has any of."""
    if calibration is None:
        return "none: delta is not raised for what this machine cannot tell apart"
    found = {
        metric: [
            in_percent(calibration.half_widths[test.entry, metric])
            for test in verdict.tests
            if test.metric == metric and (test.entry, metric) in calibration.half_widths
        ]
        for metric in TIMES
    }
    texts = [
        f"{min(values):.1f} to {max(values):.1f} % in {TIMES[metric]}" for metric, values in found.items() if values
    ]
    return f"half-widths here: {', '.join(texts) or 'of none of these tests'}"


def machine(fingerprint):
    return ", ".join(f"{label} {value}" for label, value in fingerprint.items())


def side(side_):
    """A side's command for a shell, and its commit."""
    return shlex.join(side_.command) + (f" at {side_.commit}" if side_.commit else "")


def _recordings(verdict, taken):
    seconds = sum(each.seconds for each in verdict.seen(taken))
    return (
        f"{verdict.looked_at} of {len(taken.recordings)} looked at (at most {taken.schedule.looks[-1]}), "
        f"{verdict.quiet} of them on a quiet machine, {seconds:.0f} s"
    )


def _raised(verdict, taken):
    """Why delta is larger than usual, a text for each such test."""
    return [
        f"raised to {100 * test.delta:.3g} % for {test.entry} {test.metric}: twice the half-width that a program "
        "against itself had on this machine"
        for test in verdict.tests
        if is_raised(test, taken)
    ]


def levels():
    """How often a gate errs, in words."""
    return (
        f"The lower bound is such that a gate of programs that are equally fast calls a regression in at most "
        f"{100 * verdicts.ALPHA:g} % of cases, over all tests and looks; the upper one such that a test passes a "
        f"slowdown of 2 delta in at most {100 * verdicts.BETA:g} %."
    )


def repeat(taken):
    """The command of Recordings, quoted for a shell: what differs from the gate's own choice, and the seed."""
    options = [*_repeated_sides(taken), ("arguments", shlex.join(taken.arguments)), ("seed", taken.seed)]
    options += [
        (name, value)
        for name, value, usual in (
            *_repeated_schedule(taken),
            ("delta", 100 * taken.delta, 100 * Recordings.delta),
            ("metrics", taken.metrics, Recordings.metrics),
            ("require", taken.required, Recordings.required),
            ("entry", taken.entry, ""),
            ("cpu_field", taken.cpu_field, USUAL_CPU_FIELD),
        )
        if value != usual
    ]
    return " ".join(
        [own_command("//benchmarks:gate"), *(f"--{name}={shlex.quote(_option_text(value))}" for name, value in options)]
    )


def _option_text(value):
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _repeated_sides(taken):
    """A built side is named by its commit; the tree with changes of its own has none, and is the candidate unnamed."""
    sides = {name: getattr(taken, name) for name in SIDES}
    targets = [each.command[0] for each in sides.values() if each.is_built][:1]
    options = [("target", target) for target in targets if target != TARGET]
    for name, each in sides.items():
        if not each.is_built:
            options.append((name, shlex.join(each.command)))
        elif not each.is_changed:
            options.append((name, each.commit))
    return options


def _repeated_schedule(taken):
    """(option, value, usual value) of each."""
    schedule, usual = taken.schedule, USUAL_SCHEDULES[taken.method]
    looks = ("looks", schedule.looks, usual.looks)
    if taken.method not in WHOLE_METHODS:
        return ("turn", schedule.turn, usual.turn), ("warmup", schedule.warmup, usual.warmup), looks
    if schedule.turn == usual.turn:
        return (looks,)
    return ("warmup", schedule.behind_switch, usual.warmup), looks


def aligned(rows):
    """Each row of texts as a line, its columns two spaces apart and as wide as the longest text in them.

    Rows may be of different lengths; the last text of a row is neither padded nor counted.
    """
    widths = {}
    for row in rows:
        for column, cell in enumerate(row[:-1]):
            widths[column] = max(widths.get(column, 0), len(cell))
    return ["  ".join([*(cell.ljust(widths[column]) for column, cell in enumerate(row[:-1])), row[-1]]) for row in rows]
