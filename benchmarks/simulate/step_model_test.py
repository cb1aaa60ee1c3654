"""Tests of step_model.py and stragglers.py: expected values by hand; those of maxima from tables of order statistics."""

import unittest

from benchmarks.simulate.network import Level, Network
from benchmarks.simulate.step_model import Step, Traits, exposed_communication, predict_step
from benchmarks.simulate.stragglers import expected_maximum
from tools import xml_unittest

# Without latency: an all-reduce between two replicas moves its bytes once, at 1 GB/s.
NETWORK = Network(per_node=2, inside=Level(1e9, 0), between=Level(1e9, 0))


class ExpectedMaximumTest(unittest.TestCase):
    def test_of_normal_values(self):
        # H. L. Harter, Expected values of normal order statistics, Biometrika 48 (1961), five decimals.
        for count, expected in ((1, 0.0), (2, 0.56419), (3, 0.84628), (10, 1.53875), (100, 2.50759)):
            self.assertAlmostEqual(expected_maximum(count), expected, places=5)


class ExposedCommunicationTest(unittest.TestCase):
    def test_what_the_backward_pass_hides_is_free(self):
        step = Step(compute=3, backward=2, buckets=((1.0, 0.5), (1.0, 1.0)))
        self.assertEqual(exposed_communication(step, lambda size: 0.25), 0)

    def test_a_bucket_waits_for_the_one_before(self):
        # The first is summed from 0.5 to 2.0, the second from then to 3.5; the pass ends at 2.
        step = Step(compute=3, backward=2, buckets=((1.0, 0.5), (1.0, 1.0)))
        self.assertEqual(exposed_communication(step, lambda size: 1.5), 1.5)

    def test_a_bucket_waits_for_its_gradients(self):
        step = Step(compute=3, backward=2, buckets=((1.0, 2.0),))
        self.assertEqual(exposed_communication(step, lambda size: 0.5), 0.5)


class PredictStepTest(unittest.TestCase):
    def test_parts_add_up(self):
        step = Step(compute=1.0, backward=0.5, buckets=((1e8, 0.5),), apply=0.25)
        traits = Traits(overhead=0.125, spread=0.1, inside=0.5)
        found = predict_step(step, NETWORK, traits, replicas=2)
        self.assertAlmostEqual(found.parts["communication"], 0.2)  # 1e8 bytes at half of 1e9
        self.assertAlmostEqual(found.parts["stragglers"], 0.1 * expected_maximum(2))
        self.assertAlmostEqual(found.seconds, 1.0 + 0.2 + 0.125 + 0.1 * expected_maximum(2) + 0.25)
        self.assertEqual(found.binding, "apply")

    def test_one_replica_has_only_its_own_work(self):
        step = Step(compute=1.0, backward=0.5, buckets=((1e8, 0.5),), apply=0.25)
        self.assertEqual(predict_step(step, NETWORK, Traits(overhead=1, spread=1), 1).seconds, 1.25)

    def test_compute_binds_where_nothing_else_takes_time(self):
        step = Step(compute=1.0, backward=0.5, buckets=((1e3, 0.1),))
        self.assertEqual(predict_step(step, NETWORK, Traits(), replicas=2).binding, "compute")


if __name__ == "__main__":
    xml_unittest.main()
