"""Values that differ by rank."""

import unittest

from conformance.testees.python.per_rank import PerRank, local_part, mark, merged, spread
from tools import xml_unittest


class MergedTest(unittest.TestCase):
    def test_marked_parts_stand_side_by_side(self):
        self.assertEqual(merged([{"x": mark(1)}, {"x": mark(2)}]), {"x": [1, 2]})

    def test_one_rank_gives_a_list_too(self):
        self.assertEqual(merged([{"x": mark([7])}]), {"x": [[7]]})

    def test_rank_0_speaks_for_what_is_not_marked(self):
        self.assertEqual(merged([{"x": 1}, {"x": 2}]), {"x": 1})

    def test_parts_are_found_in_rounds_and_structures(self):
        observations = [{"x": [{"a": mark(rank), "b": 5}, {"a": mark(rank + 10), "b": 6}]} for rank in range(2)]
        expected = {"x": [{"a": [0, 1], "b": 5}, {"a": [10, 11], "b": 6}]}
        self.assertEqual(merged(observations), expected)

    def test_parts_may_differ_in_length(self):
        self.assertEqual(merged([mark([1, 2]), mark([])]), [[1, 2], []])

    def test_a_rank_has_nothing_in_rounds_that_it_did_not_make(self):
        observations = [
            {"x": [{"a": mark(1), "b": 5}, {"a": mark(2), "b": 6}], "y": [mark(3)]},
            {"x": [{"a": mark(10), "b": 5}], "y": [mark(4), mark([7])]},
        ]
        expected = {"x": [{"a": [1, 10], "b": 5}, {"a": [2, None], "b": 6}], "y": [[3, 4], [None, [7]]]}
        self.assertEqual(merged(observations), expected)

    def test_nothing_is_nothing(self):
        self.assertEqual(merged([mark(None), mark(None)]), [None, None])


class LocalPartTest(unittest.TestCase):
    def test_structures_are_taken_apart_and_put_together(self):
        own = {"a": 1, "b": (2, None)}
        self.assertEqual(local_part(spread(own)), own)

    def test_what_does_not_differ_stays(self):
        self.assertEqual(local_part([PerRank(1), 2]), [1, 2])

    def test_leaves_differ_not_structures(self):
        self.assertIsInstance(spread({"a": 1})["a"], PerRank)


if __name__ == "__main__":
    xml_unittest.main()
