"""Times of steps against the CPU time that was counted."""
import unittest

from benchmarks.gate.live import cpu_account
from benchmarks.gate.live.side_result import SideResult
from benchmarks.gate.recording import GateError, Steps
from tools import xml_unittest


def results(**seconds):
    """Of so many seconds in steps: half each in two entries."""
    half = {side: Steps((250 * value,) * 2, (1.0, 1.0)) for side, value in seconds.items()}
    return {side: SideResult({}, {'a': steps, 'b': steps}, '') for side, steps in half.items()}


class CpuAccountTest(unittest.TestCase):
    def refused(self, words, steps, counted):
        with self.assertRaisesRegex(GateError, words):
            cpu_account.check(results(**steps), counted)

    def test_runs_that_tell_of_what_they_did_pass(self):
        for candidate, counted in ((4.0, 4.5), (4.4, 4.9), (0.4, 0.9), (8.0, 8.5), (4.0, 5.5), (4.9, 4.5)):
            cpu_account.check(results(baseline=4.0, candidate=candidate), {'baseline': 4.5, 'candidate': counted})

    def test_a_slowdown_outside_of_steps_is_refused(self):
        self.refused(r'outside of steps: baseline 0.50 s, candidate 2.50 s; wanted 1.62 s at most',
                     {'baseline': 4.0, 'candidate': 2.0}, {'baseline': 4.5, 'candidate': 4.5})
        cpu_account.check(results(baseline=2.0, candidate=4.0), {'baseline': 4.5, 'candidate': 4.5})

    def test_times_of_another_run_are_refused_on_either_side(self):
        for side, other in (('baseline', 'candidate'), ('candidate', 'baseline')):
            self.refused(f'the {side} tells of 4.00 s of CPU time in its steps, and its process used 0.10 s',
                         {side: 4.0, other: 4.0}, {side: 0.1, other: 4.5})

    def test_of_a_short_run_nothing_is_said(self):
        cpu_account.check(results(baseline=0.3, candidate=0.9), {'baseline': 0.02, 'candidate': 0.02})
        cpu_account.check(results(baseline=0.3, candidate=0.0), {'baseline': 0.4, 'candidate': 1.0})


if __name__ == '__main__':
    xml_unittest.main()
