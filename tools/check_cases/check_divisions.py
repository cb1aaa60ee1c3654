"""Fails where a case divides batches that do not divide, and judges every testee alike all the same.

    ./bazelw run //tools/check_cases:check_divisions      prints one line a problem:
        metrics/mean/x: result is judged whatever is declared of end_of_data

What becomes of a full batch that does not divide by the replicas, and of a smaller one at the end of the
data, are conventions. What a case observes behind such a batch is asked with a `when` for them, or the numbers
of the case divide.
"""
import sys

from tools import source_tree
from tools.check_cases import batch_rows
from tools.check_cases import case_files
from tools.check_cases import case_parameters
from tools.check_cases import check_dialects


def check(root):
    return [problem for case in case_files.all_cases(root) for problem in _problems(case)]


def _problems(case):
    met_before = _met_before_observations(case)
    for expectation in case['expect']:
        if expectation.get('level', case['level']) in check_dialects.JUDGED:
            for convention in sorted(_lacking(expectation, met_before)):
                yield '%s: %s is judged whatever is declared of %s' % (
                    case['id'], expectation.get('observation', 'the error'), convention)


def _met_before_observations(case):
    """Observation -> the conventions that what it observes may rest on, for any of the numbers of replicas."""
    replicas = case['given'].get('replicas', 1)
    workers = case['given'].get('workers', 1)
    program = case_parameters.with_parameters(case)
    met = {}
    for number in replicas if isinstance(replicas, list) else [replicas]:
        for observation, conventions in batch_rows.conventions_met(program, number * workers).items():
            met.setdefault(observation, set()).update(conventions)
    return met


def _lacking(expectation, met):
    asked = set(expectation.get('when', {}))
    if 'error' not in expectation:
        return met[expectation['observation']] - asked
    # Whichever comes first may have refused the batch.
    any_met = set().union(*met.values())
    return any_met if any_met.isdisjoint(asked) else set()


if __name__ == '__main__':
    sys.exit(source_tree.run(check))
