"""Recordings as JSON, the recordings that are refused, and the log ratios and intervals of those that are not."""

import dataclasses
import json
import math
import unittest

import numpy as np
from scipy import stats

from benchmarks.gate import ratios, recording, recording_file
from benchmarks.gate.gate_testing import MACHINE, STEPS, FolderTest, half, pair, recordings
from benchmarks.gate.recording import Calibration, GateError, Half, Recording, Schedule, Side, Steps
from reports.json_file import ReportError
from tools import xml_unittest

TAKEN = recordings(
    [pair(1.02), dataclasses.replace(pair(), baseline=dataclasses.replace(half(3, 4), busy=None))],
    seed=7,
    required=("cpu", "wall"),
    method="fresh",
    stopped="budget",
    delta=0.05,
    arguments=("--steps=75", "--epochs=2"),
    same_program=True,
    candidate=Side(("train", "--fast"), "b2", "0f1e"),
)
TURNS_OF_4 = Schedule(turn=4, warmup=5, behind_switch=1, looks=(4,))
TURNS_OF_1 = Schedule(turn=1, warmup=0, behind_switch=0, looks=(4,))
VALUES = [0.031, 0.052, 0.044, 0.061, 0.018, 0.047]


class FileTest(FolderTest):
    def load(self, text):
        return recording_file.load(self.write("r.json", text))

    def test_comes_back_as_it_was_and_as_the_same_bytes(self):
        calibration = Calibration(MACHINE, {("Train/a", "cpu"): 0.0125})
        for kept in (None, calibration):
            text = recording_file.to_text(TAKEN, kept)
            self.assertEqual(self.load(text), (TAKEN, kept))
            self.assertEqual(recording_file.to_text(*self.load(text)), text)

    def test_a_file_without_later_fields_says_what_it_always_said(self):
        content = json.loads(recording_file.to_text(recordings([pair()])))
        for name in ("method", "stopped", "delta", "arguments", "same_program"):
            del content[name]
        del content["baseline"]["program"]
        taken, _ = self.load(json.dumps(content))
        self.assertEqual(taken, recordings([pair()]))
        self.assertEqual((taken.method, taken.stopped, taken.delta), ("paced", "", 0.03))

    def refused(self, change, words):
        content = json.loads(recording_file.to_text(TAKEN))
        change(content)
        with self.assertRaisesRegex(ValueError, words):
            self.load(json.dumps(content))

    def test_names_what_does_not_fit(self):
        self.refused(lambda c: c.update(format=2), r'\["format"\].*1 was expected')
        self.refused(lambda c: c.pop("machine"), "'machine' is a required")
        self.refused(lambda c: c.update(metrics=["gpu"]), r'\["metrics"\]')
        self.refused(lambda c: c.update(method="both at once"), r'\["method"\]')
        self.refused(lambda c: c.update(delta=0), r'\["delta"\]')
        self.refused(
            lambda c: c["recordings"][1]["candidate"].pop("own_cpu_s"), r'\["recordings"\]\[1\]\["candidate"\]'
        )

    def test_a_duplicate_entry_is_refused(self):
        def repeat(content):
            entries = content["recordings"][0]["baseline"]["entries"]
            entries.append(entries[0])

        self.refused(repeat, "wanted each name once")

    def test_names_a_file_that_cannot_be_read(self):
        with self.assertRaisesRegex(ReportError, "/no/such.json: No such file"):
            recording_file.load("/no/such.json")


class CheckTest(unittest.TestCase):
    def refused(self, words, candidate=None, **changes):
        pairs = [pair(), dataclasses.replace(pair(), candidate=candidate or half(4, 2))]
        with self.assertRaisesRegex(GateError, words):
            recording.check(recordings(pairs, **changes))

    def with_steps(self, cpu, wall=None):
        return dataclasses.replace(half(4, 2), entries={"Train/a": Steps(cpu, cpu if wall is None else wall)})

    def test_whole_recordings_pass(self):
        self.assertIs(recording.check(TAKEN), TAKEN)

    def test_times_are_positive_numbers(self):
        for time in (0.0, -1.0, math.nan, math.inf):
            times = (4.0,) * (STEPS - 1) + (time,)
            self.refused(rf"recording 1, candidate, Train/a, cpu, step 59: {time} ms", self.with_steps(times))

    def test_both_sides_have_the_same_entries(self):
        self.refused(
            r"recording 1, candidate: entries \['Train/b'\]; wanted \['Train/a'\]", half(4, 2, names=("Train/b",))
        )
        self.refused("entries", half(4, 2, names=("Train/a", "Train/b")))
        self.refused(r"entries \[\]", dataclasses.replace(half(4, 2), entries={}))

    def test_both_sides_have_as_many_whole_turns(self):
        self.refused("75 steps of the candidate, 60 of the baseline", self.with_steps((4.0,) * 75))
        self.refused("59 steps; wanted whole turns of 15", self.with_steps((4.0,) * 59))
        self.refused("59 wall times; wanted 60", self.with_steps((4.0,) * 60, (4.0,) * 59))

    def test_some_turn_is_left_after_the_warm_up(self):
        self.refused("30 steps; wanted whole turns of 15, and more than 30", self.with_steps((4.0,) * 30))
        self.refused("0 steps", self.with_steps(()))

    def test_a_load_is_a_number(self):
        self.refused("busy nan s", dataclasses.replace(half(4, 2), busy=math.nan))

    def test_a_schedule_can_be_followed(self):
        self.refused("looks at", schedule=Schedule(looks=(6, 4)))
        self.refused("looks at", schedule=Schedule(looks=(1, 4)))
        self.refused("15 steps dropped of a turn of 15", schedule=Schedule(behind_switch=15))
        self.refused(r"required \['wall'\]", metrics=("cpu",), required=("wall",))


