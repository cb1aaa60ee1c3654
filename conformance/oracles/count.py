"""Says how many expected values frameworks confirm, and which values nothing confirms.

Example:
  ./bazelw run //conformance/oracles:count
"""

import glob
import json
import os
import sys

from conformance.answers import frameworks
from conformance.oracles import second_oracle
from tools.check_cases import case_files

RESULTS = "conformance/answers/results"


def load(root):
    """The SecondOracle of the tree at `root`, and of the results that were built into it."""
    results = {}
    for path in glob.glob(os.path.join(root, RESULTS, "*.json")):
        with open(path, encoding="utf-8") as stream:
            results[os.path.basename(path)[: -len(".json")]] = json.load(stream)
    return second_oracle.SecondOracle(list(case_files.all_cases(root)), results, frameworks.load(root))


def main():
    oracle = load(os.getcwd())
    problems = oracle.problems()
    print("\n".join([*problems, oracle.count()]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
