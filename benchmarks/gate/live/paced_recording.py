"""Takes one recording: two processes that are started together and hand each other the machine, turn by turn."""
import contextlib
import dataclasses

from benchmarks.gate.live import cpu_account, side_result, turn_order
from benchmarks.gate.live.process import machine
from benchmarks.gate.live.process.paced_process import PacedProcess
from benchmarks.gate.recording import SIDES, GateError, Half, Recording


@dataclasses.dataclass
class Load:
    """Seconds of a side's turns together, as Half has them."""
    elapsed: float = 0.0
    own: float = 0.0
    busy: float | None = 0.0

    def add(self, elapsed, own, busy):
        self.elapsed += elapsed
        self.own += own
        self.busy = None if self.busy is None or busy is None else self.busy + busy


def take(commands, first, steps_a_turn, place, patience, tell=lambda turns: None):
    """(Recording, compiler) of two commands, side -> words, each to write its result to place.result(side).

    `first`: the side with the first turn; the second round begins with the other one, and so on. `tell` is called with
    the number of turns so far. Errors: those of PacedProcess and of side_result, GateError for sides that cannot be
    compared; no process is left in any case.
    """
    loads = {side: Load() for side in SIDES}
    for side in SIDES:
        place.remove_result(side)
    with contextlib.ExitStack() as running:
        processes = {side: running.enter_context(
            place.start(PacedProcess, side, commands[side], patience)) for side in SIDES}
        for side in SIDES:
            processes[side].wait_until_ready()
        order = turn_order.beginning_with(first)
        while _take_turns([processes[side] for side in order], loads, place.stat):
            order = order[::-1]
            tell(processes[first].turns)
    results = {side: place.read(side_result.load, side, commands[side]) for side in SIDES}
    for side in SIDES:
        side_result.check_steps(results[side], side, commands[side])
    side_result.check_same(results['baseline'], results['candidate'])
    cpu_account.check(results, {side: processes[side].stop()[1] for side in SIDES})
    _check_turns(results['baseline'], processes['baseline'].turns - 1, steps_a_turn)
    halves = {side: Half(results[side].steps, **vars(loads[side])) for side in SIDES}
    return Recording(first, **halves), results['baseline'].compiler


def _check_turns(result, turns, steps_a_turn):
    steps = sum(len(each.cpu) for each in result.steps.values())
    if steps != turns * steps_a_turn:
        raise GateError(
            f'[compare] {steps} steps in {turns} turns; wanted epochs of whole turns of {steps_a_turn} steps')


def _take_turns(pair, loads, stat):
    """Gives each one turn; whether they go on. Errors: GateError where only one does."""
    goes_on = [_take_turn(process, loads[process.side], stat) for process in pair]
    if goes_on[0] != goes_on[1]:
        longer, shorter = pair if goes_on[0] else pair[::-1]
        raise GateError(f'[compare] turns: {shorter.side} {shorter.turns - 1}, {longer.side} {longer.turns} and more; '
                        'wanted as many')
    return goes_on[0]


def _take_turn(process, load, stat):
    watch = machine.Watch(stat)
    own = process.take_turn()
    if own is not None:
        elapsed, busy = watch.read()
        load.add(elapsed, own, busy)
    return own is not None
