"""unittest.main() that also reports every case to Bazel.

    if __name__ == '__main__':
        xml_unittest.main()

Without it Bazel counts a whole py_test as one case. Writes $XML_OUTPUT_FILE where that is set. As a program it runs the
tests of the named modules (py_tests.bzl).
"""

import os
import pathlib
import sys
import unittest
import xml.etree.ElementTree as ElementTree


class _Result(unittest.TextTestResult):
    """Keeps, for each case, the outcome as XML's element name (None: passed) and its text."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.outcomes = {}

    def startTest(self, test):
        super().startTest(test)
        self.outcomes[test.id()] = (None, "")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.outcomes[test.id()] = ("failure", self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self.outcomes[test.id()] = ("error", self.errors[-1][1])

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.outcomes[test.id()] = ("skipped", reason)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.outcomes[test.id()] = ("failure", "%s: %s" % (subtest, err[1]))

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.outcomes[test.id()] = ("failure", "passed although marked as an expected failure")


def _report(outcomes):
    suites = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(suites, "testsuite", name="unittest", tests=str(len(outcomes)))
    for identity, (outcome, text) in outcomes.items():
        class_name, _, name = identity.replace("__main__.", "").rpartition(".")
        case = ElementTree.SubElement(suite, "testcase", classname=class_name, name=name)
        if outcome:
            ElementTree.SubElement(case, outcome, message=text)
    return ElementTree.ElementTree(suites)


class ShardLoader(unittest.TestLoader):
    """Loads what is this shard's of each class, where Bazel divides a program (shard_count)."""

    def getTestCaseNames(self, test_case):
        names = super().getTestCaseNames(test_case)
        return names[int(os.environ.get("TEST_SHARD_INDEX", "0")) :: int(os.environ.get("TEST_TOTAL_SHARDS", "1"))]


def main(modules=()):
    """Runs the tests of these modules, without any those of __main__; exits with 1 when one failed or none ran."""
    if os.environ.get("TEST_SHARD_STATUS_FILE"):
        pathlib.Path(os.environ["TEST_SHARD_STATUS_FILE"]).touch()  # says that shards are known here
    program = unittest.main(
        module=None if modules else "__main__",
        argv=[sys.argv[0], *modules] if modules else None,
        testLoader=ShardLoader(),
        testRunner=unittest.TextTestRunner(verbosity=2, resultclass=_Result),
        exit=False,
    )
    if os.environ.get("XML_OUTPUT_FILE"):
        _report(program.result.outcomes).write(os.environ["XML_OUTPUT_FILE"])
    sys.exit(0 if program.result.wasSuccessful() and program.result.testsRun else 1)


if __name__ == "__main__":
    main(sys.argv[1:])
