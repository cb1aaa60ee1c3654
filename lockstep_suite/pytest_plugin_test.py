"""The plugin of pytest, with a stand-in for pytest, which the suite's own tests do without."""

import sys
import types
import unittest
from unittest import mock

from lockstep_suite import results
from tools import xml_unittest


class Skipped(Exception):
    """What pytest.skip raises."""


class Node:
    """A collector or a test."""

    def __init__(self, *, name, **_):
        self.name = name

    @classmethod
    def from_parent(cls, _parent, **options):
        return cls(**options)


def skip(reason):
    raise Skipped(reason)


PYTEST = types.SimpleNamespace(
    hookimpl=lambda **_: lambda function: function, Collector=Node, Item=Node, UsageError=Exception, skip=skip
)
with mock.patch.dict(sys.modules, pytest=PYTEST):
    from lockstep_suite import pytest_plugin


class Options:
    """A parser of pytest, and a configuration that its options set."""

    def __init__(self, **values):
        self.values = values
        self.names = []

    def getgroup(self, *_):
        return self

    def addoption(self, name, **_):
        self.names.append(name)

    def getoption(self, name):
        return self.values.get(name)


def case(verdict, **fields):
    values = {"level": "required", "as_expected": verdict == "passed", "states": "It holds.", "differences": ()}
    return results.Case(id="a/b/c", verdict=verdict, **values | fields)


def result(*cases, unexpected=()):
    return results.Result("Mine 1.0", False, cases, {"unexpected": list(unexpected)})


class OptionsTest(unittest.TestCase):
    def test_the_run_takes_each_choice(self):
        config = Options(lockstep_testee="mine.py", lockstep_level="required", lockstep_deviations="mine.json")
        pytest_plugin.pytest_addoption(config)
        expected = ["testee", "area", "filter", "level", "deviations"]
        self.assertEqual(config.names, [f"--lockstep-{name}" for name in expected])
        with mock.patch.object(results, "run") as run:
            pytest_plugin.pytest_collection(types.SimpleNamespace(config=config))
        run.assert_called_once_with("mine.py", area=None, filter=None, level="required", deviations="mine.json")


class ItemsTest(unittest.TestCase):
    def items(self, *cases, unexpected=()):
        items = []
        config = types.SimpleNamespace(lockstep_result=result(*cases, unexpected=unexpected))
        pytest_plugin.pytest_collection_modifyitems(None, config, items)
        return items

    def test_a_skipped_case_names_step_and_reason(self):
        (item,) = self.items(case("unsupported", missing=("train.save: not written yet",)))
        with self.assertRaisesRegex(Skipped, "^train.save: not written yet$"):
            item.runtest()

    def test_a_listed_case_passes(self):
        (item,) = self.items(case("failed", as_expected=True))
        item.runtest()

    def test_a_failed_case_says_what_is_wrong_and_who_explains_it(self):
        (item,) = self.items(case("failed", differences=("at [0]: expected 1, observed 2",)))
        with self.assertRaisesRegex(pytest_plugin.Unexpected, "observed 2\n  explain: lockstep explain a/b/c$"):
            item.runtest()

    def test_a_mistake_of_the_list_is_a_failure(self):
        mistake = {"subject": "mine.json at $.deviations[0]", "text": "has no reason"}
        passed, of_list = self.items(case("passed"), unexpected=[mistake])
        passed.runtest()
        with self.assertRaisesRegex(pytest_plugin.Unexpected, r"^mine.json at \$.deviations\[0\]: has no reason$"):
            of_list.runtest()


if __name__ == "__main__":
    xml_unittest.main()
