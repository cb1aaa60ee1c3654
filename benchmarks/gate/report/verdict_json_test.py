"""A verdict as JSON."""
import dataclasses
import json
import math
import unittest

import jsonschema

from benchmarks.gate import recording_file, verdict
from benchmarks.gate.calibration import Calibration
from benchmarks.gate.recording_testing import LOADED, MACHINE, jittered, pair, recordings
from benchmarks.gate.report import verdict_json
from tools import xml_unittest

SCHEMA = 'benchmarks/gate/report/schemas/verdict.schema.json'


def of(taken, calibration=None):
    return verdict_json.of(verdict.judge(taken, calibration), taken, calibration)


class VerdictJsonTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(SCHEMA, encoding='utf-8') as file:
            schema = json.load(file)
        jsonschema.Draft7Validator.check_schema(schema)
        cls.schema = jsonschema.Draft7Validator(schema)

    def test_every_verdict_fits_the_schema(self):
        unknown = dataclasses.replace(pair(), baseline=dataclasses.replace(pair().baseline, busy=None))
        for taken, calibration in (
                (recordings(jittered(1.1)), None),
                (recordings(jittered(1.0, others=LOADED)), Calibration(MACHINE, {('Train/a', 'cpu'): 0.02})),
                (recordings([unknown] * 4, method='fresh', stopped='budget'), None),
                (recordings([]), None),
                recording_file.load('benchmarks/gate/testdata/recordings_busy.json')):
            self.schema.validate(json.loads(json.dumps(of(taken, calibration), allow_nan=False)))

    def test_the_schema_refuses_what_is_not_told_there(self):
        content = of(recordings(jittered(1.1)))
        for change in ({'outcome': 'good'}, {'format': 2}, {'more': 1}, {'exit_status': 2}, {'tests': [{}]}):
            with self.assertRaises(jsonschema.ValidationError):
                self.schema.validate({**content, **change})

    def test_numbers_are_shares_of_the_time(self):
        content = of(recordings([pair(1.1)] * 4, seed=3, required=('cpu', 'wall')))
        test = content['tests'][0]
        self.assertEqual((test['entry'], test['metric'], test['outcome'], test['delta'], test['used'], test['reason']),
                         ('Train/a', 'cpu', 'regression', 0.03, 4, ''))
        for name in ('ratio', 'lower', 'upper'):
            self.assertAlmostEqual(test[name], 0.1, places=12)
        self.assertEqual((content['outcome'], content['exit_status'], content['seed'], content['required']),
                         ('regression', 1, 3, ['cpu', 'wall']))
        self.assertEqual((content['looked_at'], content['quiet'], content['looks']), (4, 4, [4, 6, 9, 13, 19, 28]))

    def test_a_test_that_was_not_judged_has_no_numbers_but_a_reason(self):
        test = of(recordings(jittered(1.1, others=LOADED)))['tests'][1]
        self.assertEqual((test['ratio'], test['lower'], test['upper'], test['used']), (None, None, None, 0))
        self.assertIn('quiet in 0 of 4', test['reason'])

    def test_each_recording_is_there_with_its_log_ratios_and_load(self):
        quiet, busy = pair(1.1, wall_ratio=1.2), dataclasses.replace(pair(1.0, others=LOADED), first='candidate')
        first, second = of(recordings([quiet, busy]))['recordings']
        self.assertEqual((first['quiet'], first['others_share'], first['seconds'], first['first']),
                         (True, 0.0, 2.0, 'baseline'))
        self.assertEqual((second['quiet'], second['others_share'], second['first']), (False, 0.5, 'candidate'))
        self.assertEqual([(each['entry'], each['metric']) for each in first['log_ratios']],
                         [('Train/a', 'cpu'), ('Train/a', 'wall')])
        for each, wanted in zip(first['log_ratios'], (1.1, 1.2)):
            self.assertAlmostEqual(each['value'], math.log(wanted), places=12)

    def test_a_calibration_is_there(self):
        kept = Calibration(MACHINE, {('Train/a', 'cpu'): 0.02})
        self.assertEqual(of(recordings(jittered(1.0)), kept)['calibration']['half_widths'],
                         [{'entry': 'Train/a', 'metric': 'cpu', 'half_width': 0.02}])
        self.assertIsNone(of(recordings(jittered(1.0)))['calibration'])

    def test_the_text_is_the_same_every_time(self):
        taken = recordings(jittered(1.04))
        judged = verdict.judge(taken)
        self.assertEqual(verdict_json.to_text(judged, taken), verdict_json.to_text(judged, taken))
        self.assertEqual(json.loads(verdict_json.to_text(judged, taken)), of(taken))


if __name__ == '__main__':
    xml_unittest.main()
