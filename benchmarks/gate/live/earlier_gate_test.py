"""Files with recordings of an earlier gate: which are gone on with, which are replaced, and what is refused."""
import argparse
import dataclasses
import os
import tempfile
import unittest

from benchmarks.gate import recording_file
from benchmarks.gate.calibration import Calibration
from benchmarks.gate.live import earlier_gate
from benchmarks.gate.recording import GateError, Schedule, Side
from benchmarks.gate.recording_testing import MACHINE, jittered, pair, recordings
from tools import xml_unittest

# Too far apart to decide anything at the first look.
WILD = [pair(ratio) for ratio in (1.5, 0.8, 1.2, 0.7)]
NOTHING = recordings([], seed=9)


def options(**given):
    names = ('seed', 'delta', 'metrics', 'require', 'entry', 'cpu_field', 'looks', 'turn', 'warmup', 'arguments')
    return argparse.Namespace(**{**dict.fromkeys(names), **given})


class EarlierGateTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=os.environ.get('TEST_TMPDIR'))
        self.path = os.path.join(self.folder, 'r.json')

    def write(self, taken, calibration=None):
        with open(self.path, 'w', encoding='utf-8') as file:
            file.write(recording_file.to_text(taken, calibration))

    def refused(self, words, work):
        with self.assertRaisesRegex(GateError, words):
            work()

    def go_on(self, taken=NOTHING, **given):
        return earlier_gate.go_on(self.path, options(**given), taken)

    def test_a_gate_that_is_not_settled_goes_on_as_it_began(self):
        calibration = Calibration(MACHINE, {('Train/a', 'cpu'): 0.005})
        for taken in (recordings(jittered(1.0, 3), seed=5, delta=0.05), recordings(WILD, stopped='budget')):
            self.write(taken, calibration)
            self.assertEqual(self.go_on(), (taken, calibration))

    def test_a_settled_gate_does_not_go_on(self):
        for pairs, words in ((jittered(1.10, 4), 'the gate ended regression at 4 recordings; more would not be'),
                             (jittered(1.0, 4), 'ended fine at 4 recordings; more'),
                             (WILD * 7, 'ended undecided at 28 recordings, which uses up its looks; more')):
            self.write(recordings(pairs))
            self.refused(words, self.go_on)

    def test_what_a_last_look_decided_does_not_go_on(self):
        slower = [pair(1.06 * (1 + 0.04 * (-1) ** turn)) for turn in range(11)]
        self.write(recordings(slower, stopped='budget'))
        self.refused('ended regression at 11 recordings; more', self.go_on)

    def test_only_the_same_gate_goes_on(self):
        self.write(recordings(WILD))
        for taken, words in (
                (recordings([], candidate=Side(('train', '--fast'), 'b2')), r"candidate, command: recorded \('train'"),
                (recordings([], baseline=Side(('train',), 'c3')), "baseline, commit: recorded 'a1', now 'c3'"),
                (recordings([], candidate=Side(('train',), 'b2', 'ff')), "candidate, program: recorded '', now 'ff'"),
                (recordings([], machine={**MACHINE, 'cores': 64}), 'machine, cores: recorded 2, now 64')):
            self.refused(r'^\[again\] .*' + words, lambda taken=taken: self.go_on(taken))

    def test_what_is_asked_for_is_what_was_asked_for(self):
        taken = recordings(WILD, seed=5, arguments=('--a', 'b c'), delta=0.05, metrics=('cpu',))
        self.write(taken)
        same = {'seed': 5, 'arguments': "--a 'b c'", 'delta': 0.05, 'metrics': ('cpu',), 'require': ('cpu',),
                'turn': 15, 'warmup': 20, 'looks': (4, 6, 9, 13, 19, 28)}
        self.assertEqual(self.go_on(**same)[0], taken)
        for name, value in (('seed', 6), ('arguments', '--a'), ('delta', 0.03), ('metrics', ('cpu', 'wall')),
                            ('require', ('wall',)), ('turn', 5), ('warmup', 0), ('looks', (4, 8)), ('entry', 'x')):
            self.refused(f'--{name}: recorded .*, now .*; wanted the same',
                         lambda name=name, value=value: self.go_on(**{name: value}))

    def test_what_whole_processes_made_of_the_schedule_is_no_other_option(self):
        whole = Schedule(turn=60, warmup=0, behind_switch=20, looks=(8, 16))
        self.write(recordings(jittered(1.0, 3), method='fresh', schedule=whole))
        self.assertEqual(len(self.go_on(turn=15, warmup=20)[0].recordings), 3)

    def test_the_compiler_is_known_only_from_recordings(self):
        self.write(recordings(WILD, machine={**MACHINE, 'compiler': 'example 1.0'}))
        self.assertEqual(self.go_on()[0].machine['compiler'], 'example 1.0')

    def test_there_is_something_to_go_on_with(self):
        self.refused(r'\[again\] there are no recordings in .*r.json', self.go_on)

    def check(self, taken=NOTHING):
        earlier_gate.check_replaceable(self.path, taken)

    def test_recordings_of_the_same_programs_are_not_replaced(self):
        for pairs in (WILD, jittered(1.10, 4), jittered(1.0, 1)):
            self.write(recordings(pairs, seed=1))
            self.refused(rf'holds {len(pairs)} recordings of these two programs.*wanted --again', self.check)

    def test_recordings_of_others_are(self):
        self.write(recordings(WILD))
        for change in ({'candidate': Side(('train',), 'b2', 'ff')}, {'machine': {**MACHINE, 'kernel': 'new'}}):
            self.check(dataclasses.replace(NOTHING, **change))
        self.write(NOTHING)
        self.check()

    def test_what_is_no_recording_is_not_replaced(self):
        self.check()  # there is no file
        for text, fine in (('', True), ('my thesis', False), ('{}', False)):
            with open(self.path, 'w', encoding='utf-8') as file:
                file.write(text)
            if fine:
                self.check()
            else:
                self.refused('holds something else than recordings', self.check)
        earlier_gate.check_replaceable('/dev/null', NOTHING)


if __name__ == '__main__':
    xml_unittest.main()
