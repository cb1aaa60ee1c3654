"""How exact a gate is on a machine: what is measured, which delta follows, what is kept and found again."""

import dataclasses
import math
import os
import unittest

from benchmarks.gate import calibration, recording_file
from benchmarks.gate.calibration import CalibrationStore
from benchmarks.gate.gate_testing import MACHINE, FolderTest, jittered, recordings
from benchmarks.gate.recording import Calibration, GateError, Schedule, Side
from benchmarks.gate.verdict import Outcome, judge
from tools import xml_unittest

TAKEN = recordings([])
KEPT = Calibration(MACHINE, {("Train/a", "cpu"): 0.01, ("Train/a", "wall"): 0.05})


def outcomes(judged):
    return {test.metric: test.outcome for test in judged.tests}


class CalibrationTest(unittest.TestCase):
    def calibration(self, half_width, **machine):
        return Calibration({**MACHINE, **machine}, {("Train/a", "cpu"): half_width})

    def test_delta_is_twice_the_half_width_and_at_least_three_percent(self):
        self.assertEqual(calibration.delta(self.calibration(0.01), "Train/a", "cpu"), 0.03)
        self.assertAlmostEqual(calibration.delta(self.calibration(0.02), "Train/a", "cpu"), math.exp(0.04) - 1)
        self.assertEqual(calibration.delta(self.calibration(0.02), "Train/a", "wall"), 0.03)
        self.assertEqual(calibration.delta(None, "Train/a", "cpu"), 0.03)

    def test_a_raised_delta_is_what_counts(self):
        taken = recordings(jittered(1.045))
        self.assertEqual(outcomes(judge(taken))["cpu"], Outcome.REGRESSION)
        self.assertEqual(outcomes(judge(taken, self.calibration(0.03)))["cpu"], Outcome.FINE)

    def test_above_ten_percent_is_not_judged(self):
        judged = judge(recordings(jittered(1.5, wall_ratio=1.0)), self.calibration(0.06))
        self.assertEqual(outcomes(judged)["cpu"], Outcome.NOT_JUDGED)
        self.assertIn("delta would be 13 %", judged.tests[0].reason)
        self.assertEqual(judged.exit_status, 3)

    def test_the_smallest_delta_is_the_options(self):
        taken = recordings(jittered(1.045), delta=0.05)
        self.assertEqual(outcomes(judge(taken)), {"cpu": Outcome.FINE, "wall": Outcome.FINE})
        self.assertAlmostEqual(judge(taken, self.calibration(0.03)).tests[0].delta, math.exp(0.06) - 1)
        # What was asked for is judged, however large; what a noisy machine makes of it is not.
        wide = recordings(jittered(1.5), delta=0.2)
        self.assertEqual(outcomes(judge(wide))["cpu"], Outcome.REGRESSION)
        self.assertIn("delta would be 22 % here, at most 20 %", judge(wide, self.calibration(0.1)).tests[0].reason)

    def test_another_machines_is_refused(self):
        with self.assertRaisesRegex(GateError, "another machine: cpu 'Other'; wanted 'Example CPU'"):
            judge(recordings(jittered(1.0)), self.calibration(0.01, cpu="Other"))

    def test_measured_half_width_is_that_of_the_95_percent_interval(self):
        same = Side(("train",))
        taken = recordings(jittered(1.0), baseline=same, candidate=same)
        measured = calibration.measure(taken)
        # Of +-x, 14 of each, s^2 / n is x^2 / 27; the 97.5 % point of t with 27 degrees of freedom is 2.052.
        wanted = 2.052 * math.log(1.005) / math.sqrt(27)
        self.assertAlmostEqual(measured.half_widths["Train/a", "cpu"], wanted, delta=1e-6)
        self.assertEqual(measured.machine, MACHINE)
        other_words = recordings(jittered(1.0), same_program=True)
        self.assertEqual(calibration.measure(other_words).half_widths, measured.half_widths)

    def test_only_a_whole_gate_of_one_program_calibrates(self):
        same = Side(("train",))
        with self.assertRaisesRegex(GateError, "differ"):
            calibration.measure(recordings(jittered(1.0)))
        with self.assertRaisesRegex(GateError, "4 recordings; wanted 28"):
            calibration.measure(recordings(jittered(1.0, 4), baseline=same, candidate=same))


