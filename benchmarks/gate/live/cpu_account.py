"""What the steps of a side tell, held against the CPU time that the kernel counted for its process.

A gate judges the times that programs tell of their steps. Work that moved to between the steps, a slowdown or not, would
not be seen, nor would a result that is of another run.
"""
from benchmarks.gate.recording import GateError

# Seconds by which it differs for other reasons: of a shorter run nothing is said.
SLACK = 1.0
# Of the baseline's CPU time, what the candidate may use more outside of its steps.
LARGEST_SHARE = 0.25


def check(results, counted):
    """`results`: side -> SideResult with times of steps; `counted`: side -> CPU seconds of the whole process.

        check({'baseline': 4 s in steps, 'candidate': 2 s}, {'baseline': 4.5, 'candidate': 4.5})
        # GateError '[compare] CPU time outside of steps: baseline 0.50 s, candidate 2.50 s; wanted ... at most'

    Errors: GateError for steps of more CPU time than was counted, and for a candidate with far more outside of them
    than the baseline.
    """
    outside = {side: counted[side] - _seconds(results[side]) for side in results}
    for side, seconds in outside.items():
        if seconds < -SLACK:
            raise GateError(f'[compare] the {side} tells of {_seconds(results[side]):.2f} s of CPU time in its steps, and '
                            f'its process used {counted[side]:.2f} s; wanted the times of this run')
    most = outside['baseline'] + max(SLACK, LARGEST_SHARE * counted['baseline'])
    if outside['candidate'] > most:
        raise GateError(f'[compare] CPU time outside of steps: baseline {outside["baseline"]:.2f} s, candidate '
                        f'{outside["candidate"]:.2f} s; wanted {most:.2f} s at most, since the gate judges by steps')


def _seconds(result):
    return sum(sum(steps.cpu) for steps in result.steps.values()) / 1000
