"""The report of many results: page, tables, JSON, figures, pictures."""

import functools
import json
import re
import unittest
import warnings
import xml.etree.ElementTree

from reports.html_testing import Page
from reports.json_file import ReportError
from reports.performance import pictures, report
from reports.performance.drawing import in_digits
from reports.performance.result_testing import all_reduce, copy, load, peer_training, result, rounds, training
from tools import xml_unittest

# Ratios 4 and 410 / 101: their logarithms lie d = 0.01474 apart, and Student's t of one degree of freedom is 12.706, so
# that the interval is their mean times exp(+-12.706 d / 2).
PEERS = result(
    *rounds(training, (400.0, 410.0)),
    *rounds(lambda **of: training(2, **of), (300.0, 310.0)),
    *rounds(lambda **of: peer_training("p", **of), (100.0, 101.0)),
)
COLLECTIVES = result(copy(40e9), all_reduce(4096, 1e9), all_reduce(2**20, 8e9), date="2026-01-02T00:00:00+00:00")
NEWER = result(*rounds(training, (200.0, 210.0)), date="2026-01-03T00:00:00+00:00")
NONE = {"name": "L/by:own", "real_time": 1.0}


def build(*results):
    return report.build(load(*results))


@functools.cache
def whole():
    """The page of all three: drawing takes its time."""
    return report.as_html(build(PEERS, COLLECTIVES, NEWER))


@functools.cache
def whole_pictures():
    return pictures.make(report.sections(build(PEERS, COLLECTIVES, NEWER)))


def page(*results):
    return Page(report.as_html(build(*results)))


def rows(html, header):
    """The rows, as lists of cells, of the table with this header."""
    [table] = [table for table in re.findall(r"<table>.*?</table>", html, re.S) if header in table]
    return [
        [" ".join(re.sub("<.*?>", " ", cell).split()) for cell in re.findall(r"<t[dh].*?</t[dh]>", row, re.S)]
        for row in re.findall(r"<tr>.*?</tr>", table, re.S)
    ]


class PageTest(unittest.TestCase):
    def test_is_well_formed_and_needs_nothing_from_outside(self):
        made = Page(whole())
        self.assertEqual(made.problems, [])
        self.assertEqual(made.fetched, [])

    def test_links_lead_to_sections(self):
        made = Page(whole())
        self.assertLessEqual({link.removeprefix("#") for link in made.links}, set(made.ids))

    def test_tells_ratios_with_intervals(self):
        html = whole()
        self.assertEqual(
            rows(html, "95 %")[1:],
            [
                ["1"],
                [
                    "Train w, 1 replica, global batch 64, cpu",
                    "p/1",
                    "405",
                    "100",
                    "images/s",
                    "4.03",
                    "3.67 to 4.43",
                    "2",
                    "faster",
                ],
            ],
        )
        self.assertIn(
            "by up to 1.05 times from round to round of one run "
            "(Lockstep: Train w, 1 replica, global batch 64, cpu, in 3)",
            " ".join(html.split()),
        )

    def test_gives_no_verdict_on_what_took_no_turns(self):
        html = report.as_html(build(result(NONE, {**NONE, "name": "L/by:cudnn"})))
        self.assertEqual(rows(html, "95 %")[-1][5:], ["1.00", "", "", "not measured in turns"])
        self.assertIn("by how much, no file here tells", html)

    def test_gives_no_verdict_between_dates(self):
        html = whole()
        self.assertEqual(
            rows(html, "<th>before")[1:],
            [
                ["3 against 1, A CPU, 2 cores"],
                [
                    "Train w, 1 replica, global batch 64, cpu",
                    "205 (202 to 208)",
                    "405 (402 to 408)",
                    "images/s",
                    "0.506",
                ],
            ],
        )
        self.assertIn("no interval and no verdict", html)

    def test_tells_what_is_to_be_known(self):
        broken = result(training(trained=False), training(2), complete=False)
        made = page(result(training()), broken)
        self.assertIn("2: the run was interrupted", made.text)
        self.assertIn("failed its checks (trained); not shown", made.text)
        self.assertIn("2 (interrupted)", made.text)
        self.assertNotIn("To know", whole())

    def test_says_what_makes_a_section_that_is_empty(self):
        text = page(result(NONE)).text
        for words in (
            "compare.py makes such files",
            "//benchmarks:scaling makes",
            "No entry tells the phases",
            "all_reduce_benchmark makes",
            "No entry was measured twice",
        ):
            self.assertIn(words, text)

    def test_lists_all_entries(self):
        self.assertEqual(
            rows(report.as_html(build(result(training()), result(NONE))), "median (quartiles)")[-2:],
            [["2"], ["L", "Lockstep", "0.001", "us", "1"]],
        )

    def test_names_are_text(self):
        self.assertIn("&lt;b&gt;", report.as_html(build(result(training(), cpu_model="<b>"))))

    def test_older_figures_of_one_thing_are_folded(self):
        scaling = [result(training(1), training(2), date=f"2026-01-0{day}T00:00:00Z") for day in (1, 2, 3)]
        [section] = [section for section in report.sections(build(*scaling)) if section.name == "scaling"]
        [(newest, older)] = section.shown
        self.assertEqual((newest.key, [drawing.key for drawing in older]), ("3-weak", ["2-weak", "1-weak"]))
        self.assertIn("2 older", page(*scaling).text)

    def test_figures_of_other_machines_are_not(self):
        results = [result(training(1), training(2), cpu_model=model, caches=None) for model in ("A", "B", None)]
        results[2]["context"]["date"] = "2026-01-05T00:00:00Z"
        [section] = [section for section in report.sections(build(*results)) if section.name == "scaling"]
        self.assertEqual([older for _, older in section.shown], [[]] * 3)