class CalibrationStoreTest(FolderTest):
    def store(self, choice=None, is_read=True, machine=None, **environment):
        return CalibrationStore(choice, {"HOME": self.folder, **environment}, self.folder, machine or MACHINE, is_read)

    def test_a_file_gives_back_what_was_written(self):
        kept = dataclasses.replace(KEPT, method="fresh", schedule=Schedule(1, 0, 0, (8, 16)))
        self.store().check_writable()
        path = self.store().keep(kept)
        self.assertEqual(recording_file.load_calibration(path), kept)

    def test_is_kept_in_the_users_cache_folder(self):
        path = self.store().path(MACHINE, "paced", Schedule())
        self.assertRegex(path, rf"^{self.folder}/\.cache/lockstep/calibration-[0-9a-f]{{16}}\.json$")
        elsewhere = self.store(XDG_CACHE_HOME="/var").path(MACHINE, "paced", Schedule())
        self.assertEqual(elsewhere, os.path.join("/var/lockstep", os.path.basename(path)))
        self.assertEqual(self.store(XDG_CACHE_HOME="relative").path(MACHINE, "paced", Schedule()), path)

    def test_is_found_for_the_same_machine_method_and_schedule_only(self):
        store = self.store()
        store.check_writable()
        store.keep(KEPT)
        self.assertEqual(self.store().find(TAKEN), KEPT)
        for change in (
            {"machine": {**MACHINE, "kernel": "new"}},
            {"method": "fresh"},
            {"schedule": Schedule(looks=(4,))},
        ):
            self.assertIsNone(store.find(dataclasses.replace(TAKEN, **change)), change)

    def test_half_widths_of_other_entries_stay(self):
        store = self.store("c.json", is_read=False)
        store.check_writable()
        store.keep(KEPT)
        store.keep(Calibration(MACHINE, {("Train/b", "cpu"): 0.02}))
        path = store.keep(Calibration(MACHINE, {("Train/a", "cpu"): 0.03}))
        self.assertEqual(path, self.path("c.json"))
        self.assertEqual(
            self.store("c.json").find(TAKEN).half_widths, {("Train/b", "cpu"): 0.02, ("Train/a", "cpu"): 0.03}
        )
        other = dataclasses.replace(KEPT, machine={**MACHINE, "cores": 3})
        store.keep(other)
        self.assertEqual(recording_file.load_calibration(self.path("c.json")), other)

    def test_none_is_none(self):
        self.store().check_writable()
        self.store().keep(KEPT)
        store = self.store("none")
        store.check_writable()
        self.assertEqual((store.find(TAKEN), store.keep(KEPT)), (None, ""))

    def test_what_is_chosen_is_read_at_once(self):
        for text, words in (("{", "not JSON"), ("{}", "is a required property"), ("[]", "not of type")):
            self.write("c.json", text)
            with self.assertRaisesRegex(GateError, rf"^\[calibration\] .*{words}.*--calibrate replaces it"):
                self.store("c.json")
            self.store("c.json", is_read=False).keep(KEPT)
            self.assertEqual(self.store("c.json").find(TAKEN), KEPT)
        with self.assertRaisesRegex(GateError, r"another machine: cores 2; wanted 64"):
            self.store("c.json", machine={**MACHINE, "cores": 64})
        # What only recordings say is compared with them.
        compiled = dataclasses.replace(KEPT, machine={**MACHINE, "compiler": "example 1.0"})
        self.store("d.json", is_read=False).keep(compiled)
        self.assertEqual(self.store("d.json").find(TAKEN), compiled)

    def test_where_nothing_can_be_kept_is_reported_before(self):
        for store in (self.store("no/such/c.json", is_read=False), self.store(XDG_CACHE_HOME="/dev/null")):
            with self.assertRaises(OSError):
                store.check_writable()


if __name__ == "__main__":
    xml_unittest.main()
