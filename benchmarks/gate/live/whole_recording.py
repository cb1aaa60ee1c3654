"""Takes one recording of two processes that run to their ends one after the other: no turns within them."""
import dataclasses

from benchmarks.gate.live import turn_order
from benchmarks.gate.live.process import machine
from benchmarks.gate.live.process.side_process import WholeProcess
from benchmarks.gate.recording import Half


@dataclasses.dataclass(frozen=True)
class WholeRun:
    """What a side did from its start to its end: seconds on the clock, of its own CPU time, and of the machine's
    (None where unknown); and its result, as `load` gave it."""
    elapsed: float
    own: float
    busy: float | None
    result: object

    def half(self, entries):
        """The Half of a recording with these entries."""
        return Half(entries, self.elapsed, self.own, self.busy)


def run_both(commands, first, place, patience, load):
    """{side: WholeRun} of two commands, side -> words; `first` runs before the other one.

    `load(path, side, command, last_lines)` reads place.result(side). Errors: those of WholeProcess and of `load`.
    """
    return {side: run(side, commands[side], place, patience, load) for side in turn_order.beginning_with(first)}


def run(side, command, place, patience, load):
    """The WholeRun of one side, as in run_both."""
    place.remove_result(side)
    watch = machine.Watch(place.stat)
    with place.start(WholeProcess, side, command, patience) as process:
        own = process.wait()
        elapsed, busy = watch.read()
    return WholeRun(elapsed, own, busy, place.read(load, side, command))
