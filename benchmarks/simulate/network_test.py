"""Tests of network.py: expected seconds by hand, from the formulas in its text."""

import unittest

from benchmarks.simulate.network import Level, Network
from tools import xml_unittest

# 10^9 bytes a second inside and 10^8 between nodes; 1 and 10 ms for a message.
NETWORK = Network(per_node=4, inside=Level(1e9, 1e-3), between=Level(1e8, 1e-2))


class AllReduceTest(unittest.TestCase):
    def test_one_replica_takes_no_time(self):
        self.assertEqual(NETWORK.all_reduce_seconds(1e9, 1), 0)
        self.assertEqual(NETWORK.all_reduce_seconds(0, 8), 0)

    def test_ring_in_a_node(self):
        # 2 * 3 messages of 1 ms; 2 * 3/4 * 8e6 bytes at 1e9.
        self.assertAlmostEqual(NETWORK.all_reduce_seconds(8e6, 4, ("ring",)), 0.006 + 0.012)

    def test_ring_over_nodes(self):
        # 8 replicas on 2 nodes: 12 messages inside, 2 between; 2 * 7/8 * 8e6 bytes at 1e8.
        self.assertAlmostEqual(NETWORK.all_reduce_seconds(8e6, 8, ("ring",)), 0.012 + 0.02 + 0.14)

    def test_tree_over_nodes(self):
        # 16 replicas on 4 nodes: 2 * (3 inside + 2 between); 2 * 9.2e6 bytes at 0.92 of 1e8.
        self.assertAlmostEqual(NETWORK.all_reduce_seconds(9.2e6, 16, ("tree",)), 2 * (0.003 + 0.02) + 0.2)

    def test_hierarchical_over_nodes(self):
        # 4 nodes: 2 * 3/4 * 8e6 bytes at 1e9 and at 1e8; 6 messages inside, 2 * 2 between.
        self.assertAlmostEqual(
            NETWORK.all_reduce_seconds(8e6, 16, ("hierarchical",)), 0.012 + 0.12 + 0.006 + 0.04
        )

    def test_the_fastest_algorithm_counts(self):
        alone = [NETWORK.all_reduce_seconds(8e6, 16, (name,)) for name in ("ring", "tree", "hierarchical")]
        self.assertEqual(NETWORK.all_reduce_seconds(8e6, 16), min(alone))

    def test_a_part_of_a_node_counts_as_one(self):
        self.assertEqual([NETWORK.nodes(count) for count in (1, 4, 5, 8)], [1, 1, 2, 2])


if __name__ == "__main__":
    xml_unittest.main()
