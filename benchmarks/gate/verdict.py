"""The gate's decision: is the candidate slower than the baseline?

Of each test (an entry and a metric): `regression` where the lower bound of the log ratio is above 0 and the estimate
reaches delta, `fine` where the upper bound is below 2 delta and the estimate below delta, otherwise `undecided`; and
`not judged` where there is nothing to go by. A slowdown of delta is a coin toss by design, one of 2 delta is found.
"""

import dataclasses
import enum
import math

from benchmarks.gate import calibration as calibrations
from benchmarks.gate import ratios, recording
from benchmarks.gate.recording import GateError

# Probability that any test of a gate calls where nothing changed, and that a test misses a slowdown of 2 delta.
ALPHA = 0.005
BETA = 0.05
# The reason for a candidate against a stored result of the baseline.
SUSPECT = "suspect, confirm with both binaries"
UNPROVEN = "nothing was interleaved, so it proves nothing"
# Quiet recordings without which wall time is not judged.
FEWEST_QUIET = 4


class Outcome(enum.Enum):
    REGRESSION = "regression"
    FINE = "fine"
    UNDECIDED = "undecided"
    NOT_JUDGED = "not judged"


# 2 is for inputs that cannot be judged at all.
EXIT_STATUS = {Outcome.FINE: 0, Outcome.REGRESSION: 1, Outcome.UNDECIDED: 3}


@dataclasses.dataclass(frozen=True)
class Test:
    """One entry and metric. `interval`: of the log ratio, candidate over baseline; None where not judged.

    `delta`: a share of the time (0.03: 3 %). `used`: recordings that counted. `reason`: why it was not judged, or is
    undecided whatever its numbers say.
    """

    entry: str
    metric: str
    outcome: Outcome
    interval: ratios.Interval | None
    delta: float
    used: int
    reason: str = ""


@dataclasses.dataclass(frozen=True)
class Verdict:
    """`outcome`: REGRESSION, FINE or UNDECIDED. `looked_at`: recordings up to the look that decided, `quiet` of them.

    `settled`: more recordings would not be looked at.
    """

    outcome: Outcome
    tests: tuple
    looked_at: int
    quiet: int
    settled: bool

    def seen(self, taken):
        """The recordings, of those of `taken`, that it rests on; where it came before the first look, all there are."""
        return taken.recordings[: self.looked_at] or taken.recordings

    @property
    def exit_status(self):
        return EXIT_STATUS[self.outcome]


def judge(taken, calibration=None):
    """The Verdict on Recordings; depends on nothing else.

    Errors: GateError as recording.check and calibration.check_fits, and for more recordings than the last look
    sees: by then the error levels are spent.
    """
    recording.check(taken)
    most = taken.schedule.looks[-1]
    if len(taken.recordings) > most:
        raise GateError(f"[judge] {len(taken.recordings)} recordings; wanted at most {most}, those of the last look")
    calibrations.check_fits(calibration, taken)
    pairs = ratios.of_all(taken)
    largest = max(taken.delta, calibrations.LARGEST_DELTA)
    verdict = decide(
        pairs,
        calibrations.deltas(calibration, taken),
        taken.schedule.looks,
        taken.required,
        largest,
        taken.stopped == "budget",
    )
    return _against_stored(verdict) if taken.method == "stored" else verdict


def decide(pairs, deltas, look_sizes, required=("cpu",), largest=calibrations.LARGEST_DELTA, is_over=False):
    """The Verdict on PairRatios in order of time: that of the first look at which the gate is settled.

    `deltas`: (entry, metric) -> delta, of all tests; one above `largest` is not judged. Before the first look it is
    UNDECIDED. `is_over`: there is no time for more, so what there is is looked at, for the last time.
    """
    verdict = _too_early(pairs, deltas, look_sizes[0])
    planned = look_sizes[-1]
    if is_over:
        look_sizes = _looks_until(len(pairs), look_sizes)
    alphas = ratios.pocock_levels(look_sizes, ALPHA / max(1, len(deltas)), planned)
    betas = ratios.pocock_levels(look_sizes, BETA, planned)
    for size, alpha, beta in zip(look_sizes, alphas, betas):
        if size > len(pairs):
            break
        tests = tuple(_test(pairs[:size], test, delta, largest, (alpha, beta)) for test, delta in deltas.items())
        quiet = sum(pair.quiet for pair in pairs[:size])
        outcome = _overall(tests, required)
        settled = (
            outcome == Outcome.REGRESSION
            or size == look_sizes[-1]
            or all(_is_settled(test, largest, 2 * quiet < size) for test in tests)
        )
        verdict = Verdict(outcome, tests, size, quiet, settled)
        if settled:
            break
    return verdict


def _looks_until(last, look_sizes):
    """Those before `last`, and `last`; before the first look it stays as it is."""
    if last < look_sizes[0]:
        return look_sizes
    return (*(size for size in look_sizes if size < last), last)


def _against_stored(verdict):
    """Undecided in any case: two hours of one program differ by more than what a gate is to find."""
    tests = tuple(
        dataclasses.replace(
            test, outcome=Outcome.UNDECIDED, reason=SUSPECT if test.outcome == Outcome.REGRESSION else UNPROVEN
        )
        if test.interval
        else test
        for test in verdict.tests
    )
    return dataclasses.replace(verdict, outcome=Outcome.UNDECIDED, tests=tests)


def _too_early(pairs, deltas, first):
    reason = f"{len(pairs)} recordings, the first look is at {first}"
    tests = tuple(Test(*test, Outcome.NOT_JUDGED, None, delta, 0, reason) for test, delta in deltas.items())
    return Verdict(Outcome.UNDECIDED, tests, 0, 0, False)


def _test(pairs, test, delta, largest, levels):
    values = ratios.usable(pairs, *test)
    reason = _too_large(delta, largest) or _why_not(pairs, test[1], len(values))
    if reason:
        return Test(*test, Outcome.NOT_JUDGED, None, delta, len(values), reason)
    interval = ratios.student_interval(values, *levels)
    return Test(*test, _outcome(interval, delta), interval, delta, len(values))


def _too_large(delta, largest):
    return (
        f"delta would be {100 * delta:.0f} % here, at most {100 * largest:.0f} % says anything"
        if (delta > largest)
        else ""
    )


def _why_not(pairs, metric, used):
    """Why a test cannot be judged; '' where it can."""
    if metric == "wall" and used < FEWEST_QUIET:
        if all(pair.share is None for pair in pairs):
            return "what others used of the machine is unknown"
        return f"the machine was quiet in {used} of {len(pairs)} recordings, {FEWEST_QUIET} are wanted"
    return ""


def _outcome(interval, delta):
    if interval.lower > 0 and interval.estimate >= math.log1p(delta):
        return Outcome.REGRESSION
    if interval.upper < math.log1p(2 * delta) and interval.estimate < math.log1p(delta):
        return Outcome.FINE
    return Outcome.UNDECIDED


def _overall(tests, required):
    outcomes = [test.outcome for test in tests]
    if Outcome.REGRESSION in outcomes:
        return Outcome.REGRESSION
    needed = [test.outcome for test in tests if test.metric in required]
    return Outcome.FINE if needed and all(each == Outcome.FINE for each in needed) else Outcome.UNDECIDED


def _is_settled(test, largest, busy):
    """Whether this test is settled. On a busy machine waiting does not help wall time."""
    return test.outcome == Outcome.FINE or test.delta > largest or (test.metric == "wall" and busy)
