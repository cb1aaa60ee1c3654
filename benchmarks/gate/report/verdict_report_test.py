"""A verdict as text for a terminal, as JSON, as a comment on a pull request and as a page."""

import dataclasses
import json
import math
import os
import re
import shlex
import unittest
from unittest import mock

import jsonschema

from benchmarks.gate import recording_file, verdict
from benchmarks.gate.gate_testing import LOADED, MACHINE, jittered, nights, pair, recordings, without_load
from benchmarks.gate.recording import SIDES, Calibration, Schedule, Side
from benchmarks.gate.report import plots, verdict_report
from reports.html_testing import Page
from reports.plots.colors import themed
from tools import xml_unittest

SCHEMA = "benchmarks/gate/schemas/verdict.schema.json"
BAND = themed(f"fill: {plots.BAND}; opacity: 0.18")


def load(name):
    return recording_file.load(f"benchmarks/gate/testdata/recordings_{name}.json")[0]


def render(taken, calibration=None):
    return verdict_report.to_text(verdict.judge(taken, calibration), taken)


def markdown(taken):
    return verdict_report.to_markdown(verdict.judge(taken), taken)


def page_of(taken):
    return verdict_report.to_html(verdict.judge(taken), taken)


def fact(text, label):
    """What stands after a label; None where it is not there."""
    found = [line[2 + len(label) :].strip() for line in text.splitlines() if line.startswith(f"  {label}  ")]
    return found[0] if found else None


