"""Recordings as JSON, and the recordings that are refused."""
import dataclasses
import json
import math
import os
import tempfile
import unittest

from benchmarks.gate import recording_check, recording_file
from benchmarks.gate.calibration import Calibration
from benchmarks.gate.recording import GateError, Schedule, Side, Steps
from benchmarks.gate.recording_testing import MACHINE, STEPS, half, pair, recordings
from reports.json_file import ReportError
from tools import xml_unittest

TAKEN = recordings([pair(1.02), dataclasses.replace(pair(), baseline=dataclasses.replace(half(3, 4), busy=None))],
                   seed=7, required=('cpu', 'wall'), method='fresh', stopped='budget', delta=0.05,
                   arguments=('--steps=75', '--epochs=2'), same_program=True,
                   candidate=Side(('train', '--fast'), 'b2', '0f1e'))


def write(text):
    with tempfile.NamedTemporaryFile('w', dir=os.environ.get('TEST_TMPDIR'), suffix='.json', delete=False) as file:
        file.write(text)
    return file.name


class FileTest(unittest.TestCase):
    def test_comes_back_as_it_was_and_as_the_same_bytes(self):
        calibration = Calibration(MACHINE, {('Train/a', 'cpu'): 0.0125})
        for kept in (None, calibration):
            text = recording_file.to_text(TAKEN, kept)
            self.assertEqual(recording_file.load(write(text)), (TAKEN, kept))
            self.assertEqual(recording_file.to_text(*recording_file.load(write(text))), text)

    def test_a_file_without_later_fields_says_what_it_always_said(self):
        content = json.loads(recording_file.to_text(recordings([pair()])))
        for name in ('method', 'stopped', 'delta', 'arguments', 'same_program'):
            del content[name]
        del content['baseline']['program']
        taken, _ = recording_file.load(write(json.dumps(content)))
        self.assertEqual(taken, recordings([pair()]))
        self.assertEqual((taken.method, taken.stopped, taken.delta), ('paced', '', 0.03))

    def refused(self, change, words):
        content = json.loads(recording_file.to_text(TAKEN))
        change(content)
        with self.assertRaisesRegex(ValueError, words):
            recording_file.load(write(json.dumps(content)))

    def test_names_what_does_not_fit(self):
        self.refused(lambda c: c.update(format=2), r'\["format"\].*1 was expected')
        self.refused(lambda c: c.pop('machine'), "'machine' is a required")
        self.refused(lambda c: c.update(metrics=['gpu']), r'\["metrics"\]')
        self.refused(lambda c: c.update(method='both at once'), r'\["method"\]')
        self.refused(lambda c: c.update(delta=0), r'\["delta"\]')
        self.refused(lambda c: c['recordings'][1]['candidate'].pop('own_cpu_s'), r'\["recordings"\]\[1\]\["candidate"\]')

    def test_an_entry_stands_there_once(self):
        def repeat(content):
            entries = content['recordings'][0]['baseline']['entries']
            entries.append(entries[0])
        self.refused(repeat, 'wanted each name once')

    def test_names_a_file_that_cannot_be_read(self):
        with self.assertRaisesRegex(ReportError, '/no/such.json: No such file'):
            recording_file.load('/no/such.json')


class CheckTest(unittest.TestCase):
    def refused(self, words, candidate=None, **changes):
        pairs = [pair(), dataclasses.replace(pair(), candidate=candidate or half(4, 2))]
        with self.assertRaisesRegex(GateError, words):
            recording_check.check(recordings(pairs, **changes))

    def with_steps(self, cpu, wall=None):
        return dataclasses.replace(half(4, 2), entries={'Train/a': Steps(cpu, cpu if wall is None else wall)})

    def test_whole_recordings_pass(self):
        self.assertIs(recording_check.check(TAKEN), TAKEN)

    def test_times_are_positive_numbers(self):
        for time in (0.0, -1.0, math.nan, math.inf):
            times = (4.0,) * (STEPS - 1) + (time,)
            self.refused(rf'recording 1, candidate, Train/a, cpu, step 59: {time} ms', self.with_steps(times))

    def test_both_sides_have_the_same_entries(self):
        self.refused(r"recording 1, candidate: entries \['Train/b'\]; wanted \['Train/a'\]",
                     half(4, 2, names=('Train/b',)))
        self.refused('entries', half(4, 2, names=('Train/a', 'Train/b')))
        self.refused(r'entries \[\]', dataclasses.replace(half(4, 2), entries={}))

    def test_both_sides_have_as_many_whole_turns(self):
        self.refused('75 steps of the candidate, 60 of the baseline', self.with_steps((4.0,) * 75))
        self.refused('59 steps; wanted whole turns of 15', self.with_steps((4.0,) * 59))
        self.refused('59 wall times; wanted 60', self.with_steps((4.0,) * 60, (4.0,) * 59))

    def test_some_turn_is_left_behind_the_warm_up(self):
        self.refused('30 steps; wanted whole turns of 15, and more than 30', self.with_steps((4.0,) * 30))
        self.refused('0 steps', self.with_steps(()))

    def test_a_load_is_a_number(self):
        self.refused('busy nan s', dataclasses.replace(half(4, 2), busy=math.nan))

    def test_a_schedule_can_be_followed(self):
        self.refused('looks at', schedule=Schedule(looks=(6, 4)))
        self.refused('looks at', schedule=Schedule(looks=(1, 4)))
        self.refused('15 steps dropped of a turn of 15', schedule=Schedule(behind_switch=15))
        self.refused(r"required \['wall'\]", metrics=('cpu',), required=('wall',))


if __name__ == '__main__':
    xml_unittest.main()