class TextTest(unittest.TestCase):
    def test_markdown_has_the_tables(self):
        text = report.as_markdown(build(PEERS, COLLECTIVES, NEWER))
        for line in (
            "| 1 | Train w, 1 replica, global batch 64, cpu | p/1 | 405 | 100 | images/s | 4.03 "
            "| 3.67 to 4.43 | 2 | faster |",
            "| Train w, 1 replica, global batch 64, cpu | A CPU, 2 cores | 3 | 1 | 205 (202 to 208) "
            "| 405 (402 to 408) | images/s | 0.506 |",
            "| 1 | Train w, cpu | Lockstep | weak | 2 | 305 images/s | 0.753 |",
            "| AllReduce, shared memory, 4 KiB, 2 replicas, cpu | Lockstep | 2 | 1 | GB/s | 1 |",
        ):
            self.assertIn(line, text.splitlines())
        self.assertNotIn("To know", text)
        self.assertIn("- 1: the run was", report.as_markdown(build(result(training(), complete=False))))

    def test_json_has_what_was_found(self):
        content = json.loads(report.as_json(build(PEERS, COLLECTIVES, NEWER)))
        self.assertEqual([file["name"] for file in content["files"]], ["1", "2", "3"])
        [ratio] = content["ratios"]
        self.assertEqual((ratio["peer"], ratio["rounds"], ratio["verdict"]), ("p/1", 2, "faster"))
        self.assertAlmostEqual(ratio["ratio"], (4.0 * 410 / 101) ** 0.5)
        [change] = content["dates"]
        self.assertAlmostEqual(change["ratio"], 205 / 405)
        self.assertEqual(content["drift"]["entry"], "Train/workload:w/replicas:1/global_batch_size:64/device:cpu")
        self.assertEqual([len(trend["points"]) for trend in content["trends"]], [2])
        self.assertEqual([point["replicas"] for point in content["scaling"][0]["points"]], [1, 2])
        self.assertEqual(content["breakdowns"][0]["milliseconds"], {"forward": 1.0, "backward": 2.0})
        self.assertEqual([point["bytes"] for point in content["collectives"][0]["points"]], [4096, 2**20])
        self.assertEqual(content["collectives"][0]["bound"], 10e9)
        self.assertEqual((content["notes"], len(content["entries"])), ([], 7))

    def test_json_of_what_took_no_turns(self):
        [ratio] = json.loads(report.as_json(build(result(NONE, {**NONE, "name": "L/by:cudnn"}))))["ratios"]
        self.assertEqual((ratio["ratio"], ratio["low"], ratio["high"], ratio["rounds"]), (1.0, None, None, 0))

    def test_ratios_have_three_digits(self):
        self.assertEqual(
            [in_digits(ratio) for ratio in (0.7121, 5.0, 14.52, 1234.4)], ["0.712", "5.00", "14.5", "1,234"]
        )


class PicturesTest(unittest.TestCase):
    def make(self, *results):
        return pictures.make(report.sections(build(*results)))

    def test_one_a_figure(self):
        self.assertEqual(
            sorted(whole_pictures()), ["breakdown.svg", "collectives.svg", "ratios.svg", "scaling.svg", "trends.svg"]
        )
        other = {**COLLECTIVES, "context": {**COLLECTIVES["context"], "num_cpus": 4}}
        self.assertEqual(sorted(self.make(COLLECTIVES, other)), ["collectives_1.svg", "collectives_2.svg"])

    def test_are_svg_on_white_with_a_title_and_their_data(self):
        for name, svg in whole_pictures().items():
            root = xml.etree.ElementTree.fromstring(svg)
            texts = [text for text in root.itertext() if text.strip()]
            self.assertIn("fill: #ffffff", svg[:2000], name)
            self.assertTrue(any(len(text) > 12 for text in texts), name)
            [description] = root.iter("{http://purl.org/dc/elements/1.1/}description")
            self.assertTrue(json.loads(description.text), name)

    def test_show_what_was_found(self):
        made = whole_pictures()
        for name, words in {
            "ratios.svg": ("Train w, 1 replica, global batch 64, cpu: p/1", "4.03", "Ours against peers: Train w, cpu"),
            "scaling.svg": ("Weak scaling: Train w, cpu", "Lockstep", "efficiency", "replicas"),
            "breakdown.svg": ("2026-01-01: 2 replicas", "backward", "exposed reduce"),
            "collectives.svg": ("4 KiB", "1 MiB", "as fast as the fastest copy", "algbw, GB/s"),
            "trends.svg": ("Train w, images/s: A CPU, 2 cores",),
        }.items():
            for word in words:
                self.assertIn(f">{word}<", made[name])

    def test_two_results_of_one_moment_have_a_trend(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertIn("trends.svg", self.make(result(training()), result(training(), complete=False)))

    def test_the_same_results_give_the_same_bytes(self):
        self.assertEqual(self.make(COLLECTIVES), self.make(COLLECTIVES))

    def test_nothing_to_draw_is_an_error_that_says_what_to_give(self):
        with self.assertRaisesRegex(ReportError, r"\[pictures\] nothing to draw: No file holds ours and a peer"):
            self.make(result(NONE))

    def test_a_picture_that_is_too_large_is_refused(self):
        many = [all_reduce(4096, 1e9, algorithm=f"algorithm_{number}") for number in range(60)]
        with (
            warnings.catch_warnings(),
            self.assertRaisesRegex(ReportError, r"\[pictures\] collectives.svg has \d+ bytes, at most 60000"),
        ):
            warnings.simplefilter("error")
            self.make(result(*many))


if __name__ == "__main__":
    xml_unittest.main()
