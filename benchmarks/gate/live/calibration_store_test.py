"""Where calibrations are kept, and which are found again."""
import dataclasses
import os
import tempfile
import unittest

from benchmarks.gate import calibration_file
from benchmarks.gate.calibration import Calibration
from benchmarks.gate.live.calibration_store import CalibrationStore
from benchmarks.gate.recording import GateError, Schedule
from benchmarks.gate.recording_testing import MACHINE, recordings
from tools import xml_unittest

TAKEN = recordings([])
KEPT = Calibration(MACHINE, {('Train/a', 'cpu'): 0.01, ('Train/a', 'wall'): 0.05})


class CalibrationStoreTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=os.environ.get('TEST_TMPDIR'))

    def store(self, choice=None, is_read=True, machine=None, **environment):
        return CalibrationStore(choice, {'HOME': self.folder, **environment}, self.folder, machine or MACHINE, is_read)

    def test_a_file_gives_back_what_was_written(self):
        kept = dataclasses.replace(KEPT, method='fresh', schedule=Schedule(1, 0, 0, (8, 16)))
        self.store().check_writable()
        path = self.store().keep(kept)
        self.assertEqual(calibration_file.load(path), kept)

    def test_is_kept_in_the_users_cache_folder(self):
        path = self.store().path(MACHINE, 'paced', Schedule())
        self.assertRegex(path, rf'^{self.folder}/\.cache/lockstep/calibration-[0-9a-f]{{16}}\.json$')
        elsewhere = self.store(XDG_CACHE_HOME='/var').path(MACHINE, 'paced', Schedule())
        self.assertEqual(elsewhere, os.path.join('/var/lockstep', os.path.basename(path)))
        self.assertEqual(self.store(XDG_CACHE_HOME='relative').path(MACHINE, 'paced', Schedule()), path)

    def test_is_found_for_the_same_machine_method_and_schedule_only(self):
        store = self.store()
        store.check_writable()
        store.keep(KEPT)
        self.assertEqual(self.store().find(TAKEN), KEPT)
        for change in ({'machine': {**MACHINE, 'kernel': 'new'}}, {'method': 'fresh'},
                       {'schedule': Schedule(looks=(4,))}):
            self.assertIsNone(store.find(dataclasses.replace(TAKEN, **change)), change)

    def test_half_widths_of_other_entries_stay(self):
        store = self.store('c.json', is_read=False)
        store.check_writable()
        store.keep(KEPT)
        store.keep(Calibration(MACHINE, {('Train/b', 'cpu'): 0.02}))
        path = store.keep(Calibration(MACHINE, {('Train/a', 'cpu'): 0.03}))
        self.assertEqual(path, os.path.join(self.folder, 'c.json'))
        self.assertEqual(self.store('c.json').find(TAKEN).half_widths,
                         {('Train/b', 'cpu'): 0.02, ('Train/a', 'cpu'): 0.03})
        other = dataclasses.replace(KEPT, machine={**MACHINE, 'cores': 3})
        store.keep(other)
        self.assertEqual(calibration_file.load(os.path.join(self.folder, 'c.json')), other)

    def test_none_is_none(self):
        self.store().check_writable()
        self.store().keep(KEPT)
        store = self.store('none')
        store.check_writable()
        self.assertEqual((store.find(TAKEN), store.keep(KEPT)), (None, ''))

    def test_what_is_chosen_is_read_at_once(self):
        for text, words in (('{', 'not JSON'), ('{}', 'is a required property'), ('[]', 'not of type')):
            with open(os.path.join(self.folder, 'c.json'), 'w', encoding='utf-8') as file:
                file.write(text)
            with self.assertRaisesRegex(GateError, rf'^\[calibration\] .*{words}.*--calibrate makes it anew'):
                self.store('c.json')
            self.store('c.json', is_read=False).keep(KEPT)
            self.assertEqual(self.store('c.json').find(TAKEN), KEPT)
        with self.assertRaisesRegex(GateError, r"another machine: cores 2; wanted 64"):
            self.store('c.json', machine={**MACHINE, 'cores': 64})
        # What only recordings tell is compared with them.
        compiled = dataclasses.replace(KEPT, machine={**MACHINE, 'compiler': 'example 1.0'})
        self.store('d.json', is_read=False).keep(compiled)
        self.assertEqual(self.store('d.json').find(TAKEN), compiled)

    def test_where_nothing_can_be_kept_is_told_before(self):
        for store in (self.store('no/such/c.json', is_read=False), self.store(XDG_CACHE_HOME='/dev/null')):
            with self.assertRaises(OSError):
                store.check_writable()


if __name__ == '__main__':
    xml_unittest.main()
