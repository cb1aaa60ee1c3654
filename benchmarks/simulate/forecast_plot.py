"""Draws what was measured and what is predicted, over the number of replicas."""

from reports.plots import figure


def picture(series, forecasts):
    """An SVG of two plots: throughput with its interval beside the ideal, and efficiency."""
    alone = series.batch / series.micro_batch_seconds
    measured = [(point.replicas, point.throughput) for point in series.measured]
    forecasts = sorted(forecasts, key=lambda one: one.replicas)

    def draw(throughput, efficiency):
        counts = [one.replicas for one in forecasts]
        ends = [measured[0][0], max(counts[-1], measured[-1][0])]
        throughput.plot(ends, [alone * count for count in ends], color="#9aa5b1", linestyle=":", label="ideal")
        throughput.plot(*zip(*measured), "o-", color=figure.COLORS[0], label="measured")
        throughput.plot(counts, [one.throughput for one in forecasts], "s--", color=figure.COLORS[1], label="predicted")
        throughput.fill_between(
            counts, [one.low for one in forecasts], [one.high for one in forecasts], color=figure.COLORS[1], alpha=0.2
        )
        throughput.set(yscale="log", ylabel=f"{series.examples} a second")
        throughput.legend(frameon=False)
        efficiency.plot(
            *zip(*((count, 100 * rate / (alone * count)) for count, rate in measured)), "o-", color=figure.COLORS[0]
        )
        efficiency.errorbar(
            counts,
            [100 * one.efficiency for one in forecasts],
            yerr=[100 * one.efficiency * (one.high / one.throughput - 1) for one in forecasts],
            fmt="s--",
            color=figure.COLORS[1],
            capsize=3,
        )
        efficiency.set(ylabel="efficiency, %", ylim=(0, 105))
        for axes in (throughput, efficiency):
            axes.set_xscale("log", base=2)
            ticks = sorted({count for count, _ in measured} | set(counts))
            axes.set_xticks(ticks, labels=map(str, ticks))
            axes.set_xlabel("replicas")

    caption = f"Fitted to measurements of up to {series.measured[-1].replicas} replicas; the band holds four of five."
    return figure.picture(draw, 10, 4.2, f"{series.name}: more replicas", caption, "predicted throughput", columns=2)
