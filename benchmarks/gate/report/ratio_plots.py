"""The plots of a verdict, each as an SVG text of its own."""
from benchmarks.gate import ratios
from benchmarks.gate.report.wording import in_percent
from reports import figure

USED, UNUSED, BAND = '#1b3f6b', '#9aa5b1', '#2f6db5'
ZERO, DELTA, TWICE = '#566271', '#c07a00', '#b3263f'
QUIET, BUSY = '#2e8b57', '#a9b8c9'


def pair_ratios(test, values, counts):
    """Each recording's ratio of a Test, in order of time, with the interval as a band and the lines of delta.

    `values`: log ratios of all recordings; `counts`: whether each does.
    """
    def draw(axes):
        _lines(axes, test.delta)
        if test.interval:
            lower, estimate, upper = (in_percent(getattr(test.interval, name)) for name in ('lower', 'estimate', 'upper'))
            axes.axhspan(lower, upper, color=BAND, alpha=0.18, linewidth=0)
            axes.axhline(estimate, color=BAND, linewidth=1.6)
        for number, (value, is_used) in enumerate(zip(values, counts), 1):
            axes.plot(number, in_percent(value), 'o', markersize=5.5, markeredgecolor=USED if is_used else UNUSED,
                      markerfacecolor=USED if is_used else 'white', zorder=3)
        _recordings_axis(axes, len(values))
        axes.set_ylabel('candidate takes longer, %')
    return figure.svg(draw)


def others_share(shares):
    """What others used of the cores in each recording, with the line up to which the machine counts as quiet.

    `shares`: 0 to 1; None where it is unknown.
    """
    def draw(axes):
        for number, share in enumerate(shares, 1):
            if share is None:
                axes.text(number, 2, 'unknown', rotation=90, ha='center', va='bottom', fontsize=8.5)
            else:
                color = QUIET if share <= ratios.QUIET else BUSY
                axes.bar(number, 100 * share, width=0.6, color=color)
        _label(axes, 100 * ratios.QUIET, 'quiet', QUIET)
        _recordings_axis(axes, len(shares))
        axes.set_ylim(0, 100)
        axes.set_ylabel('of the cores, %')
    return figure.svg(draw, width=10.6, height=2.8)


def _lines(axes, delta):
    for value, text, color in ((0, '0', ZERO), (100 * delta, 'delta', DELTA), (200 * delta, '2 delta', TWICE)):
        _label(axes, value, text, color)


def _label(axes, value, text, color):
    """A line across, with its name to the right of the plot."""
    axes.axhline(value, color=color, linewidth=1.1, linestyle='-' if value == 0 else '--')
    axes.annotate(text, (1, value), (4, 0), xycoords=('axes fraction', 'data'), textcoords='offset points', va='center',
                  color=color, fontsize=8.5)


def _recordings_axis(axes, count):
    axes.set_xlim(0.4, max(count, 1) + 0.6)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.grid(axis='x', visible=False)
    axes.set_xlabel('recording, in order of time')
