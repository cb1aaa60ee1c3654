"""Where a step's time goes, entry by entry and file by file."""

import dataclasses
import statistics


@dataclasses.dataclass(frozen=True)
class Breakdown:
    """`phases`: phase -> mean milliseconds a step on the slowest replica, over `rounds` runs."""

    series: object
    phases: dict
    rounds: int


def find(series):
    """The [Breakdown] of every Series whose entries have phases, in the order given."""
    found = []
    for one in series:
        measured = [entry["breakdown_ms"] for entry in one.entries if entry.get("breakdown_ms")]
        if measured:
            phases = {
                phase: statistics.fmean(entry.get(phase, 0) for entry in measured)
                for phase in dict.fromkeys(phase for entry in measured for phase in entry)
            }
            found.append(Breakdown(one, phases, len(measured)))
    return found
