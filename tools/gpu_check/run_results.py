"""The results of one run of the package: how each program ended, and the files that it wrote."""

import math
import os

from reports import json_text
from tools.gpu_check.outcome import LEFT_OUT, NOT_RUN, PASSED

SUMMARY = "summary.json"


class NotMeasured(Exception):
    """The run does not have the measurement; the text says why."""


def result_file(program):
    """The name of a program's result file."""
    return program + ".json"


def find_one(entries, **wanted):
    """The only one of `entries` with these values. Raises NotMeasured."""
    found = [entry for entry in entries if all(entry.get(key) == value for key, value in wanted.items())]
    if len(found) != 1:
        labels = ", ".join("%s %s" % item for item in wanted.items())
        raise NotMeasured("it has %d entries of %s, wanted one" % (len(found), labels))
    return found[0]


def number_of(entry, key):
    """The number under a key. Raises NotMeasured where there is none."""
    value = entry.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise NotMeasured("it has no %s" % key)
    if not math.isfinite(value):
        raise NotMeasured("its %s is %s" % (key, value))
    return value


class RunResults:
    def __init__(self, folder, manifest, results, gpus=1):
        """`results` are ProgramRunner's; a file of a program that is not among them is another run's."""
        self._folder = folder
        self._results = {result["name"]: result for result in results}
        self.programs = manifest["programs"]
        tests = [program for program in self.programs if program.get("test")]
        # One that needs more GPUs than there are says nothing about these.
        self.tests = [test["name"] for test in tests if test.get("gpus", 1) <= gpus]
        self.not_applicable = [test["name"] for test in tests if test.get("gpus", 1) > gpus]

    def outcome(self, name):
        """How a program ended: 'passed', 'not run', ..."""
        return self._results.get(name, {}).get("result", NOT_RUN)

    def describe(self, name):
        """That in words, with the reason where one is known."""
        why = self._results.get(name, {}).get("why")
        return "%s: %s%s" % (name, self.outcome(name), " (%s)" % why if why else "")

    def load(self, name, passed=True):
        """The result file of a program, which by default must have passed. Raises NotMeasured."""
        outcome = self.outcome(name)
        if outcome in (NOT_RUN, LEFT_OUT) or (passed and outcome != PASSED):
            raise NotMeasured(self.describe(name))
        try:
            with open(os.path.join(self._folder, result_file(name)), "rb") as stream:
                return json_text.parse(stream.read(), constants=True)
        except FileNotFoundError:
            raise NotMeasured("it wrote no file; " + self.describe(name)) from None
        except json_text.NotJson as error:
            raise NotMeasured("the file is not whole: %s; %s" % (error, self.describe(name))) from None
        except json_text.JsonError as error:
            raise NotMeasured("the file is refused: %s; %s" % (error, self.describe(name))) from None

    def load_benchmark(self, name, passed=True):
        """The same, of a benchmark that was not stopped on the way."""
        result = self.load(name, passed)
        if result["context"].get("complete") is not True:
            raise NotMeasured("it did not end; " + self.describe(name))
        return result
