"""Predicts throughputs beyond what was measured, each with an interval and what binds it.

    predictor = Predictor(series)
    forecast = predictor.predict(256)
    forecast.throughput, forecast.low, forecast.high      # examples a second
    forecast.efficiency                                   # 0.93 of 256 times one replica
    forecast.binding                                      # "communication"

The traits are fitted to all measurements. Then the model is scaled so that it gives the measurement with the most
replicas exactly: what it says is how throughput changes from there.
"""

import dataclasses
import math

from benchmarks.simulate.fitting import fit_traits
from benchmarks.simulate.series import Series
from reports.json_file import ReportError

# The half width of an interval, as a share: at the largest measured number of replicas, and for each doubling beyond.
# It held 83 % of the 109 published points beyond the measured ones (docs/simulate.md).
WIDTH = 0.03
WIDTH_OF_DOUBLING = 0.025


class UnmeasuredLevelError(ReportError):
    """A prediction would cross a level of the network at which nothing was measured."""


@dataclasses.dataclass(frozen=True)
class Forecast:
    """Examples a second of `replicas`, the ends of an interval that holds about four of five, and the step's parts in
    seconds. `efficiency`: of so many times one replica of the first measurement."""

    replicas: int
    throughput: float
    low: float
    high: float
    efficiency: float
    seconds: float
    parts: dict[str, float]
    binding: str


class Predictor:
    """Of one series. Errors: ReportError for a series without measurements on more than one replica."""

    def __init__(self, series: Series):
        if not any(point.replicas > 1 for point in series.measured):
            raise ReportError(
                f"[Predictor] {series.name}: all measurements are of one replica; measure at least two, on every level "
                "of the network that predictions cross"
            )
        self.series = series
        self.fit = fit_traits(series, series.measured)
        self._last = max(series.measured, key=lambda point: point.replicas)
        self._scale = self._last.throughput / series.throughput(self._last.replicas, self.fit, self._last.accumulation)

    def check_measured(self, replicas: int):
        """Errors: UnmeasuredLevelError if so many replicas take several nodes, and all measurements are of one."""
        network = self.series.network
        if network.nodes(replicas) > 1 and network.nodes(self._last.replicas) == 1:
            raise UnmeasuredLevelError(
                f"[Predictor] {self.series.name}: {replicas} replicas take {network.nodes(replicas)} nodes, but the "
                f"largest measurement, {self._last.replicas} replicas, is of one: measure two nodes, or pass "
                "--unmeasured to trust the stated bandwidth between them"
            )

    def predict(self, replicas: int, accumulation: int = 1, changed: Series | None = None) -> Forecast:
        """The forecast for so many replicas, with so many micro batches a step each; `changed`: of this series in place
        of the fitted one, which has another batch or network."""
        series = changed or self.series
        prediction = series.predict(replicas, self.fit, accumulation)
        examples = replicas * series.batch * accumulation
        throughput = self._scale * examples / prediction.seconds
        width = interval_width(replicas / self._last.replicas)
        alone = series.batch / series.micro_batch_seconds
        return Forecast(
            replicas=replicas,
            throughput=throughput,
            low=throughput * (1 - width),
            high=throughput * (1 + width),
            efficiency=throughput / (replicas * alone),
            seconds=examples / throughput,
            parts={name: seconds / self._scale for name, seconds in prediction.parts.items()},
            binding=prediction.binding,
        )


def interval_width(ratio: float) -> float:
    """The half width of an interval, as a share, at `ratio` times the largest measured number of replicas."""
    return WIDTH + WIDTH_OF_DOUBLING * max(0.0, math.log2(ratio))
