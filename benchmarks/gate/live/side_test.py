"""A process that takes turns, and every way in which one does not; afterwards none is left (live_testing.py)."""
import os
import select
import signal
import time

from benchmarks.gate.live.live_testing import ProcessTest, running
from benchmarks.gate.live.side import Deadlines, PacedProcess, ProtocolError, SideCrashed, SideSilent, UnknownOption
from benchmarks.gate.process.budget import Budget, BudgetSpent, Interrupted, Interruption
from benchmarks.gate.process.child_process import LARGEST_LOG
from tools import xml_unittest

# Far above what the program takes on a busy machine, unless it misbehaves.
ENOUGH = Deadlines(start=30, turn=30, end=30, grace=0.2)
# For one that misbehaves in its first turn: no right turn has to be as short on a busy machine.
SHORT = Deadlines(start=30, turn=0.3, end=30, grace=0.2)
SHORT_END = Deadlines(start=30, turn=30, end=0.3, grace=0.2)


class PacedProcessTest(ProcessTest):
    def start(self, *arguments, command=None, deadlines=ENOUGH, budget=None):
        words = command or self.program('--pace=15', *arguments)
        return PacedProcess('candidate', words, self.path('stderr'), budget or Budget(60), deadlines)

    def turns(self, process):
        """CPU seconds of all its turns."""
        with process:
            process.wait_until_ready()
            found = []
            while (spent := process.take_turn()) is not None:
                found.append(spent)
            return found

    def assert_fails(self, kind, words, *arguments, deadlines=ENOUGH, **options):
        with self.assertRaisesRegex(kind, words) as caught:
            self.turns(self.start(*arguments, deadlines=deadlines, **options))
        self.assertEqual(caught.exception.side, 'candidate')
        self.assertRegex(str(caught.exception), r'^\[candidate\] ')
        return caught.exception

    def test_takes_its_turns_and_ends(self):
        found = self.turns(self.start('--steps=60', '--entries=a,b'))
        self.assertEqual(len(found), 8)
        for spent in found:
            self.assertAlmostEqual(spent, 15 * 0.004, places=9)

    def test_does_nothing_between_its_turns(self):
        with self.start() as process:
            process.wait_until_ready()
            process.take_turn()
            time.sleep(0.1)  # what it prints without having been asked would be its second turn
            self.assertEqual(select.select([process.stdout], [], [], 0)[0], [])
            self.assertAlmostEqual(process.take_turn(), 15 * 0.004, places=9)

    def test_a_crash_is_told_with_status_turn_and_last_words(self):
        error = self.assert_fails(SideCrashed, r'ended with exit status 3 in turn 2: .*--misbehave=exit',
                                  '--misbehave=exit')
        self.assertEqual(error.last_lines, ('now it does exit',))
        self.assertTrue(str(error).endswith('\n  now it does exit'))
        self.assert_fails(SideCrashed, 'was killed by SIGSEGV in turn 2', '--misbehave=signal')
        self.assert_fails(SideCrashed, 'exit status 3 before its first turn', '--misbehave=exit',
                          '--in_turn=0')

    def test_a_program_that_is_not_there_does_not_start(self):
        self.assert_fails(SideCrashed, r'does not start \(No such file or directory\): /no/such --pace',
                          command=('/no/such', '--pace=15'))

    def test_an_unknown_option_is_another_error_than_a_crash(self):
        error = self.assert_fails(UnknownOption, 'ended with exit status 2 before its first turn', '--old')
        self.assertIn('unrecognized arguments: --pace=15', error.last_lines[-1])

    def test_who_does_not_answer_is_not_waited_for(self):
        for how in ('hang', 'hang_on'):
            self.assert_fails(SideSilent, 'gave no sign within 0.3 s in turn 1', f'--misbehave={how}',
                              '--in_turn=1', deadlines=SHORT)
        self.assert_fails(SideSilent, 'gave no sign within 2 s before its first turn', '--misbehave=hang',
                          '--in_turn=0', deadlines=Deadlines(start=2, grace=0.2))
        self.assert_fails(SideSilent, 'closed its output and did not end within 0.3 s in turn 2',
                          '--misbehave=close_output', deadlines=SHORT_END)

    def test_what_it_starts_is_ended_too(self):
        self.assertEqual(len(self.turns(self.start('--misbehave=stray'))), 4)

    def test_a_daemon_that_it_starts_is_ended_too(self):
        self.turns(self.start('--misbehave=daemon'))
        with open(self.path('stderr'), encoding='utf-8') as file:
            number = int(file.read().split()[-1])
        self.assertEqual(running([number]), [])  # it leads a group of its own

    def test_stderr_without_end_is_refused_before_it_fills_the_disk(self):
        self.assert_fails(ProtocolError, r'wrote more than \d+ bytes to stderr', '--misbehave=flood')
        self.assertLess(os.path.getsize(self.path('stderr')), 50 * LARGEST_LOG)

    def test_its_last_words_may_be_gone(self):
        with self.start('--misbehave=exit', '--in_turn=1') as process:
            process.wait_until_ready()
            os.remove(self.path('stderr'))
            with self.assertRaisesRegex(SideCrashed, 'exit status 3 in turn 1'):
                process.take_turn()

    def test_a_program_that_does_not_take_turns_is_told(self):
        self.assert_fails(ProtocolError, 'without a `turn` line', command=self.program())
        self.assert_fails(ProtocolError, r"printed 'turn about'; wanted `turn` and its CPU seconds",
                          '--misbehave=bad_line')
        self.assert_fails(ProtocolError, r"printed 'turn 0.0'; wanted .* at least 0.06",
                          '--misbehave=backwards')
        self.assert_fails(ProtocolError, r'printed \d+ bytes without a line end', '--misbehave=babble')

    def test_a_program_that_prints_without_end_does_not_hold_up_the_gate(self):
        self.assert_fails(SideSilent, 'before its first turn', command=('yes',),
                          deadlines=Deadlines(start=0.3, grace=0.2))

    def test_its_time_ends_with_the_gates(self):
        with self.assertRaises(BudgetSpent):
            self.turns(self.start('--misbehave=hang', budget=Budget(1)))

    def test_a_signal_ends_the_wait(self):
        before = signal.getsignal(signal.SIGTERM)
        with Interruption() as interruption:
            with self.start(budget=Budget(60, interruption)) as process:
                process.wait_until_ready()
                os.kill(os.getpid(), signal.SIGTERM)
                os.kill(os.getpid(), signal.SIGINT)  # the first one counts
                with self.assertRaisesRegex(Interrupted, 'SIGTERM') as caught:
                    process.take_turn()
        self.assertEqual(caught.exception.exit_status, 143)
        self.assertEqual(signal.getsignal(signal.SIGTERM), before)


if __name__ == '__main__':
    xml_unittest.main()