class ReportTextTest(unittest.TestCase):
    def test_a_line_a_test_in_columns(self):
        taken = recordings([pair(ratio, names=("Train/a", "Train/longer")) for ratio in (1.1, 1.101, 1.1, 1.099)])
        lines = render(taken).splitlines()
        self.assertRegex(lines[0], r"^Train/a       cpu   \+10\.0 % \[\+9\.\d, \+10\.\d\]  delta 3 %  REGRESSION$")
        self.assertRegex(lines[3], r"^Train/longer  wall  \+10\.0 % \[\+9\.\d, \+10\.\d\]  delta 3 %  REGRESSION$")
        self.assertEqual(
            lines[4], "Regression: Train/a takes 10.0 % more CPU time, the most of 4 slowdowns (exit status 1)"
        )

    def test_what_it_rests_on(self):
        side = Side(("train", "--name=two words"), "b2")
        text = render(recordings(jittered(1.1, others=LOADED), seed=5, candidate=side))
        self.assertEqual(fact(text, "recordings"), "4 of 28 looked at (at most 28), 0 of them on a quiet machine, 8 s")
        self.assertEqual(fact(text, "others' share"), "median 50 % of the cores, 50 to 50 %; quiet is up to 5 %")
        self.assertEqual(fact(text, "method"), "paced: two processes that handed the machine over after every 15 steps")
        self.assertEqual(fact(text, "seed"), "5")
        self.assertEqual(fact(text, "baseline"), "train at a1")
        self.assertEqual(fact(text, "candidate"), "train '--name=two words' at b2")
        self.assertEqual(fact(text, "machine"), "cpu Example CPU, cores 2")
        for label in ("both sides", "stopped", "delta"):
            self.assertIsNone(fact(text, label))

    def test_the_range_of_the_load_is_that_of_the_recordings_looked_at(self):
        pairs = [pair(1.1, others=share) for share in (0.0, 0.1, 0.4, 0.3, 0.9)]
        self.assertEqual(
            fact(render(recordings(pairs)), "others' share"), "median 20 % of the cores, 0 to 40 %; quiet is up to 5 %"
        )

    def test_an_unknown_load_is_said_to_be_that(self):
        self.assertEqual(fact(render(recordings(map(without_load, jittered(1.0)))), "others' share"), "unknown")

    def test_wall_time_that_is_not_judged_is_explained(self):
        loaded = render(recordings(jittered(1.0, others=LOADED)))
        self.assertIn("NOT JUDGED: the machine was quiet in 0 of 4 recordings, 4 are wanted", loaded)
        self.assertIn("not judged is not fine", fact(loaded, "wall time"))
        self.assertRegex(loaded, r"\]  delta 3 %  FINE")  # its reason makes no column wider
        self.assertIsNone(fact(render(recordings(jittered(1.0))), "wall time"))

    def test_a_raised_delta_is_reported_with_its_reason(self):
        text = render(recordings(jittered(1.0)), Calibration(MACHINE, {("Train/a", "cpu"): 0.02}))
        self.assertIn("delta 4.08 % (raised)", text)
        self.assertIn("raised to 4.08 % for Train/a cpu: twice the half-width", fact(text, "delta"))
        self.assertIn("FINE: no slowdown of 8.16 % or more", text)
        asked = render(recordings(jittered(1.0), delta=0.05))
        self.assertIn("  delta 5 %  FINE: no slowdown of 10 % or more", asked)
        self.assertIsNone(fact(asked, "delta"))

    def test_a_gate_that_stopped_early_says_why(self):
        budget = "the time that it may take (--budget) was over; go on with --record=FILE --again, or raise --budget"
        for stopped, words in (("budget", budget), ("other", "other")):
            text = render(recordings(jittered(1.0, 3), stopped=stopped))
            self.assertEqual(fact(text, "stopped"), words)
            self.assertIn(f"Undecided: 3 recordings, the first look is at 4; {words} (exit status 3)\n", text)

    def test_runs_without_turns_that_are_too_short_are_said(self):
        # Each half of a recording took 1 s.
        words = "; the runs take 1 s: use 2 s or more, or turns (docs/formats.md) (exit status 3)\n"
        self.assertIn(words, render(recordings(jittered(1.0, 3), method="fresh")))
        self.assertNotIn("the runs take", render(recordings(jittered(1.0, 3))))
        longer = [
            dataclasses.replace(each, **{side: dataclasses.replace(getattr(each, side), elapsed=2.0) for side in SIDES})
            for each in jittered(1.0, 3)
        ]
        self.assertNotIn("the runs take", render(recordings(longer, method="fresh")))

    def test_from_the_wheel_the_command_that_repeats_it_is_the_wheels(self):
        with mock.patch.dict(os.environ, {"LOCKSTEP_COMMAND": "lockstep gate"}):
            repeat = fact(render(recordings(jittered(1.0, 4))), "repeat")
        self.assertTrue(repeat.startswith("lockstep gate --baseline="), repeat)

    def test_of_benchmarks_it_is_said_which_and_what_of_them(self):
        text = render(recordings(jittered(1.0), method="benchmark", entry="a|b", cpu_field="own_us"))
        self.assertEqual((fact(text, "benchmarks"), fact(text, "CPU time")), ("a|b", "own_us"))
        self.assertIsNone(fact(render(recordings(jittered(1.0))), "benchmarks"))

    def test_a_program_against_itself_is_said_to_be_that(self):
        same = Side(("train", "--fast"))
        for changes in ({"baseline": same, "candidate": same}, {"same_program": True}):
            taken = recordings(jittered(1.0), **changes)
            self.assertEqual(fact(render(taken), "both sides"), "the same program (A/A)")

    def test_a_built_side_is_repeated_by_its_commit(self):
        def repeat(*built, label="//benchmarks:scaling"):
            sides = {name: Side((label,), commit) for name, commit in built}
            text = fact(render(recordings(jittered(1.0, 4), **sides)), "repeat")
            return [word for word in shlex.split(text) if word.startswith(("--base", "--cand", "--target"))]

        self.assertEqual(repeat(("baseline", "a1"), ("candidate", "b2")), ["--baseline=a1", "--candidate=b2"])
        self.assertEqual(repeat(("baseline", "a1"), ("candidate", "b2+changes")), ["--baseline=a1"])
        self.assertEqual(repeat(("baseline", "a1"), label="//a:b")[:2], ["--target=//a:b", "--baseline=a1"])

    def test_a_command_repeats_it(self):
        def words(**changes):
            return shlex.split(fact(render(recordings(jittered(1.0, 4), **changes)), "repeat"))

        command = words(seed=7, baseline=Side(("a", "it's", "two words")), arguments=("--x=y z",))
        self.assertEqual(command[:4], ["./bazelw", "run", "//benchmarks:gate", "--"])
        self.assertEqual(
            command[4:],
            ["--baseline=a 'it'\"'\"'s' 'two words'", "--candidate=train", "--arguments='--x=y z'", "--seed=7"],
        )
        self.assertEqual(
            words(metrics=("cpu",), delta=0.055, schedule=Schedule(turn=5, warmup=10, looks=(4, 8)))[8:],
            ["--turn=5", "--warmup=10", "--looks=4,8", "--delta=5.5", "--metrics=cpu"],
        )
        self.assertEqual(words(required=("cpu", "wall"))[8:], ["--require=cpu,wall"])
        # What a method makes of the first recording is no option.
        whole = Schedule(turn=60, warmup=0, behind_switch=20, looks=(8, 16, 24, 32))
        self.assertEqual(words(method="fresh", schedule=whole)[8:], [])
        self.assertEqual(
            words(method="fresh", schedule=dataclasses.replace(whole, behind_switch=5, looks=(4, 8)))[8:],
            ["--warmup=5", "--looks=4,8"],
        )
        self.assertEqual(
            words(method="benchmark", schedule=Schedule(5, 0, 1, (8, 16, 24, 32)), entry="a|b", cpu_field="own_us")[8:],
            ["--entry=a|b", "--cpu_field=own_us"],
        )

    def test_the_same_recordings_from_a_file_give_the_same_bytes(self):
        first, second = (render(load("mixed")) for _ in range(2))
        self.assertEqual(first, second)


