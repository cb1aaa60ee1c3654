import unittest

from reports import case_status
from reports.conformance_result_testing import VERDICTS, case
from tools import xml_unittest

ENOUGH_CONTRAST = 4.5  # WCAG 2.1, level AA, for text


def luminance(color):
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4
              for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear))


def contrast(colors):
    dark, light = sorted(luminance(color) for color in colors)
    return (light + 0.05) / (dark + 0.05)


class CaseStatusTest(unittest.TestCase):
    def test_every_verdict_has_one(self):
        for verdict in VERDICTS:
            self.assertEqual(case_status.of_case(case("x", verdict)).id, verdict)

    def test_tells_what_is_told_and_not_judged(self):
        told = case("x", level="observed", observed_differently=True)
        self.assertEqual(case_status.of_case(told).id, "differs")
        failed = case("x", "failed", observed_differently=True)
        self.assertEqual(case_status.of_case(failed).id, "failed")

    def test_tells_what_was_not_run(self):
        self.assertEqual(case_status.of_case(None).id, "not_run")

    def test_no_two_look_alike_without_colour(self):
        signs = [status.sign for status in case_status.ALL.values()]
        self.assertEqual(len(signs), len(set(signs)))

    def test_can_be_read_in_light_and_dark(self):
        self.assertAlmostEqual(contrast(("#000000", "#ffffff")), 21)
        for status in case_status.ALL.values():
            for colors in (status.light, status.dark):
                self.assertGreater(contrast(colors), ENOUGH_CONTRAST, (status, colors))


if __name__ == "__main__":
    xml_unittest.main()
