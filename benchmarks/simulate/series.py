"""A series of measurements of one training on one cluster: throughputs at several numbers of replicas.

    series = Series.from_json(json.load(file))      # docs/simulate.md has the fields
    fit = fit_traits(series, series.measured)
    series.throughput(256, fit)                     # examples a second, of all replicas together
"""

import dataclasses
import math

from benchmarks.simulate.network import ALGORITHMS, Level, Network
from benchmarks.simulate.step_model import Prediction, Step, predict_step

# Frameworks sum gradients in buckets of about so many bytes (PyTorch DDP: 25 MB).
BUCKET_BYTES = 25e6

# The backward pass is twice the work of the forward pass: gradients of inputs and of weights.
BACKWARD_SHARE = 2 / 3


@dataclasses.dataclass(frozen=True)
class Measurement:
    """Examples a second of all replicas together; with accumulation, a step has so many micro batches a replica."""

    replicas: int
    throughput: float
    accumulation: int = 1


@dataclasses.dataclass(frozen=True)
class StepShape:
    """What was seen of a step. `backward_share`: of the step's time, the backward pass; `buckets`: of gradients,
    (bytes, ready), ready as a share of the backward pass."""

    backward_share: float
    buckets: tuple[tuple[float, float], ...]


@dataclasses.dataclass(frozen=True)
class Series:
    """`batch`: examples of a micro batch of one replica, which takes micro_batch_seconds. `gradients` says when the
    backward pass has which gradients, by a name of GRADIENTS. `measured`: by replicas, ascending. `examples`: what a
    throughput counts. `shape`: in the place of `gradients` and `overlap`, where it was seen."""

    name: str
    batch: int
    micro_batch_seconds: float
    gradient_bytes: float
    gradients: str
    network: Network
    measured: tuple[Measurement, ...]
    overlap: bool = True
    algorithms: tuple[str, ...] = ALGORITHMS
    examples: str = "examples"
    shape: StepShape | None = None

    @property
    def fits_apply(self) -> bool:
        """Whether the update is a term of its own: where it is not in every micro batch."""
        return any(point.accumulation > 1 for point in self.measured)

    def step(self, accumulation: int = 1, apply: float = 0.0) -> Step:
        """A replica's step of so many micro batches."""
        seconds = self.micro_batch_seconds
        if self.shape:
            backward = self.shape.backward_share * seconds
            buckets = tuple((size, share * backward) for size, share in self.shape.buckets)
            return Step(accumulation * seconds, backward, buckets, apply)
        backward = BACKWARD_SHARE * seconds
        count = max(1, math.ceil(self.gradient_bytes / BUCKET_BYTES)) if self.overlap else 1
        ready = [GRADIENTS[self.gradients]((k + 1) / count) for k in range(count)] if self.overlap else [1.0]
        buckets = tuple((self.gradient_bytes / count, share * backward) for share in ready)
        return Step(accumulation * seconds, backward, buckets, apply)

    def predict(self, replicas: int, fit, accumulation: int = 1) -> Prediction:
        """The step on so many replicas of a machine with these traits."""
        return predict_step(self.step(accumulation, fit.apply), self.network, fit.traits, replicas, self.algorithms)

    def throughput(self, replicas: int, fit, accumulation: int = 1) -> float:
        """Examples a second of all replicas together."""
        return replicas * self.batch * accumulation / self.predict(replicas, fit, accumulation).seconds

    @staticmethod
    def from_json(fields: dict, networks: dict[str, Network] | None = None) -> "Series":
        """Reads a series; `cluster` is a name of `networks`, or a network's fields."""
        cluster = fields["cluster"]
        measured = tuple(sorted((Measurement(**point) for point in fields["measured"]), key=lambda at: at.replicas))
        return Series(
            name=fields["name"],
            batch=fields["batch"],
            micro_batch_seconds=fields["batch"] * measured[0].replicas / measured[0].throughput,
            gradient_bytes=fields["gradient_bytes"],
            gradients=fields["gradients"],
            network=networks[cluster] if isinstance(cluster, str) else network_from_json(cluster),
            measured=measured,
            overlap=fields.get("overlap", True),
            algorithms=tuple(fields.get("algorithms", ALGORITHMS)),
            examples=fields.get("examples", "examples"),
        )


def network_from_json(fields: dict) -> Network:
    """Reads `{"replicas_per_node": 8, "inside": {"gb_per_second": 130, "latency_us": 3.4}, "between": {...}}`."""
    levels = [
        Level(fields[name]["gb_per_second"] * 1e9, fields[name]["latency_us"] * 1e-6) for name in ("inside", "between")
    ]
    return Network(fields["replicas_per_node"], *levels)


def _convolutions_first(share: float) -> float:
    """Most weights belong to the last layers, whose gradients come first."""
    return 1 - (1 - share) ** (1 / 2.5)


def _dense_layers_first(share: float) -> float:
    """Nearly all weights belong to the dense layers at the end (AlexNet, VGG)."""
    return 1 - (1 - share) ** (1 / 12)


def _tied_embeddings_last(share: float) -> float:
    """Layers of equal size, then embeddings of 22 % of the weights, complete only when the pass ends (BERT)."""
    return min(1.0, share / 0.78)


# Share of the gradients' bytes -> share of the backward pass after which they are there.
GRADIENTS = {
    "convolutions": _convolutions_first,
    "dense_layers": _dense_layers_first,
    "transformer": _tied_embeddings_last,
}