class SliceTest(unittest.TestCase):
    def test_every_step_counts_once_and_dropped_ones_never(self):
        # Turns begin at 0, 4, 8, 12; those at 0 and 4 begin within the first 5 steps. Of the others the first step is
        # dropped. The middle ones of three are the second and third turn's 3.0 and 8.0.
        candidate = [99.0] * 8 + [99.0, 2.0, 3.0, 70.0] + [99.0, 8.0, 9.0, 1.0]
        slices = ratios.slice_ratios([1.0] * 16, candidate, TURNS_OF_4)
        np.testing.assert_allclose(slices, [math.log(3.0), math.log(8.0)], rtol=1e-15)

    def test_median_of_an_even_number_of_steps_is_between_the_middle_ones(self):
        schedule = Schedule(turn=3, warmup=0, behind_switch=1, looks=(4,))
        slices = ratios.slice_ratios([1.0, 1.0, 1.0], [9.0, 2.0, 4.0], schedule)
        np.testing.assert_allclose(slices, [math.log(3.0)])

    def test_75_steps_in_turns_of_15_have_three_used_slices(self):
        self.assertEqual(len(ratios.slice_ratios([1.0] * 75, [1.0] * 75, Schedule())), 3)

    def test_slower_is_positive(self):
        self.assertGreater(ratios.slice_ratios([1.0] * 16, [1.1] * 16, TURNS_OF_4)[0], 0)


class PairTest(unittest.TestCase):
    def pair(self, candidate):
        baseline = (1.0,) * len(candidate)
        halves = [Half({"x": Steps(times, times)}, 1, 1, 1) for times in (baseline, candidate)]
        return ratios.of(Recording("baseline", *halves), TURNS_OF_1, 2)

    def test_cpu_is_the_mean_of_slices_and_wall_their_median(self):
        values = self.pair((math.exp(0.1), math.exp(0.2), math.exp(0.6))).values
        self.assertAlmostEqual(values["x", "cpu"], 0.3, places=14)
        self.assertAlmostEqual(values["x", "wall"], 0.2, places=14)

    def test_repeated_slices_are_no_new_units(self):
        once = self.pair((1.1, 1.2))
        repeated = self.pair((1.1, 1.2) * 10)
        self.assertEqual(len(repeated.values), len(once.values))
        self.assertAlmostEqual(repeated.values["x", "cpu"], once.values["x", "cpu"], places=14)


class LoadTest(unittest.TestCase):
    def share(self, elapsed, own, busy):
        return ratios.others_share(Half({}, elapsed, own, busy), cores=2)

    def test_others_share_is_what_the_process_did_not_use(self):
        self.assertAlmostEqual(self.share(10.0, 8.0, 13.0), 0.25)

    def test_more_own_time_than_the_machine_counted_is_none_of_others(self):
        self.assertEqual(self.share(1.0, 1.02, 1.0), 0.0)

    def test_unknown_without_proc_stat_or_within_few_ticks(self):
        self.assertIsNone(self.share(10.0, 8.0, None))
        self.assertIsNone(self.share(0.19, 0.1, 0.1))
        self.assertIsNotNone(self.share(0.2, 0.1, 0.1))

    def test_one_loaded_half_is_enough(self):
        for loads, quiet in (((0.0, 0.0), True), ((0.04, 0.049), True), ((0.0, 0.06), False), ((0.06, 0.0), False)):
            recording = Recording("baseline", half(1, 1, loads[0]), half(1, 1, loads[1]))
            self.assertEqual(ratios.of(recording, Schedule(), 2).quiet, quiet, loads)

    def test_wall_time_of_a_loaded_recording_is_not_usable(self):
        pairs = [ratios.PairRatios({("x", "cpu"): 1.0, ("x", "wall"): 2.0}, share) for share in (0.01, 0.3, None)]
        self.assertEqual(ratios.usable(pairs, "x", "cpu"), [1.0] * 3)
        self.assertEqual(ratios.usable(pairs, "x", "wall"), [2.0])


