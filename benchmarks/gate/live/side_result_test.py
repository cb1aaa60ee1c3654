"""Results of sides: which are taken, which two are not compared, and times of steps against the CPU time counted."""
import copy
import json
import os
import tempfile
import unittest

from benchmarks.gate.live import side_result
from benchmarks.gate.live.side import ResultError
from benchmarks.gate.live.side_result import ResultFile, SideResult
from benchmarks.gate.recording import GateError, Steps
from tools import xml_unittest

RESULT = {
    'context': {'complete': True, 'compiler': 'g++ 12', 'commit': 'a1', 'load_avg': [1.0], 'workload': 'cnn',
                'data': {'source': 'embedded', 'train_images': 10, 'description': 'images'},
                'options': {'seed': 42, 'steps': 3, 'threads': 2}},
    'benchmarks': [{'name': 'Train/a', 'replicas': 1, 'threads_per_replica': 2, 'seed': 42, 'images_per_second': 7.0,
                    'samples': {'step_ms': [3.0, 2.0, 2.5], 'step_cpu_ms': [4.0, 4.5, 4.25]}}],
}
COMMAND = ('train', '--fast')


def changed(path, value):
    """RESULT with another value at a path of keys; None: without it."""
    result = copy.deepcopy(RESULT)
    place = result
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return result


class SideResultTest(unittest.TestCase):
    def load(self, content):
        with tempfile.NamedTemporaryFile('w', dir=os.environ.get('TEST_TMPDIR'), delete=False) as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return side_result.load(ResultFile(file.name, 'candidate', COMMAND, ('last words',)))

    def refused(self, content, words):
        with self.assertRaisesRegex(ResultError, words) as caught:
            self.load(content)
        self.assertEqual(caught.exception.side, 'candidate')
        self.assertTrue(str(caught.exception).endswith(': train --fast\n  last words'))

    def test_times_of_steps_are_read_in_order(self):
        result = self.load(RESULT)
        self.assertEqual(result.steps, {'Train/a': Steps((4.0, 4.5, 4.25), (3.0, 2.0, 2.5))})
        self.assertEqual(result.compiler, 'g++ 12')
        side_result.check_steps(result, 'candidate', COMMAND)

    def test_a_result_without_them_is_told_only_where_they_are_needed(self):
        for path in (('benchmarks', 0, 'samples'), ('benchmarks', 0, 'samples', 'step_cpu_ms')):
            result = self.load(changed(path, None))
            self.assertEqual(result.steps, {'Train/a': None})
            with self.assertRaisesRegex(ResultError, 'tells no times of steps of Train/a'):
                side_result.check_steps(result, 'candidate', COMMAND)

    def test_what_is_no_whole_result_is_refused(self):
        self.refused('', 'wrote no result')
        self.refused('{"context": {', 'wrote no result')
        self.refused({'context': {}}, "wrote no result .*'benchmarks' is a required")
        self.refused({'context': {}, 'benchmarks': []}, 'wrote no result')
        self.refused(changed(('benchmarks', 0, 'samples', 'step_ms'), ['quick']), 'wrote no result')
        self.refused(changed(('context', 'complete'), False), 'wrote an incomplete result')
        self.refused(changed(('benchmarks',), RESULT['benchmarks'] * 2), 'wrote an entry twice')
        for times, words in (('[NaN]', 'NaN is no JSON'), ('[1e308]', 'the number 1e308 is no figure'),
                             ('[1' + '0' * 400 + ']', 'no double holds'), ('[' * 100_000, 'nested deeper than 200')):
            self.refused(json.dumps(changed(('benchmarks', 0, 'samples', 'step_ms'), 'TIMES')).replace('"TIMES"', times)
                         if times[-1] == ']' else times, words)
        with self.assertRaisesRegex(ResultError, r'wrote no result \(there is none\): train --fast'):
            side_result.load(ResultFile('/no/such.json', 'candidate', COMMAND))

    def test_a_file_that_is_none_is_not_waited_for(self):
        folder = tempfile.mkdtemp(dir=os.environ.get('TEST_TMPDIR'))
        pipe, huge, zeros = (os.path.join(folder, name) for name in ('pipe', 'huge', 'zeros'))
        os.mkfifo(pipe)
        os.symlink('/dev/zero', zeros)
        with open(huge, 'wb') as file:
            file.truncate(side_result.LARGEST_FILE + 1)
        for path, words in ((pipe, 'the file is no regular one'), (zeros, 'the file is no regular one'),
                            (huge, 'wrote a result of 67108865 bytes; wanted at most 67108864')):
            with self.assertRaisesRegex(ResultError, words):
                side_result.load(ResultFile(path, 'candidate', COMMAND))

    def compare(self, content):
        side_result.check_same(self.load(RESULT), self.load(content))

    def test_results_of_two_machines_are_refused(self):
        for name, value in (('cpu_model', 'A CPU'), ('num_cpus', 128), ('gpu', 'A GPU'), ('gpus', ['A GPU'])):
            here, there = changed(('context', name), 1), changed(('context', name), value)
            with self.assertRaisesRegex(GateError, f'{name}: baseline 1, candidate .*; wanted the same'):
                side_result.check_same(self.load(here), self.load(there))

    def test_commits_and_measurements_may_differ(self):
        for path, value in ((('context', 'commit'), 'b2'), (('context', 'load_avg'), [0.0]),
                            (('context', 'data', 'description'), 'pictures'),
                            (('benchmarks', 0, 'images_per_second'), 9.0)):
            self.compare(changed(path, value))

    def test_planted_slowdowns_may_differ(self):
        baseline, candidate = (changed(('context', 'options', 'planted'), {'work_us': work}) for work in (10, 20))
        side_result.check_same(self.load(baseline), self.load(candidate))

    def test_a_setting_that_one_side_does_not_know_came_later(self):
        self.compare(changed(('context', 'options', 'threads'), None))
        self.compare(changed(('context', 'workload'), None))

    def test_different_settings_are_refused_by_name_with_both_values(self):
        for path, value, words in (
                (('context', 'options', 'seed'), 43, r'options.seed: baseline 42, candidate 43; wanted the same'),
                (('context', 'options', 'steps'), 4, 'options.steps: baseline 3, candidate 4'),
                (('context', 'data', 'source'), 'full', "data.source: baseline 'embedded', candidate 'full'"),
                (('context', 'data', 'train_images'), 11, 'data.train_images: baseline 10, candidate 11'),
                (('context', 'workload'), 'resnet50', "workload: baseline 'cnn', candidate 'resnet50'"),
                (('benchmarks', 0, 'replicas'), 2, 'replicas of Train/a: baseline 1, candidate 2'),
                (('benchmarks', 0, 'threads_per_replica'), 1, 'threads_per_replica of Train/a: baseline 2, '),
                (('benchmarks', 0, 'seed'), 7, 'seed of Train/a: baseline 42, candidate 7'),
                (('benchmarks', 0, 'name'), 'Train/b', r"entries: baseline \['Train/a'\], candidate \['Train/b'\]"),
                (('benchmarks', 0, 'samples'), {'step_ms': [1.0], 'step_cpu_ms': [1.0]},
                 'steps of Train/a: baseline 3, candidate 1')):
            with self.subTest(path=path), self.assertRaisesRegex(GateError, r'^\[compare\] ' + words):
                self.compare(changed(path, value))

    def test_blind_is_what_works_on_other_threads(self):
        result = SideResult({}, {'a': Steps((0.9,), (10.0,)), 'b': Steps((1.1,), (10.0,))}, '')
        self.assertEqual(side_result.blind_benchmarks(result), ['a'])


