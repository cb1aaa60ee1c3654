"""How long an all-reduce takes in a cluster of nodes with several replicas each.

    network = Network(per_node=8, inside=Level(130e9, 3.4e-6), between=Level(12.5e9, 14e-6))
    network.all_reduce_seconds(100e6, 16)     # 8 ms of bytes and 0.1 ms of latency between two nodes

The formulas are those that docs/simulate.md gives with their sources; n replicas on m nodes sum S bytes:

    ring          2 (n - 1) steps, each of S / n bytes: 2 (n - 1) / n * S over the slowest link
    tree          two trees that share the bytes: latency by log2(m), 2 S at 0.92 of the bandwidth
    hierarchical  a ring inside each node, then one between the nodes
"""

import dataclasses
import math

# A tree sends smaller pieces than a ring; NCCL takes this share of the bandwidth for it (src/graph/tuning.cc).
TREE_BANDWIDTH = 0.92

ALGORITHMS = ("ring", "tree", "hierarchical")


@dataclasses.dataclass(frozen=True)
class Level:
    """The links of one level.

    bytes_per_second: what a replica (inside a node) or a node (between nodes) sends, while it receives as much.
    latency: seconds that a message takes in addition.
    """

    bytes_per_second: float
    latency: float

    def slower(self, share: float) -> "Level":
        """The level at a share of its bandwidth: 0.6 of a nominal 12.5 GB/s."""
        return Level(self.bytes_per_second * share, self.latency)


@dataclasses.dataclass(frozen=True)
class Network:
    """Nodes with `per_node` replicas each."""

    per_node: int
    inside: Level
    between: Level

    def nodes(self, replicas: int) -> int:
        """The number of nodes that so many replicas take."""
        return max(1, math.ceil(replicas / self.per_node))

    def all_reduce_seconds(self, size: float, replicas: int, algorithms=ALGORITHMS) -> float:
        """Seconds to sum `size` bytes over the replicas, by the fastest of the algorithms."""
        if replicas <= 1 or size <= 0:
            return 0.0
        return min(_COSTS[name](self, size, replicas) for name in algorithms)


def _ring(network: Network, size: float, replicas: int) -> float:
    nodes = network.nodes(replicas)
    moved = 2 * (replicas - 1) / replicas * size
    latency = 2 * (replicas - nodes) * network.inside.latency + 2 * (nodes - 1) * network.between.latency
    return latency + moved / _slowest(network, nodes)


def _tree(network: Network, size: float, replicas: int) -> float:
    nodes = network.nodes(replicas)
    if nodes == 1:
        return _ring(network, size, replicas)
    local = min(network.per_node, replicas)
    latency = 2 * ((local - 1) * network.inside.latency + math.ceil(math.log2(nodes)) * network.between.latency)
    return latency + 2 * size / (TREE_BANDWIDTH * _slowest(network, nodes))


def _hierarchical(network: Network, size: float, replicas: int) -> float:
    nodes = network.nodes(replicas)
    local = min(network.per_node, replicas)
    inside = 2 * (local - 1) / local * size / network.inside.bytes_per_second + 2 * (local - 1) * network.inside.latency
    if nodes == 1:
        return inside
    between = 2 * (nodes - 1) / nodes * size / network.between.bytes_per_second
    return inside + between + 2 * math.ceil(math.log2(nodes)) * network.between.latency


def _slowest(network: Network, nodes: int) -> float:
    inside = network.inside.bytes_per_second
    return inside if nodes == 1 else min(inside, network.between.bytes_per_second)


_COSTS = {"ring": _ring, "tree": _tree, "hierarchical": _hierarchical}
