import unittest

from tools import xml_unittest
from tools.gpu_check.time_plan import TimePlan


class TimePlanTest(unittest.TestCase):
    def setUp(self):
        self.now = 1000.0

    def plan(self, *arguments):
        return TimePlan(*arguments, clock=lambda: self.now)

    def test_each_has_its_own_seconds_whatever_those_before_it_took(self):
        plan = self.plan()
        self.assertEqual(plan.limit(40), 40)
        self.now += 1000
        self.assertEqual(plan.limit(20), 20)

    def test_all_seconds_are_stretched_but_not_the_deadline(self):
        plan = self.plan(100, 3)
        self.assertEqual(plan.limit(20), 60)
        self.assertEqual(plan.limit(40), 100)

    def test_nobody_has_more_than_the_deadline(self):
        plan = self.plan(100)
        self.now += 90
        self.assertEqual(plan.limit(20), 10)
        self.now += 11
        self.assertLess(plan.limit(20), 0)


if __name__ == '__main__':
    xml_unittest.main()
