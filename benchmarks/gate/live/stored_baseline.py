"""A baseline that is the result of a run some day, and no program."""
import dataclasses
import os

from benchmarks.gate.live import side_result


def load(words, folder):
    """The SideResult. Errors: ResultError for a file that is none, or has no times of steps (--step_times)."""
    result = side_result.load(os.path.join(folder, words[0]), 'baseline', words)
    side_result.check_steps(result, 'baseline', words)
    return result


def side(chosen, result):
    """The Side with the commit that the result tells of."""
    return dataclasses.replace(chosen, commit=result.commit.replace('unknown', ''))
