"""How long a training step takes on n replicas, and what binds it.

    step = Step(compute=0.160, backward=0.107, buckets=[(25e6, 0.04), (25e6, 0.107)])
    predict_step(step, network, Traits(), replicas=16).seconds

A step is forward and backward passes, the sum of the gradients, and the update. Buckets of gradients are summed one after
another while the backward pass computes the next ones; what is not hidden by it makes the step longer:

    end[k] = max(end[k - 1], ready[k]) + all_reduce(bytes[k])
    step   = max(compute, end[last]) + overhead + apply + spread * expected_maximum(n)
"""

import dataclasses

from benchmarks.simulate.network import ALGORITHMS, Network
from benchmarks.simulate.stragglers import expected_maximum


@dataclasses.dataclass(frozen=True)
class Step:
    """What one replica does in a step, in seconds and bytes.

    compute: forward and backward passes over all micro batches, on one replica.
    backward: the backward pass of the last micro batch, which ends them.
    buckets: (bytes, ready) of each bucket of gradients, in order; ready seconds after the backward pass began.
    apply: the update of the weights, if it is measured apart from compute.
    """

    compute: float
    backward: float
    buckets: tuple[tuple[float, float], ...]
    apply: float = 0.0


@dataclasses.dataclass(frozen=True)
class Traits:
    """What a machine adds to the plain model.

    overhead: seconds that replication costs at any number of replicas: hooks, copies into buckets.
    spread: standard deviation of a replica's compute, as a share of it.
    inside, between: shares of the network's bandwidths that an all-reduce reaches.
    """

    overhead: float = 0.0
    spread: float = 0.0
    inside: float = 1.0
    between: float = 1.0


@dataclasses.dataclass(frozen=True)
class Prediction:
    """A step's seconds, and its parts: compute, communication that is not hidden, overhead, stragglers, apply."""

    seconds: float
    parts: dict[str, float]

    @property
    def binding(self) -> str:
        """The largest part beside compute; "compute" if all others together are below 1 % of it."""
        others = {name: value for name, value in self.parts.items() if name != "compute"}
        if sum(others.values()) < 0.01 * self.parts["compute"]:
            return "compute"
        return max(others, key=others.__getitem__)


def exposed_communication(step: Step, all_reduce) -> float:
    """Seconds from the end of the backward pass to the end of the last bucket's all-reduce."""
    end = 0.0
    for size, ready in step.buckets:
        end = max(end, ready) + all_reduce(size)
    return max(0.0, end - step.backward)


def predict_step(step: Step, network: Network, traits: Traits, replicas: int, algorithms=ALGORITHMS) -> Prediction:
    """The time of a step on so many replicas, the weak form: each replica has the batch that was measured."""
    if replicas == 1:
        parts = {"compute": step.compute, "apply": step.apply}
    else:
        reached = dataclasses.replace(
            network, inside=network.inside.slower(traits.inside), between=network.between.slower(traits.between)
        )
        parts = {
            "compute": step.compute,
            "communication": exposed_communication(
                step, lambda size: reached.all_reduce_seconds(size, replicas, algorithms)
            ),
            "overhead": traits.overhead,
            "stragglers": traits.spread * expected_maximum(replicas) * step.compute,
            "apply": step.apply,
        }
    return Prediction(sum(parts.values()), parts)
