"""The published series of measurements, and how well the model predicts their larger numbers of replicas.

    ./bazelw run //benchmarks/simulate/published:score            # a table, Markdown

Each series is fitted to its measurements of up to `fitted_up_to` replicas; those beyond are predicted. Beside the model
stands what needs none: the efficiency of the largest fitted measurement, carried forward.
"""

import dataclasses
import math
import os
import statistics

import numpy as np

from benchmarks.simulate.prediction import Predictor, interval_width
from benchmarks.simulate.series import Series, network_from_json
from reports import json_file

FILE = os.path.join(os.path.dirname(__file__), "published.json")
# Beyond so many times the largest fitted number of replicas a point counts as far.
FAR = 4


@dataclasses.dataclass(frozen=True)
class Family:
    """Series of one source that belong together. `series`: each with the largest number of replicas to fit to."""

    name: str
    source: str
    series: tuple[tuple[Series, int], ...]


@dataclasses.dataclass(frozen=True)
class Point:
    """A measurement that was predicted. Errors are shares of the measured throughput: 0.02 is 2 % too fast.

    `ratio`: its replicas over the largest fitted number. `carried`: the error of the efficiency carried forward.
    """

    series: str
    replicas: int
    ratio: float
    error: float
    carried: float

    @property
    def is_covered(self) -> bool:
        """Whether the interval of the prediction holds the measurement."""
        width = interval_width(self.ratio)
        return (1 - width) * (1 + self.error) <= 1 <= (1 + width) * (1 + self.error)


@dataclasses.dataclass(frozen=True)
class Score:
    """Of points: absolute errors in percent, the share of covered points, and how much smaller the mean error of far
    points is than that of the efficiency carried forward (NaN without far points)."""

    count: int
    median: float
    percentile_90: float
    largest: float
    carried_median: float
    coverage: float
    far_gain: float


def families() -> list[Family]:
    """All families of published.json."""
    content = json_file.load(FILE)
    networks = {name: network_from_json(fields) for name, fields in content["clusters"].items()}
    return [
        Family(
            family["family"],
            family["source"],
            tuple((Series.from_json(fields, networks), fields["fitted_up_to"]) for fields in family["series"]),
        )
        for family in content["families"]
    ]


def predicted_points(family: Family) -> list[Point]:
    """The measurements beyond those that each series is fitted to, predicted."""
    points = []
    for series, fitted_up_to in family.series:
        fitted = tuple(point for point in series.measured if point.replicas <= fitted_up_to)
        predictor = Predictor(dataclasses.replace(series, measured=fitted))
        for point in series.measured[len(fitted) :]:
            forecast = predictor.predict(point.replicas, point.accumulation)
            carried = fitted[-1].throughput / fitted[-1].replicas * point.replicas
            points.append(
                Point(
                    series.name,
                    point.replicas,
                    point.replicas / fitted[-1].replicas,
                    forecast.throughput / point.throughput - 1,
                    carried / point.throughput - 1,
                )
            )
    return points


def score(points: list[Point]) -> Score:
    """Of at least one point."""
    errors = sorted(100 * abs(point.error) for point in points)
    far = [point for point in points if point.ratio >= FAR]
    return Score(
        count=len(points),
        median=statistics.median(errors),
        percentile_90=float(np.percentile(errors, 90)),
        largest=errors[-1],
        carried_median=statistics.median(100 * abs(point.carried) for point in points),
        coverage=sum(point.is_covered for point in points) / len(points),
        far_gain=_gain(far) if far else math.nan,
    )


def _gain(points):
    ours = statistics.fmean(abs(point.error) for point in points)
    return 1 - ours / statistics.fmean(abs(point.carried) for point in points)
