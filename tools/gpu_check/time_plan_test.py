import unittest

from tools import xml_unittest
from tools.gpu_check.time_plan import TimePlan


class TimePlanTest(unittest.TestCase):
    def setUp(self):
        self.now = 1000.0
        self.plan = TimePlan(100, clock=lambda: self.now)

    def test_each_has_its_own_seconds(self):
        self.plan.reserve(40)
        self.assertEqual(self.plan.left(), 40)
        self.now += 40
        self.plan.reserve(20)
        self.assertEqual(self.plan.left(), 20)

    def test_what_one_does_not_need_the_next_ones_have(self):
        self.plan.reserve(40)
        self.now += 15
        self.plan.reserve(20)
        self.assertEqual(self.plan.left(), 45)
        self.plan.reserve(10)  # the one before did not run at all
        self.assertEqual(self.plan.left(), 55)

    def test_nobody_has_more_than_the_deadline(self):
        self.plan.reserve(500)
        self.assertEqual(self.plan.left(), 100)
        self.now += 101
        self.assertLess(self.plan.left(), 0)


if __name__ == '__main__':
    xml_unittest.main()
