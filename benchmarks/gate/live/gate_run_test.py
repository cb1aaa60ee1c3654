"""A gate's recordings one behind the other, of a taker that makes them up: when it stops, and what it leaves."""
import io
import unittest

from benchmarks.gate import verdict
from benchmarks.gate.live.gate_run import GateRun
from benchmarks.gate.live.process import progress as progresses
from benchmarks.gate.live.process.patience import BudgetSpent, Interrupted, Patience
from benchmarks.gate.live.turn_order import first_sides
from benchmarks.gate.recording import GateError, Recording
from benchmarks.gate.recording_testing import SCHEDULE, jittered, pair, recordings
from benchmarks.gate.verdict import Outcome
from tools import xml_unittest


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Taker:
    """Gives away recordings, each `seconds` long; an exception among them is raised."""
    method, arguments, schedule = 'paced', (), SCHEDULE

    def __init__(self, pairs, clock=None, seconds=6.0):
        self.pairs, self.clock, self.seconds, self.firsts = list(pairs), clock or Clock(), seconds, []

    def take(self, first, tell):
        self.firsts.append(first)
        self.clock.now += self.seconds / 2
        tell(2)
        self.clock.now += self.seconds / 2
        found = self.pairs.pop(0)
        if isinstance(found, BaseException):
            raise found
        return Recording(first, found.baseline, found.candidate), 'example 1.0'


class Terminal(io.StringIO):
    def isatty(self):
        return True


class GateRunTest(unittest.TestCase):
    def setUp(self):
        self.clock, self.screen = Clock(), io.StringIO()

    def gate(self, taken=None, budget=1000.0):
        progress = progresses.Progress(self.screen, self.clock)
        return GateRun(taken or recordings([], seed=5), lambda _: None, Patience(budget, clock=self.clock), progress)

    def taker(self, pairs, **options):
        return Taker(pairs, self.clock, **options)

    def test_stops_when_it_is_settled(self):
        for ratio, outcome in ((1.10, Outcome.REGRESSION), (1.0, Outcome.FINE)):
            gate = self.gate()
            judged = gate.run(self.taker(jittered(ratio)))
            self.assertEqual((judged.outcome, judged.settled), (outcome, True))
            self.assertEqual((len(gate.taken.recordings), gate.taken.stopped), (4, ''))
            self.assertEqual(verdict.judge(gate.taken), judged)

    def test_goes_on_until_the_last_look(self):
        gate = self.gate()
        judged = gate.run(self.taker([pair(ratio) for ratio in (1.5, 0.8, 1.2, 0.7)] * 7))
        self.assertEqual((judged.outcome, judged.looked_at), (Outcome.UNDECIDED, 28))
        self.assertEqual((len(gate.taken.recordings), gate.taken.stopped), (28, ''))

    def test_chance_draws_who_is_first_and_the_recordings_say_who_was(self):
        gate, taker = self.gate(), self.taker(jittered(1.0))
        gate.run(taker)
        wanted = first_sides(5)
        self.assertEqual(taker.firsts, [next(wanted) for _ in range(4)])
        self.assertEqual([each.first for each in gate.taken.recordings], taker.firsts)

    def test_starts_no_recording_that_the_budget_does_not_hold(self):
        # Each takes 6 s: at 18 s there are 4.9 left.
        gate = self.gate(budget=22.9)
        judged = gate.run(self.taker(jittered(1.10)))
        self.assertEqual((len(gate.taken.recordings), gate.taken.stopped), (3, 'budget'))
        self.assertEqual((judged.outcome, judged.exit_status), (Outcome.UNDECIDED, 3))
        self.assertEqual(self.clock.now, 18.0)
        self.assertEqual(self.gate(budget=24.1).run(self.taker(jittered(1.10))).outcome, Outcome.REGRESSION)

    def test_a_recording_that_the_budget_ends_does_not_count(self):
        gate = self.gate()
        gate.run(self.taker([*jittered(1.0, 2), BudgetSpent()]))
        self.assertEqual((len(gate.taken.recordings), gate.taken.stopped), (2, 'budget'))

    def test_without_any_recording_it_is_undecided(self):
        gate = self.gate()
        self.assertEqual(gate.run(self.taker([BudgetSpent()])).exit_status, 3)
        self.assertEqual(gate.taken.recordings, ())

    def test_what_ends_it_leaves_the_recordings_so_far(self):
        for error, why in ((Interrupted(2), 'interrupted'), (GateError('[candidate] died'), 'failed')):
            gate = self.gate()
            with self.assertRaises(type(error)):
                gate.run(self.taker([*jittered(1.0, 3), error]))
            self.assertEqual((len(gate.taken.recordings), gate.taken.stopped), (3, why))

    def test_a_recording_that_cannot_be_judged_ends_it_at_once(self):
        gate = self.gate()
        with self.assertRaisesRegex(GateError, 'recording 1, candidate, Train/a, cpu, step 0: 0.0 ms'):
            gate.run(self.taker([pair(), pair(0.0)]))

    def test_goes_on_with_what_is_there(self):
        pairs = [pair(ratio) for ratio in (1.5, 0.8, 1.2, 0.7)] * 7
        whole = self.gate()
        whole.run(self.taker(pairs))
        half = self.gate(budget=13)
        half.run(self.taker(pairs))
        self.assertEqual(len(half.taken.recordings), 2)
        rest = self.gate(half.taken)
        rest.run(self.taker(pairs[2:]))
        self.assertEqual(rest.taken, whole.taken)

    def test_the_compiler_belongs_to_the_machine(self):
        gate = self.gate()
        gate.run(self.taker(jittered(1.0)))
        self.assertEqual(gate.taken.machine['compiler'], 'example 1.0')


