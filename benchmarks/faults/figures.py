"""The rounds' measurements: entries of a result, and a table for the terminal."""

import statistics

_LABELS = ("fault", "phase", "workers")


def entries(rounds):
    """Entries by program, fault, phase and number of workers, in order.

    `Detect`: seconds from the fault to the last other worker's error. `Resume`: seconds from the restart to the first
    new step; `starting` of that until the programs ran, `steps_lost`
    the steps that were done and in no checkpoint (medians).
    """
    made = []
    for (program, *labels), group in sorted(_groups(rounds, *_LABELS).items()):
        name = "/".join(f"{label}:{value}" for label, value in zip(_LABELS, labels))
        if seconds := _values(group, "detected"):
            made.append(_entry(f"Detect/{name}", program, seconds))
        if seconds := _values(group, "resumed"):
            lost = _values(group, "steps_lost")
            made.append(
                _entry(f"Resume/{name}", program, seconds)
                | {
                    "starting": round(statistics.median(_values(group, "starting")), 6),
                    "steps_lost": statistics.median(lost),
                    "samples_steps_lost": lost,
                }
            )
    return made


def _groups(rounds, *labels):
    """(program, label, ...) -> the rounds with a fault that have these."""
    groups = {}
    for each in rounds:
        if each.phase:
            described = {"fault": each.plan.fault, "phase": each.phase, "workers": each.plan.workers}
            groups.setdefault((each.program, *(described[label] for label in labels)), []).append(each)
    return groups


def _values(group, name):
    return [value for each in group if (value := getattr(each, name)) is not None]


def _entry(name, program, seconds):
    samples = [round(value, 6) for value in seconds]
    return {
        "name": name,
        "program": program,
        "time_unit": "s",
        "real_time": statistics.median(samples),
        "samples": samples,
    }


def hangs(rounds):
    """The number of rounds in which a process had to be killed, by the labels of entries."""
    return [
        {"name": f"Detect/fault:{fault}/phase:{phase}/workers:{workers}", "program": program, "rounds": hung}
        for (program, fault, phase, workers), group in sorted(_groups(rounds, *_LABELS).items())
        if (hung := sum(each.hung for each in group))
    ]


def table(rounds):
    """A line for each program, fault and phase: milliseconds and steps, each the median and the maximum."""
    lines = [
        f"{'program':12} {'fault':8} {'phase':9} {'rounds':>6} {'hung':>5} {'detected, ms':>17} {'resumed, ms':>17} "
        f"{'steps lost':>11}"
    ]
    for (program, fault, phase), group in sorted(_groups(rounds, "fault", "phase").items()):
        lines.append(
            f"{program:12} {fault:8} {phase:9} {len(group):6} {sum(each.hung for each in group):5} "
            f"{_spread(_values(group, 'detected'), 1000):>17} {_spread(_values(group, 'resumed'), 1000):>17} "
            f"{_spread(_values(group, 'steps_lost'), 1):>11}"
        )
    return "\n".join(lines)


def _spread(values, factor):
    """Median and maximum."""
    if not values:
        return "-"
    return f"{statistics.median(values) * factor:.0f} ({max(values) * factor:.0f})"
