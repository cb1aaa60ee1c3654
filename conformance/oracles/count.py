"""Says how many expected values frameworks confirm, and which values nothing confirms.

Example:
  ./bazelw run //conformance/oracles:count
"""

import os
import sys

from conformance.answers import frameworks, results
from conformance.oracles import second_oracle
from tools.check_cases import case_files


def load(root):
    """The SecondOracle of the tree at `root`, and of the results that were built into it."""
    cases = list(case_files.all_cases(root))
    return second_oracle.SecondOracle(cases, results.load_all(root), frameworks.load(root))


def main():
    oracle = load(os.getcwd())
    problems = oracle.problems()
    print("\n".join([*problems, oracle.count()]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
