"""Tests whether N replicas train as one: results as objects, for programs and tests in Python.

    import lockstep_suite

    result = lockstep_suite.run("python3 my_testee.py", area="equivalence")
    result.as_expected                                      # False
    [case.id for case in result.cases if case.verdict == "failed"]

`lockstep --help` has the same, and more, on the command line; `pytest --lockstep-testee=my_testee.py` makes each case
a test.
"""

from lockstep_suite.installation import CannotRun
from lockstep_suite.results import Case, Result, run

__all__ = ["CannotRun", "Case", "Result", "run"]
