"""Recordings of whole processes, where a program takes no turns or is one of Google Benchmark."""
import unittest

from benchmarks.gate.live import benchmark_result
from benchmarks.gate.live.methods import TakesBenchmarks, TakesProcesses
from benchmarks.gate.live.place import Place
from benchmarks.gate.live.process.patience import BudgetSpent, Patience
from benchmarks.gate.live.process.process_testing import ProcessTest, program
from benchmarks.gate.live.process.side_error import ResultError, SideCrashed, SideSilent, UnknownOption
from benchmarks.gate.live.process.side_process import Deadlines
from benchmarks.gate.recording import SIDES, USUAL_SCHEDULES, GateError, Schedule, Steps
from tools import xml_unittest


class WholeProcessesTest(ProcessTest):
    def taker(self, baseline=(), candidate=(), patience=None, deadlines=Deadlines(grace=0.2), **place):
        sides = {'baseline': self.program(*baseline), 'candidate': self.program(*candidate)}
        return TakesProcesses(sides, (), USUAL_SCHEDULES['fresh'], Place(self.folder, {}, deadlines, **place),
                              patience or Patience(60))

    def take(self, *arguments, first='baseline', **options):
        return self.taker(*arguments, **options).take(first, None)[0]

    def test_steps_count_where_both_sides_tell_them(self):
        taker = self.taker(('--unpaced',), ('--unpaced', '--slower=50'))
        recording, compiler = taker.take('candidate', None)
        self.assertEqual((recording.first, compiler), ('candidate', 'example 1.0'))
        self.assertEqual(recording.baseline.entries['Train/a'].cpu, (4.0,) * 60)
        self.assertEqual(recording.candidate.entries['Train/a'].cpu, (6.0,) * 60)
        self.assertEqual(taker.schedule, Schedule(turn=60, warmup=0, behind_switch=20, looks=(8, 16, 24, 32)))

    def test_else_the_process_is_one_step(self):
        for age in ('--old', '--unpaced'):
            taker = self.taker(('--old',), (age, '--whole_work_ms=300'))
            recording, _ = taker.take('baseline', None)
            self.assertEqual(list(recording.candidate.entries), ['process'])
            [cpu] = recording.candidate.entries['process'].cpu
            [wall] = recording.candidate.entries['process'].wall
            self.assertGreaterEqual(cpu, 300)
            self.assertLess(recording.baseline.entries['process'].cpu[0], cpu)
            self.assertAlmostEqual(wall, 1000 * recording.candidate.elapsed)
            self.assertAlmostEqual(cpu, 1000 * recording.candidate.own)
            self.assertEqual(taker.schedule, Schedule(turn=1, warmup=0, behind_switch=0, looks=(8, 16, 24, 32)))

    def test_an_option_that_is_unknown_is_tried_once(self):
        taker = self.taker(('--old',), ('--old',))
        taker.take('baseline', None)
        self.assertEqual(len(self.groups()), 2)  # --step_times ended the first one before it told its number
        taker.take('candidate', None)
        self.assertEqual(len(self.groups()), 4)

    def test_who_begins_runs_first(self):
        for side in SIDES:
            with self.assertRaises(ResultError) as caught:
                self.take(('--result=none',), ('--result=none',), first=side)
            self.assertEqual(caught.exception.side, side)

    def test_a_run_that_fails_is_that_sides(self):
        with self.assertRaisesRegex(UnknownOption, r'^\[candidate\] ended with exit status 2: '):
            self.take(candidate=('--no_such_option',))
        with self.assertRaisesRegex(ResultError, 'incomplete'):
            self.take(('--result=incomplete',))
        with self.assertRaisesRegex(GateError, r'seed of Train/a: baseline 42, candidate 43'):
            self.take(('--old',), ('--old', '--seed=43'))
        with self.assertRaisesRegex(SideSilent, 'did not end within 0.3 s'):
            self.take(('--whole_work_ms=20000',), deadlines=Deadlines(whole=0.3, grace=0.2))
        with self.assertRaises(BudgetSpent):
            self.take(('--whole_work_ms=20000',), patience=Patience(0.5))

    def test_without_proc_stat_the_load_is_unknown(self):
        self.assertIsNone(self.take(stat='/no/such').baseline.busy)
        self.assertIsNotNone(self.take().baseline.busy)


class BenchmarksTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.warnings = []

    def taker(self, baseline=(), candidate=(), entry='Sort', cpu_field='cpu_time'):
        sides = {side: program(*words, name='benchmark_program_testing')
                 for side, words in zip(SIDES, (baseline, candidate))}
        return TakesBenchmarks(sides, (), USUAL_SCHEDULES['benchmark'], Place(self.folder, {}), Patience(60), entry,
                               cpu_field, self.warnings.append)

    def take(self, *arguments, **options):
        return self.taker(*arguments, **options).take('baseline', None)[0]

    def refused(self, words, *arguments, kind=ResultError, **options):
        with self.assertRaisesRegex(kind, words):
            self.take(*arguments, **options)

    def test_a_repetition_is_a_step(self):
        recording = self.take((), ('--slower=100',))
        self.assertEqual(list(recording.baseline.entries), ['Sort/1000', 'Sort/2000'])
        cpu, wall = recording.candidate.entries['Sort/1000'].cpu, recording.candidate.entries['Sort/1000'].wall
        for times, wanted in ((cpu, 0.01), (wall, 0.02)):
            for time, factor in zip(times, (10, 2, 2, 2, 2), strict=True):
                self.assertAlmostEqual(time, wanted * factor, places=12)

    def test_times_are_milliseconds_whatever_the_unit(self):
        for unit, factor in (('ns', 1e-6), ('us', 1e-3), ('ms', 1), ('s', 1000)):
            recording = self.take((f'--unit={unit}',), entry='Copy')
            self.assertAlmostEqual(recording.baseline.entries['Copy'].cpu[1], 10.0 * factor, places=12)

    def test_a_counter_may_be_the_cpu_time(self):
        self.assertEqual(self.take(cpu_field='own_us').baseline.entries['Sort/1000'].cpu, (15.0, 3.0, 3.0, 3.0, 3.0))
        for field in ('no_such', 'run_name'):
            self.refused(f'tells no real_time, time_unit and {field} of its benchmarks', cpu_field=field)

    def test_what_cannot_be_compared_is_refused(self):
        self.refused('ran no benchmark', entry='Nothing')
        self.refused(r'says that Sort/2000 failed \(wrong sums\)', (), ('--error=wrong sums',))
        self.refused(r'repetitions: baseline .*Sort/2000.*, candidate \{.Sort/1000.: 5\}', (), ('--names=Sort/1000',),
                     kind=GateError)
        self.refused(r'ended with exit status 2', ('--no_such_option',), kind=UnknownOption)
        self.refused(r'exit status 1', entry='[', kind=SideCrashed)

    def test_cpu_time_that_says_little_is_told_once(self):
        taker = self.taker(('--cpu=0.1',), ('--cpu=0.1',))
        for _ in range(2):
            taker.take('baseline', None)
        self.assertEqual(len(self.warnings), 1)
        self.assertIn('the CPU time of Sort/1000, Sort/2000 is under a tenth of the real time', self.warnings[0])
        self.take(('--cpu=0.1',), ('--cpu=0.1',), cpu_field='own_us')
        self.take()
        self.assertEqual(len(self.warnings), 1)

    def test_blind_is_what_works_on_other_threads(self):
        result = benchmark_result.BenchmarkResult({'a': Steps((0.9,), (10.0,)), 'b': Steps((1.1,), (10.0,))}, '')
        self.assertEqual(benchmark_result.blind_benchmarks(result), ['a'])


if __name__ == '__main__':
    xml_unittest.main()