def results(**seconds):
    """Of so many seconds in steps: half each in two entries."""
    half = {side: Steps((250 * value,) * 2, (1.0, 1.0)) for side, value in seconds.items()}
    return {side: SideResult({}, {'a': steps, 'b': steps}, '') for side, steps in half.items()}


class CpuAccountTest(unittest.TestCase):
    def refused(self, words, steps, counted):
        with self.assertRaisesRegex(GateError, words):
            side_result.check_cpu_time(results(**steps), counted)

    def test_runs_that_tell_of_what_they_did_pass(self):
        for candidate, counted in ((4.0, 4.5), (4.4, 4.9), (0.4, 0.9), (8.0, 8.5), (4.0, 5.5), (4.9, 4.5)):
            side_result.check_cpu_time(results(baseline=4.0, candidate=candidate),
                                       {'baseline': 4.5, 'candidate': counted})

    def test_a_slowdown_outside_of_steps_is_refused(self):
        self.refused(r'outside of steps: baseline 0.50 s, candidate 2.50 s; wanted 1.62 s at most',
                     {'baseline': 4.0, 'candidate': 2.0}, {'baseline': 4.5, 'candidate': 4.5})
        side_result.check_cpu_time(results(baseline=2.0, candidate=4.0), {'baseline': 4.5, 'candidate': 4.5})

    def test_times_of_another_run_are_refused_on_either_side(self):
        for side, other in (('baseline', 'candidate'), ('candidate', 'baseline')):
            self.refused(f'the {side} tells of 4.00 s of CPU time in its steps, and its process used 0.10 s',
                         {side: 4.0, other: 4.0}, {side: 0.1, other: 4.5})

    def test_of_a_short_run_nothing_is_said(self):
        side_result.check_cpu_time(results(baseline=0.3, candidate=0.9), {'baseline': 0.02, 'candidate': 0.02})
        side_result.check_cpu_time(results(baseline=0.3, candidate=0.0), {'baseline': 0.4, 'candidate': 1.0})


if __name__ == '__main__':
    xml_unittest.main()
