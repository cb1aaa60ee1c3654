import collections
import io
import unittest

import matplotlib.image
import numpy

from reports import badge
from tools import xml_unittest

GREEN = [int(badge.FILLS["passed"][i : i + 2], 16) for i in (1, 3, 5)]


def column(name, **counts):
    return {"name": name, "version": "1.0", "counts": collections.Counter(counts)}


def green_pixels(png):
    pixels = matplotlib.image.imread(io.BytesIO(png), format="png")[:, :, :3]
    return numpy.all(numpy.round(pixels * 255) == GREEN, axis=2)


class BadgeTest(unittest.TestCase):
    def test_bars_are_as_long_as_what_passed(self):
        picture = green_pixels(badge.draw([column("All", passed=10),
                                           column("Half", passed=5, failed=5),
                                           column("None", failed=10)]))
        widths = sorted(set(picture.sum(axis=1)))
        self.assertEqual(widths[0], 0)
        self.assertAlmostEqual(widths[-1] / widths[-2], 2, delta=0.02)

    def test_has_a_row_for_each(self):
        one, two = (matplotlib.image.imread(io.BytesIO(badge.draw(columns)), format="png")
                    for columns in ([column("A")], [column("A"), column("B")]))
        self.assertGreater(two.shape[0], one.shape[0])
        self.assertEqual(two.shape[1], one.shape[1])

    def test_is_the_same_for_the_same(self):
        columns = [column("A", passed=3, crashed=1)]
        self.assertEqual(badge.draw(columns), badge.draw(columns))

    def test_says_the_rest_in_words(self):
        counts = collections.Counter(passed=3, differs=1, unsupported=2, failed=1)
        self.assertEqual(badge.summary(counts),
                         "4 of 7 passed, 2 unsupported, 1 otherwise")
        self.assertEqual(badge.summary(collections.Counter(passed=2)), "2 of 2 passed")


if __name__ == "__main__":
    xml_unittest.main()