class ProgressTest(unittest.TestCase):
    def run_gate(self, screen):
        clock = Clock()
        progress = progresses.Progress(screen, clock)
        GateRun(recordings([]), lambda _: None, Patience(60, clock=clock), progress).run(Taker(jittered(1.0), clock))
        return screen.getvalue()

    def test_tells_what_is_left_on_a_terminal(self):
        shown = self.run_gate(Terminal()).split('\r\x1b[K')
        self.assertEqual(shown[1:], ['recording 1 of at most 28, at most 60 s left',
                                     'recording 1 of at most 28, 2 turns, at most 57 s left',
                                     'recording 2 of at most 28, at most 54 s left',
                                     'recording 2 of at most 28, 2 turns, at most 51 s left',
                                     'recording 3 of at most 28, at most 48 s left',
                                     'recording 3 of at most 28, 2 turns, at most 45 s left',
                                     'recording 4 of at most 28, at most 42 s left',
                                     'recording 4 of at most 28, 2 turns, at most 39 s left', ''])

    def test_is_quiet_elsewhere(self):
        self.assertEqual(self.run_gate(io.StringIO()), '')

    def test_what_is_left_is_known_from_what_was(self):
        self.assertEqual(progresses.time_left(0, 12, 0, 180), 'at most 180 s left')
        self.assertEqual(progresses.time_left(4, 12, 10, 180), 'at most 20 s left')
        self.assertEqual(progresses.time_left(4, 12, 170, 180), 'at most 10 s left')

    def test_lines_follow_each_other_slowly(self):
        clock, screen = Clock(), Terminal()
        progress = progresses.Progress(screen, clock)
        for number in range(100):
            clock.now = 0.01 * number
            progress.show(str(number))
        self.assertEqual(screen.getvalue().count('\r'), 5)

    def test_what_is_said_stays(self):
        screen = Terminal()
        progress = progresses.Progress(screen, Clock())
        progress.show('busy')
        progress.say('that is so')
        self.assertEqual(screen.getvalue(), '\r\x1b[Kbusy\r\x1b[Kthat is so\n')


if __name__ == '__main__':
    xml_unittest.main()