class StudentIntervalTest(unittest.TestCase):
    def test_one_sided_bounds_are_those_of_scipys_t_interval(self):
        low, high = stats.t.interval(0.90, len(VALUES) - 1, np.mean(VALUES), stats.sem(VALUES))
        interval = ratios.student_interval(VALUES, 0.05, 0.05)
        self.assertAlmostEqual(interval.lower, low, places=14)
        self.assertAlmostEqual(interval.upper, high, places=14)

    def test_lower_bound_touches_zero_at_scipys_p_value(self):
        p_value = stats.ttest_1samp(VALUES, 0, alternative="greater").pvalue
        self.assertAlmostEqual(ratios.student_interval(VALUES, p_value, 0.05).lower, 0, places=9)

    def test_quantiles_are_those_of_the_printed_table(self):
        # Upper 2.5 % and 0.5 % points of t, to three decimals, as every statistics book has them.
        for count, wide, wider in ((4, 3.182, 5.841), (6, 2.571, 4.032), (12, 2.201, 3.106)):
            values = [1.0, -1.0] * (count // 2)
            error = math.sqrt(1 / (count - 1))  # the sum of squares is n, so s^2 / n is 1 / (n - 1)
            interval = ratios.student_interval(values, 0.005, 0.025)
            self.assertAlmostEqual(-interval.lower / error, wider, delta=0.0005)
            self.assertAlmostEqual(interval.upper / error, wide, delta=0.0005)

    def test_equal_values_leave_no_doubt(self):
        interval = ratios.student_interval([0.25] * 4, 0.001, 0.05)
        self.assertEqual((interval.estimate, interval.lower, interval.upper), (0.25, 0.25, 0.25))

    def test_one_value_has_no_spread(self):
        for values in ([], [0.1]):
            with self.assertRaisesRegex(GateError, rf"{len(values)} values; wanted at least 2"):
                ratios.student_interval(values, 0.05, 0.05)

    def test_level_is_kept_for_normal_values(self):
        draws = np.random.default_rng(3).standard_normal((4000, 4))
        called = sum(ratios.student_interval(row, 0.05, 0.05).lower > 0 for row in draws)
        self.assertAlmostEqual(called / 4000, 0.05, delta=4 * math.sqrt(0.05 * 0.95 / 4000))


class PocockLevelsTest(unittest.TestCase):
    def test_one_look_spends_everything(self):
        self.assertAlmostEqual(ratios.pocock_levels((7,), 0.005)[0], 0.005, places=12)

    def test_all_looks_together_err_with_the_total(self):
        for sizes, total, planned in (
            ((4, 6, 9, 12), 0.00125, None),
            ((4, 6, 9, 12), 0.05, None),
            ((8, 16, 24, 32), 0.05, None),
            ((4, 6, 9, 11), 0.00125, 28),
        ):
            bounds = stats.norm.isf(ratios.pocock_levels(sizes, total, planned))
            # Of sums at n and m the correlation is sqrt(n / m).
            shares = np.array(sizes) / sizes[-1]
            correlation = np.sqrt(np.minimum.outer(shares, shares) / np.maximum.outer(shares, shares))
            never = stats.multivariate_normal.cdf(bounds, np.zeros(4), correlation, abseps=1e-7, maxpts=2_000_000)
            self.assertAlmostEqual(1 - never, total, delta=2e-5)

    def test_a_last_look_for_which_there_was_time_leaves_those_before_as_they_were(self):
        whole = ratios.pocock_levels((4, 6, 9, 13, 19, 28), 0.05)
        ended = ratios.pocock_levels((4, 6, 9, 11), 0.05, 28)
        for level, wanted in zip(ended[:3], whole[:3]):
            self.assertAlmostEqual(level, wanted, delta=1e-9)
        self.assertGreater(ended[3], 2 * whole[3])

    def test_first_look_spends_its_share(self):
        first = ratios.pocock_levels((4, 6, 9, 12), 0.05)[0]
        self.assertAlmostEqual(first, 0.05 * math.log(1 + (math.e - 1) / 3), places=10)

    def test_equal_looks_have_nearly_one_boundary(self):
        # Pocock's constant for four looks and 2.5 % a side is 2.361 (Jennison and Turnbull, table 2.1).
        bounds = stats.norm.isf(ratios.pocock_levels((8, 16, 24, 32), 0.025))
        for bound in bounds:
            self.assertAlmostEqual(bound, 2.361, delta=0.03)


if __name__ == "__main__":
    xml_unittest.main()