class HeadlineTest(unittest.TestCase):
    def headline(self, taken, calibration=None):
        lines = [line for line in render(taken, calibration).splitlines() if "(exit status" in line]
        self.assertEqual(len(lines), 1)
        return lines[0]

    def test_fine_names_what_it_would_have_seen(self):
        self.assertEqual(
            self.headline(recordings(jittered(1.0))),
            "Fine: no slowdown of 6 % or more in CPU time and wall time (exit status 0)",
        )
        self.assertEqual(
            self.headline(recordings(jittered(1.0, others=LOADED))),
            "Fine: no slowdown of 6 % or more in CPU time; wall time not judged (exit status 0)",
        )
        raised = Calibration(MACHINE, {("Train/a", "cpu"): 0.02})
        self.assertIn("no slowdown of 8.16 % or more", self.headline(recordings(jittered(1.0)), raised))

    def test_fine_says_which_time_is_open(self):
        pairs = [pair(1.0, wall_ratio=ratio) for ratio in (1.2, 0.9, 1.1, 0.8) * 3]
        self.assertEqual(
            self.headline(recordings(pairs)),
            "Fine: no slowdown of 6 % or more in CPU time; wall time undecided (exit status 0)",
        )

    def test_undecided_says_why(self):
        for taken, wanted in (
            (recordings([]), "nothing was recorded"),
            (recordings(jittered(1.0, 3)), "3 recordings, the first look is at 4"),
            (
                recordings(jittered(1.0, others=LOADED), required=("wall",)),
                "wall time is required and could not be judged",
            ),
            (
                recordings([pair(ratio) for ratio in (1.2, 0.9, 1.1, 0.8)]),
                "after 4 recordings the bounds are too wide for 2 of 2 tests",
            ),
        ):
            self.assertEqual(self.headline(taken), f"Undecided: {wanted} (exit status 3)")

    def test_one_slowdown_is_named(self):
        taken = recordings(jittered(1.0, wall_ratio=1.1))
        self.assertEqual(self.headline(taken), "Regression: Train/a takes 10.0 % more wall time (exit status 1)")

    def test_of_many_slowdowns_the_largest_is_named(self):
        taken = recordings(jittered(1.1, wall_ratio=1.2))
        self.assertEqual(
            self.headline(taken),
            "Regression: Train/a takes 20.0 % more wall time, the most of 2 slowdowns (exit status 1)",
        )

    def test_an_improvement_is_reported_beside_its_test(self):
        self.assertIn("FINE: faster", render(recordings(jittered(0.9))))
        self.assertNotIn("faster", render(recordings(jittered(0.98))))


def of(taken, calibration=None):
    return verdict_report.to_json(verdict.judge(taken, calibration), taken, calibration)


class VerdictJsonTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(SCHEMA, encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft7Validator.check_schema(schema)
        cls.schema = jsonschema.Draft7Validator(schema)

    def test_every_verdict_fits_the_schema(self):
        for taken, calibration in (
            (recordings(jittered(1.1)), None),
            (recordings(jittered(1.0, others=LOADED)), Calibration(MACHINE, {("Train/a", "cpu"): 0.02})),
            (recordings([without_load(pair())] * 4, method="fresh", stopped="budget"), None),
            (recordings([]), None),
            (load("busy"), None),
        ):
            self.schema.validate(json.loads(json.dumps(of(taken, calibration), allow_nan=False)))

    def test_the_schema_refuses_what_is_not_stated_there(self):
        content = of(recordings(jittered(1.1)))
        for change in ({"outcome": "good"}, {"format": 2}, {"more": 1}, {"exit_status": 2}, {"tests": [{}]}):
            with self.assertRaises(jsonschema.ValidationError):
                self.schema.validate({**content, **change})

    def test_numbers_are_shares_of_the_time(self):
        content = of(recordings([pair(1.1)] * 4, seed=3, required=("cpu", "wall")))
        test = content["tests"][0]
        self.assertEqual(
            (test["entry"], test["metric"], test["outcome"], test["delta"], test["used"], test["reason"]),
            ("Train/a", "cpu", "regression", 0.03, 4, ""),
        )
        for name in ("ratio", "lower", "upper"):
            self.assertAlmostEqual(test[name], 0.1, places=12)
        self.assertEqual(
            (content["outcome"], content["exit_status"], content["seed"], content["required"]),
            ("regression", 1, 3, ["cpu", "wall"]),
        )
        self.assertEqual((content["looked_at"], content["quiet"], content["looks"]), (4, 4, [4, 6, 9, 13, 19, 28]))

    def test_a_test_that_was_not_judged_has_no_numbers_but_a_reason(self):
        test = of(recordings(jittered(1.1, others=LOADED)))["tests"][1]
        self.assertEqual((test["ratio"], test["lower"], test["upper"], test["used"]), (None, None, None, 0))
        self.assertIn("quiet in 0 of 4", test["reason"])

    def test_each_recording_is_there_with_its_log_ratios_and_load(self):
        quiet, busy = pair(1.1, wall_ratio=1.2), dataclasses.replace(pair(1.0, others=LOADED), first="candidate")
        first, second = of(recordings([quiet, busy]))["recordings"]
        self.assertEqual(
            (first["quiet"], first["others_share"], first["seconds"], first["first"]), (True, 0.0, 2.0, "baseline")
        )
        self.assertEqual((second["quiet"], second["others_share"], second["first"]), (False, 0.5, "candidate"))
        self.assertEqual(
            [(each["entry"], each["metric"]) for each in first["log_ratios"]], [("Train/a", "cpu"), ("Train/a", "wall")]
        )
        for each, wanted in zip(first["log_ratios"], (1.1, 1.2)):
            self.assertAlmostEqual(each["value"], math.log(wanted), places=12)

    def test_a_calibration_is_there(self):
        kept = Calibration(MACHINE, {("Train/a", "cpu"): 0.02})
        self.assertEqual(
            of(recordings(jittered(1.0)), kept)["calibration"]["half_widths"],
            [{"entry": "Train/a", "metric": "cpu", "half_width": 0.02}],
        )
        self.assertIsNone(of(recordings(jittered(1.0)))["calibration"])

    def test_the_text_is_the_same_every_time(self):
        taken = recordings(jittered(1.04))
        judged = verdict.judge(taken)
        self.assertEqual(verdict_report.to_json_text(judged, taken), verdict_report.to_json_text(judged, taken))
        self.assertEqual(json.loads(verdict_report.to_json_text(judged, taken)), of(taken))


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


class ReportMarkdownTest(unittest.TestCase):
    def test_headline_first_then_a_row_a_test(self):
        lines = markdown(recordings(jittered(1.1, others=LOADED))).splitlines()
        self.assertEqual(lines[0], "**Regression: Train/a takes 10.0 % more CPU time**")
        self.assertEqual(lines[1], "")
        self.assertEqual(cells(lines[4])[:2], ["`Train/a`", "cpu"])
        self.assertRegex(cells(lines[4])[2], r"^\+10\.0 % \[\+\d\.\d, \+1\d\.\d\]$")
        self.assertEqual(cells(lines[4])[3:], ["3 %", "REGRESSION"])
        self.assertEqual(
            cells(lines[5]),
            ["`Train/a`", "wall", "", "3 %", "NOT JUDGED: the machine was quiet in 0 of 4 recordings, 4 are wanted"],
        )

    def test_the_rest_is_folded(self):
        text = markdown(recordings(jittered(1.1), seed=5))
        folded = text[text.index("<details>") : text.index("</details>")]
        for part in (
            "| seed | 5 |",
            "| candidate | `train at b2` |",
            "in at most 0.5 % of cases",
            "at most 5 %.",
            "```sh\n./bazelw run //benchmarks:gate -- --baseline=train",
        ):
            self.assertIn(part, folded)
        self.assertTrue(text.endswith("\n</details>\n"))

    def test_names_stay_in_their_cells_and_are_no_markup(self):
        name = "Train/a|b`c<d>*e*"
        taken = recordings([pair(1.1, names=(name,))] * 4, candidate=Side(("x", "```", "<b>", "p|q")))
        text = markdown(taken)
        lines = text.splitlines()
        self.assertEqual(
            lines[0],
            r"**Regression: Train/a\|b\`c\<d\>\*e\* takes 10.0 % more CPU time, the most of 2 "
            r"slowdowns**",
        )
        self.assertEqual([len(cells(line)) for line in lines[2:6]], [5] * 4)
        self.assertEqual(cells(lines[4])[0], r"`` Train/a\|b`c<d>*e* ``")
        self.assertIn("\n````sh\n", text)
        self.assertIn(r"| candidate | ```` x '```' '<b>' 'p\|q' ```` |", text)


def figures(text):
    return re.findall("<svg.*?</svg>", text, re.DOTALL)


class ReportHtmlTest(unittest.TestCase):
    def test_whole_and_needs_nothing_from_outside(self):
        for name in ("busy", "mixed"):
            page = Page(page_of(load(name)))
            self.assertEqual((page.problems, page.fetched), ([], []))
            self.assertEqual(len(page.all("svg")), 5)  # two entries in two times, and the load

    def test_the_same_recordings_give_the_same_bytes(self):
        taken = recordings(jittered(1.04))
        self.assertEqual(page_of(taken), page_of(taken))

    def test_headline_table_facts_and_command(self):
        text = Page(page_of(recordings(jittered(1.1, others=LOADED), seed=5))).text
        for part in (
            "Lockstep: Regression: Train/a takes 10.0 % more CPU time",
            "REGRESSION",
            "NOT JUDGED: the machine was quiet in 0 of 4 recordings",
            "seed5",
            "candidatetrain at b2",
            "What others used of the machine",
            "at most 0.5 % of cases",
            "--candidate=train",
        ):
            self.assertIn(part, text)

    def test_names_are_escaped(self):
        text = page_of(recordings([pair(1.1, names=("Train/<a>",))] * 4))
        self.assertIn("Train/<wbr>&lt;a&gt;", text)
        self.assertNotIn("<a>", text)

    def test_without_recordings_there_is_a_page_without_plots(self):
        page = Page(page_of(recordings([])))
        self.assertEqual((page.problems, page.all("svg")), ([], []))
        self.assertIn("Undecided: nothing was recorded", page.text)

    def test_recordings_that_do_not_count_are_hollow(self):
        taken = recordings(jittered(1.1, 3) + [pair(1.1, others=LOADED)] + jittered(1.1, 2))
        self.assertEqual(verdict.judge(taken).looked_at, 4)
        # Of CPU time the two after the verdict; of wall time the busy one too.
        hollow = themed(f"fill: #ffffff; stroke: {plots.UNUSED}")
        self.assertEqual([svg.count(hollow) for svg in figures(page_of(taken))], [2, 3, 0])

    def test_one_far_away_that_does_not_count_leaves_the_others_apart(self):
        def distance(taken):
            """Of the lines of 0 and of 2 delta, in the plot of CPU time."""
            svg = figures(page_of(recordings(taken)))[0]
            zero, twice = (float(re.search(rf' y="([0-9.]+)"[^>]*>{name}</text>', svg)[1]) for name in ("0", "2 delta"))
            return zero - twice

        taken = jittered(1.1, 6)
        self.assertAlmostEqual(distance(taken), distance([*taken, pair(9.0, others=LOADED)]), delta=1)

    def test_lines_and_band_are_named_and_there(self):
        cpu, wall, load = figures(page_of(recordings(jittered(1.0, others=LOADED))))
        for name in ("0", "delta", "2 delta"):
            self.assertIn(f">{name}</text>", cpu)
        self.assertIn(BAND, cpu)
        self.assertNotIn(BAND, wall)  # not judged: there is no interval
        self.assertIn(">quiet</text>", load)

    def test_earlier_gates_against_the_same_baseline_are_shown(self):
        taken = recordings(jittered(1.0))
        judged = verdict.judge(taken)
        others = (
            nights([0.5, 0.5], entry="Train/b")
            + nights([0.5, 0.5], machine={"cores": 64})
            + nights([0.5, 0.5], baseline=Side(("x",), "other"))
        )
        self.assertEqual(verdict_report.to_html(judged, taken, others), page_of(taken))
        page = Page(verdict_report.to_html(judged, taken, nights([0.0, 0.01]) + others))
        self.assertEqual(len(page.all("svg")), 4)
        self.assertIn("Gates against this baseline: CPU time", page.text)

    def test_the_load_of_a_recording_can_be_unknown(self):
        self.assertEqual(figures(page_of(recordings([without_load(pair())] * 4)))[-1].count(">unknown</text>"), 4)


if __name__ == "__main__":
    xml_unittest.main()
