"""Series with another batch or another network, to see what that would bring.

    at_128 = with_batch(series, 128, [(32, 195.0), (64, 219.0)])
    faster = with_bandwidth(series, 25e9)
    predictor.predict(64, changed=faster)
"""

import dataclasses

import numpy as np

from benchmarks.simulate.series import Series
from reports.json_file import ReportError


def with_batch(series: Series, batch: int, measured: list[tuple[int, float]]) -> Series:
    """The series with so many examples a replica.

    A micro batch takes t0 + t1 * batch; both are found from `measured`, (batch, throughput) of one replica at two or
    more sizes, by least squares. Errors: ReportError for fewer sizes, or if larger batches took less time.
    """
    sizes = sorted({size for size, _ in measured})
    if len(sizes) < 2:
        raise ReportError(
            f"[with_batch] {series.name}: `batches` has {len(sizes)} sizes; the time of another batch needs two or more"
        )
    slope, fixed = np.polyfit([size for size, _ in measured], [size / throughput for size, throughput in measured], 1)
    if slope <= 0 or fixed + slope * batch <= 0:
        raise ReportError(
            f"[with_batch] {series.name}: by `batches` an example takes {slope * 1e6:.3g} us and a step "
            f"{fixed * 1e6:.3g} us more; measure them again"
        )
    return dataclasses.replace(series, batch=batch, micro_batch_seconds=float(fixed + slope * batch))


def with_bandwidth(series: Series, bytes_per_second: float) -> Series:
    """The series on nodes that are linked by so much."""
    between = dataclasses.replace(series.network.between, bytes_per_second=bytes_per_second)
    return dataclasses.replace(series, network=dataclasses.replace(series.network, between=between))
